"""What a document must be to be a flow of Kestra."""

from collections.abc import Iterator, Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.plain import list_in, object_in
from workflow_agent.workflows.formats.shapes import (
    Place,
    Shape,
    anything,
    fields_of,
    flag,
    listed,
    mapped,
    number,
    one_kind,
    record,
    text,
)

ID = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}"
_ID: Shape = text(ID, says="letters, digits, `_`, `-` and `.`, a letter or digit first")
_TYPE: Shape = text(r"[A-Za-z][\w$-]*(\.[\w$-]+)+", says="the type of a plugin, such as io.kestra.plugin.core.log.Log")
_RETRY: Shape = record(
    {"type": text(least=1), "maxAttempts": one_kind(number=number(), text=text()), "interval": text()},
    required=("type",),
    is_open=True,
)
_FIELDS: Mapping[str, Shape] = {
    "id": _ID,
    "type": _TYPE,
    **fields_of(text(), "description timeout"),
    **fields_of(one_kind(flag=flag, text=text()), "disabled runIf allowFailure"),
    "retry": _RETRY,
}


def short(kind: object) -> str:
    """Return the last part of a task's type where it is one of Kestra's own that steers others, else nothing."""
    words = str(kind).rpartition(".")
    return words[2] if words[0] in _OWN else ""


_OWN = (
    "io.kestra.plugin.core.flow",
    "io.kestra.plugin.core.execution",
    "io.kestra.core.tasks.flows",
    "io.kestra.core.tasks.executions",
)
PART: Shape = record(_FIELDS, required=("id", "type"), is_open=True)
"""A task without what is inside it."""
HOLDERS = (
    "Sequential", "Parallel", "AllowFailure", "WorkingDirectory", "Worker", "ForEach", "EachSequential",
    "EachParallel", "LoopUntil", "WaitFor",
)  # fmt: skip
"""The types of tasks that hold one list of others."""
LISTS_OF: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(HOLDERS, ("tasks",)),
    "If": ("then", "else"),
    "Switch": ("defaults",),
    "Dag": (),
}
"""The lists of tasks in each type of task that holds others; each may have `errors` and `finally` beside them."""


def task_lists(task: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Yield the lists of tasks that are inside a task, each with its place in it."""
    kind = short(task.get("type"))
    if kind not in LISTS_OF:
        return
    for name in (*LISTS_OF[kind], "errors", "finally"):
        if name in task:
            yield (name,), list_in(task[name])
    for name, tasks in object_in(task.get("cases")).items() if kind == "Switch" else ():
        yield ("cases", name), list_in(tasks)
    if kind == "Dag":
        yield ("tasks",), [object_in(one).get("task") for one in list_in(task.get("tasks"))]


def task_shape(value: Any, place: Place) -> None:
    """Check a task, and those inside it."""
    PART(value, place)
    task = object_in(value)
    kind = short(task.get("type"))
    extra = {name: listed() for name in LISTS_OF.get(kind, ())} | _DEMANDED.get(kind, {})
    needed = [name for name in extra if name not in ("else", "defaults")]
    record(extra, required=needed, is_open=True)(value, place)
    for path, tasks in task_lists(task):
        for at, one in enumerate(tasks):
            task_shape(one, place.down(path) / at)


_DEMANDED: Mapping[str, dict[str, Shape]] = {
    "If": {"condition": one_kind(text=text(), flag=flag)},
    "Switch": {"value": text(), "cases": mapped(listed())},
    "Dag": {"tasks": listed(record({"task": anything, "dependsOn": listed(_ID)}, required=("task",)), least=1)},
    "Subflow": {"flowId": text(least=1), "namespace": text(least=1)},
}
FLOW: Mapping[str, Shape] = {
    "id": _ID,
    "namespace": text(r"[A-Za-z0-9][A-Za-z0-9._-]*", says="names of letters and digits between points"),
    "description": text(),
    "tasks": listed(task_shape, least=1),
    **fields_of(listed(task_shape), "errors finally afterExecution"),
    "labels": one_kind(object=mapped(), list=listed(record({"key": text(), "value": anything}, required=("key",)))),
    "inputs": listed(record({"id": _ID, "type": text()}, is_open=True)),
    "triggers": listed(record({"id": _ID, "type": _TYPE}, required=("id", "type"), is_open=True)),
    "variables": mapped(),
    "disabled": flag,
}


def flow_shape(value: Any, place: Place) -> None:
    """Check a whole flow; a field that is not known is kept."""
    record(FLOW, required=("id", "namespace", "tasks"), is_open=True)(value, place)
    if place.problems:
        return
    taken: set[str] = set()
    for name in ("tasks", "errors", "finally", "afterExecution"):
        _check_ids(list_in(object_in(value).get(name)), place / name, taken)


def _check_ids(tasks: list[Any], place: Place, taken: set[str]) -> None:
    for at, task in enumerate(tasks):
        if task["id"] in taken:
            (place / at / "id").refuse(f"there is another task {task['id'][:80]!r}; an id may be used once in a flow")
        taken.add(task["id"])
        for path, inside in task_lists(task):
            _check_ids(inside, (place / at).down(path), taken)
        if short(task["type"]) == "Dag":
            _check_needs(task, place / at)


def _check_needs(task: JsonObject, place: Place) -> None:
    names = [one["task"]["id"] for one in task["tasks"]]
    for at, one in enumerate(task["tasks"]):
        for number_, needed in enumerate(list_in(one.get("dependsOn"))):
            if needed not in names:
                told = f"there is no task {needed[:80]!r} in this Dag"
                (place / "tasks" / at / "dependsOn" / number_).refuse(told, names)
