"""What the tasks of a document may look like, and the document around them."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.workflows.formats.serverless_workflow.shapes import (
    CALLS,
    CATALOG,
    CAUGHT,
    DOCUMENT,
    DURATION,
    ERROR,
    EVALUATION,
    EVENT,
    INPUT,
    LISTENING,
    OBJECT,
    OUTPUT,
    POLICY,
    RETRY,
    RUN,
    SCHEDULE,
    TEXT,
    TIMEOUT,
)
from workflow_agent.workflows.formats.shapes import (
    Place,
    Shape,
    choice,
    flag,
    listed,
    mapped,
    object_in,
    one_kind,
    record,
    text,
)

_BASE: Mapping[str, Shape] = {
    "if": TEXT,
    "input": INPUT,
    "output": OUTPUT,
    "export": OUTPUT,
    "timeout": TIMEOUT,
    "then": TEXT,
    "metadata": OBJECT,
}
_DIRECTIVE = text(r"\s*\S[\s\S]*", says="a task, or continue, exit or end")


def task_list(value: Any, place: Place) -> None:
    """Check a list of tasks, each an object with one name and what it is."""
    listed(_item)(value, place)


def _item(value: Any, place: Place) -> None:
    if len(object_in(value)) > 1:
        place.refuse(f"must have one task, got {', '.join(map(repr, object_in(value)))}; give each its own item")
        return
    mapped(task_shape, least=1)(value, place)


def _call(value: Any, place: Place) -> None:
    called = object_in(value).get("call")
    protocol = CALLS.get(called) if isinstance(called, str) else None
    given = OBJECT if protocol is None else protocol
    required = ["call"] if protocol is None else ["call", "with"]
    record({**_BASE, "call": text(r"\s*\S[\s\S]*", says="a function"), "with": given}, required=required)(value, place)


def _task(fields: Mapping[str, Shape], *required: str) -> Shape:
    return record({**_BASE, **fields}, required=required)


_CASE = record({"when": TEXT, "then": _DIRECTIVE}, required=["then"])


def _case(value: Any, place: Place) -> None:
    if len(object_in(value)) > 1:
        place.refuse("must have one case; give each its own item")
        return
    mapped(_CASE, least=1)(value, place)


_FOR = record({"each": TEXT, "in": one_kind(text=TEXT, list=listed()), "at": TEXT}, required=["in"])
_FORK = record({"branches": task_list, "compete": flag}, required=["branches"])
_EMIT = record(
    {"event": record({"with": record(EVENT, required=["type"], is_open=True)}, is_open=True)}, required=["event"]
)
_EACH_EVENT = record({"item": TEXT, "at": TEXT, "do": task_list, "output": OUTPUT, "export": OUTPUT})
_RAISE = record({"error": one_kind(object=ERROR, text=TEXT)}, required=["error"])
CATCH = record(
    {
        "errors": CAUGHT,
        "as": TEXT,
        "when": TEXT,
        "exceptWhen": TEXT,
        "retry": one_kind(object=RETRY, text=TEXT),
        "do": task_list,
        "then": _DIRECTIVE,
    }
)
KINDS: Mapping[str, Shape] = {
    "call": _call,
    "for": _task({"for": _FOR, "while": TEXT, "do": task_list}, "for", "do"),
    "try": _task({"try": task_list, "catch": CATCH}, "try", "catch"),
    "do": _task({"do": task_list}, "do"),
    "fork": _task({"fork": _FORK}, "fork"),
    "emit": _task({"emit": _EMIT}, "emit"),
    "listen": _task({"listen": LISTENING, "foreach": _EACH_EVENT}, "listen"),
    "raise": _task({"raise": _RAISE}, "raise"),
    "run": _task({"run": RUN}, "run"),
    "set": _task({"set": one_kind(object=mapped(least=1), text=TEXT)}, "set"),
    "switch": _task({"switch": listed(_case, least=1)}, "switch"),
    "wait": _task({"wait": DURATION}, "wait"),
}
"""Each kind of task by the field that makes it one; `for` before `do`, because it has both."""


def kind_of_task(task: Any) -> str | None:
    """Return the field that makes a task what it is."""
    return next((kind for kind in KINDS if kind in object_in(task)), None)


def task_shape(value: Any, place: Place) -> None:
    """Check one task."""
    kind = kind_of_task(value)
    if kind is not None or not isinstance(value, dict):
        KINDS[kind or "do"](value, place)
    else:
        place.refuse(f"must say what to do: one of {', '.join(f'`{one}`' for one in KINDS)}", list(KINDS))


_EXTENDED = ("call", "composite", "emit", "for", "listen", "raise", "run", "set", "switch", "try", "wait", "all")
_EXTENSION = record(
    {"extend": choice(*_EXTENDED), "when": TEXT, "before": task_list, "after": task_list}, required=["extend"]
)
_USE = record(
    {
        "authentications": mapped(POLICY),
        "errors": mapped(ERROR),
        "extensions": listed(mapped(_EXTENSION, least=1)),
        "functions": mapped(task_shape),
        "retries": mapped(RETRY),
        "secrets": listed(TEXT),
        "timeouts": mapped(record({"after": DURATION}, required=["after"])),
        "catalogs": mapped(CATALOG),
    }
)
REST: Mapping[str, Shape] = {
    "document": DOCUMENT,
    "input": INPUT,
    "use": _USE,
    "timeout": TIMEOUT,
    "output": OUTPUT,
    "schedule": SCHEDULE,
    "evaluate": EVALUATION,
}
"""What a document has beside its tasks."""
document_shape = record({**REST, "do": task_list}, required=["document", "do"])
