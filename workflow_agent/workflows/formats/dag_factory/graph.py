"""What the tasks and groups of a DAG wait for: as they say it, and within each group."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.dependencies import waiting_for_ever
from workflow_agent.workflows.formats.shapes import list_in, object_in

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

    def for_ever(self) -> list[str]:
        """Return the tasks and groups that can never begin, or are inside themselves."""
        inside = {name: [scope] if scope else [] for name, scope in self.scope.items()}
        nested = waiting_for_ever(inside)
        return nested or waiting_for_ever(self.needs())

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
        path: list[str] = []
        here: str | None = name
        while here is not None:
            path.append(here)
            here = self.scope.get(here)
        return path


def references(entry: JsonObject, names: Container[str]) -> list[str]:
    """Return the tasks whose output a task is given: `+task` anywhere, and `task.output` to expand over."""
    values = {key: value for key, value in entry.items() if key != "dependencies"}
    given = [one[1:] for one in _texts(values) if one.startswith(_REFERS)]
    mapped = object_in(entry.get("expand"))
    given += [one.removesuffix(_OUTPUT) for one in _texts(mapped) if one.endswith(_OUTPUT)]
    return [one for one in dict.fromkeys(given) if one in names]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in object_in(value).values() if isinstance(value, dict) else list_in(value):
        yield from _texts(inner)


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
    return [(str(entry.get(key)), {name: one for name, one in entry.items() if name != key}) for entry in found]
