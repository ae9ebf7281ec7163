"""What a node of n8n says in the terms of the model, and the node that says it."""

import re
from collections.abc import Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.plain import filled, list_in, number_in, object_in, text_in, without
from workflow_agent.workflows.formats.shapes import anything, flag, mapped, number, one_kind, record, text
from workflow_agent.workflows.model.durations import duration_of, exact_seconds
from workflow_agent.workflows.model.steps import Step, StepType

_BASE = "n8n-nodes-base."
_FAILING = _BASE + "stopAndError"
NOTE = _BASE + "stickyNote"
_KINDS: Mapping[str, StepType] = {
    **dict.fromkeys(("if", "switch"), "decision"),
    "merge": "join",
    "splitInBatches": "loop",
    "wait": "wait",
    "executeWorkflow": "subworkflow",
    "stopAndError": "end",
    "form": "human",
    **dict.fromkeys(("webhook", "cron", "interval", "start"), "event"),
}
_DEFAULTS: Mapping[StepType, str] = {
    **dict.fromkeys(("action", "fork", "state", "end"), "noOp"),
    **dict.fromkeys(("wait", "event"), "wait"),
    "human": "form",
    "decision": "switch",
    "join": "merge",
    "loop": "splitInBatches",
    "subworkflow": "executeWorkflow",
}
_NODE_TYPE = re.compile(r"(@?[\w.-]+/)?[\w-]*n8n-nodes[\w-]*\.\w+")
_UNITS = {"seconds": 1, "minutes": 60, "hours": 3_600, "days": 86_400}
_RESUMED_BY_EVENT = ("webhook", "form")
_MOST_SECONDS = 1e9
NODE = record(
    {
        "name": text(r"[\s\S]*\S[\s\S]*", says="a name", most=200),
        "type": text(r"[\s\S]*\S[\s\S]*", says="a node type", most=200),
        "parameters": mapped(),
        "id": one_kind(text=text(), number=anything),
        "notes": anything,
        "typeVersion": number(),
        "disabled": one_kind(flag=flag, nothing=anything),
    },
    required=["name", "type"],
    is_open=True,
)
SAID_BY = {
    "name": ("name",),
    "description": ("notes",),
    "type": ("type", "parameters"),
    "uses": ("type",),
    "with": ("parameters",),
    "retry": ("retryOnFail", "maxTries", "waitBetweenTries"),
    "on_error": ("onError", "continueOnFail"),
    "duration": ("parameters",),
    "workflow": ("parameters",),
    "event": ("type", "parameters"),
    "outcome": ("type",),
}


def short_type(node: Mapping[str, Any]) -> str:
    """Return the last part of a node's type: `httpRequest`."""
    return str(node.get("type")).rpartition(".")[2]


def is_trigger(node: Mapping[str, Any]) -> bool:
    """Say whether a node starts its workflow."""
    short = short_type(node)
    return short.lower().endswith("trigger") or short in ("webhook", "cron", "interval", "start")


def _kind_of(node: Mapping[str, Any]) -> StepType:
    parameters = object_in(node.get("parameters"))
    if parameters.get("operation") == "sendAndWait":
        return "human"
    short = short_type(node)
    if short == "wait" and parameters.get("resume") in _RESUMED_BY_EVENT:
        return "event"
    return "event" if is_trigger(node) else _KINDS.get(short, "action")


def said(node: Mapping[str, Any]) -> JsonObject:
    """Return the fields of a step that a node says."""
    kind = _kind_of(node)
    parameters = dict(object_in(node.get("parameters")))
    goes_on = node.get("onError") == "continueRegularOutput" or node.get("continueOnFail") is True
    fields: JsonObject = {
        "name": node["name"],
        "type": kind,
        "description": text_in(node.get("notes")),
        "uses": None if node["type"] in (_BASE + _DEFAULTS[kind], _FAILING) else node["type"],
        "retry": _said_retry(node),
        "on_error": "continue" if goes_on else None,
    }
    if kind == "event":
        fields["event"] = fit(short_type(node)) if is_trigger(node) else parameters.pop("resume", None)
    elif kind == "wait" and (length := _said_wait(parameters)):
        fields["duration"] = length
        parameters = without(parameters, "amount", "unit")
    elif kind == "subworkflow" and (called := _said_workflow(parameters)):
        fields["workflow"] = called
        del parameters["workflowId"]
    elif kind == "end":
        fields["outcome"] = "failed"
    fields["with"] = parameters or None
    return filled(fields)


