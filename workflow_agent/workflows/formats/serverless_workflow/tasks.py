"""One task as the fields of a step, and back; what is inside a task and what follows it is not told here."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.plain import list_in, nonempty, object_in, text_in, without
from workflow_agent.workflows.formats.serverless_workflow.shapes import CALLS, kind_of_task, task_shape
from workflow_agent.workflows.formats.shapes import problems_in
from workflow_agent.workflows.model.durations import duration_of, is_duration
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Condition, Loop, Step, ends_badly

LANGUAGE = "jq"
_UNIT_SECONDS = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1, "milliseconds": 0.001}
_OUTCOME = "urn:workflow:outcome:"
"""The type of an error that stands for an end with an outcome of its own."""
_RUNS = ("container", "script", "shell")
SAID_BY: Mapping[str, tuple[str, ...]] = {
    "type": ("call", "run", "set", "emit", "raise", "listen", "wait", "for", "fork", "do"),
    "uses": ("call", "run"),
    "with": ("with", "run", "set", "emit", "raise"),
    "workflow": ("run",),
    "duration": ("wait",),
    "event": ("listen",),
    "loop": ("for", "while"),
    "join": ("fork",),
    "outcome": ("raise",),
    "when": ("if",),
    "timeout": ("timeout",),
    "description": ("metadata",),
}
"""The entries of a task that say each field of a step."""


def said(task: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the step that a task is."""
    kind = kind_of_task(task) or "do"
    fields: JsonObject = {
        "type": _TYPES.get(kind, "action"),
        "when": condition_of(task.get("if")),
        "timeout": said_duration(object_in(task.get("timeout")).get("after")),
        "description": text_in(object_in(task.get("metadata")).get("description")),
    }
    more = _SAID.get(kind)
    return {**fields, **(more(task) if more else {})}


_TYPES = {"for": "loop", "fork": "fork", "listen": "event", "switch": "decision", "wait": "wait"}


def condition_of(expression: Any) -> JsonObject | None:
    """Return a runtime expression as a condition."""
    return None if expression is None else {"expression": expression, "language": LANGUAGE}


def said_duration(duration: Any) -> str | None:
    """Return a duration as the model has it; None for one that is worked out only when it runs."""
    if isinstance(duration, str):
        return duration if is_duration(duration) else None
    amounts = object_in(duration)
    if not amounts:
        return None
    seconds = sum(amount * _UNIT_SECONDS[unit] for unit, amount in amounts.items())
    return duration_of(seconds) if 0 <= seconds < 1e12 else None


def _said_run(task: Mapping[str, Any]) -> JsonObject:
    run = object_in(task["run"])
    if "workflow" in run:
        inner = object_in(run["workflow"])
        return {"type": "subworkflow", "workflow": fit(inner["name"]), "with": object_in(inner.get("input"))}
    kind = next(one for one in _RUNS if one in run)
    return {"uses": kind, "with": object_in(run[kind])}


def _said_raise(task: Mapping[str, Any]) -> JsonObject:
    error = object_in(task["raise"]["error"])
    if "if" in task:
        return {"uses": "raise", "with": error}
    kind = str(error.get("type", ""))
    if kind.startswith(_OUTCOME):
        return {"type": "end", "outcome": fit(kind.removeprefix(_OUTCOME)) or "failed"}
    return {"type": "end", "outcome": "failed", "with": error}


def events_in(strategy: Any) -> Iterator[tuple[str, JsonObject]]:
    """Yield the type of each event a consumption strategy waits for, and what else it demands of the event."""
    consumed = object_in(strategy)
    for one in [consumed["one"]] if "one" in consumed else list_in(consumed.get("any", consumed.get("all"))):
        demanded = object_in(object_in(one).get("with"))
        if event := fit(str(demanded.get("type", ""))):
            yield event, without(demanded, "type")


