"""A turn in this process beside the bare agent: its share, its make-up, and both in long conversations."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median

from benchmarks.charts import bars
from benchmarks.figures import RATIO, Figure, Section
from benchmarks.service import Service, as_served, service

LENGTHS = (10, 100, 1_000, 10_000)
ROUNDS = 20
MOST_IN_PROCESS, MOST_LATE = 1.4, 1.3
STEPS = {
    "load, accept, save": "conversation.save (accept)",
    "build the window": "context.build",
    "run the agent": "invoke_agent workflow_agent",
    "commit and save": "conversation.save (commit)",
}
"""The steps of a turn and the spans that time them."""


@dataclass
class Times:
    """Milliseconds of several rounds, of the processor and by the clock."""

    processor: list[float] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)

    async def take(self, act: Callable[[], Awaitable[object]]) -> None:
        """Time an act."""
        processor, clock = time.process_time(), time.perf_counter()
        await act()
        self.processor.append((time.process_time() - processor) * 1_000)
        self.clock.append((time.perf_counter() - clock) * 1_000)


async def side_by_side(one: Service, conversation_id: str, rounds: int = ROUNDS) -> tuple[Times, Times]:
    """Return the times of turns and, between them, of the bare agent with their messages."""
    ours, bare = Times(), Times()
    await one.turn(conversation_id)
    await one.bare.answer(one.requests[0])
    one.durations.clear()
    for _ in range(rounds):
        await ours.take(lambda: one.turn(conversation_id))
        await bare.take(lambda: one.bare.answer(one.requests[0]))
    return ours, bare


def make_up(durations: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the processor's milliseconds of each step of a turn, and of what lies between them."""
    steps = {step: median(durations[span]) * 1_000 for step, span in STEPS.items()}
    whole = median(durations["chat.turn"]) * 1_000
    return {**steps, "read old results, keep contents and memory": max(0.0, whole - sum(steps.values()))}


async def _turn_about(one: Service, talks: Mapping[int, str]) -> tuple[dict[int, Times], dict[int, Times]]:
    """Return the times of turns of several conversations, and of the bare agent with the messages of each."""
    ours, bare = {length: Times() for length in talks}, {length: Times() for length in talks}
    for talk in talks.values():
        await one.turn(talk)
    for _ in range(ROUNDS):
        for length, talk in talks.items():
            await ours[length].take(lambda talk=talk: one.turn(talk))
            await bare[length].take(lambda: one.bare.answer(one.requests[0]))
    return ours, bare


async def _measured() -> Section:
    figures: list[Figure] = []
    async with service() as one:
        talks = {length: await one.conversation_of(length) for length in LENGTHS}
        turns, bare = await _turn_about(one, talks)
        one.durations.clear()
        for _ in range(ROUNDS):
            await one.turn(talks[LENGTHS[0]])
        spent = make_up(one.durations.processor)
    for length in LENGTHS:
        ratio = median(turns[length].processor) / median(bare[length].processor)
        figures += [
            Figure(f"turn {length:,} / bare agent", ratio, RATIO, most=MOST_IN_PROCESS),
            Figure(f"turn {length:,}", median(turns[length].processor), "ms"),
            Figure(f"turn {length:,}, mean with the compactions it causes", mean(turns[length].processor), "ms"),
            Figure(f"bare agent, messages of turn {length:,}", median(bare[length].processor), "ms"),
        ]
    late = median(turns[LENGTHS[-1]].processor) / median(turns[LENGTHS[1]].processor)
    figures.append(Figure(f"turn {LENGTHS[-1]:,} / turn {LENGTHS[1]:,}", late, RATIO, most=MOST_LATE))
    figures += [Figure(f"of turn 10: {step}", value, "ms") for step, value in spent.items()]
    return Section(
        "turns",
        "A turn in process",
        f"`chat.start` to the reply, both saves on the disk, spans and metrics on, one tool call, beside "
        f"`agent.run` of an instrumented agent with the same messages, instructions and tool; {ROUNDS} rounds"
        " turn about in the loop that servers run in, medians. The make-up is what the turn's own spans say.",
        figures,
        {"turn-make-up.svg": bars("Where the processor time of a turn goes", spent, "ms")},
    )


def measure() -> Section:
    """Return the figures of turns."""
    return as_served(_measured())
