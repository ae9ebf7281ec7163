"""When the interpreter looks for garbage in cycles: not while it imports, and seldom while it serves."""

import ctypes
import gc
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager

_NEW_OBJECTS, _ROUNDS = 20_000, 10
"""Looked at when there are so many more objects, and older ones every so many rounds; the interpreter's own
700 had the collector at work once a turn, and with many conversations open a sixth of the processor's time
went to it (`gc.callbacks`, 64 clients of `python -m benchmarks.peers`)."""
_OLDEST = 2
"""The generation whose rounds look at all objects."""


@contextmanager
def importing() -> Generator[None]:
    """Look for no garbage meanwhile: what is imported stays, and looking takes a sixth of the start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def collect_seldom() -> None:
    """Leave out of every round what there is, and make rounds rare, as suits a process that serves.

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
