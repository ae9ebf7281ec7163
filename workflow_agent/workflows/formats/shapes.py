"""Checking plain data against the shape a format demands: every problem at once, each with its place.

A shape is a function that is given a value and its place, and refuses there what is wrong. Readers
check the whole document first and may then rely on it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import LARGEST, SMALLEST, TOO_LARGE
from workflow_agent.workflows.formats.plain import entries_in
from workflow_agent.workflows.model.parser import json_pointer

_VALID_SHOWN = 30
_KINDS = {
    "an object": "object",
    "a list": "list",
    "text": "text",
    "true or false": "flag",
    "a number": "number",
    "nothing": "nothing",
}
"""What `kind_of` says, and what `one_kind` calls it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a document a value stands, and the list its problems go to."""

    problems: list[Problem]
    path: tuple[str | int, ...] = ()

    def __truediv__(self, part: str | int) -> "Place":
        return Place(self.problems, (*self.path, part))

    def down(self, path: Iterable[str | int]) -> "Place":
        """Return the place along a path from here."""
        return Place(self.problems, (*self.path, *path))

    def refuse(self, message: str, valid: Sequence[str] = ()) -> None:
        """Note what is wrong with the value here."""
        self.problems.append(Problem(json_pointer(self.path), message, tuple(valid[:_VALID_SHOWN])))


Shape = Callable[[Any, Place], None]


def problems_in(value: Any, shape: Shape) -> list[Problem]:
    """Return everything about a value that is not of this shape, or that no text may say."""
    place = Place([])
    shape(value, place)
    if not place.problems:
        _check_numbers(value, place)
    return place.problems


def _check_numbers(value: Any, place: Place) -> None:
    # A field that is kept as it is would be written, and the document could not be read back.
    if isinstance(value, int) and not SMALLEST <= value <= LARGEST:
        place.refuse(TOO_LARGE)
    for name, one in entries_in(value):
        _check_numbers(one, place / name)


def kind_of(value: Any) -> str:
    """Return what a value of plain data is called: `an object`, `a list`, `text`, ..."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "nothing" if value is None else "text"


def _is(value: Any, kind: str, place: Place) -> bool:
    if kind_of(value) == kind:
        return True
    place.refuse(f"must be {kind}, got {kind_of(value)}")
    return False


def anything(value: Any, place: Place) -> None:
    """Accept every value."""
    del value, place


def text(pattern: str = r"[\s\S]*", *, says: str = "", least: int = 0, most: int = 1_000_000) -> Shape:
    """Return the shape of text that matches a pattern as a whole; `says` names the pattern in words."""
    compiled = re.compile(pattern)

    def check(value: Any, place: Place) -> None:
        if not _is(value, "text", place):
            return
        if not least <= len(value) <= most:
            size = f"at least {least}" if len(value) < least else f"at most {most}"
            place.refuse(f"must have {size} characters, got {len(value)}")
        elif not compiled.fullmatch(value):
            place.refuse(f"must be {says or 'like ' + pattern}, got {value[:60]!r}")

    return check


def number(*, least: float = float("-inf"), most: float = float("inf"), whole: bool = False) -> Shape:
    """Return the shape of numbers within bounds."""

    def check(value: Any, place: Place) -> None:
        if not _is(value, "a number", place):
            return
        if whole and isinstance(value, float) and not value.is_integer():
            place.refuse(f"must be a whole number, got {value}")
        elif value < least:
            place.refuse(f"must be at least {least:g}, got {value}")
        elif value > most:
            place.refuse(f"must be at most {most:g}, got {value}")

    return check


def flag(value: Any, place: Place) -> None:
    """Accept true and false."""
    _is(value, "true or false", place)


def choice(*values: Any) -> Shape:
    """Return the shape of exactly these values."""

    def check(value: Any, place: Place) -> None:
        if not any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in values):
            shown = repr(value[:60]) if isinstance(value, str) else kind_of(value)
            valid = [str(one).lower() if isinstance(one, bool) else str(one) for one in values]
            place.refuse(f"must be {' or '.join(map(repr, valid))}, got {shown}", valid)

    return check


def listed(item: Shape = anything, *, least: int = 0) -> Shape:
    """Return the shape of lists of at least so many items, each of one shape."""

    def check(value: Any, place: Place) -> None:
        if not _is(value, "a list", place):
            return
        if len(value) < least:
            place.refuse(f"must have at least {least} items, got {len(value)}")
        for at, one in enumerate(value):
            item(one, place / at)

    return check


def mapped(item: Shape = anything, *, key: str = r"[\s\S]*", says: str = "", least: int = 0) -> Shape:
    """Return the shape of objects whose keys are names that match a pattern, and values are of one shape."""
    compiled = re.compile(key)

    def check(value: Any, place: Place) -> None:
        if not _is(value, "an object", place):
            return
        if len(value) < least:
            place.refuse(f"must have at least {least} entries, got {len(value)}")
        for name, one in value.items():
            if not compiled.fullmatch(name):
                (place / name).refuse(f"the name {name[:100]!r} must be {says or 'like ' + key}")
            item(one, place / name)

    return check


def record(
    fields: Mapping[str, Shape],
    *,
    required: Sequence[str] = (),
    exactly_one: Sequence[Sequence[str]] = (),
    at_most_one: Sequence[Sequence[str]] = (),
    is_open: bool = False,
) -> Shape:
    """Return the shape of objects with these fields; others are refused unless the record is open."""

    def check(value: Any, place: Place) -> None:
        if not _is(value, "an object", place):
            return
        for name, one in value.items():
            if name in fields:
                fields[name](one, place / name)
            elif not is_open:
                (place / name).refuse(f"there is no field {name[:60]!r} here", list(fields))
        for name in required:
            if name not in value:
                place.refuse(f"needs `{name}`")
        _check_groups(value, exactly_one, at_most_one, place)

    return check


def _check_groups(
    entries: Mapping[str, Any], exactly_one: Sequence[Sequence[str]], at_most_one: Sequence[Sequence[str]], place: Place
) -> None:
    for group in (*exactly_one, *at_most_one):
        present = [name for name in group if name in entries]
        if len(present) > 1:
            place.refuse(f"may have only one of {_or(present)}")
    for group in exactly_one:
        if not any(name in entries for name in group):
            place.refuse(f"needs {_or(group)}")


def _or(names: Sequence[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def one_kind(**shapes: Shape) -> Shape:
    """Return the shape of values of several kinds, each kind with its own shape.

    The kinds are `object`, `list`, `text`, `flag`, `number` and `nothing`.
    """

    def check(value: Any, place: Place) -> None:
        kind = kind_of(value)
        shape = shapes.get(_KINDS[kind])
        if shape is not None:
            shape(value, place)
        else:
            wanted = " or ".join(spoken for spoken, name in _KINDS.items() if name in shapes)
            place.refuse(f"must be {wanted}, got {kind}")

    return check


def fields_of(shape: Shape, names: str) -> dict[str, Shape]:
    """Return several fields of one shape, from their names with blanks between them."""
    return dict.fromkeys(names.split(), shape)


def allowed(fields: Mapping[str, Any], shape: Shape) -> JsonObject:
    """Return the fields that a record of this shape may have as they are."""
    return {key: value for key, value in fields.items() if not problems_in({key: value}, shape)}
