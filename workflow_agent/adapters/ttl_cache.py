"""What was costly to make, kept for a while, and how often that paid."""

import time
from collections.abc import Callable, Hashable
from dataclasses import asdict, dataclass
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

from cachetools import TTLCache

V = TypeVar("V")


class CacheKey(NamedTuple):
    """What a value was made from; a new version is another key, so that an edit shows at once."""

    tenant: str
    id: str
    version: Hashable


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """How a cache did since the process started."""

    hits: int
    misses: int
    evictions: int
    """Entries that left before their time, to make room."""
    size: int
    max_entries: int
    ttl_seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return the statistics as plain JSON data."""
        return asdict(self)


class TtlCache(Generic[V]):
    """Values by key, for a limited time and of a limited number; threads may share it.

    Args:
        max_entries: How many are kept, least recently used out first; 0 switches the cache off.
        ttl_seconds: How long one is kept; 0 switches the cache off.
        clock: Seconds that never go back.
    """

    def __init__(
        self, *, max_entries: int, ttl_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._max_entries = max_entries
        self._ttl_seconds = ttl_seconds
        self._entries: TTLCache[CacheKey, tuple[V]] = TTLCache(max_entries, ttl_seconds, clock)
        self._is_on = max_entries > 0 and ttl_seconds > 0
        self._lock = Lock()
        self._hits = self._misses = self._evictions = 0

    def get_or_load(self, key: CacheKey, load: Callable[[], V]) -> V:
        """Return the value of a key, made by `load` where it is not there.

        Two threads that miss the same key at once both load it; what `load` raises is not kept.
        """
        with self._lock:
            kept = self._entries.get(key)
            if kept is not None:
                self._hits += 1
                return kept[0]
            self._misses += 1
        value = load()
        if self._is_on:
            self._keep(key, value)
        return value

    def get(self, key: CacheKey) -> V | None:
        """Return the value of a key if it is there; that counts as a hit, and nothing else is counted."""
        with self._lock:
            kept = self._entries.get(key)
            if kept is None:
                return None
            self._hits += 1
            return kept[0]

    def clear(self) -> None:
        """Forget every value; the statistics stay."""
        with self._lock:
            self._entries.clear()

    def statistics(self) -> CacheStatistics:
        """Return hits, misses, evictions and size."""
        with self._lock:
            return CacheStatistics(
                hits=self._hits,
                misses=self._misses,
                evictions=self._evictions,
                size=len(self._entries),
                max_entries=self._max_entries,
                ttl_seconds=self._ttl_seconds,
            )

    def _keep(self, key: CacheKey, value: V) -> None:
        with self._lock:
            if key not in self._entries and len(self._entries) >= self._max_entries:
                self._entries.popitem()
                self._evictions += 1
            self._entries[key] = (value,)
