"""One task of Kestra as the fields of a step, and back; what is inside a task and what follows it is not told here."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.kestra.shapes import ID, LISTS_OF, short
from workflow_agent.workflows.formats.plain import filled, nonempty, number_in, object_in, text_in, without
from workflow_agent.workflows.model.durations import is_duration
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Condition, Loop, Retry, Step, StepType, ends_badly

LANGUAGE = "pebble"
NAMESPACE = "company.team"
_PLAIN_ID = re.compile(ID)
_PLUGIN = re.compile(r"[A-Za-z][\w$-]*(\.[\w$-]+)+")
FLOW = "io.kestra.plugin.core.flow."
_EXECUTION = "io.kestra.plugin.core.execution."
_LOG = "io.kestra.plugin.core.log.Log"
_INSIDE = ("tasks", "then", "else", "cases", "defaults", "errors")
"""What holds other tasks, which are steps of their own."""
_COMMON = ("id", "type", "description", "retry", "timeout", "runIf", "allowFailure")
SAID_BY: Mapping[str, tuple[str, ...]] = {
    "type": ("type", "delay", "pauseDuration"),
    "uses": ("type", "message"),
    "name": ("description",),
    "description": ("description",),
    "when": ("runIf",),
    "timeout": ("timeout",),
    "retry": ("retry",),
    "on_error": ("allowFailure",),
    "workflow": ("flowId",),
    "with": ("inputs", "value"),
    "duration": ("delay", "pauseDuration"),
    "loop": ("values", "value", "concurrencyLimit", "condition", "type"),
    "outcome": ("type", "state"),
}
"""The entries of a task that say each field of a step."""
_TYPES: Mapping[str, StepType] = {
    **dict.fromkeys(("Parallel", "Dag"), "fork"),
    **dict.fromkeys(("ForEach", "EachSequential", "EachParallel", "LoopUntil", "WaitFor"), "loop"),
    **dict.fromkeys(("If", "Switch"), "decision"),
    **dict.fromkeys(("Fail", "Exit"), "end"),
    "Subflow": "subworkflow",
}
_STATES = {"SUCCESS": "ok", "FAILED": "failed"}


def said(task: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the step that a task is."""
    kind = short(task.get("type"))
    name, description = name_and_rest(task["id"], task.get("description"))
    fields: JsonObject = {
        "name": name,
        "type": _TYPES.get(kind, "action"),
        "description": description,
        "when": condition_of(task.get("runIf")),
        "timeout": task["timeout"] if is_duration(task.get("timeout")) else None,
        "retry": said_retry(task.get("retry")),
        "on_error": "continue" if task.get("allowFailure") is True else None,
    }
    return {**fields, **_work(kind, task, name)}


def name_and_rest(task_id: str, description: object) -> tuple[str, str | None]:
    """Return the name that the first line of a description is, where the id is made from it, and the rest."""
    told = text_in(description)
    first, _, rest = (told or "").partition("\n")
    made = id_of(first)
    is_name = task_id == made or (task_id.startswith(made + "_") and task_id.removeprefix(made + "_").isdigit())
    if told and fit(first) == first and is_name and first != task_id:
        return first, text_in(rest.removeprefix("\n"))
    return task_id, told


def id_of(name: str) -> str:
    """Return the id of Kestra for a name."""
    return name if _PLAIN_ID.fullmatch(name) else slug(name, fallback="step")


def _work(kind: str, task: Mapping[str, Any], name: str) -> JsonObject:
    rest = without(flat(task), *_COMMON)
    if kind in _SAID and not (kind in ("Fail", "Exit") and task.keys() & {"condition", "runIf"}):
        return _SAID[kind](task)
    if _TYPES.get(kind) == "end":
        # One that is passed by on a condition lets work go on.
        return {"type": "action", "uses": task["type"], "with": rest}
    if task.get("type") == _LOG and rest == {"message": name}:
        return {}
    return {"uses": task.get("type"), "with": rest if kind not in LISTS_OF else {}}


def flat(task: Mapping[str, Any]) -> JsonObject:
    """Return a task without the tasks in it that are steps of their own."""
    inside = _INSIDE if short(task.get("type")) in LISTS_OF else ()
    return without(task, *inside)


def _said_pause(task: Mapping[str, Any]) -> JsonObject:
    length = task.get("pauseDuration", task.get("delay"))
    return {"type": "wait", "duration": length if is_duration(length) else None} if length else {"type": "human"}


def _said_end(task: Mapping[str, Any]) -> JsonObject:
    state = "FAILED" if short(task.get("type")) == "Fail" else str(task.get("state", "SUCCESS"))
    return {"outcome": _STATES.get(state) or fit(state.lower())}


def _said_each(task: Mapping[str, Any]) -> JsonObject:
    at_once = task.get("concurrencyLimit", 0 if short(task.get("type")) == "EachParallel" else None)
    is_limit = type(at_once) is int and at_once >= 0 and at_once != 1
    return {"loop": {"over": task.get("values", task.get("value")), "parallel": at_once if is_limit else None}}


