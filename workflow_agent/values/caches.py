"""What was costly to make, kept for a while, and how often that paid."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

from cachetools import TTLCache

from workflow_agent.values.stored import JsonObject, digest_of

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


_lookups: ContextVar[dict[str, int] | None] = ContextVar("lookups", default=None)


def count_lookups() -> Callable[[], dict[str, int]]:
    """Count what this task looks up in all caches from here on; the function says how often it was there."""
    counted = {"hits": 0, "misses": 0}
    _lookups.set(counted)
    return counted.copy


def _count(*, hit: bool) -> None:
    if (counted := _lookups.get()) is not None:
        counted["hits" if hit else "misses"] += 1


class TtlCache(Generic[V]):
    """Values by key, for a limited time and of a limited number, and how often that paid; threads may share it.

    Least recently used is out first; 0 entries or seconds switch the cache off.
    """

    def __init__(self, *, max_entries: int, ttl_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._max_entries = max_entries
        self._ttl_seconds = ttl_seconds
        self._entries: TTLCache[Hashable, tuple[V]] = TTLCache(max_entries, ttl_seconds, clock)
        self._is_on = max_entries > 0 and ttl_seconds > 0
        self._lock = Lock()
        self._hits = self._misses = self._evictions = 0

    def get_or_load(self, key: Hashable, load: Callable[[], V]) -> V:
        """Return the value of a key, made by `load` where it is not there.

        Two threads that miss the same key at once both load it; what `load` raises is not kept.
        """
        kept = self._looked_up(key)
        if kept is not None:
            return kept[0]
        self._count_a_miss()
        value = load()
        self._keep(key, value)
        return value

    def get(self, key: Hashable) -> V | None:
        """Return the value of a key if it is there, which counts as a hit; a miss is counted by who makes the value."""
        kept = self._looked_up(key)
        return None if kept is None else kept[0]

    def put(self, key: Hashable, value: V) -> None:
        """Keep a value that was not there and had to be made."""
        self._count_a_miss()
        self._keep(key, value)

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

    def _looked_up(self, key: Hashable) -> tuple[V] | None:
        with self._lock:
            kept = self._entries.get(key)
            self._hits += kept is not None
        if kept is not None:
            _count(hit=True)
        return kept

    def _count_a_miss(self) -> None:
        with self._lock:
            self._misses += 1
        _count(hit=False)

    def _keep(self, key: Hashable, value: V) -> None:
        if not self._is_on:
            return
        with self._lock:
            if key not in self._entries and len(self._entries) >= self._max_entries:
                self._entries.popitem()
                self._evictions += 1
            self._entries[key] = (value,)


class CachedSummary(NamedTuple):
    """A summary, and whether it was there already."""

    text: str
    is_hit: bool
    """Also for whoever waited while another made it: no model call was made for them."""


@dataclass(slots=True)
class SummaryCache:
    """Summaries by what they were made of: the content, what to look for in it, and the model."""

    kept: TtlCache[str]
    _joined: int = 0
    """How often one was asked for while it was being made."""
    _under_way: dict[str, asyncio.Task[CachedSummary]] = field(default_factory=dict[str, asyncio.Task[CachedSummary]])

    async def get_or_make(
        self, content: str, focus: str, model: str, make: Callable[[], Awaitable[str]]
    ) -> CachedSummary:
        """Return the summary of a content, made by `make` where nobody made it before or is at it now.

        What `make` raises reaches everyone who waits, and is not kept. Who stops waiting stops nobody else.
        """
        key = f"summary:{digest_of([digest_of(content), digest_of(focus), model])}"
        if (running := self._under_way.get(key)) is not None:
            self._joined += 1
            return (await asyncio.shield(running))._replace(is_hit=True)
        task = asyncio.create_task(self._found_or_made(key, make))
        self._under_way[key] = task
        task.add_done_callback(lambda done: self._settle(key, done))
        return await asyncio.shield(task)

    def statistics(self) -> JsonObject:
        """Return hits, misses, evictions and the rest, since the process started."""
        return {**self.kept.statistics().as_dict(), "joined": self._joined}

    async def _found_or_made(self, key: str, make: Callable[[], Awaitable[str]]) -> CachedSummary:
        known = self.kept.get(key)
        if known is not None:
            return CachedSummary(known, is_hit=True)
        text = await make()
        self.kept.put(key, text)
        return CachedSummary(text, is_hit=False)

    def _settle(self, key: str, done: asyncio.Task[CachedSummary]) -> None:
        del self._under_way[key]
        if not done.cancelled():
            # Taken here, because those who waited for it may all have gone.
            done.exception()
