"""The events of a run, kept so that a client can come back for those it missed."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Protocol

from workflow_agent.values.stored import JsonObject


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One event of a run's stream."""

    id: int
    """From 1, without gaps."""
    name: str
    """start, mode, tool_call, tool_result, delta, context, complete, error or shutdown"""
    data: JsonObject


class RunEvents(Protocol):
    """The events of a run, in order, wherever it is worked on."""

    def events(self, after: int = 0) -> AsyncIterator[RunEvent]:
        """Yield the events with an id above `after`, waiting for new ones until the last."""
        ...


@dataclass(slots=True)
class RunStream:
    """A run's events, in order; any number of readers, each from where it likes."""

    run_id: str
    _events: list[RunEvent] = field(default_factory=list[RunEvent])
    _is_closed: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_closed(self) -> bool:
        """Return whether no further event will come."""
        return self._is_closed

    def publish(self, name: str, data: JsonObject) -> None:
        """Add an event and wake every reader."""
        self._events.append(RunEvent(len(self._events) + 1, name, data))
        self._wake()

    def close(self) -> None:
        """Let every reader end after the last event."""
        self._is_closed = True
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def events(self, after: int = 0) -> AsyncIterator[RunEvent]:
        """Yield the events with an id above `after`, waiting for new ones until the stream is closed."""
        position = max(after, 0)
        while True:
            news = self._news
            while position < len(self._events):
                yield self._events[position]
                position += 1
            if self._is_closed:
                return
            if news is self._news:
                await news.wait()
