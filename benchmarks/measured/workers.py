"""One process beside two workers, the same clients and model: turns a second, and what each turn took."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.charts import bars
from benchmarks.figures import RATIO, Figure, Section
from benchmarks.measured.over_http import Peer, running, talk
from benchmarks.measured.starting import processor_ms

CLIENTS, TURNS_EACH, MODEL_SECONDS, ROUNDS = 64, 2, 0.05, 3
REOPENED = 6
"""Turns of each client whose connections are reopened."""
LEAST, MOST_UNEVEN = 1.8, 1.2


@dataclass(frozen=True, slots=True)
class Round:
    """What came of one load."""

    per_second: float
    p99_ms: float
    processor_ms: Sequence[float]
    """Of a turn, on average, in each process that serves."""


def measure() -> Section:
    """Return the figures of one process and of two workers."""
    one, two, uneven = asyncio.run(_compared())
    by_clock = median(second.per_second / first.per_second for first, second in zip(one, two, strict=True))
    by_processor = median(
        sum(first.processor_ms) / max(second.processor_ms) for first, second in zip(one, two, strict=True)
    )
    rates = {
        "one process": median(each.per_second for each in one),
        "two workers": median(each.per_second for each in two),
    }
    return Section(
        "workers",
        "One process and two workers",
        f"{CLIENTS} conversations at once of {TURNS_EACH} turns, each with a tool call and a model of "
        f"{MODEL_SECONDS * 1_000:.0f} ms; the two servers took turns about, {ROUNDS} rounds, medians. With "
        f"{os.cpu_count()} processors for servers, clients and whatever else runs (load "
        f"{os.getloadavg()[0]:.1f}), turns a second by the clock say as much of the machine as of the "
        "workers. The other ratio is what holds where the processor is the limit: its time for a turn in "
        "one process, to what the busier of two workers spent a turn, uneven connections included.",
        [
            Figure("two workers / one process: turns the processor allows", by_processor, RATIO, least=LEAST),
            Figure("two workers / one process: turns a second (clock)", by_clock, RATIO),
            Figure("the busier worker / the other, connections reopened at each turn", uneven, RATIO, most=MOST_UNEVEN),
            *(Figure(f"{name}: turns a second (clock)", rate, "") for name, rate in rates.items()),
            Figure("one process: p99 (clock)", median(each.p99_ms for each in one), "ms"),
            Figure("two workers: p99 (clock)", median(each.p99_ms for each in two), "ms"),
        ],
        {"workers.svg": bars("Turns a second", rates, "")},
    )


async def _compared() -> tuple[list[Round], list[Round], float]:
    one: list[Round] = []
    two: list[Round] = []
    with running(MODEL_SECONDS) as alone, running(MODEL_SECONDS, workers=2) as together:
        for peer in (alone, together):
            await talk(peer, CLIENTS, 1)
        for _ in range(ROUNDS):
            one.append(await _round(alone, [alone.pid]))
            two.append(await _round(together, children_of(together.pid)))
        reopened = await _round(together, children_of(together.pid), turns=REOPENED, reopens=True)
    return one, two, max(reopened.processor_ms) / min(reopened.processor_ms)


async def _round(peer: Peer, pids: Sequence[int], *, turns: int = TURNS_EACH, reopens: bool = False) -> Round:
    before = [processor_ms(pid) for pid in pids]
    done = await talk(peer, CLIENTS, turns, reopens=reopens)
    spent = [processor_ms(pid) - start for pid, start in zip(pids, before, strict=True)]
    return Round(done.per_second, done.p99_ms, [each / len(done.each_ms) for each in spent])


def children_of(pid: int) -> list[int]:
    """Return the processes that a process started, from any of its threads."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text("utf-8").split()]