_SAID: Mapping[str, Callable[[Mapping[str, Any]], JsonObject]] = {
    "call": lambda task: {"uses": text_in(task["call"]), "with": object_in(task.get("with"))},
    "run": _said_run,
    "set": lambda task: {"uses": "set", "with": object_in(task["set"])},
    "emit": lambda task: {"uses": "emit", "with": object_in(object_in(task["emit"]["event"]).get("with"))},
    "raise": _said_raise,
    "listen": lambda task: {"event": next((event for event, _ in events_in(task["listen"]["to"])), None)},
    "for": lambda task: {"loop": {"over": task["for"]["in"], "while": condition_of(task.get("while"))}},
    "fork": lambda task: {"join": {"mode": "any"} if task["fork"].get("compete") else None},
    "wait": lambda task: {"duration": said_duration(task["wait"])},
    "do": lambda task: {"type": "end", "outcome": "ok"} if not task["do"] and task.get("then") == "end" else {},
}


def generated(step: Step, *, has_children: bool = False) -> JsonObject:
    """Return the task for a step, with nothing about what comes next; what is inside it is empty."""
    base = {
        "if": expression_of(step.when) if step.when is not None else None,
        "timeout": nonempty({"after": step.timeout}),
        "metadata": nonempty({"description": step.description}),
    }
    return {**nonempty(base), **_work(step, has_children=has_children)}


def expression_of(when: Condition) -> str:
    """Return a condition as a runtime expression; one in words asks the data for a flag of that name."""
    expression = when.expression
    if isinstance(expression, str) and expression.strip():
        return expression
    return "." + slug(when.text or when.formula, fallback="condition")


def _work(step: Step, *, has_children: bool) -> JsonObject:
    if step.type == "loop":
        return _loop(step.loop or Loop())
    if step.type == "fork":
        compete = {"compete": True} if step.join is not None and step.join.mode == "any" else {}
        return {"fork": {**compete, "branches": []}}
    if has_children or step.type in ("decision", "join", "state"):
        return {"do": []}
    if step.type == "end":
        return _end(step)
    if step.type == "wait":
        return {"wait": step.duration or f"${{ .{slug(step.name)}_duration }}"}
    if step.type == "event":
        return {"listen": {"to": {"one": {"with": {"type": step.event or slug(step.name)}}}}}
    return _call(step)


def _loop(loop: Loop) -> JsonObject:
    over: Any = loop.over if isinstance(loop.over, str) else ".items"
    items = list_in(loop.over)
    if items or loop.over == []:
        are_objects = all(isinstance(item, dict) for item in items)
        # The schema has objects only in a list; other items go into an expression.
        over = items if are_objects else f"${{ {json.dumps(items)} }}"
    again = {"while": expression_of(loop.while_)} if loop.while_ is not None else {}
    return {"for": {"in": over}, **again, "do": []}


def _end(step: Step) -> JsonObject:
    if not ends_badly(step):
        return {"do": []}
    if {"type", "status"} <= step.with_.keys() and step.outcome in (None, "failed"):
        return {"raise": {"error": step.with_}}
    outcome = step.outcome or "failed"
    return {"raise": {"error": {"type": _OUTCOME + outcome, "status": 500}}}


def _call(step: Step) -> JsonObject:
    given = nonempty({"with": step.with_})
    if step.type == "subworkflow":
        name = step.workflow or slug(step.name, fallback="workflow").replace("_", "-")
        called = {"namespace": "default", "name": name, "version": "latest", "input": step.with_}
        return {"run": {"workflow": nonempty(called)}}
    if step.type == "human":
        asked = nonempty({"title": step.name, "assignee": step.assignee})
        return {"call": "human-task", "with": {**asked, **step.with_}}
    if not (step.uses or "").strip():
        return {"do": []}
    special = _SPECIAL.get(step.uses or "")
    made: JsonObject = special(step.with_) if special else {"call": step.uses, **given}
    if not problems_in(made, task_shape):
        return made
    # The name says a protocol or a task whose arguments these are not: it is then a function of its own.
    return {"call": f"{step.uses}-call" if step.uses in CALLS else step.uses, **given}


_SPECIAL: Mapping[str, Callable[[JsonObject], JsonObject]] = {
    "container": lambda given: {"run": {"container": given}},
    "script": lambda given: {"run": {"script": given}},
    "shell": lambda given: {"run": {"shell": given}},
    "set": lambda given: {"set": given},
    "emit": lambda given: {"emit": {"event": {"with": given}}},
    "raise": lambda given: {"raise": {"error": given}},
}
