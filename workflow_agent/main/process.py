"""What every process has: its clock, the files of the package, and when garbage is collected."""

import ctypes
import gc
import json
import secrets
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from workflow_agent.values.stored import JsonObject

_NEW_OBJECTS, _ROUNDS = 20_000, 10
"""Looked at when there are so many more objects, and older ones every so many rounds; the interpreter's own
700 had the collector at work once a turn, and with many conversations open a sixth of the processor's time
went to it (`gc.callbacks`, 64 clients of `python -m benchmarks.peers`)."""
_OLDEST = 2
"""The generation whose rounds look at all objects."""


@contextmanager
def importing() -> Generator[None]:
    """Pause the garbage collector: imported modules stay, and collecting takes a sixth of the start-up."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def collect_seldom() -> None:
    """Exclude existing objects from collection and make collections rare, as suits a server process.

    Hardly anything of a turn is garbage in cycles; the rest goes at once, whatever is set here. After a round
    over all objects, memory that is free goes back to the system.
    """
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _ROUNDS, _ROUNDS)
    # Of glibc; by itself it gives back only what is free behind all that is in use (ADR-0070).
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if give_back is None:
        return

    def after_round(phase: str, told: Mapping[str, int]) -> None:
        if phase == "stop" and told["generation"] == _OLDEST:
            give_back(0)

    gc.callbacks.append(after_round)


def now() -> datetime:
    """Return the time as precisely as it is stored, so that what is kept in memory equals what is on disk."""
    precise = datetime.now(UTC)
    return precise.replace(microsecond=precise.microsecond // 1_000 * 1_000)


def new_id(prefix: str) -> str:
    """Return an id that nothing has yet."""
    return f"{prefix}_{secrets.token_hex(6)}"


_PACKAGE = Path(__file__).parents[1]


def resources(name: str) -> Path:
    """Return where files are that belong to the package: in it once installed, beside it in a checkout."""
    installed = _PACKAGE / "_resources" / name
    in_checkout = {"prompts": _PACKAGE.parent / "prompts", "samples": _PACKAGE.parent / "data" / "samples"}
    return installed if installed.is_dir() else in_checkout[name]


def samples() -> Sequence[JsonObject]:
    """Return the sample workflows."""
    return [json.loads(path.read_bytes()) for path in sorted(resources("samples").glob("*.json"))]
