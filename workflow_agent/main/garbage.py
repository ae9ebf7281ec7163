"""When the interpreter looks for garbage in cycles: not while it imports, and seldom while it serves."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

_NEW_OBJECTS, _ROUNDS = 20_000, 10
"""Looked at when there are so many more objects, and older ones every so many rounds; the interpreter's own
700 had the collector at work once a turn, and with many conversations open a sixth of the processor's time
went to it (`gc.callbacks`, 64 clients of `python -m benchmarks.peers`)."""


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

    Hardly anything of a turn is garbage in cycles; the rest goes at once, whatever is set here.
    """
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _ROUNDS, _ROUNDS)
