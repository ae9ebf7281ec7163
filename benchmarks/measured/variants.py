"""The same turn with one thing changed: many pieces streamed, spans taken or not, caches on or off."""

from contextlib import AsyncExitStack
from statistics import median

from benchmarks.figures import RATIO, Figure, Section
from benchmarks.measured.turns import Times
from benchmarks.reading_model import DELTAS
from benchmarks.service import as_served, service

ROUNDS = 12
PIECES = 400
LEAST_SAVED = 70.0


async def _measured() -> Section:
    async with AsyncExitStack() as stack:
        kinds = {
            "as it is": await stack.enter_async_context(service()),
            "streaming": await stack.enter_async_context(service(pieces=("word ",) * PIECES)),
            "without spans": await stack.enter_async_context(service(spans=False)),
            "without caches": await stack.enter_async_context(service(caches=False)),
        }
        talks = {name: await one.conversation_of(10) for name, one in kinds.items()}
        times = {name: Times() for name in kinds}
        for name, one in kinds.items():
            await one.turn(talks[name])
            one.durations.clear()
        for _ in range(ROUNDS):
            for name, one in kinds.items():
                await times[name].take(lambda one=one, name=name: one.turn(talks[name]))
        built = {
            name: median(kinds[name].durations.processor["context.build"]) * 1_000
            for name in ("as it is", "without caches")
        }
    turn = {name: median(one.processor) for name, one in times.items()}
    each = (turn["streaming"] - turn["as it is"]) / (PIECES - len(DELTAS))
    saved = 100 * (1 - built["as it is"] / built["without caches"])
    return Section(
        "variants",
        "With one thing changed",
        f"Turns of four services in one process, turn about, {ROUNDS} rounds, medians.",
        [
            Figure("one streamed piece more", each, "ms"),
            Figure("with spans / without", turn["as it is"] / turn["without spans"], RATIO),
            Figure("with caches / without", turn["as it is"] / turn["without caches"], RATIO),
            Figure("building the context with caches", built["as it is"], "ms"),
            Figure("building the context without", built["without caches"], "ms"),
            Figure("building the context: less time with caches", saved, "%", least=LEAST_SAVED),
        ],
    )


def measure() -> Section:
    """Return the figures of the variants."""
    return as_served(_measured())
