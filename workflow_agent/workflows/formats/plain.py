"""Plain data of which nothing is known yet, and objects with fewer fields."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from workflow_agent.values.stored import JsonObject

EMPTY: tuple[Any, ...] = (None, "", [], {}, ())


def object_in(value: Any) -> JsonObject:
    """Return a value that is an object as one, and an empty one for everything else."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def list_in(value: Any) -> list[Any]:
    """Return a value that is a list as one, and an empty one for everything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def entries_in(value: Any) -> Iterable[tuple[str | int, Any]]:
    """Return the entries of an object with their names, those of a list with their positions, and none of others."""
    return object_in(value).items() or enumerate(list_in(value))


def text_in(value: Any, most: int = 20_000) -> str | None:
    """Return a value that is text which says something and is not too long to be a field of the model."""
    return value if isinstance(value, str) and value.strip() and len(value) <= most else None


def are_texts(value: Any) -> bool:
    """Say whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(one, str) for one in list_in(value))


def number_in(value: Any) -> float | None:
    """Return a value that is a number as one; None for everything else, true and false included."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def filled(fields: Mapping[str, Any]) -> JsonObject:
    """Return the fields that are not None."""
    return {key: value for key, value in fields.items() if value is not None}


def nonempty(fields: Mapping[str, Any]) -> JsonObject:
    """Return the fields that say something: neither None nor empty."""
    return {key: value for key, value in fields.items() if value not in EMPTY}


def without(fields: Mapping[str, Any], *names: str) -> JsonObject:
    """Return all fields but some."""
    return {key: value for key, value in fields.items() if key not in names}


def repeated(names: Iterable[str]) -> Iterator[int]:
    """Yield where those of some names are that stand among them before."""
    seen: set[str] = set()
    for at, name in enumerate(names):
        if name in seen:
            yield at
        seen.add(name)
