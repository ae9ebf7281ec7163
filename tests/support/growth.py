"""How the work of a call, or what it leaves, grows: a square is found on any machine, a time on none."""

import gc
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

Given = TypeVar("Given")

TIMES = 4
"""The second call gets so many times what the first got."""

ALLOWED = 2.2 * TIMES
"""Times the work of the first: room for noise, and none for a square, which takes 16 times."""

LEAST = 0.01
"""Seconds that the first is taken to last at least: shorter ones are mostly noise."""

TRIES = 3
"""Times that both are measured before the larger is too much: what grows by the square does so each time."""

_MORE = 16
"""By which the smaller input grows with each try."""


def assert_grows_linearly(make: Callable[[int], Given], work: Callable[[Given], object], size: int) -> None:
    """Fail if four times the input takes much more than four times the processor time.

    Args:
        make: Makes the input of a size. Not measured.
        work: What is measured, in the processor's seconds of this thread, without the collection of garbage.
        size: Of the larger input.
    """
    first = second = 0.0
    with no_garbage_collected():
        for number in range(TRIES):
            # Each try has inputs of its own: what is remembered of the one before would be no work.
            larger = size + TIMES * _MORE * number
            small, large = make(larger // TIMES), make(larger)
            second, first = _seconds(work, large), _seconds(work, small)
            if second <= ALLOWED * max(first, LEAST):
                return
    assert_linear(first, second)


def assert_linear(first: float, second: float) -> None:
    """Fail if ``second``, the seconds of `TIMES` the input, is much more than so many times ``first``."""
    assert second <= ALLOWED * max(first, LEAST), f"{first:.3f} s for a quarter of it, {second:.3f} s for all of it"


@contextmanager
def no_garbage_collected() -> Generator[None]:
    """Let nothing go inside the block but what nobody refers to; what refers to itself stays."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def alive(kind: type) -> int:
    """Return how many objects of a type there are, in circles too that wait for the collector."""
    return sum(type(one) is kind for one in gc.get_objects())


def _seconds(work: Callable[[Given], object], given: Given) -> float:
    # Tracing would be measured as well, and takes several times as long as the work.
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        began = time.thread_time()
        work(given)
        return time.thread_time() - began
    finally:
        sys.settrace(tracer)
