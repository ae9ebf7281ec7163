"""How long a provider may make a run wait before the next attempt."""

import math
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from httpx2 import Response

_RUN_ENDS_AT: ContextVar[datetime | None] = ContextVar("run_ends_at", default=None)
_WAITED_FOR = frozenset({408, 409, 429, 500, 502, 503, 504, 529})


@contextmanager
def until(ends_at: datetime | None) -> Generator[None]:
    """Let requests inside the block wait for a provider until then; None for as long as it says."""
    token = _RUN_ENDS_AT.set(ends_at)
    try:
        yield
    finally:
        _RUN_ENDS_AT.reset(token)


async def refuse_to_wait_too_long(response: "Response") -> None:
    """Tell the provider's client to fail at once where it is told to wait until the run is over.

    Clients of OpenAI and Anthropic do as `x-should-retry` says; otherwise they wait, and the run ends as one that
    took too long, which says nothing of why.
    """
    ends_at = _RUN_ENDS_AT.get()
    if ends_at is None or response.status_code not in _WAITED_FOR:
        return
    now = datetime.now(UTC)
    if _wait_seconds(response, now) >= (ends_at - now).total_seconds():
        response.headers["x-should-retry"] = "false"


def _wait_seconds(response: "Response", now: datetime) -> float:
    """Return how long a response asks to wait; 0 where it does not say, or not in a form that there is."""
    told = response.headers.get("retry-after-ms")
    try:
        if told is not None:
            seconds = float(told) / 1000
        else:
            told = response.headers.get("retry-after", "0")
            is_number = told.replace(".", "", 1).isdecimal()
            seconds = float(told) if is_number else (parsedate_to_datetime(told) - now).total_seconds()
    except (ValueError, TypeError):
        return 0
    return seconds if math.isfinite(seconds) else 0
