"""Workflow documents and edits from a request body, read without conversions between JSON types."""

from typing import Any, cast

import orjson
from pydantic import TypeAdapter, ValidationError

from workflow_agent.domain.edits import Edit, parse_edits
from workflow_agent.domain.errors import InvalidInput, InvalidWorkflow, Problem
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Workflow
from workflow_agent.domain.workflow_parsing import parse_workflow, problems_of

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
