"""How many tokens a text is, counted or estimated and corrected by what was reported; and what tokens cost."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache, reduce
from statistics import median
from typing import Generic, Literal, Protocol, TypeVar

from workflow_agent.values.stored import Value

_KEPT_RATIOS = 20
_PLAUSIBLE = (0.2, 8.0)
"""A provider's figure over ours: outside, one of the two did not count the request that was sent."""
Counting = Literal["provider", "tokenizer", "calibrated", "chars_div_4"]
"""Who counted: the provider, its tokenizer here, our estimate corrected by reports, or the bare estimate."""


def tokens_of(text: str) -> int:
    """Return the estimated tokens of a text: one for each four characters begun."""
    return -(-len(text) // 4)


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """How the tokens of one run are counted; it does not change while the run goes on."""

    counting: Counting = "chars_div_4"
    count: Callable[[str], int] = tokens_of
    factor: float = 1.0
    """What the bare estimate is multiplied by."""


@lru_cache(maxsize=64)
def estimated(factor: float) -> TokenCounter:
    """Return the counter that estimates from lengths, times a factor that was learned; the same for the same one."""
    return TokenCounter("calibrated", lambda text: math.ceil(tokens_of(text) * factor), factor)


@dataclass(slots=True)
class Calibration:
    """How far the bare estimate was off for the last requests to one model."""

    ratios: deque[float] = field(default_factory=lambda: deque[float](maxlen=_KEPT_RATIOS))

    def learn(self, estimate_tokens: float, reported_tokens: int) -> None:
        """Take in what the provider reported for a request; absurd figures teach nothing."""
        if is_plausible(estimate_tokens, reported_tokens):
            self.ratios.append(reported_tokens / estimate_tokens)

    def counter(self) -> TokenCounter:
        """Return the counter as far as is known now."""
        # The median, because one odd request must not move the others.
        return estimated(median(self.ratios)) if self.ratios else TokenCounter()


def is_plausible(estimate_tokens: float, reported_tokens: int) -> bool:
    """Say whether a provider's figure can be of the request that the estimate is of."""
    low, high = _PLAUSIBLE
    return estimate_tokens > 0 and low <= reported_tokens / estimate_tokens <= high


def apportioned(parts: Mapping[str, int], total: int) -> dict[str, int]:
    """Return whole shares of a total in the proportion of the parts; they sum to it exactly.

    The parts are not negative, and not all zero.
    """
    whole = sum(parts.values())
    shares = {name: part * total // whole for name, part in parts.items()}
    by_remainder = sorted(parts, key=lambda name: -(parts[name] * total % whole))
    for name in by_remainder[: total - sum(shares.values())]:
        shares[name] += 1
    return shares


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


# The tools of a mode are the same in each request.
@lru_cache(maxsize=64)
def tokens_of_all(texts: tuple[str, ...], count: Callable[[str], int]) -> int:
    """Return the tokens of texts together, each counted by itself."""
    return sum(map(count, texts))


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

    Items come oldest first; a budget of 0 or less selects nothing.
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

    The text is larger than the budget in tokens; the note stands even where it alone is more.
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


COUNTS = ("requests", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
"""What is counted in usage."""


class Usage(Value):
    """Tokens and requests, as the providers reported them."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    is_complete: bool = True
    """Whether every request was counted: a provider that says nothing, or nonsense, is counted as 0."""

    def plus(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        summed = {name: getattr(self, name) + getattr(other, name) for name in COUNTS}
        return Usage(**summed, is_complete=self.is_complete and other.is_complete)


def usage_of_all(usages: Iterable[Usage]) -> Usage:
    """Return the sum of some usages; of none, nothing was used."""
    return reduce(Usage.plus, usages, Usage())


class Cost(Value):
    """What the model calls cost, in US dollars; null where no price is known."""

    primary_usd: float | None = None
    planner_usd: float = 0.0
    summarizer_usd: float = 0.0
    embedding_usd: float = 0.0
    """Paid for search by meaning."""
    total_usd: float | None = None
    is_complete: bool = True
    """Whether every call was priced: one whose price or tokens are not known is counted as 0."""


class Totals(Usage):
    """All usage of a conversation."""

    turns: int = 0
    cost_usd: float = 0.0
    cost_is_complete: bool = True
    """Whether every call was priced; one that was not counts 0."""


def exact_sum(*amounts_usd: float | None) -> float:
    """Return the sum of amounts as decimals add up: 0.1 and 0.2 are 0.3."""
    return float(sum((Decimal(str(amount)) for amount in amounts_usd if amount), Decimal()))


@dataclass(frozen=True, slots=True)
class RunCosts:
    """Tokens and money of one run, whoever spent them: agent, planner, summarizer or search."""

    usage: Usage = field(default_factory=Usage)
    primary_usd: Decimal | None = None
    """None as long as no priced request was made."""
    planner_usd: Decimal = Decimal()
    summarizer_usd: Decimal = Decimal()
    embedding_usd: Decimal = Decimal()
    is_complete: bool = True
    """Whether every request was priced."""

    def with_call(
        self, by: Literal["primary", "planner", "summarizer", "embedding"], usage: Usage, cost_usd: Decimal | None
    ) -> "RunCosts":
        """Return the costs with a call of a model by one of those who spend; its price may not be known."""
        before: Decimal | None = getattr(self, f"{by}_usd")
        spent = {f"{by}_usd": before if cost_usd is None else (before or Decimal()) + cost_usd}
        is_priced = cost_usd is not None and usage.is_complete
        return replace(self, usage=self.usage.plus(usage), is_complete=self.is_complete and is_priced, **spent)

    def with_aside(self, other: "RunCosts") -> "RunCosts":
        """Return the costs with what planner, summarizer and embedding model spent in others."""
        return replace(
            self,
            usage=self.usage.plus(other.usage),
            planner_usd=self.planner_usd + other.planner_usd,
            summarizer_usd=self.summarizer_usd + other.summarizer_usd,
            embedding_usd=self.embedding_usd + other.embedding_usd,
            is_complete=self.is_complete and other.is_complete,
        )

    @property
    def cost(self) -> Cost:
        """Return the money as it is recorded."""
        aside = self.planner_usd + self.summarizer_usd + self.embedding_usd
        is_known = self.primary_usd is not None or aside > 0
        return Cost(
            primary_usd=None if self.primary_usd is None else float(self.primary_usd),
            planner_usd=float(self.planner_usd),
            summarizer_usd=float(self.summarizer_usd),
            embedding_usd=float(self.embedding_usd),
            total_usd=float((self.primary_usd or 0) + aside) if is_known else None,
            is_complete=self.is_complete,
        )


def added(totals: Totals, usage: Usage, cost: Cost, *, turns: int) -> Totals:
    """Return a conversation's totals with what a run spent, and the turns it finished."""
    summed = totals.plus(usage)
    return Totals(
        **summed.model_dump(include=set(Usage.model_fields)),
        turns=totals.turns + turns,
        cost_usd=exact_sum(totals.cost_usd, cost.total_usd),
        cost_is_complete=totals.cost_is_complete and cost.is_complete,
    )
