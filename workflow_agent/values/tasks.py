"""Tasks that outlive whoever began them: one a key beside the requests, and work that a cancelled caller leaves."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

_log = logging.getLogger(__name__)
K = TypeVar("K", bound=Hashable)


class TasksByKey(Generic[K]):
    """Tasks that nobody waits for, at most one a key; the failure of one is logged."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._running: dict[K, asyncio.Task[None]] = {}

    def __contains__(self, key: K) -> bool:
        """Say whether a key's task is under way."""
        return key in self._running

    def start(self, key: K, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        """Start a key's task; nothing happens where one is under way."""
        if key not in self._running:
            task = self._running[key] = asyncio.create_task(work(), name=f"{self.kind} {name}")
            task.add_done_callback(lambda done: self._ended(key, done))

    async def settled(self) -> None:
        """Wait until none is under way."""
        while self._running:
            await asyncio.wait(self._running.values())

    async def shut_down(self) -> None:
        """Stop those under way."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, key: K, task: asyncio.Task[None]) -> None:
        del self._running[key]
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("%s failed", self.kind, extra={"error_type": type(error).__name__}, exc_info=error)


T = TypeVar("T")


async def uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of the work. If the caller is cancelled, the work continues and a failure is logged."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.add_done_callback(_log_failure)
        raise


def _log_failure(task: asyncio.Future[Any]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.warning("work that nobody waits for any more failed", exc_info=error)
