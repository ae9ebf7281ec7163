"""A cache in the memory of this process."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from cachetools import TLRUCache
from typing_extensions import override

from workflow_agent.ports import CacheBackend


@dataclass(frozen=True, slots=True)
class _Entry:
    value: bytes
    ttl_seconds: float


def _until(_: str, entry: _Entry, now: float) -> float:
    return now + entry.ttl_seconds


class InMemoryCache(CacheBackend):
    """Keeps values until their time is over, and the most recently used ones when there are too many.

    Args:
        max_entries: How many are kept.
        clock: Seconds that never go back.
    """

    def __init__(self, max_entries: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._entries: TLRUCache[str, _Entry] = TLRUCache(max_entries, _until, clock)
        self._evictions = 0

    @override
    async def get(self, key: str) -> bytes | None:
        entry = self._entries.get(key)
        return None if entry is None else entry.value

    @override
    async def set(self, key: str, value: bytes, ttl_seconds: float) -> None:
        if ttl_seconds <= 0:
            return
        self._entries.expire()
        if key not in self._entries and self._entries.currsize >= self._entries.maxsize:
            self._entries.popitem()
            self._evictions += 1
        self._entries[key] = _Entry(value, ttl_seconds)

    @override
    async def delete(self, key: str) -> None:
        self._entries.pop(key, None)

    @property
    @override
    def evictions(self) -> int:
        return self._evictions
