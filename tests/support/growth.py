"""How the work of a call, or what it leaves, grows: a square is found on any machine, a time on none."""

import gc
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

LONG = 5.0
"""Seconds after which a call is not measured a second time."""


def assert_grows_linearly(make: Callable[[int], Given], work: Callable[[Given], object], size: int) -> None:
    """Fail if four times the input takes much more than four times the processor time.

    Args:
        make: Makes the input of a size. Not measured.
        work: What is measured, the better of two calls of each size.
        size: Of the larger input.
    """
    small, large = make(size // TIMES), make(size)
    assert_linear(_seconds(work, small), _seconds(work, large))


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
    """Return the processor seconds of the better of two calls, or of the only one when it is long."""
    taken = [_once(work, given)]
    if taken[0] < LONG:
        taken.append(_once(work, given))
    return min(taken)


def _once(work: Callable[[Given], object], given: Given) -> float:
    began = time.thread_time()
    work(given)
    return time.thread_time() - began
