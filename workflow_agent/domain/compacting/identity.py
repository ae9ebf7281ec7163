"""What is worked out of a value that never changes: once for as long as the value is in use."""

from collections.abc import Callable
from functools import lru_cache
from typing import Generic, TypeVar

V = TypeVar("V")
R = TypeVar("R")


class _Same(Generic[V]):
    """A value that equals nothing but itself, whatever it holds: comparing its parts would take too long."""

    __slots__ = ("value",)

    def __init__(self, value: V) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value  # pyright: ignore[reportUnknownMemberType] - of any type


def once_each(most: int) -> Callable[[Callable[[V], R]], Callable[[V], R]]:
    """Return a decorator for a function of one unchanging value; the results for the latest are kept.

    Args:
        most: So many values, and what came of them, stay in memory.
    """

    def decorate(function: Callable[[V], R]) -> Callable[[V], R]:
        @lru_cache(maxsize=most)
        def made(same: _Same[V]) -> R:
            return function(same.value)

        return lambda value: made(_Same(value))

    return decorate
