"""Changing a list of parts at an exact place, and telling how to change a part back."""

import json
from collections.abc import Mapping, MutableSequence, Sequence
from typing import Any, Protocol, TypeVar

from workflow_agent.domain.edits.refusal import Refusal
from workflow_agent.domain.values import JsonObject

_Item = TypeVar("_Item")


class HasId(Protocol):
    """A part that its list knows by an id."""

    @property
    def id(self) -> str:
        """The id."""
        ...


def position_of(parts: Sequence[HasId], part_id: str) -> int:
    """Return where the part with this id is listed; it has to be."""
    return next(at for at, part in enumerate(parts) if part.id == part_id)


def put(items: MutableSequence[_Item], item: _Item, position: int | None) -> int:
    """Return the position at which an item was put: the given one, or the end.

    Raises:
        Refusal: If the list is too short for the position.
    """
    if position is not None and position > len(items):
        raise Refusal(f"position {position} is beyond the end of the list, which has {len(items)} entries")
    at = len(items) if position is None else position
    items.insert(at, item)
    return at


def way_back(before: JsonObject, after: JsonObject) -> JsonObject:
    """Return the `set` and `unset` that make a part's document what it was; empty if it still is.

    Compared as text, because `1 == True` and the order of keys are equal to Python but not on disk.
    """
    restored = {key: value for key, value in before.items() if key not in after or _differ(value, after[key])}
    added = [key for key in after if key not in before]
    return {"set": restored, "unset": added} if restored or added else {}


def _differ(one: Any, other: Any) -> bool:
    return json.dumps(one) != json.dumps(other)


def with_changes(document: JsonObject, changed: Mapping[str, Any], unset: Sequence[str]) -> JsonObject:
    """Return a part's document with fields set and others left out."""
    return {key: value for key, value in {**document, **changed}.items() if key not in unset}
