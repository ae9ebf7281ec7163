"""What a run's model calls cost, added without losing a fraction of a cent."""

from dataclasses import dataclass, field, replace
from decimal import Decimal

from workflow_agent.domain.usage import Cost, Totals, Usage


def exact_sum(*amounts_usd: float | None) -> float:
    """Return the sum of amounts as decimals add up: 0.1 and 0.2 are 0.3."""
    return float(sum((Decimal(str(amount)) for amount in amounts_usd if amount), Decimal()))


@dataclass(frozen=True, slots=True)
class RunCosts:
    """Tokens and money of one run, whoever spent them: the agent, the planner or the summarizer."""

    usage: Usage = field(default_factory=Usage)
    primary_usd: Decimal | None = None
    """None as long as no priced request was made."""
    planner_usd: Decimal = Decimal()
    summarizer_usd: Decimal = Decimal()

    def with_primary(self, usage: Usage, cost_usd: Decimal | None) -> "RunCosts":
        """Return the costs with a request of the agent; its price may not be known."""
        spent = self.primary_usd if cost_usd is None else (self.primary_usd or Decimal()) + cost_usd
        return replace(self, usage=self.usage.plus(usage), primary_usd=spent)

    def with_planner(self, usage: Usage, cost_usd: Decimal | None) -> "RunCosts":
        """Return the costs with a call of the planner."""
        spent = self.planner_usd + (cost_usd or 0)
        return replace(self, usage=self.usage.plus(usage), planner_usd=spent)

    def with_summarizer(self, usage: Usage, cost_usd: Decimal | None) -> "RunCosts":
        """Return the costs with a call of the summarizer."""
        spent = self.summarizer_usd + (cost_usd or 0)
        return replace(self, usage=self.usage.plus(usage), summarizer_usd=spent)

    def with_aside(self, other: "RunCosts") -> "RunCosts":
        """Return the costs with what planner and summarizer spent in others."""
        return replace(
            self,
            usage=self.usage.plus(other.usage),
            planner_usd=self.planner_usd + other.planner_usd,
            summarizer_usd=self.summarizer_usd + other.summarizer_usd,
        )

    @property
    def cost(self) -> Cost:
        """Return the money as it is recorded."""
        aside = self.planner_usd + self.summarizer_usd
        is_known = self.primary_usd is not None or aside > 0
        return Cost(
            primary_usd=None if self.primary_usd is None else float(self.primary_usd),
            planner_usd=float(self.planner_usd),
            summarizer_usd=float(self.summarizer_usd),
            total_usd=float((self.primary_usd or 0) + aside) if is_known else None,
        )


def added(totals: Totals, usage: Usage, cost: Cost, *, turns: int) -> Totals:
    """Return a conversation's totals with what a run spent, and the turns it finished."""
    summed = totals.plus(usage)
    return Totals(
        **summed.model_dump(include=set(Usage.model_fields)),
        turns=totals.turns + turns,
        cost_usd=exact_sum(totals.cost_usd, cost.total_usd),
    )
