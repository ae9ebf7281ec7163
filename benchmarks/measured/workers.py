"""One process beside two workers, the same clients and model: turns a second, and what each turn took."""

import asyncio
import os
from statistics import median

from benchmarks.charts import bars
from benchmarks.figures import RATIO, Figure, Section
from benchmarks.measured.over_http import Load, load, running

CLIENTS, TURNS_EACH, MODEL_SECONDS, ROUNDS = 64, 2, 0.05, 3
LEAST = 1.6


def measure() -> Section:
    """Return the figures of one worker and of two."""
    loads = asyncio.run(_compared())
    one, two = ([each.per_second for each in loads[workers]] for workers in (1, 2))
    ratio = median(second / first for first, second in zip(one, two, strict=True))
    p99 = {workers: median(each.p99_ms for each in loads[workers]) for workers in (1, 2)}
    drawn = {"one process": median(one), "two workers": median(two)}
    return Section(
        "workers",
        "One process and two workers",
        f"{CLIENTS} conversations at once of {TURNS_EACH} turns, each with a tool call and a model of "
        f"{MODEL_SECONDS * 1_000:.0f} ms; the two servers took turns about, {ROUNDS} rounds, medians. The "
        f"clients need a processor too, and so does whatever else runs: with {os.cpu_count()} of them, two "
        "workers do not have two to themselves.",
        [
            Figure("two workers / one process: turns a second", ratio, RATIO, least=LEAST),
            Figure("one process: turns a second", median(one), ""),
            Figure("two workers: turns a second", median(two), ""),
            Figure("one process: p99 (clock)", p99[1], "ms"),
            Figure("two workers: p99 (clock)", p99[2], "ms"),
        ],
        {"workers.svg": bars("Turns a second", drawn, "")},
    )


async def _compared() -> dict[int, list[Load]]:
    loads: dict[int, list[Load]] = {1: [], 2: []}
    with running(MODEL_SECONDS) as alone, running(MODEL_SECONDS, workers=2) as together:
        for peer in (alone, together):
            await load(peer, CLIENTS, 1)
        for _ in range(ROUNDS):
            for workers, peer in ((1, alone), (2, together)):
                loads[workers].append(await load(peer, CLIENTS, TURNS_EACH))
    return loads
