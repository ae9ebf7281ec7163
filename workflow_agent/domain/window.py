"""How much fits: the budget, the newest unbroken run of turns, and a message that is larger than it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

Utilization = Literal["low", "medium", "full"]
Level = Literal["ok", "warning", "critical"]

SHARE_OF_WINDOW: dict[Utilization, float] = {"low": 0.33, "medium": 0.66, "full": 1.0}
WARNING_FRACTION = 0.80
CRITICAL_FRACTION = 0.95


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


def largest_first(sections: Mapping[str, int]) -> str:
    """Return the sections that weigh most, in words: three at most, each with its tokens."""
    heaviest = sorted(sections.items(), key=lambda item: -item[1])[:3]
    return ", ".join(f"{name.replace('_', ' ')} ({tokens})" for name, tokens in heaviest if tokens)


def shortened(text: str, budget: int, count: Callable[[str], int]) -> str:
    """Return a text that fits the budget: its beginning and its end, and a note for what lies between.

    Args:
        text: Larger than the budget.
        budget: In tokens; the note stands even where it alone is more.
        count: Counts tokens.
    """
    kept_chars = len(text) // 2
    while True:
        kept_chars = kept_chars * 9 // 10
        half = kept_chars // 2
        note = (
            f"\n[... {len(text) - 2 * half} of {len(text)} characters of this message are left out here: "
            "it is larger than the window. The whole of it is stored with the conversation. ...]\n"
        )
        cut = text[:half] + note + text[len(text) - half :]
        if half == 0 or count(cut) <= budget:
            return cut
