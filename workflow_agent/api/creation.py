"""Creating something once, however often the request is sent."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import orjson
from pydantic import TypeAdapter, ValidationError

from workflow_agent.api.services import Services
from workflow_agent.errors import AlreadyExists, InvalidInput, InvalidWorkflow, Problem, WorkflowNotFound
from workflow_agent.storage.files.idempotency import JsonIdempotencyKeys
from workflow_agent.values.digests import digest_of
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.edits.operations import Edit, parse_edits
from workflow_agent.workflows.model.parser import parse_workflow, problems_of
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import Change

Made = TypeVar("Made")
_STEM_CHARS = 48
_SUFFIX_CHARS = 12


async def create_once(
    keys: JsonIdempotencyKeys,
    tenant: str,
    key: str | None,
    *,
    request: Any,
    resource_id: str,
    create: Callable[[str], Awaitable[Made]],
    find: Callable[[str], Awaitable[Made]],
    finds_own_alone: bool = False,
) -> tuple[Made, dict[str, str]]:
    """Return what a request makes, or made when it was first sent, and the headers that say which.

    Args:
        keys: What earlier keys stand for.
        tenant: Whose key it is.
        key: The idempotency key, if the request has one.
        request: What distinguishes the request from others, as JSON data.
        resource_id: The id to create under, unless the key stands for another.
        create: Makes the resource under an id.
        find: Reads the resource with an id.
        finds_own_alone: Whether `find` tells what this request made from what another did, for which it
            raises AlreadyExists.

    Raises:
        AlreadyExists: The id is taken by what another request made.
        IdempotencyMismatch: The key was sent with another request.
    """
    if key is None:
        return await create(resource_id), {}
    claim = await keys.claim(tenant, key, digest_of(request), resource_id)
    try:
        return await create(claim.resource_id), {}
    except AlreadyExists:
        try:
            if claim.is_first and not finds_own_alone:
                raise
            return await find(claim.resource_id), {"Idempotency-Replayed": "true"}
        except AlreadyExists:
            if claim.is_first:
                await keys.release(tenant, key)
            raise


@dataclass(frozen=True, slots=True)
class NewWorkflow:
    """A workflow to be stored under its id, or under one like it where nobody chose it and it is taken."""

    services: Services
    tenant: str
    workflow: Workflow
    change: Change
    is_id_chosen: bool

    async def stored_once(self, key: str | None, request: Any) -> tuple[Workflow, dict[str, str]]:
        """Return it as stored, once however often it is sent under a key, and the headers that say so.

        Raises:
            AlreadyExists: The chosen id is taken.
            IdempotencyMismatch: The key was sent with another request.
        """
        mark = digest_of([key, request]) if key else None
        sent = _Sent(self, mark, mark[:_SUFFIX_CHARS] if mark else secrets.token_hex(_SUFFIX_CHARS // 2))
        return await create_once(
            self.services.keys, self.tenant, key,
            request=request, resource_id=self.workflow.id, create=sent.create, find=sent.find,
            finds_own_alone=True,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Sent:
    new: NewWorkflow
    mark: str | None
    """Tells what this request made; of the key and the request, so that it is the same when sent again."""
    suffix: str

    async def create(self, wanted: str) -> Workflow:
        try:
            return await self._stored(wanted)
        except AlreadyExists:
            if self.new.is_id_chosen or await self._own(wanted):
                raise
        return await self._stored(self._like(wanted))

    async def find(self, wanted: str) -> Workflow:
        for workflow_id in (wanted, self._like(wanted)):
            if found := await self._own(workflow_id):
                return found
        raise AlreadyExists(f"There is already a workflow {wanted!r}. Choose another id.", workflow_id=wanted)

    async def _stored(self, workflow_id: str) -> Workflow:
        named = self.new.workflow.model_copy(update={"id": workflow_id})
        change = replace(self.new.change, digest=self.mark)
        return await self.new.services.workflows.create(self.new.tenant, named, change)

    async def _own(self, workflow_id: str) -> Workflow | None:
        if self.mark is None:
            return None
        catalog, tenant = self.new.services.workflows, self.new.tenant
        try:
            first = await catalog.version(tenant, workflow_id, 1)
            return await catalog.get(tenant, workflow_id) if first.digest == self.mark else None
        except WorkflowNotFound:
            return None

    def _like(self, wanted: str) -> str:
        return f"{wanted[:_STEM_CHARS]}_{self.suffix}"


_EDITS: TypeAdapter[tuple[Edit, ...]] = TypeAdapter(tuple[Edit, ...])


def workflow_from_body(document: JsonObject) -> Workflow:
    """Return the workflow that a document from a request body is.

    Raises:
        InvalidWorkflow: It is not one; every problem is listed.
    """
    workflow = parse_workflow(document)
    _refuse_conversions(document, workflow)
    return workflow


def _refuse_conversions(document: JsonObject, workflow: Workflow) -> None:
    """Refuse what was only understood by reading `"3"` as a number and the like: somebody's mistake."""
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


def edits_from_body(edits: list[JsonObject]) -> tuple[Edit, ...]:
    """Return the edits of a request body.

    Raises:
        InvalidInput: One is not an edit; every problem is listed.
    """
    parsed = parse_edits(edits)
    try:
        _EDITS.validate_json(orjson.dumps(edits), strict=True)
    except ValidationError as error:
        problems = [Problem(f"/edits{one.pointer}", one.message) for one in problems_of(error, edits)]
        raise InvalidInput(
            f"The edits are not valid: {problems[0].pointer}: {problems[0].message}", problems
        ) from error
    return parsed


def named(workflow: Workflow) -> dict[str, Any]:
    """Return which version of which workflow something is about."""
    return {"id": workflow.id, "name": workflow.name, "version": workflow.version}
