"""One peer in a process of its own: a long conversation, with what its turns take at 1, 10, 100 and 1,000.

    python -m benchmarks.peers.talking <peer> <turns>

It prints one JSON object.
"""

import asyncio
import json
import logging
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.peers.protocol import LOOKED_AT, PEERS, Opens, Peer, Talks, message_of

_LAST = 20
"""Figures are of so many turns, at most half of all."""
_SEEDED_TURNS = 6
"""Turns that are timed on a history which was put in."""


def opens(peer: Peer) -> Opens:
    """Return what starts a peer."""
    return getattr(import_module(f"benchmarks.peers.{peer.module}"), peer.opens)


def resident_mb() -> float:
    """Return the memory this process has now."""
    status = Path("/proc/self/status").read_text("utf-8")
    return float(status.partition("VmRSS:")[2].split()[0]) / 1_024


def stored_kb(directory: Path) -> float:
    """Return the size of all files of a peer."""
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file()) / 1_024


async def _timed(talks: Talks, conversation: str, turn: int) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    await talks.say(conversation, message_of(turn))
    return (time.perf_counter() - wall) * 1_000, (time.process_time() - processor) * 1_000


def _figures(taken: list[tuple[float, float]], directory: Path, *, is_seeded: bool) -> dict[str, Any]:
    last = taken[-min(_LAST, max(1, len(taken) // 2)) :]
    wall, processor = zip(*last, strict=True)
    return {
        "processor_ms": median(processor),
        "processor_mean_ms": mean(processor),
        "wall_ms": median(wall),
        "stored_kb": None if is_seeded else stored_kb(directory),
        "resident_mb": resident_mb(),
        "seeded": is_seeded,
    }


async def talk(peer: Peer, turns: int) -> dict[str, Any]:
    """Return the figures of a peer by turn."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name) / "data"
        directory.mkdir()
        async with opens(peer)(directory, 0.0) as talks:
            # What is imported or made at the first use is not a turn's.
            await talks.say("warm", message_of(0))
            taken: list[tuple[float, float]] = []
            for turn in range(1, min(turns, peer.seeded_at or turns) + 1):
                taken.append(await _timed(talks, "talk", turn))
                if turn in LOOKED_AT:
                    found[str(turn)] = _figures(taken, directory, is_seeded=False)
            if peer.seeded_at and turns > peer.seeded_at:
                first = turns - _SEEDED_TURNS + 1
                await talks.seed("seeded", first - 1)
                taken = [await _timed(talks, "seeded", turn) for turn in range(first, turns + 1)]
                found[str(turns)] = _figures(taken, directory, is_seeded=True)
    return found


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    print(json.dumps(asyncio.run(talk(PEERS[sys.argv[1]], int(sys.argv[2])))))
