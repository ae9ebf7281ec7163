"""What a flow says about itself and what starts it, as the fields of a workflow, and back."""

from collections.abc import Iterable, Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.kestra.tasks import NAMESPACE, id_of, name_and_rest
from workflow_agent.workflows.formats.shapes import list_in, object_in
from workflow_agent.workflows.model.parser import unique_id
from workflow_agent.workflows.model.triggers import (
    EventTrigger,
    ScheduleTrigger,
    Trigger,
    WebhookTrigger,
    WorkflowTrigger,
    cron_problem,
)
from workflow_agent.workflows.model.workflow import Workflow

_TRIGGER = "io.kestra.plugin.core.trigger."
SAID_BY: Mapping[str, tuple[str, ...]] = {
    "name": ("id", "description"),
    "description": ("description",),
    "tags": ("labels",),
}
"""The entries of a flow that say each field of a workflow."""


def said_about(flow: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the workflow that a flow says of itself."""
    name, description = name_and_rest(flow["id"], flow.get("description"))
    labels = object_in(flow.get("labels")) or {one["key"]: one.get("value") for one in list_in(flow.get("labels"))}
    tags = [fit(key if value in ("true", True) else f"{key}:{value}") for key, value in labels.items()]
    return {"name": name, "description": description or "", "tags": [tag for tag in tags if tag]}


def about(workflow: Workflow) -> JsonObject:
    """Return what a flow says of itself, for a workflow."""
    flow_id = id_of(workflow.name)
    first = [workflow.name] if workflow.name != flow_id else []
    told = "\n\n".join([*first, *([workflow.description] if workflow.description else [])])
    labels = {key: value or "true" for key, _, value in (tag.partition(":") for tag in workflow.tags)}
    return {
        "id": flow_id,
        "namespace": NAMESPACE,
        **({"description": told} if told else {}),
        **({"labels": labels} if labels else {}),
    }


def said_triggers(triggers: Iterable[Any]) -> list[JsonObject]:
    """Return what starts a flow; what is started in a way the model has not is an event of the plugin's type."""
    return [_said_trigger(object_in(one)) for one in triggers]


def _said_trigger(given: JsonObject) -> JsonObject:
    kind = str(given["type"]).rpartition(".")[2] if str(given["type"]).startswith("io.kestra.") else ""
    cron = given.get("cron")
    if kind == "Schedule" and isinstance(cron, str) and cron_problem(cron) is None:
        zone = given.get("timezone")
        return {"type": "schedule", "cron": cron} | (
            {"timezone": zone} if isinstance(zone, str) and fit(zone) == zone else {}
        )
    if kind == "Webhook" and "key" in given:
        return {"type": "webhook", "path": str(given["key"])}
    flows = list_in(object_in(given.get("preconditions")).get("flows"))
    if kind == "Flow" and len(flows) == 1 and (name := fit(str(object_in(flows[0]).get("flowId", "")))):
        return {"type": "workflow", "workflow": name}
    rest = {key: value for key, value in given.items() if key not in ("id", "type")}
    return {"type": "event", "event": fit(str(given["type"])), **({"with": rest} if rest else {})}


def triggers_of(triggers: Iterable[Trigger]) -> list[JsonObject]:
    """Return the triggers of a flow; who starts it by hand needs none, and one that runs so often has none."""
    found: list[JsonObject] = []
    taken: set[str] = set()
    for trigger in triggers:
        made = _made_trigger(trigger)
        if made:
            found.append({"id": (name := unique_id(trigger.type, taken)), **made})
            taken.add(name)
    return found


def _made_trigger(trigger: Trigger) -> JsonObject:
    if isinstance(trigger, ScheduleTrigger) and trigger.cron:
        zone = {"timezone": trigger.timezone} if trigger.timezone else {}
        return {"type": _TRIGGER + "Schedule", "cron": trigger.cron, **zone}
    if isinstance(trigger, WebhookTrigger) and trigger.path:
        return {"type": _TRIGGER + "Webhook", "key": trigger.path}
    if isinstance(trigger, WorkflowTrigger):
        flows = [{"namespace": NAMESPACE, "flowId": trigger.workflow}]
        return {"type": _TRIGGER + "Flow", "preconditions": {"id": "before", "flows": flows}}
    if isinstance(trigger, EventTrigger) and trigger.event.startswith("io.kestra."):
        return {"type": trigger.event, **{k: v for k, v in trigger.with_.items() if k not in ("id", "type")}}
    return {}
