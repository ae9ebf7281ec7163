"""What a dag-factory document may look like, and what its tasks may wait for."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from workflow_agent.values import reached
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.flow import waiting_for_ever
from workflow_agent.workflows.formats.lint import texts_in
from workflow_agent.workflows.formats.plain import list_in, object_in, repeated, without
from workflow_agent.workflows.formats.shapes import (
    Place,
    Shape,
    anything,
    fields_of,
    kind_of,
    listed,
    mapped,
    number,
    one_kind,
    record,
    text,
)

TASK_ID = r"[\w.:-]{1,250}"
"""Airflow's own rule, and a colon, which its examples have."""
DAG_ID = r"[\w.-]{1,250}"
_SAID = text(r"\s*\S[\s\S]*", says="a name", most=500)
_MAYBE_TEXT = one_kind(text=anything, nothing=anything)
_DATE = text(
    r"\s*(\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{4}(-?\d{2}){0,2}|(\d+ *[a-z]+[ ,]*)+|.*(\{\{|\$).*)\s*",
    says="a date like 2025-01-31, or a time ago like `2 days`",
)
_WHEN = one_kind(text=_DATE, object=mapped(), nothing=anything)
_ARGUMENTS = one_kind(object=record({"start_date": _WHEN, "end_date": _WHEN}, is_open=True), nothing=anything)
_NAMES = one_kind(list=listed(text()), nothing=anything)
_RETRIES = one_kind(number=number(least=0, whole=True), text=anything, nothing=anything)
_TASK_FIELDS: Mapping[str, Shape] = {
    **fields_of(_SAID, "operator decorator task_group_name"),
    "dependencies": _NAMES,
    "retries": _RETRIES,
    **fields_of(text(), "trigger_rule task_display_name"),
}
_GROUP_FIELDS: Mapping[str, Shape] = {
    "dependencies": _NAMES,
    **fields_of(_MAYBE_TEXT, "parent_group_name tooltip"),
    "default_args": _ARGUMENTS,
}
TASK = record(_TASK_FIELDS, is_open=True)
GROUP = record(_GROUP_FIELDS, is_open=True)
Entries = Sequence[tuple[str, JsonObject]]
_REFERS = "+"
_OUTPUT = ".output"


class DagGraph:
    """The tasks and groups of a DAG by name; what waits across groups lets the groups wait."""

    def __init__(self, tasks: Entries, groups: Entries) -> None:
        self.names: Mapping[str, JsonObject] = {**dict(groups), **dict(tasks)}
        self.scope: Mapping[str, str | None] = {
            **{name: group.get("parent_group_name") for name, group in groups},
            **{name: task.get("task_group_name") for name, task in tasks},
        }

    def unknown(self) -> Iterator[tuple[str, str]]:
        """Yield what waits for something that is not there, and for what."""
        for name, entry in self.names.items():
            for needed in list_in(entry.get("dependencies")):
                if needed not in self.names:
                    yield name, needed

    def needs(self) -> dict[str, list[str]]:
        """Return what each task and group waits for among those in the same group."""
        found: dict[str, list[str]] = {name: [] for name in self.names}
        for name, entry in self.names.items():
            for needed in (*list_in(entry.get("dependencies")), *references(entry, self.names)):
                waiting, waited = self._in_one_group(name, needed)
                if waited not in found[waiting]:
                    found[waiting].append(waited)
        return found

    def _in_one_group(self, name: str, needed: str) -> tuple[str, str]:
        """Return what stands for two names in the innermost group that has both."""
        ours, theirs = self._outward(name), self._outward(needed)
        while len(ours) > 1 and len(theirs) > 1 and ours[-1] == theirs[-1]:
            ours.pop()
            theirs.pop()
        return ours[-1], theirs[-1]

    def _outward(self, name: str) -> list[str]:
        return reached([name], lambda one: [] if (around := self.scope.get(one)) is None else [around])


def references(entry: JsonObject, names: Container[str]) -> list[str]:
    """Return the tasks whose output a task is given: `+task` anywhere, and `task.output` to expand over."""
    texts = texts_in(without(entry, "dependencies"), Place([]))
    given = [one.removeprefix(_REFERS) for one, _ in texts if one.startswith(_REFERS)]
    expanded = texts_in(object_in(entry.get("expand")), Place([]))
    given += [one.removesuffix(_OUTPUT) for one, _ in expanded if one.endswith(_OUTPUT)]
    return [one for one in dict.fromkeys(given) if one in names]


DEFAULT = "default"
TASKS, GROUPS = "tasks", "task_groups"
NAMED_BY = {TASKS: "task_id", GROUPS: "group_name"}


def dags_in(document: Any) -> JsonObject:
    """Return the DAGs of a document by their ids."""
    return without(object_in(document), DEFAULT)


