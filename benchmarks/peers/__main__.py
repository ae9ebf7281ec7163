"""Talk to every peer, alone and by many clients, and write `benchmarks/PEERS.md`.

    python -m benchmarks.peers [--turns 1000] [peer …]

Only a run of all peers over 1,000 turns replaces the report; any other prints its figures.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.clients import address_in, load
from benchmarks.measured.starting import processor_ms
from benchmarks.peers.protocol import CLIENTS, LOOKED_AT, MODEL_SECONDS, PEERS, TURNS_EACH, message_of
from benchmarks.peers.reporting import write

HERE = Path(__file__).parents[1]
RESULTS, REPORT = HERE / "results" / "peers.json", HERE / "PEERS.md"


def talked(name: str, turns: int) -> dict[str, Any]:
    """Return what the turns of one long conversation take."""
    command = [sys.executable, "-m", "benchmarks.peers.talking", name, str(turns)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def served(name: str, *, calls: bool) -> list[dict[str, float]]:
    """Return what so many conversations at once over HTTP come to, for each number of clients."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "benchmarks.peers.served", name, directory, str(MODEL_SECONDS)]
        command += ["--calls"] if calls else []
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            url = address_in(process.stdout.readline())
            return [_loaded(url, process.pid, clients) for clients in CLIENTS]
        finally:
            process.terminate()
            process.communicate(timeout=60)


def _loaded(url: str, pid: int, clients: int) -> dict[str, float]:
    # What is made at the first use is not the turns'.
    asyncio.run(load(url, 1, 1, message_of))
    before = processor_ms(pid)
    done = asyncio.run(load(url, clients, TURNS_EACH, message_of))
    spent_ms = (processor_ms(pid) - before) / (clients * TURNS_EACH)
    return {"per_second": done.per_second, "p99_ms": done.p99_ms, "processor_ms": spent_ms}


def main() -> None:
    """Measure the peers that are asked for."""
    parser = argparse.ArgumentParser(description="Compare the service with what people would use instead.")
    parser.add_argument("peers", nargs="*", metavar="peer", help=f"{', '.join(PEERS)}; all unless named")
    parser.add_argument("--turns", type=int, default=LOOKED_AT[-1])
    wanted = parser.parse_args()
    if unknown := set(wanted.peers) - set(PEERS):
        parser.error(f"there is no peer {min(unknown)!r}; there are: {', '.join(PEERS)}")
    found: dict[str, Any] = {}
    for name in wanted.peers or PEERS:
        started = time.perf_counter()
        found[name] = {"turns": talked(name, wanted.turns), "http": served(name, calls=False)}
        found[name]["http_calls"] = served(name, calls=True)
        print(f"{PEERS[name].name}: {time.perf_counter() - started:.0f} s", flush=True)
        print(json.dumps(found[name]), flush=True)
    if not wanted.peers and wanted.turns == LOOKED_AT[-1]:
        write(found, RESULTS, REPORT)
        print(f"wrote {REPORT.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
