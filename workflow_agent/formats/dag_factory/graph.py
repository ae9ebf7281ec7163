"""What the tasks and groups of a DAG wait for: as they say it, and within each group."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from workflow_agent.domain.values import JsonObject
from workflow_agent.formats.dependencies import waiting_for_ever
from workflow_agent.formats.shapes import list_in, object_in

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


def references(entry: JsonObject, names: Iterable[str]) -> list[str]:
    """Return the tasks whose output a task is given: `+task` anywhere, and `task.output` to expand over."""
    known = set(names)
    values = {key: value for key, value in entry.items() if key != "dependencies"}
    given = [one[1:] for one in _texts(values) if one.startswith(_REFERS)]
    mapped = object_in(entry.get("expand"))
    given += [one.removesuffix(_OUTPUT) for one in _texts(mapped) if one.endswith(_OUTPUT)]
    return [one for one in dict.fromkeys(given) if one in known]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in object_in(value).values() if isinstance(value, dict) else list_in(value):
        yield from _texts(inner)
