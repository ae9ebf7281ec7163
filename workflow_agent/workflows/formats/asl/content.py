"""One state as the fields of a step, and back; how states follow one another is not told here."""

import re
from collections.abc import Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.asl.choices import error_names, errors_of
from workflow_agent.workflows.formats.asl.paths import value_problem
from workflow_agent.workflows.formats.builder import fit, seconds_in
from workflow_agent.workflows.formats.fidelity import step_with
from workflow_agent.workflows.formats.plain import list_in, nonempty, object_in, text_in
from workflow_agent.workflows.model.durations import whole_seconds
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Loop, Retry, Step, ends_badly

_STEP_TYPES = {
    "Task": "action",
    "Pass": "action",
    "Choice": "decision",
    "Wait": "wait",
    "Succeed": "end",
    "Fail": "end",
    "Parallel": "fork",
    "Map": "loop",
}
_VARIABLE = re.compile(r"\A\$\{(\w+)\}\Z")
_START_EXECUTION = "arn:aws:states:::states:startExecution"
_ACTIVITY = "arn:aws:states:REGION:ACCOUNT_ID:activity:"
"""People and outside events answer through an activity; where it lives is filled in on deployment."""
_WHOLE_INPUT = "$"
"""What a Map goes through that does not say what."""
STRUCTURES = ("Map", "Parallel", "Choice")
SAID_BY: Mapping[str, tuple[str, ...]] = {
    "type": ("Resource",),
    "description": ("Comment",),
    "uses": ("Resource",),
    "workflow": ("Parameters", "Arguments"),
    "with": ("Parameters", "Arguments"),
    "timeout": ("TimeoutSeconds", "TimeoutSecondsPath"),
    "duration": ("Seconds", "SecondsPath", "Timestamp", "TimestampPath"),
    "retry": ("Retry",),
    "loop": ("Items", "ItemsPath", "MaxConcurrency", "MaxConcurrencyPath"),
    "outcome": ("Error", "ErrorPath"),
}
"""The fields of a state that say each field of a step."""


