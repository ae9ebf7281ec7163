"""A process that has seen many turns, and says how much memory it has after each stretch of them.

    python -m benchmarks.grown_process

It prints one line of JSON: resident kB by stage. In a process of its own, so that nothing else counts.
"""

import gc
import json
from pathlib import Path

from benchmarks.service import TENANT, Service, as_served, service

FEW, MANY = 100, 10_000
CONVERSATIONS, TURNS_EACH = 1_000, 10
WARM, TAKEN, SERVED = 60, 10, 300


def resident_kb() -> float:
    """Return the memory this process has now, garbage taken out."""
    gc.collect()
    status = Path("/proc/self/status").read_text("utf-8")
    return float(status.partition("VmRSS:")[2].split()[0])


async def _turns(one: Service, conversation_id: str | None, count: int) -> str:
    for _ in range(count):
        conversation_id = (await one.turn(conversation_id)).conversation_id
        one.durations.clear()
    assert conversation_id is not None
    return conversation_id


async def _many_conversations(one: Service, first: int) -> None:
    """Let the service read many conversations from the disk, and answer in one of twenty of them."""
    own_id = f"cv_{TURNS_EACH:012}"
    if not first:
        await one.conversation_of(TURNS_EACH)
    document = next(one.application.settings.data_dir.rglob(f"{own_id}.json"))
    text = document.read_text("utf-8")
    for number in range(first, first + CONVERSATIONS):
        other = f"cv_other_{number:06}"
        document.with_stem(other).write_text(text.replace(own_id, other), "utf-8")
        await one.application.stores.conversations.load(TENANT, other)
        if number % 20 == 0:
            await _turns(one, other, 1)


async def _grown() -> dict[str, float]:
    resident: dict[str, float] = {}
    async with service() as one:
        served = await _turns(one, None, WARM)
        for length in (FEW, MANY):
            await _turns(one, await one.conversation_of(length), TAKEN)
            resident[str(length)] = resident_kb()
        await _turns(one, served, SERVED)
        resident["served"] = resident_kb()
        for first in (0, CONVERSATIONS):
            await _many_conversations(one, first)
            resident[f"conversations from {first}"] = resident_kb()
    return resident


if __name__ == "__main__":
    print(json.dumps(as_served(_grown())))
