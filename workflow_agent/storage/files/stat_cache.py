"""Values read from files, cached until the file changes."""

from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

V = TypeVar("V")


def _one(_: object) -> int:
    return 1


class StatCache(Generic[V]):
    """Values by path; one is given out only for the state of the file it was made from.

    So a write by another process is seen at once. Threads may share it.

    Args:
        max_size: The sum of sizes to keep, least recently used out first; 0 keeps nothing.
        size_of: The size of a value; 1 unless told.
    """

    def __init__(self, max_size: int, size_of: Callable[[V], int] = _one) -> None:
        self._size_of = size_of
        # By text, because comparing two Path objects costs more than the whole look-up.
        self._entries: LRUCache[str, tuple[Hashable, V]] = LRUCache(
            max_size, getsizeof=lambda entry: self._size_of(entry[1])
        )
        self._lock = Lock()

    def get(self, path: Path, state: Hashable) -> V | None:
        """Return the value made from this state of the file, and of what belongs to it, or None."""
        with self._lock:
            entry = self._entries.get(str(path))
            return entry[1] if entry is not None and entry[0] == state else None

    def put(self, path: Path, state: Hashable, value: V) -> None:
        """Keep a value; one too large for the whole cache is not kept."""
        with self._lock:
            self._entries.pop(str(path), None)
            if self._size_of(value) <= self._entries.maxsize:
                self._entries[str(path)] = (state, value)

    def drop(self, path: Path) -> None:
        """Forget what was read from a path."""
        with self._lock:
            self._entries.pop(str(path), None)
