"""What model calls took: tokens, requests and money."""

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

from workflow_agent.values.stored import Value

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
