"""What the DAGs of one file share: `default`, and what a DAG is once that is added to it."""

from typing import Any

from workflow_agent.domain.values import JsonObject
from workflow_agent.formats.shapes import list_in, object_in

DEFAULT = "default"
TASKS, GROUPS = "tasks", "task_groups"
NAMED_BY = {TASKS: "task_id", GROUPS: "group_name"}


def dags_in(document: Any) -> JsonObject:
    """Return the DAGs of a document by their ids."""
    return {dag_id: dag for dag_id, dag in object_in(document).items() if dag_id != DEFAULT}


def documents_of_one_dag(document: Any) -> list[Any]:
    """Return a document for each DAG, with what they share in each; one for a document without."""
    dags = dags_in(document)
    if len(dags) < 2:
        return [document]
    shared = {DEFAULT: document[DEFAULT]} if DEFAULT in document else {}
    return [{**shared, dag_id: dag} for dag_id, dag in dags.items()]


def whole_dag(document: Any, dag_id: str) -> JsonObject:
    """Return a DAG with what `default` adds to it."""
    return merged(object_in(object_in(document).get(dag_id)), object_in(object_in(document).get(DEFAULT)))


def tasks_in(document: Any, dag_id: str) -> list[tuple[str, JsonObject]]:
    """Return the tasks of a DAG with their names, those of `default` included."""
    return entries(whole_dag(document, dag_id).get(TASKS), TASKS)


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
    return [
        (str(entry.get(key)), {name: one for name, one in entry.items() if name != key}) for entry in found
    ]