def _said_retry(node: Mapping[str, Any]) -> JsonObject | None:
    if node.get("retryOnFail") is not True:
        return None
    tries, pause = node.get("maxTries", 3), node.get("waitBetweenTries", 1_000)
    if type(tries) is not int or not 1 <= tries <= 1_000_000 or type(pause) is not int:
        return None
    if not 0 <= pause <= _MOST_SECONDS:
        return None
    return {"max_attempts": tries, "interval": duration_of(pause / 1_000)}


def _said_wait(parameters: Mapping[str, Any]) -> str | None:
    amount, unit = number_in(parameters.get("amount", 1)), str(parameters.get("unit", "hours"))
    if parameters.get("resume", "timeInterval") != "timeInterval" or unit not in _UNITS:
        return None
    return duration_of(amount * _UNITS[unit]) if amount is not None and 0 <= amount <= 1e6 else None


def _said_workflow(parameters: Mapping[str, Any]) -> str | None:
    given = parameters.get("workflowId")
    named = object_in(given).get("cachedResultName") or object_in(given).get("value") or given
    return text_in(named, 200)


def generated(step: Step) -> JsonObject:
    """Return the node for a step, from the model alone, without its place on the canvas."""
    node: JsonObject = {
        "parameters": dict(step.with_) | _parameters(step),
        "id": step.id,
        "name": step.name,
        "type": _type_of(step),
        "typeVersion": 3 if step.type == "decision" else 1,
    }
    if step.description:
        node["notes"] = step.description
    if step.retry:
        pause = exact_seconds(step.retry.interval)
        node |= {"retryOnFail": True, "maxTries": step.retry.max_attempts}
        node |= {} if pause is None else {"waitBetweenTries": round(pause * 1_000)}
    if step.on_error == "continue":
        node["onError"] = "continueRegularOutput"
    return node


def _type_of(step: Step) -> str:
    if step.uses and len(step.uses) <= 200 and _NODE_TYPE.fullmatch(step.uses):
        return step.uses
    if step.type == "end" and step.outcome in ("failed", "error"):
        return _FAILING
    return _BASE + _DEFAULTS[step.type]


def _parameters(step: Step) -> JsonObject:
    if step.type == "event" and not step.uses:
        return {"resume": step.event if step.event in _RESUMED_BY_EVENT else "webhook"}
    if step.type == "subworkflow" and step.workflow:
        return {"workflowId": step.workflow}
    seconds = exact_seconds(step.duration) if step.type == "wait" else None
    if seconds is None:
        return {}
    unit = next((one for one in ("days", "hours", "minutes") if seconds and not seconds % _UNITS[one]), "seconds")
    amount = seconds / _UNITS[unit]
    return {"amount": int(amount) if amount.is_integer() else amount, "unit": unit}


def rules_of(node: Mapping[str, Any]) -> list[JsonObject]:
    """Return the rules of a switch, in the order of its outputs."""
    rules = object_in(object_in(node.get("parameters")).get("rules"))
    return [object_in(one) for one in list_in(rules.get("values")) or list_in(rules.get("rules"))]


def said_port(node: Mapping[str, Any], kind: str, output: int) -> JsonObject:
    """Return the fields of a transition that leaves a node by one of its outputs."""
    if kind != "main":
        return {"type": "data", "label": kind}
    short, mains, fields = short_type(node), 1, JsonObject(type="sequence")
    if short == "if":
        mains = 2
        if output < 2:
            fields = {"type": "condition", "when": {"text": ("true", "false")[output]}}
    elif short == "switch":
        rules = rules_of(node)
        mains = len(rules) + 1
        if output < len(rules):
            fields = {"type": "condition", "when": _said_rule(rules[output], output)}
        elif output == len(rules):
            fields = {"type": "default"}
    if output == mains and node.get("onError") == "continueErrorOutput":
        return {"type": "error"}
    return fields


def _said_rule(rule: JsonObject, output: int) -> JsonObject:
    when: JsonObject = {"text": text_in(rule.get("outputKey")) or f"output {output}"}
    conditions = rule.get("conditions")
    if list_in(object_in(conditions).get("conditions")):
        when |= {"expression": conditions, "language": "n8n"}
    return when
