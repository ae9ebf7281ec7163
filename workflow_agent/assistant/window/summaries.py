"""Summaries of artifacts, made once however many ask for the same one."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from workflow_agent.values.caches import TtlCache
from workflow_agent.values.json_values import digest_of
from workflow_agent.values.stored import JsonObject


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
