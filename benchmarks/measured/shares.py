"""A turn beside the bare agent: the processor's time, and Python calls, which no load moves."""

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from statistics import mean, median
from types import FrameType
from typing import Any

from benchmarks.figures import RATIO, Figure, Section
from benchmarks.measured.turns import Times
from benchmarks.service import Service, as_served, service

TURNS = 10
ROUNDS = 40
"""Ten compactions fall into them."""
COUNTED = 8
"""Of two compactions."""
MOST_ONE_REQUEST, MOST_WITH_COMPACTIONS, MOST_WITH_A_TOOL, MOST_OBSERVED = 1.4, 1.7, 1.2, 1.2


@dataclass
class Counter:
    """How many Python functions were called."""

    calls: int = 0

    def note(self, frame: FrameType, event: str, arg: Any) -> None:
        """Count a call."""
        del frame, arg
        self.calls += event == "call"

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the calls of this thread inside the block."""
        sys.setprofile(self.note)
        try:
            yield
        finally:
            sys.setprofile(None)


@dataclass
class Compared:
    """Turns and, between them, the bare agent with their messages."""

    ours: Times = field(default_factory=Times)
    bare: Times = field(default_factory=Times)
    calls: list[int] = field(default_factory=list[int])
    bare_calls: list[int] = field(default_factory=list[int])

    @property
    def typical(self) -> float:
        """Return the ratio of the medians: of turns that cause no compaction."""
        return median(self.ours.processor) / median(self.bare.processor)

    @property
    def with_compactions(self) -> float:
        """Return the ratio of the means."""
        return mean(self.ours.processor) / mean(self.bare.processor)

    @property
    def in_calls(self) -> float:
        """Return the ratio of the Python calls."""
        return median(self.calls) / median(self.bare_calls)


async def _counted(act: Callable[[], Awaitable[object]]) -> int:
    counter = Counter()
    with counter.counting():
        await act()
    return counter.calls


async def _compared(one: Service) -> Compared:
    talk = await one.conversation_of(TURNS)
    found, number = Compared(), count(1)

    async def turn() -> None:
        # Each says something of its own, as people do: nothing is known of it from the turn before.
        await one.turn(talk, f"What does the expense approval do in case {next(number)}?")

    await turn()
    await one.bare.answer(one.requests[0])
    for _ in range(ROUNDS):
        await found.ours.take(turn)
        await found.bare.take(lambda: one.bare.answer(one.requests[0]))
    for _ in range(COUNTED):
        found.calls.append(await _counted(turn))
        found.bare_calls.append(await _counted(lambda: one.bare.answer(one.requests[0])))
    return found


async def _measured() -> Section:
    async with service(spans=False, reads=False) as one, service(spans=False) as with_tool:
        plain, tool = await _compared(one), await _compared(with_tool)
    async with service(reads=False) as one, service() as with_tool:
        plain_observed, tool_observed = await _compared(one), await _compared(with_tool)
    return Section(
        "shares",
        "A turn beside a bare agent",
        f"`chat.start` to the reply, both saves on the disk, in a conversation of {TURNS} turns, beside "
        f"`agent.run` with the same messages, instructions and tool; {ROUNDS} rounds turn about in one "
        "process, medians. Where spans are exported they are on both sides, otherwise on neither. With "
        "compactions: means.",
        [
            Figure("one model call", plain.typical, RATIO, most=MOST_ONE_REQUEST),
            Figure("one model call, with compactions", plain.with_compactions, RATIO, most=MOST_WITH_COMPACTIONS),
            Figure("one tool call", tool.typical, RATIO, most=MOST_WITH_A_TOOL),
            Figure("one tool call, with compactions", tool.with_compactions, RATIO),
            Figure("one model call, spans exported", plain_observed.typical, RATIO, most=MOST_OBSERVED),
            Figure("one tool call, spans exported", tool_observed.typical, RATIO, most=MOST_OBSERVED),
            Figure("one model call, in Python calls", plain.in_calls, RATIO),
            Figure("one tool call, in Python calls", tool.in_calls, RATIO),
            Figure("one model call", median(plain.calls), "Python calls"),
            Figure("one tool call", median(tool.calls), "Python calls"),
            Figure("bare, one model call", median(plain.bare_calls), "Python calls"),
            Figure("bare, one tool call", median(tool.bare_calls), "Python calls"),
            Figure("one model call", median(plain.ours.processor), "ms"),
            Figure("bare, one model call", median(plain.bare.processor), "ms"),
        ],
    )


def measure() -> Section:
    """Return the figures of turns beside a bare agent."""
    return as_served(_measured())
