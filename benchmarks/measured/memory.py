"""What memory a process has after many turns: of one conversation, over many, and served just now."""

import json
import subprocess
import sys

from benchmarks.figures import RATIO, Figure, Section
from benchmarks.grown_process import CONVERSATIONS, FEW, MANY, SERVED, TURNS_EACH

MOST_LATE = 1.3
_KB_A_MB = 1_024


def measure() -> Section:
    """Return the figures of memory."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.grown_process"]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    resident: dict[str, float] = json.loads(told)
    few, many, served = resident[str(FEW)], resident[str(MANY)], resident["served"]
    once, twice = resident["conversations from 0"], resident[f"conversations from {CONVERSATIONS}"]
    turns = CONVERSATIONS * TURNS_EACH
    return Section(
        "memory",
        "Memory",
        "Resident memory of one process with the service in it, after garbage was collected. Conversations "
        f"are grown through its own store; {CONVERSATIONS:,} of {TURNS_EACH} turns are read from the disk, "
        "and one in twenty of them goes on. Then as many others: what is kept of conversations has a bound. "
        f"What a turn leaves is over {SERVED} turns of one conversation; its events can be read again for "
        "ten minutes.",
        [
            Figure(f"with a conversation of {FEW} turns", few / _KB_A_MB, "MB"),
            Figure(f"with one of {MANY:,} turns", many / _KB_A_MB, "MB"),
            Figure(f"with one of {MANY:,} / of {FEW}", many / few, RATIO, most=MOST_LATE),
            Figure("what a turn leaves for ten minutes", (served - many) / SERVED, "kB"),
            Figure(f"{turns:,} turns over {CONVERSATIONS:,} conversations more", (once - served) / _KB_A_MB, "MB"),
            Figure("as many others after those", (twice - once) / _KB_A_MB, "MB"),
            Figure("with those / with the first", twice / once, RATIO, most=MOST_LATE),
        ],
    )
