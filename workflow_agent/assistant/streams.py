"""The events of a run, kept so that a client can come back for those it missed."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from workflow_agent.values.stored import JsonObject


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One event of a run's stream."""

    id: int
    """Without gaps, from 1 in the first attempt at a run and from 1,000,001 in the second."""
    name: str
    """start, mode, tool_call, tool_result, delta, context, complete, error or shutdown"""
    data: JsonObject


class RunEvents(Protocol):
    """The events of a run, in order, wherever it is worked on."""

    def events(self, after: int = 0) -> AsyncGenerator[RunEvent]:
        """Yield the events with an id above `after`, waiting for new ones until the last."""
        ...


_MOST_EVENTS = 1_000_000


@dataclass(slots=True)
class RunStream:
    """An attempt's events, in order; any number of readers, each from where it likes.

    Whoever has read an earlier attempt at the run, which broke off, has read none of these.
    """

    run_id: str
    attempt: int = 1
    _events: list[RunEvent] = field(default_factory=list[RunEvent])
    _is_closed: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_closed(self) -> bool:
        """Return whether no further event will come."""
        return self._is_closed

    @property
    def told(self) -> Sequence[RunEvent]:
        """Return what was published so far."""
        return tuple(self._events)

    @property
    def _before(self) -> int:
        return (self.attempt - 1) * _MOST_EVENTS

    def publish(self, name: str, data: JsonObject) -> None:
        """Add an event and wake every reader."""
        self._events.append(RunEvent(self._before + len(self._events) + 1, name, data))
        self._wake()

    def close(self) -> None:
        """Let every reader end after the last event."""
        self._is_closed = True
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def events(self, after: int = 0) -> AsyncGenerator[RunEvent]:
        """Yield the events with an id above `after`, waiting for new ones until the stream is closed."""
        position = max(after - self._before, 0)
        while True:
            news = self._news
            while position < len(self._events):
                yield self._events[position]
                position += 1
            if self._is_closed:
                return
            if news is self._news:
                await news.wait()
