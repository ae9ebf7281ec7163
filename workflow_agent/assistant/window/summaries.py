"""Summaries of artifacts, made once however many ask for the same one."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from cachetools import LRUCache

from workflow_agent.errors import StorageFailed
from workflow_agent.values.caches import CacheBackend
from workflow_agent.values.digests import digest_of
from workflow_agent.values.stored import JsonObject

_log = logging.getLogger(__name__)


class CachedSummary(NamedTuple):
    """A summary, and whether it was there already."""

    text: str
    is_hit: bool
    """Also for whoever waited while another made it: no model call was made for them."""


@dataclass(slots=True)
class _Counts:
    hits: int = 0
    misses: int = 0
    joined: int = 0
    """Asked for while it was being made."""
    failures: int = 0
    """The cache could not be reached; the summary was made all the same."""


@dataclass(slots=True)
class SummaryCache:
    """Summaries by what they were made of: the content, what to look for in it, and the model.

    Args:
        backend: Keeps them.
        ttl_seconds: For how long.
    """

    backend: CacheBackend
    ttl_seconds: float
    _counts: _Counts = field(default_factory=_Counts)
    _under_way: dict[str, asyncio.Task[CachedSummary]] = field(default_factory=dict[str, asyncio.Task[CachedSummary]])

    async def get_or_make(
        self, content: str, focus: str, model: str, make: Callable[[], Awaitable[str]]
    ) -> CachedSummary:
        """Return the summary, made by `make` where nobody made it before or is at it now.

        What `make` raises reaches everyone who waits, and is not kept. Who stops waiting stops nobody else.

        Args:
            content: What is summarised.
            focus: What the summary is to look for.
            model: The model that makes it.
            make: Makes it.
        """
        key = f"summary:{digest_of([digest_of(content), digest_of(focus), model])}"
        if (running := self._under_way.get(key)) is not None:
            self._counts.joined += 1
            return (await asyncio.shield(running))._replace(is_hit=True)
        task = asyncio.create_task(self._found_or_made(key, make))
        self._under_way[key] = task
        task.add_done_callback(lambda done: self._settle(key, done))
        return await asyncio.shield(task)

    def statistics(self) -> JsonObject:
        """Return hits, misses, evictions and the rest, since the process started."""
        return {
            "hits": self._counts.hits,
            "misses": self._counts.misses,
            "joined": self._counts.joined,
            "failures": self._counts.failures,
            "evictions": self.backend.evictions,
            "ttl_seconds": self.ttl_seconds,
        }

    async def _found_or_made(self, key: str, make: Callable[[], Awaitable[str]]) -> CachedSummary:
        kept = await self._kept(key)
        if kept is not None:
            self._counts.hits += 1
            return CachedSummary(kept.decode(), is_hit=True)
        self._counts.misses += 1
        text = await make()
        try:
            await self.backend.set(key, text.encode(), self.ttl_seconds)
        except StorageFailed as error:
            self._note(error)
        return CachedSummary(text, is_hit=False)

    async def _kept(self, key: str) -> bytes | None:
        try:
            return await self.backend.get(key)
        except StorageFailed as error:
            self._note(error)
            return None

    def _note(self, error: StorageFailed) -> None:
        self._counts.failures += 1
        _log.warning("the summary cache cannot be used: %s", error.message)

    def _settle(self, key: str, done: asyncio.Task[CachedSummary]) -> None:
        del self._under_way[key]
        if not done.cancelled():
            # Taken here, because those who waited for it may all have gone.
            done.exception()


V = TypeVar("V")


class KeptResults(Generic[V]):
    """The results used last, by a digest of everything they depend on; threads may share it.

    Args:
        most: How many are kept; 0 keeps none.
    """

    def __init__(self, most: int = 500) -> None:
        self._kept: LRUCache[str, V] = LRUCache(most)
        self._lock = Lock()
        self._hits = self._misses = self._evictions = 0

    def get(self, key: str) -> V | None:
        """Return what is kept under a key, or None."""
        with self._lock:
            known = self._kept.get(key)
            self._hits += known is not None
            self._misses += known is None
            return known

    def put(self, key: str, value: V) -> None:
        """Keep a result."""
        if not self._kept.maxsize:
            return
        with self._lock:
            self._evictions += key not in self._kept and self._kept.currsize >= self._kept.maxsize
            self._kept[key] = value

    def statistics(self) -> JsonObject:
        """Return hits, misses and evictions since the process started, and how much is kept."""
        with self._lock:
            return {
                "hits": self._hits,
                "misses": self._misses,
                "evictions": self._evictions,
                "size": len(self._kept),
                "max_entries": int(self._kept.maxsize),
            }
