"""What a dag-factory document may look like, and what its tasks may wait for."""

from collections.abc import Iterable, Mapping
from typing import Any

from workflow_agent.errors import Problem
from workflow_agent.workflows.formats.dag_factory.graph import (
    GROUPS,
    NAMED_BY,
    TASKS,
    DagGraph,
    Entries,
    dags_in,
    entries,
    whole_dag,
)
from workflow_agent.workflows.formats.shapes import (
    Place,
    Shape,
    anything,
    kind_of,
    listed,
    mapped,
    number,
    one_kind,
    problems_in,
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
    "operator": _SAID,
    "decorator": _SAID,
    "dependencies": _NAMES,
    "task_group_name": _SAID,
    "retries": _RETRIES,
    "trigger_rule": text(),
    "task_display_name": text(),
}
_GROUP_FIELDS: Mapping[str, Shape] = {
    "dependencies": _NAMES,
    "parent_group_name": _MAYBE_TEXT,
    "tooltip": _MAYBE_TEXT,
    "default_args": _ARGUMENTS,
}
TASK = record(_TASK_FIELDS, is_open=True)
GROUP = record(_GROUP_FIELDS, is_open=True)


def _entries_shape(kind: str, fields: Mapping[str, Shape]) -> Shape:
    key, named = NAMED_BY[kind], text(TASK_ID, says="letters, digits, `_`, `-` and `.`")
    return one_kind(
        list=listed(record({**fields, key: named}, required=[key], is_open=True)),
        object=mapped(record(fields, is_open=True), key=TASK_ID, says="letters, digits, `_`, `-` and `.`"),
        nothing=anything,
    )


_SHARED: Mapping[str, Shape] = {
    "default_args": _ARGUMENTS,
    "start_date": _WHEN,
    "end_date": _WHEN,
    TASKS: _entries_shape(TASKS, _TASK_FIELDS),
    GROUPS: _entries_shape(GROUPS, _GROUP_FIELDS),
    "description": one_kind(text=anything, nothing=anything),
    "tags": one_kind(list=listed(text()), nothing=anything),
    "schedule": one_kind(text=anything, list=listed(), object=mapped(), nothing=anything),
    "schedule_interval": one_kind(text=anything, object=mapped(), nothing=anything),
}
DAG = record(_SHARED, is_open=True)


def problems_of(document: Any) -> list[Problem]:
    """Return all that keeps a document from being the one DAG of a file."""
    dags = dags_in(document)
    place = Place([])
    if not dags:
        place.refuse(f"needs a DAG: an object by its id, got {kind_of(document)}")
    if len(dags) > 1:
        place.refuse(f"has {len(dags)} DAGs ({', '.join(dags)[:100]}); one is read at a time")
    if place.problems:
        return place.problems
    found = problems_in(document, mapped(DAG, key=DAG_ID, says="letters, digits, `_`, `-` and `.`"))
    dag_id = next(iter(dags))
    return found or _problems_between(whole_dag(document, dag_id), dag_id)


def _problems_between(dag: Mapping[str, Any], dag_id: str) -> list[Problem]:
    tasks, groups = entries(dag.get(TASKS), TASKS), entries(dag.get(GROUPS), GROUPS)
    place = Place([]) / dag_id / TASKS
    if not tasks:
        place.refuse("has no tasks")
    _check_names(tasks, groups, place)
    if not place.problems:
        _check_graph(DagGraph(tasks, groups), place)
    return place.problems


def _check_names(tasks: Entries, groups: Entries, place: Place) -> None:
    for name in _doubled([name for name, _ in (*groups, *tasks)]):
        place.refuse(f"there are two tasks or groups named {name[:80]!r}")
    known = [name for name, _ in groups]
    for name, entry in (*groups, *tasks):
        for key in ("task_group_name", "parent_group_name"):
            wanted = entry.get(key)
            if wanted is not None and wanted not in known:
                place.refuse(f"{name[:80]!r} is in a group {wanted[:80]!r}, which is not there", known)


def _check_graph(graph: DagGraph, place: Place) -> None:
    for name, needed in graph.unknown():
        place.refuse(f"{name[:80]!r} waits for {needed[:80]!r}, which is not there", list(graph.names))
    for name in () if place.problems else graph.for_ever():
        place.refuse(f"{name[:80]!r} waits for itself by way of what it waits for")


def _doubled(names: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    return [name for name in names if name in seen or seen.add(name)]
