"""What a document says about itself and what starts it, as the fields of a workflow, and back."""

from collections.abc import Iterable, Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.serverless_workflow.tasks import event_types, said_duration
from workflow_agent.workflows.formats.shapes import list_in, object_in, text_in
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.triggers import EventTrigger, ScheduleTrigger, Trigger, cron_problem
from workflow_agent.workflows.model.workflow import Workflow

DSL = "1.0.3"
SAID_BY: Mapping[str, tuple[str, ...]] = {"name": ("name", "title"), "description": ("summary",), "tags": ("tags",)}
"""The entries of `document` that say each field of a workflow."""


def said_about(document: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the workflow that the `document` part says."""
    tags = [fit(f"{key}:{value}" if value != "" else key) for key, value in object_in(document.get("tags")).items()]
    return {
        "name": text_in(document.get("title"), 200) or str(document["name"]),
        "description": text_in(document.get("summary")) or "",
        "tags": [tag for tag in tags if tag],
    }


def about(workflow: Workflow) -> JsonObject:
    """Return the `document` part for a workflow."""
    name = slug(workflow.name, fallback="workflow").replace("_", "-")
    tags = {key: value for key, _, value in (tag.partition(":") for tag in workflow.tags)}
    return {
        "dsl": DSL,
        "namespace": "default",
        "name": name,
        "version": f"{workflow.version}.0.0",
        **({"title": workflow.name} if workflow.name != name else {}),
        **({"summary": workflow.description} if workflow.description else {}),
        **({"tags": tags} if tags else {}),
    }


def said_triggers(schedule: Mapping[str, Any]) -> list[JsonObject]:
    """Return the triggers that a schedule is."""
    found: list[JsonObject] = []
    cron = schedule.get("cron")
    if isinstance(cron, str) and cron_problem(cron) is None:
        found.append({"type": "schedule", "cron": cron})
    every = said_duration(schedule.get("every"))
    if every is not None:
        found.append({"type": "schedule", "every": every})
    return [*found, *_said_events(object_in(schedule.get("on")))]


def _said_events(strategy: JsonObject) -> Iterable[JsonObject]:
    filters = [strategy["one"]] if "one" in strategy else list_in(strategy.get("any", strategy.get("all")))
    for one in filters:
        given = object_in(object_in(one).get("with"))
        for event in event_types({"one": one}):
            rest = {key: value for key, value in given.items() if key != "type"}
            yield {"type": "event", "event": event, **({"with": rest} if rest else {})}


def schedule_of(triggers: Iterable[Trigger]) -> JsonObject:
    """Return the schedule for triggers: one of the clock's at most, and any of the events."""
    found: JsonObject = {}
    events: list[JsonObject] = []
    for trigger in triggers:
        if isinstance(trigger, ScheduleTrigger):
            key = "cron" if trigger.cron else "every"
            found.setdefault(key, trigger.cron or trigger.every)
        elif isinstance(trigger, EventTrigger):
            events.append({"with": {**trigger.with_, "type": trigger.event}})
    if events:
        found["on"] = {"one": events[0]} if len(events) == 1 else {"any": events}
    return found
