"""Turns over many conversations, in one process: memory has to stay what it was at first.

    python -m benchmarks.soak --turns 20000 --conversations 500 --traced

It prints a line of JSON: resident kB by turns. With `--traced` it also says which lines hold the memory
that came after the first tenth, in a run that takes several times as long.
"""

import argparse
import asyncio
import gc
import json
import logging
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.figures import RATIO, Figure, Section
from benchmarks.grown_process import resident_kb
from benchmarks.reading_model import MESSAGE, ReadingModel
from workflow_agent.assistant.providers import Models
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.conversations.document import Conversation
from workflow_agent.main.application import Application
from workflow_agent.main.composition import build
from workflow_agent.main.process import collect_seldom
from workflow_agent.settings import Settings

TURNS, CONVERSATIONS, STAGES = 20_000, 500, 10
MOST_LATE = 1.1
_KB_A_MB = 1_024
_CLIENTS = 8


def measure() -> Section:
    """Return the figures of a long run."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.soak"]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    resident: dict[str, float] = json.loads(told)
    first, *later = resident.values()
    return Section(
        "soak",
        "Soak",
        f"Resident memory of one process that takes {TURNS:,} turns over {CONVERSATIONS} conversations, "
        f"{_CLIENTS} at a time, after garbage was collected. The model reads a workflow in each turn.",
        [
            *(Figure(f"after {int(done):,} turns", kb / _KB_A_MB, "MB") for done, kb in resident.items()),
            Figure("at most later / after the first tenth", max(later) / first, RATIO, most=MOST_LATE),
        ],
    )


async def soaked(turns: int, conversations: int) -> AsyncIterator[tuple[int, float]]:
    """Yield after each tenth of the turns how many there were, and the resident kB."""
    with tempfile.TemporaryDirectory() as directory:
        models = Models("reading", {"reading": ReadingModel().model()}, window_tokens=32_000)
        application = build(Settings(data_dir=Path(directory), samples=True), models)
        await application.prepare()
        await application.catch_up()
        gc.collect()
        collect_seldom()
        try:
            for stage in range(STAGES):
                await _stage(application, range(stage * turns // STAGES, (stage + 1) * turns // STAGES), conversations)
                await application.services.compactor.settled()
                yield (stage + 1) * turns // STAGES, resident_kb()
        finally:
            gc.unfreeze()
            await application.finish()
            await asyncio.to_thread(application.close)


async def _stage(application: Application, numbers: range, conversations: int) -> None:
    """Take the turns with these numbers; a conversation waits for its own."""
    waiting = iter(numbers)
    busy = [asyncio.Lock() for _ in range(conversations)]

    async def client() -> None:
        for number in waiting:
            talk = number % conversations
            async with busy[talk]:
                await _turn(application, talk, number // conversations)

    await asyncio.gather(*(client() for _ in range(_CLIENTS)))


async def _turn(application: Application, talk: int, turn: int) -> None:
    conversation_id = f"soak-{talk}"
    if turn == 0:
        at = application.services.clock()
        tenant = application.settings.tenant
        await application.stores.conversations.create(
            Conversation(id=conversation_id, tenant=tenant, created_at=at, updated_at=at)
        )
    request = TurnRequest(message=f"{MESSAGE} ({turn})", conversation_id=conversation_id)
    started = await application.services.chat.start(application.settings.tenant, request)
    await started.outcome()


async def _main(turns: int, conversations: int, *, is_traced: bool) -> None:
    resident: dict[int, float] = {}
    before = None
    async for done, kb in soaked(turns, conversations):
        resident[done] = kb
        print(f"{done:,} turns: {kb / _KB_A_MB:.0f} MB", file=sys.stderr, flush=True)
        if is_traced and not tracemalloc.is_tracing():
            tracemalloc.start(6)
        if is_traced and done == turns // 2:
            before = tracemalloc.take_snapshot()
    if before is not None:
        after = tracemalloc.take_snapshot()
        for line in after.compare_to(before, "lineno")[:25]:
            print(line, file=sys.stderr)
        for trace in after.compare_to(before, "traceback")[:12]:
            print(trace, *trace.traceback.format(), sep="\n", file=sys.stderr)
    print(json.dumps(resident))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--conversations", type=int, default=CONVERSATIONS)
    parser.add_argument("--traced", action="store_true")
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)
    asyncio.run(_main(chosen.turns, chosen.conversations, is_traced=chosen.traced))
