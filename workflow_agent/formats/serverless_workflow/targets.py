"""Where tasks lead by name: to others of the same list, or out of it by a directive."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.domain.errors import Problem
from workflow_agent.domain.values import JsonObject
from workflow_agent.formats.shapes import Place, list_in, object_in

DIRECTIVES = ("continue", "exit", "end")
_LISTS = (("do",), ("try",), ("fork", "branches"), ("catch", "do"), ("foreach", "do"))
_Path = tuple[str | int, ...]


def unknown_targets(document: JsonObject) -> list[Problem]:
    """Return a problem for each directive that names a task which is not in the same list."""
    place = Place([])
    _check(document["do"], place / "do")
    return place.problems


def _check(items: list[Any], place: Place) -> None:
    names = [name for item in items for name in item]
    for at, item in enumerate(items):
        for name, task in item.items():
            here = place / at / name
            for path, target in _directives(task):
                if target not in names and target not in DIRECTIVES:
                    told = f"there is no task {target[:80]!r} in the same list"
                    _down(here, path).refuse(told, (*names, *DIRECTIVES))
            for path in _LISTS:
                _check(_list_at(task, path), _down(here, path))


def _directives(task: Mapping[str, Any]) -> list[tuple[_Path, str]]:
    found: list[tuple[_Path, str]] = [(("then",), task["then"])] if "then" in task else []
    for at, case in enumerate(list_in(task.get("switch"))):
        found += [(("switch", at, name, "then"), one["then"]) for name, one in object_in(case).items()]
    catch = object_in(task.get("catch"))
    return [*found, *([(("catch", "then"), catch["then"])] if "then" in catch else [])]


def _list_at(task: Mapping[str, Any], path: tuple[str, ...]) -> list[Any]:
    here: Any = task
    for part in path:
        here = object_in(here).get(part)
    return list_in(here)


def _down(place: Place, path: _Path) -> Place:
    for part in path:
        place /= part
    return place