_SAID: Mapping[str, Callable[[Mapping[str, Any]], JsonObject]] = {
    **dict.fromkeys(("ForEach", "EachSequential", "EachParallel"), _said_each),
    **dict.fromkeys(("LoopUntil", "WaitFor"), lambda task: {"loop": {"until": condition_of(task.get("condition"))}}),
    **dict.fromkeys(("Fail", "Exit"), _said_end),
    **dict.fromkeys(("If", "Parallel"), lambda _: {}),
    "Pause": _said_pause,
    "Subflow": lambda task: {"workflow": fit(str(task.get("flowId"))), "with": object_in(task.get("inputs"))},
    "Switch": lambda task: {"with": {"value": task.get("value")}},
}


def condition_of(expression: Any) -> JsonObject | None:
    """Return an expression as a condition."""
    text = text_in(str(expression).lower() if isinstance(expression, bool) else expression)
    return {"expression": text, "language": LANGUAGE} if text else None


def said_retry(retry: Any) -> JsonObject | None:
    """Return how a task is tried again; None where it says that in no way the model has."""
    given = object_in(retry)
    most = given.get("maxAttempts", given.get("maxAttempt"))
    if type(most) is not int or not 1 <= most <= 1_000_000:
        return None
    factor = number_in(given.get("delayFactor"))
    said = {
        "max_attempts": most,
        "backoff": "exponential" if given["type"] == "exponential" else "fixed",
        "factor": factor if factor is not None and factor >= 0 else None,
        "interval": given["interval"] if is_duration(given.get("interval")) else None,
        "max_interval": given["maxInterval"] if is_duration(given.get("maxInterval")) else None,
    }
    return filled(said)


def generated(
    step: Step, task_id: str, *, has_children: bool = False, condition: str | bool | None = None
) -> JsonObject:
    """Return the task for a step, without what is inside it; with a condition, an `If`."""
    is_if = condition is not None
    made = {"type": FLOW + "If", "condition": condition} if is_if else _made(step, has_children=has_children)
    told = {
        "description": told_in_description(task_id, step.name, step.description),
        "runIf": expression_of(step.when) if step.when is not None else None,
        "timeout": step.timeout,
        "retry": retry_of(step.retry) if step.retry is not None else None,
        "allowFailure": True if step.on_error == "continue" else None,
    }
    return {"id": task_id, **made, **nonempty(told)}


def told_in_description(own_id: str, name: str, description: str | None) -> str:
    """Return the description that says a name, where the id does not, and a description."""
    return "\n\n".join(filter(None, (name if name != own_id else "", description)))


def expression_of(when: Condition) -> str:
    """Return a condition as an expression; one in words asks for an input of that name."""
    expression = when.expression
    if isinstance(expression, str) and expression.strip():
        return expression
    return "{{ inputs." + slug(when.text or when.formula, fallback="condition") + " }}"


def retry_of(retry: Retry) -> JsonObject:
    """Return how often and how fast a task is tried again."""
    made = {
        "type": "exponential" if retry.backoff == "exponential" else "constant",
        "maxAttempts": retry.max_attempts,
        "interval": retry.interval or "PT1S",
        "maxInterval": retry.max_interval,
        "delayFactor": retry.factor,
    }
    return nonempty(made)


def _made(step: Step, *, has_children: bool) -> JsonObject:
    if step.type == "loop":
        return _loop(step.loop or Loop())
    if step.type == "fork":
        return {"type": step.uses if short(step.uses or "") == "Dag" else FLOW + "Parallel"}
    if step.type == "decision":
        return {"type": FLOW + "Switch", "value": str(step.with_.get("value") or f"{{{{ inputs.{slug(step.name)} }}}}")}
    if step.type == "end":
        return {"type": _EXECUTION + ("Fail" if ends_badly(step) else "Exit")}
    if has_children:
        kind = short(step.uses or "")
        return {"type": step.uses if kind in ("AllowFailure", "WorkingDirectory", "Worker") else FLOW + "Sequential"}
    if step.type == "wait":
        return {"type": FLOW + "Pause", "pauseDuration": step.duration or f"{{{{ inputs.{slug(step.name)} }}}}"}
    if step.type in ("human", "event"):
        return {"type": FLOW + "Pause"}
    return _call(step)


def _loop(loop: Loop) -> JsonObject:
    until = loop.until or loop.while_
    if until is not None and loop.over is None:
        return {"type": FLOW + "LoopUntil", "condition": expression_of(until)}
    limit = {} if loop.parallel is None else {"concurrencyLimit": loop.parallel}
    return {"type": FLOW + "ForEach", "values": "{{ inputs.items }}" if loop.over is None else loop.over, **limit}


def _call(step: Step) -> JsonObject:
    if step.type == "subworkflow":
        called = {"namespace": NAMESPACE, "flowId": step.workflow or slug(step.name), "inputs": step.with_}
        return {"type": FLOW + "Subflow", **nonempty(called)}
    uses = step.uses or ""
    if not uses.strip():
        return {"type": _LOG, "message": step.name}
    kind = uses if _PLUGIN.fullmatch(uses) and short(uses) not in _TYPES else "service." + slug(uses)
    return {"type": kind, **without(step.with_, *_COMMON)}
