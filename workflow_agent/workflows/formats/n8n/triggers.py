"""The trigger that a node stands for, and the node for a trigger."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.n8n.nodes import is_trigger, short_type
from workflow_agent.workflows.formats.shapes import list_in, object_in, text_in
from workflow_agent.workflows.model.durations import duration_of, whole_seconds
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.triggers import cron_problem

_BASE = "n8n-nodes-base."
_EVENT = "Event: "
_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3_600, "days": 86_400, "weeks": 604_800}


def said_trigger(node: Mapping[str, Any]) -> JsonObject | None:
    """Return the trigger that a node stands for; None where it is none, or the model has none like it."""
    short, parameters = short_type(node), object_in(node.get("parameters"))
    if not is_trigger(node) or node.get("disabled") is True:
        return None
    notes = text_in(node.get("notes"), 200 + len(_EVENT)) or ""
    if notes.startswith(_EVENT) and notes.removeprefix(_EVENT).strip():
        return {"type": "event", "event": notes.removeprefix(_EVENT)}
    if short in ("manualTrigger", "start"):
        return {"type": "manual"}
    if short in ("scheduleTrigger", "cron", "interval"):
        intervals = list_in(object_in(parameters.get("rule")).get("interval"))
        return _said_schedule(object_in(intervals[0])) if len(intervals) == 1 else None
    if short == "webhook":
        path, method = text_in(parameters.get("path")), text_in(parameters.get("httpMethod"), 200)
        about = {"path": path, "method": method}
        return {"type": "webhook"} | {key: value for key, value in about.items() if value}
    name = fit(short.removesuffix("Trigger"))
    return {"type": "event", "event": name} if name else None


def _said_schedule(interval: JsonObject) -> JsonObject | None:
    field = interval.get("field", "days")
    if field == "cronExpression":
        cron = text_in(interval.get("expression"), 200)
        return {"type": "schedule", "cron": cron} if cron and cron_problem(cron) is None else None
    amount = interval.get(f"{field}Interval", 1)
    if field not in _SECONDS or type(amount) is not int or not 1 <= amount <= 10_000:
        return None
    hour, minute = interval.get("triggerAtHour", 0), interval.get("triggerAtMinute", 0)
    if field == "days" and amount == 1 and type(hour) is int and type(minute) is int:
        cron = f"{minute} {hour} * * *"
        return {"type": "schedule", "cron": cron} if cron_problem(cron) is None else None
    return {"type": "schedule", "every": duration_of(amount * _SECONDS[field])}


def made_trigger(trigger: Mapping[str, Any]) -> JsonObject:
    """Return the type, the parameters and the notes of the node for a trigger."""
    kind = trigger["type"]
    if kind == "schedule":
        rule = {"rule": {"interval": [_made_interval(trigger)]}}
        return {"type": _BASE + "scheduleTrigger", "typeVersion": 1.2, "parameters": rule}
    if kind == "webhook":
        about = {"path": trigger.get("path"), "httpMethod": trigger.get("method")}
        parameters = {key: value for key, value in about.items() if value}
        return {"type": _BASE + "webhook", "typeVersion": 2, "parameters": parameters}
    if kind in ("event", "workflow"):
        event = str(trigger[kind])
        parameters = {"path": slug(event, fallback="event"), "httpMethod": "POST"}
        return {"type": _BASE + "webhook", "typeVersion": 2, "parameters": parameters, "notes": _EVENT + event}
    return {"type": _BASE + "manualTrigger", "typeVersion": 1, "parameters": {}}


def _made_interval(trigger: Mapping[str, Any]) -> JsonObject:
    if trigger.get("cron"):
        return {"field": "cronExpression", "expression": trigger["cron"]}
    seconds = whole_seconds(trigger.get("every")) or 3_600
    field = next(one for one in ("weeks", "days", "hours", "minutes", "seconds") if not seconds % _SECONDS[one])
    if field == "days" and seconds == _SECONDS["days"]:
        field = "hours"
    return {"field": field, f"{field}Interval": seconds // _SECONDS[field]}