def said(state: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the step that a state is."""
    kind = str(state.get("Type"))
    fields: JsonObject = {
        "type": _STEP_TYPES[kind],
        "description": text_in(state.get("Comment")),
        "timeout": _seconds(state.get("TimeoutSeconds")),
        "retry": _said_retry(state.get("Retry")),
    }
    if kind == "Task":
        fields |= _said_call(state)
    elif kind == "Pass":
        fields["with"] = object_in(state.get("Parameters"))
    elif kind == "Wait":
        fields["duration"] = _seconds(state.get("Seconds"))
    elif kind == "Map":
        fields["loop"] = _said_loop(state)
    elif kind == "Succeed":
        fields["outcome"] = "ok"
    elif kind == "Fail":
        fields["outcome"] = _said_outcome(state.get("Error"))
    return fields


def _seconds(value: Any) -> str | None:
    return seconds_in(value, 1e15)


def _said_call(state: Mapping[str, Any]) -> JsonObject:
    resource = state.get("Resource")
    given = object_in(state.get("Parameters", state.get("Arguments")))
    if isinstance(resource, str) and resource.startswith(_START_EXECUTION):
        machine = given.get("StateMachineArn")
        name = fit(machine) if isinstance(machine, str) else None
        whole = set(given) <= {"StateMachineArn", "Input"}
        arguments = object_in(given.get("Input")) if whole else given
        return {"type": "subworkflow", "uses": resource, "workflow": name, "with": arguments}
    if isinstance(resource, Mapping):
        resource = " ".join(
            f"{name} {'.'.join(map(str, list_in(value))) or value}" for name, value in object_in(resource).items()
        )
    return {"uses": text_in(resource), "with": given}


def _said_retry(retriers: Any) -> JsonObject | None:
    """Return the first of the retriers; the model has room for one."""
    if not list_in(retriers):
        return None
    first = object_in(retriers[0])
    rate = first.get("BackoffRate", 2.0)
    return {
        "max_attempts": min(int(first.get("MaxAttempts", 3)) + 1, 1_000_000),
        "interval": _seconds(first.get("IntervalSeconds", 1)),
        "max_interval": _seconds(first.get("MaxDelaySeconds")),
        "backoff": "fixed" if rate == 1 else "exponential",
        "factor": None if rate in (1, 2) else float(rate),
        "errors": errors_of(first),
    }


def _said_loop(state: Mapping[str, Any]) -> JsonObject:
    limit = state.get("MaxConcurrency", None if "MaxConcurrencyPath" in state else 0)
    is_limit = isinstance(limit, int) and not isinstance(limit, bool) and limit != 1
    over = state.get("Items", state.get("ItemsPath", _WHOLE_INPUT))
    return {"over": over, "parallel": limit if is_limit else None}


def _said_outcome(error: Any) -> str:
    """Return the error as the outcome where it tells by itself that the end is a bad one."""
    named = fit(error) if isinstance(error, str) else None
    return named if named and ends_badly(step_with({"type": "end", "outcome": named})) else "failed"


def generated(step: Step, structure: str = "", language: str = "JSONPath") -> JsonObject:
    """Return the state for a step, with nothing about what comes next and what is inside.

    It is a `Map`, `Parallel` or `Choice` where that is decided by what is around the step.
    """
    comment = nonempty({"Comment": step.description})
    if structure:
        items = _items(step.loop) if structure == "Map" else {}
        retriers = _retriers(step.retry) if structure != "Choice" else {}
        return {"Type": structure, **comment, **items, **retriers}
    if step.type == "end":
        named = {"Error": step.outcome} if step.outcome not in (None, "failed") else {}
        return {"Type": "Fail", **named, **comment} if ends_badly(step) else {"Type": "Succeed", **comment}
    if step.type == "wait":
        return {"Type": "Wait", **comment, **_waiting(step, language)}
    resource = _resource(step)
    arguments = "Arguments" if language == "JSONata" else "Parameters"
    if resource is None:
        given = step.with_ if language == "JSONPath" else None
        return nonempty({"Type": "Pass", **comment, "Parameters": given})
    given = step.with_
    if step.type == "subworkflow":
        given = nonempty({"StateMachineArn": step.workflow or step.name, "Input": given})
    seconds = whole_seconds(step.timeout)
    limit = seconds if seconds and seconds < 100_000_000 else None
    said = {"Type": "Task", **comment, "Resource": resource, arguments: given, "TimeoutSeconds": limit}
    return {**nonempty(said), **_retriers(step.retry)}


def _waiting(step: Step, language: str) -> JsonObject:
    seconds = whole_seconds(step.duration)
    if seconds is not None:
        return {"Seconds": seconds}
    asked = f"{slug(step.name)}_seconds"
    return {"Seconds": f"{{% $states.input.{asked} %}}"} if language == "JSONata" else {"SecondsPath": f"$.{asked}"}


def _resource(step: Step) -> Any:
    if step.type == "subworkflow":
        return step.uses if (step.uses or "").startswith(_START_EXECUTION) else f"{_START_EXECUTION}.sync:2"
    if step.type in ("human", "event", "state"):
        return _ACTIVITY + slug(step.event or step.name)
    if step.type != "action" or not (step.uses or "").strip():
        return None
    return step.uses


def _retriers(retry: Retry | None) -> JsonObject:
    if retry is None:
        return {}
    interval, longest = whole_seconds(retry.interval), whole_seconds(retry.max_interval)
    rate = 1.0 if retry.backoff == "fixed" else retry.factor or 2.0
    one: JsonObject = {
        "ErrorEquals": error_names(retry.errors),
        "IntervalSeconds": interval if interval is not None else 1,
        "MaxAttempts": retry.max_attempts - 1,
        "BackoffRate": rate,
    }
    return {"Retry": [{**one, "MaxDelaySeconds": longest} if longest else one]}


def _items(loop: Loop | None) -> JsonObject:
    over, limit = (loop.over, loop.parallel) if loop else (None, None)
    found: JsonObject = {} if limit == 0 else {"MaxConcurrency": limit or 1}
    path = _VARIABLE.sub(r"$.\1", over) if isinstance(over, str) else ""
    if path != _WHOLE_INPUT and path.startswith("$") and value_problem(path) is None:
        return {"ItemsPath": path, **found}
    if isinstance(over, list) or (isinstance(over, str) and over.startswith("{%")):
        return {"Items": over, **found}
    return found
