"""How much fits: token estimates, the budget, and the newest unbroken run of turns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

Utilization = Literal["low", "medium", "full"]
Level = Literal["ok", "warning", "critical"]

CHARS_PER_TOKEN = 4
SHARE_OF_WINDOW: dict[Utilization, float] = {"low": 0.33, "medium": 0.66, "full": 1.0}
WARNING_FRACTION = 0.80
CRITICAL_FRACTION = 0.95


def tokens_of_chars(chars: int) -> int:
    """Return the estimated tokens of a text by its length: a token for each four characters begun."""
    return -(-chars // CHARS_PER_TOKEN)


def tokens_of(text: str) -> int:
    """Return the estimated tokens of a text."""
    return tokens_of_chars(len(text))


def budget_tokens(window_tokens: int, reserve_tokens: int, utilization: Utilization) -> int:
    """Return how many tokens a request may be: the window less room for the answer, or a share of that."""
    return int(max(window_tokens - reserve_tokens, 0) * SHARE_OF_WINDOW[utilization])


def level_of(fraction: float) -> Level:
    """Return how full the budget is, as a word."""
    if fraction >= CRITICAL_FRACTION:
        return "critical"
    return "warning" if fraction >= WARNING_FRACTION else "ok"


class Sized(Protocol):
    """Something with a size in tokens."""

    @property
    def tokens(self) -> int:
        """Return its estimated size."""
        ...


S = TypeVar("S", bound=Sized)


@dataclass(frozen=True, slots=True)
class Fitted(Generic[S]):
    """What fits, oldest first, and how many older ones do not."""

    included: Sequence[S]
    excluded: int
    tokens: int


def newest_that_fit(items: Sequence[S], budget: int) -> Fitted[S]:
    """Return the longest unbroken run of latest items within a budget.

    An item that does not fit ends the run, even when older ones would fit: a gap would leave the
    model answers to questions it cannot see.

    Args:
        items: Oldest first.
        budget: Tokens left; 0 or less selects nothing.
    """
    used = 0
    start = len(items)
    while start > 0 and used + items[start - 1].tokens <= budget:
        start -= 1
        used += items[start].tokens
    return Fitted(items[start:], start, used)
