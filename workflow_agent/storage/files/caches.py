"""What was costly to make, kept for a while, and how often that paid."""

import time
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

from cachetools import LRUCache, TLRUCache, TTLCache
from typing_extensions import override

from workflow_agent.values.caches import CacheBackend

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


@dataclass(slots=True)
class Lookups:
    """How often something was found in any cache, since the counting began."""

    hits: int = 0
    misses: int = 0


_lookups: ContextVar[Lookups | None] = ContextVar("lookups", default=None)


def count_lookups() -> Callable[[], dict[str, Any]]:
    """Count what this task looks up in all caches from here on; the function says how often it was there."""
    counted = Lookups()
    _lookups.set(counted)
    return lambda: asdict(counted)


def _count(*, hit: bool) -> None:
    counted = _lookups.get()
    if counted is not None:
        counted.hits += hit
        counted.misses += not hit


class TtlCache(Generic[V]):
    """Values by key, for a limited time and of a limited number; threads may share it.

    Args:
        max_entries: How many are kept, least recently used out first; 0 switches the cache off.
        ttl_seconds: How long one is kept; 0 switches the cache off.
        clock: Seconds that never go back.
    """

    def __init__(self, *, max_entries: int, ttl_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
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
            _count(hit=kept is not None)
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
            _count(hit=True)
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
