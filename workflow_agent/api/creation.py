"""Creates something once, however often its request is sent."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

import orjson
from pydantic import TypeAdapter, ValidationError

from workflow_agent.conversations.idempotency import IdempotencyKeys
from workflow_agent.errors import AlreadyExists, InvalidInput, InvalidWorkflow, Problem
from workflow_agent.values.stored import JsonObject, digest_of
from workflow_agent.workflows.edits.operations import Edit, parse_edits
from workflow_agent.workflows.model.parser import parse_workflow, problems_of
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.service import Created, Writer
from workflow_agent.workflows.store import Author

Made = TypeVar("Made")
_REPLAYED = {"Idempotency-Replayed": "true"}


async def create_once(
    keys: IdempotencyKeys,
    key: str | None,
    request: Any,
    resource_id: str,
    *,
    create: Callable[[str], Awaitable[Made]],
    find: Callable[[str], Awaitable[Made]] | None = None,
) -> tuple[Made, dict[str, str]]:
    """Create what a request asks for, or return what its first sending created, with headers that tell which.

    `request` is what distinguishes it from others, as JSON data. Another request under the same key is refused, and so
    is an id that something else has. Without `find`, `create` itself returns what the first sending created.
    """
    if key is None:
        return await create(resource_id), {}
    claim = await keys.claim(key, digest_of(request), resource_id)
    try:
        return await create(claim.resource_id), {}
    except AlreadyExists:
        if claim.is_first:
            await keys.release(key)
        if claim.is_first or find is None:
            raise
        return await find(claim.resource_id), _REPLAYED


async def create_workflow_once(
    keys: IdempotencyKeys,
    key: str | None,
    request: Any,
    workflow: Workflow,
    *,
    actor: str,
    create: Callable[[Workflow, Writer], Awaitable[Created]],
) -> tuple[Workflow, dict[str, str]]:
    """Return the workflow that a request makes, as `create_once` does; `create` stores it with the request's mark."""
    by = Writer(Author(user=actor), None if key is None else digest_of([key, request]))

    async def create_as(workflow_id: str) -> Created:
        return await create(workflow.model_copy(update={"id": workflow_id}), by)

    made, _ = await create_once(keys, key, request, workflow.id, create=create_as)
    return made.workflow, {} if made.is_new else _REPLAYED


_EDITS: TypeAdapter[tuple[Edit, ...]] = TypeAdapter(tuple[Edit, ...])


def workflow_from_body(document: JsonObject) -> Workflow:
    """Return the workflow of a document from a request body, or refuse it with every problem."""
    workflow = parse_workflow(document)
    # Once more and strictly, to refuse values that validate only by conversion, such as `"3"` for a number.
    edges = cast("list[JsonObject]", document.get("transitions") or [])
    completed: JsonObject = {**document, "start": workflow.start}
    if edges:
        completed["transitions"] = [
            {"id": known.id, **edge} for edge, known in zip(edges, workflow.transitions, strict=True)
        ]
    try:
        Workflow.model_validate_json(orjson.dumps(completed), strict=True)
    except ValidationError as error:
        raise InvalidWorkflow(problems_of(error, completed)) from error
    return workflow


def edits_from_body(edits: list[JsonObject]) -> tuple[Edit, ...]:
    """Return the edits of a request body, or refuse them with every problem."""
    parsed = parse_edits(edits)
    try:
        _EDITS.validate_json(orjson.dumps(edits), strict=True)
    except ValidationError as error:
        problems = [Problem(f"/edits{one.pointer}", one.message) for one in problems_of(error, edits)]
        raise InvalidInput(
            f"The edits are not valid: {problems[0].pointer}: {problems[0].message}", problems
        ) from error
    return parsed