def whole_dag(document: Any, dag_id: str) -> JsonObject:
    """Return a DAG with what `default` adds to it."""
    return merged(object_in(object_in(document).get(dag_id)), object_in(object_in(document).get(DEFAULT)))


def merged(own: JsonObject, shared: JsonObject) -> JsonObject:
    """Return what is shared with what is its own over it: objects key by key, tasks and groups by name."""
    found = {**shared, **own}
    for key in own.keys() & shared.keys():
        if key in NAMED_BY:
            found[key] = _merged_entries(own[key], shared[key], key)
        elif isinstance(own[key], dict) and isinstance(shared[key], dict):
            found[key] = merged(object_in(own[key]), object_in(shared[key]))
    return found


def _merged_entries(own: Any, shared: Any, kind: str) -> Any:
    """Return the tasks of both, in the form of its own: a list, or an object by name."""
    found = dict(entries(shared, kind))
    for name, entry in entries(own, kind):
        found[name] = merged(entry, found.get(name, {}))
    if isinstance(own, dict):
        return found
    return [{NAMED_BY[kind]: name, **entry} for name, entry in found.items()]


def entries(value: Any, kind: str) -> list[tuple[str, JsonObject]]:
    """Return tasks or groups with their names, whether they are written as a list or as an object."""
    if isinstance(value, dict):
        return [(name, object_in(entry)) for name, entry in object_in(value).items()]
    key = NAMED_BY[kind]
    found = [object_in(entry) for entry in list_in(value)]
    return [(str(entry.get(key)), without(entry, key)) for entry in found]


def _entries_shape(kind: str, fields: Mapping[str, Shape]) -> Shape:
    key, named = NAMED_BY[kind], text(TASK_ID, says="letters, digits, `_`, `-` and `.`")
    return one_kind(
        list=listed(record({**fields, key: named}, required=[key], is_open=True)),
        object=mapped(record(fields, is_open=True), key=TASK_ID, says="letters, digits, `_`, `-` and `.`"),
        nothing=anything,
    )


_SHARED: Mapping[str, Shape] = {
    "default_args": _ARGUMENTS,
    **fields_of(_WHEN, "start_date end_date"),
    TASKS: _entries_shape(TASKS, _TASK_FIELDS),
    GROUPS: _entries_shape(GROUPS, _GROUP_FIELDS),
    "description": _MAYBE_TEXT,
    "tags": _NAMES,
    "schedule": one_kind(text=anything, list=listed(), object=mapped(), nothing=anything),
    "schedule_interval": one_kind(text=anything, object=mapped(), nothing=anything),
}
DAG = record(_SHARED, is_open=True)


def document_shape(value: Any, place: Place) -> None:
    """Check a document with the one DAG of a file."""
    dags = dags_in(value)
    if not dags:
        place.refuse(f"needs a DAG: an object by its id, got {kind_of(value)}")
    elif len(dags) > 1:
        place.refuse(f"has {len(dags)} DAGs ({', '.join(dags)[:100]}); one is read at a time")
    else:
        mapped(DAG, key=DAG_ID, says="letters, digits, `_`, `-` and `.`")(value, place)


def check_tasks(document: JsonObject, place: Place) -> None:
    """Refuse each task and group that cannot be or begin as it says."""
    dag_id = next(iter(dags_in(document)))
    dag = whole_dag(document, dag_id)
    tasks, groups = entries(dag.get(TASKS), TASKS), entries(dag.get(GROUPS), GROUPS)
    here = place / dag_id / TASKS
    if not tasks:
        here.refuse("has no tasks")
    _check_names(tasks, groups, here)
    if not here.problems:
        _check_graph(DagGraph(tasks, groups), here)


def _check_names(tasks: Entries, groups: Entries, place: Place) -> None:
    names = [name for name, _ in (*groups, *tasks)]
    for at in repeated(names):
        place.refuse(f"there are two tasks or groups named {names[at][:80]!r}")
    known = [name for name, _ in groups]
    for name, entry in (*groups, *tasks):
        for key in ("task_group_name", "parent_group_name"):
            wanted = entry.get(key)
            if wanted is not None and wanted not in known:
                place.refuse(f"{name[:80]!r} is in a group {wanted[:80]!r}, which is not there", known)


def _check_graph(graph: DagGraph, place: Place) -> None:
    for name, needed in graph.unknown():
        place.refuse(f"{name[:80]!r} waits for {needed[:80]!r}, which is not there", list(graph.names))
    if place.problems:
        return
    inside = {name: [scope] if scope else [] for name, scope in graph.scope.items()}
    for name in waiting_for_ever(inside) or waiting_for_ever(graph.needs()):
        place.refuse(f"{name[:80]!r} waits for itself by way of what it waits for")
