"""A workflow, and a step of one, as JSON."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow.steps import Step
from workflow_agent.domain.workflow.whole import Workflow

_ALWAYS_WRITTEN: Mapping[str, Any] = {
    "version": 1, "description": "", "aliases": [], "tags": [], "triggers": [], "transitions": [],
    "automations": [],
}  # fmt: skip


def step_document(step: Step) -> JsonObject:
    """Return a step as it stands in its workflow's document."""
    return _step_document(step, step.model_dump(mode="json", by_alias=True, exclude_defaults=True))


def _step_document(step: Step, plain: JsonObject) -> JsonObject:
    return {"id": plain.pop("id"), "name": plain.pop("name"), "type": step.type} | plain


def workflow_document(workflow: Workflow) -> JsonObject:
    """Return the workflow as plain JSON data in its one canonical form.

    Fields at their default are left out below the top level, so that equal parts are equal
    bytes; a step always names its type, and the top level always has all of its lists.
    """
    plain = workflow.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    plain["steps"] = [_step_document(*one) for one in zip(workflow.steps, plain["steps"], strict=True)]
    ordered: JsonObject = {}
    for name in Workflow.model_fields:
        if name in plain:
            ordered[name] = plain[name]
        elif name in _ALWAYS_WRITTEN:
            ordered[name] = _ALWAYS_WRITTEN[name] if not isinstance(_ALWAYS_WRITTEN[name], list) else []
    return ordered
