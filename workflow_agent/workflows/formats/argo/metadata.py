"""What a document is called and what starts it, as the fields of a workflow, and back."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.argo.shapes import BINDING, SPECS, cron_rest_shape
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.fidelity import kept_in, same
from workflow_agent.workflows.formats.shapes import Shape, list_in, object_in, problems_in, record, text_in
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.triggers import ScheduleTrigger, cron_problem
from workflow_agent.workflows.model.workflow import Workflow

_TITLE = "workflows.argoproj.io/title"
_DESCRIPTION = "workflows.argoproj.io/description"


def said_metadata(metadata: Mapping[str, Any]) -> JsonObject:
    """Return the name and the description of a workflow."""
    notes = object_in(metadata.get("annotations"))
    name = text_in(metadata.get("name")) or str(metadata.get("generateName") or "").rstrip("-")
    return {
        "name": text_in(notes.get(_TITLE), 200) or fit(name) or "Argo workflow",
        "description": text_in(notes.get(_DESCRIPTION)) or "",
    }


def metadata_of(workflow: Workflow) -> JsonObject:
    """Return the metadata for a workflow."""
    name = slug(workflow.name, fallback="workflow").replace("_", "-")
    notes = {_TITLE: workflow.name} if workflow.name != name else {}
    notes |= {_DESCRIPTION: workflow.description} if workflow.description else {}
    return {"name": name, **({"annotations": notes} if notes else {})}


def said_triggers(kind: str, spec: Mapping[str, Any]) -> list[JsonObject]:
    """Return the triggers that a document of this kind has."""
    if kind == "WorkflowEventBinding":
        selector = text_in(object_in(spec.get("event")).get("selector"))
        return [{"type": "event", "event": fit(" ".join(selector.split()))}] if selector else []
    if kind != "CronWorkflow":
        return []
    zone = text_in(spec.get("timezone"), 200)
    crons = [spec["schedule"]] if "schedule" in spec else list_in(spec.get("schedules"))
    schedules: list[JsonObject] = [
        {"type": "schedule", "cron": one} for one in crons if isinstance(one, str) and cron_problem(one) is None
    ]
    return [{**one, "timezone": zone} if zone else one for one in schedules]


def started_by(workflow: Workflow, format_name: str) -> tuple[str, JsonObject]:
    """Return the kind of document for a workflow, and what its triggers say in it."""
    kept = kept_in(workflow.extensions, format_name)
    kind, rest = str(kept.get("kind", "Workflow")), object_in(kept.get("starts"))
    plain = [one.model_dump(mode="json", by_alias=True, exclude_defaults=True) for one in workflow.triggers]
    shape = _STARTS.get(kind)
    is_valid = shape is not None and not problems_in(rest, shape)
    is_bound = kind != "WorkflowEventBinding" or _is_still_bound(workflow, rest)
    if is_valid and is_bound and same(said_triggers(kind, rest), plain):
        return kind, rest
    schedules = [one for one in workflow.triggers if isinstance(one, ScheduleTrigger) and one.cron]
    if not schedules:
        return kind if kind.endswith("WorkflowTemplate") and kind in SPECS else "Workflow", {}
    zone = {"timezone": schedules[0].timezone} if schedules[0].timezone else {}
    return "CronWorkflow", {"schedules": [one.cron for one in schedules], **zone}


_EMPTY = record({})
_STARTS: Mapping[str, Shape] = {
    "CronWorkflow": cron_rest_shape,
    "WorkflowEventBinding": BINDING,
    **dict.fromkeys(("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"), _EMPTY),
}


def _is_still_bound(workflow: Workflow, binding: JsonObject) -> bool:
    """Say whether the workflow still is only the one that the binding starts."""
    reference = object_in(object_in(binding.get("submit")).get("workflowTemplateRef"))
    return [step.workflow for step in workflow.steps] == [reference.get("name")]
