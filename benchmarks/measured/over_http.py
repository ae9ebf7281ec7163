"""Turns over HTTP: how many a second, how long each, and what they take of processor and memory."""

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.charts import bars
from benchmarks.clients import Load, address_in, load
from benchmarks.figures import RATIO, Figure, Section
from benchmarks.measured.starting import processor_ms
from benchmarks.measured.turns import side_by_side
from benchmarks.reading_model import MESSAGE
from benchmarks.service import service

LATENCIES = (0.0, 0.05)
TURNS_OF = {1: 12, 16: 3, 64: 2}
"""Turns each client takes, by how many clients there are."""
OPENED, AT_ONCE = 120, 16
MOST_OVER_HTTP, LEAST_SHARE, MOST_SLOWER = 1.6, 90.0, 1.3


@dataclass(frozen=True, slots=True)
class Peer:
    """A server in a process of its own."""

    pid: int
    url: str

    @property
    def resident_kb(self) -> float:
        """Return the memory it has now."""
        status = Path(f"/proc/{self.pid}/status").read_text("utf-8")
        return float(status.partition("VmRSS:")[2].split()[0])


@contextmanager
def running(seconds: float, *, is_bare: bool = False, workers: int = 1) -> Generator[Peer]:
    """Run a server as long as the block lasts, around a model that takes so many seconds."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "benchmarks.served", directory, str(seconds)]
        command += ["--bare"] if is_bare else []
        command += ["--workers", str(workers)] if workers > 1 else []
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        try:
            yield Peer(process.pid, address_in(process.stdout.readline().decode()))
        finally:
            process.terminate()
            process.communicate(timeout=30)


async def talk(peer: Peer, clients: int, turns: int, *, reopens: bool = False) -> Load:
    """Let so many clients take so many turns each, with a connection for each turn where they reopen it."""
    return await load(peer.url, clients, turns, lambda _: MESSAGE, reopens=reopens)


async def _compared(seconds: float) -> list[Figure]:
    figures: list[Figure] = []
    model = f"model of {seconds * 1_000:.0f} ms"
    with running(seconds) as ours, running(seconds, is_bare=True) as bare:
        for peer in (ours, bare):
            await talk(peer, 4, 2)
        for clients, turns in TURNS_OF.items():
            one, other = await talk(ours, clients, turns), await talk(bare, clients, turns)
            named = f"{model}, {clients} client{'s' if clients > 1 else ''}"
            bound = clients == max(TURNS_OF) and seconds > 0
            share, slower = 100 * one.per_second / other.per_second, one.p99_ms / other.p99_ms
            figures += [
                Figure(f"{named}: turns a second", one.per_second, ""),
                Figure(
                    f"{named}: turns a second, of the bare server's", share, "%", least=LEAST_SHARE if bound else None
                ),
                Figure(f"{named}: p50 (clock)", median(one.each_ms), "ms"),
                Figure(f"{named}: p99 (clock)", one.p99_ms, "ms"),
                Figure(f"{named}: p99 / the bare's", slower, RATIO, most=MOST_SLOWER if bound else None),
            ]
        if not seconds:
            figures += await _spent(ours)
    return figures


async def _spent(ours: Peer) -> list[Figure]:
    """Return the processor's share over HTTP, and the memory of conversations that were talked in."""
    turns = TURNS_OF[1]
    before = processor_ms(ours.pid)
    await talk(ours, 1, turns)
    each = (processor_ms(ours.pid) - before) / turns
    async with service() as one:
        _, bare = await side_by_side(one, await one.conversation_of(10), rounds=8)
    resident = ours.resident_kb
    await talk(ours, AT_ONCE, 1)
    for _ in range(OPENED // AT_ONCE):
        await talk(ours, AT_ONCE, 1)
    grown = (ours.resident_kb - resident) / (OPENED // AT_ONCE * AT_ONCE + AT_ONCE)
    return [
        Figure(
            "turn over HTTP, the server's processor / bare agent",
            each / median(bare.processor),
            RATIO,
            most=MOST_OVER_HTTP,
        ),
        Figure("turn over HTTP, the server's processor", each, "ms"),
        Figure("memory of one more conversation", grown, "kB"),
        Figure("memory of the server", ours.resident_kb / 1_024, "MB"),
    ]


def measure() -> Section:
    """Return the figures of turns over HTTP."""
    figures = [one for seconds in LATENCIES for one in asyncio.run(_compared(seconds))]
    drawn = {one.name.partition(": ")[0]: one.value for one in figures if one.name.endswith(": turns a second")}
    return Section(
        "http",
        "Over HTTP",
        "Server and clients in processes of their own; each client is one conversation, each turn one tool "
        "call and so two model requests. A bare server ran turn about: Pydantic AI behind FastAPI with its "
        "last 15 turns and an appended JSONL file, without spans and without waiting for the disk.",
        figures,
        {"http.svg": bars("Turns a second", drawn, "")},
    )
