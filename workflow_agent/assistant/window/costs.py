"""What planning a turn's context took and came to."""

from dataclasses import dataclass, field
from decimal import Decimal

from workflow_agent.conversations.artifacts import ArtifactUsageRecord
from workflow_agent.conversations.context_records import PlannedBy
from workflow_agent.values.stored import JsonObject
from workflow_agent.values.usage import RunCosts, Usage


@dataclass(slots=True)
class PlanningLedger:
    """Fills up while one turn's context is planned."""

    costs: RunCosts = field(default_factory=RunCosts)
    planned_by: PlannedBy = "nobody"
    reason: str = "no artifacts"
    """Which rule decided whether a model plans."""
    planner_model: str | None = None
    reasoning: str = ""
    """Of the plan that was carried out."""
    failure: str | None = None
    """The type of the error that made a model's plan impossible."""
    corrections: list[str] = field(default_factory=list[str])
    """What was set right in the model's plan."""
    failed_summaries: int = 0
    cache_hits: int = 0
    cache_misses: int = 0
    records: list[ArtifactUsageRecord] = field(default_factory=list[ArtifactUsageRecord])
    notes: list[str] = field(default_factory=list[str])
    """What else the reader of the record should know."""

    def spent_on_planning(self, usage: Usage, cost_usd: Decimal | None) -> None:
        """Add a call of the planner."""
        self.costs = self.costs.with_planner(usage, cost_usd)

    def spent_on_summaries(self, usage: Usage, cost_usd: Decimal | None) -> None:
        """Add a call of the summarizer."""
        self.costs = self.costs.with_summarizer(usage, cost_usd)

    def looked_up(self, *, hit: bool) -> None:
        """Note whether something was in a cache."""
        self.cache_hits += hit
        self.cache_misses += not hit

    @property
    def is_llm_plan(self) -> bool:
        """Return whether a model made the plan, now or when the same was asked before."""
        return self.planned_by in ("model", "cache")

    def facts(self) -> JsonObject:
        """Return what the context record says of it; nothing of any content."""
        return {
            "artifacts_processed": [one.model_dump(mode="json") for one in self.records],
            "llm_planning_used": self.is_llm_plan,
            "planning_cost": self._cost(),
            "planning": self._planning(),
        }

    def _planning(self) -> JsonObject:
        decided: JsonObject = {"planned_by": self.planned_by, "reason": self.reason}
        happened = {
            "model": self.planner_model,
            "reasoning": self.reasoning,
            "failure": self.failure,
            "corrections": self.corrections[:20],
            "failed_summaries": self.failed_summaries,
            "notes": self.notes,
            "cache_hits": self.cache_hits,
            "cache_misses": self.cache_misses,
        }
        if self.planned_by == "nobody":
            # As in most turns, each of which is kept.
            happened = {name: value for name, value in happened.items() if value}
        return decided | happened

    def _cost(self) -> JsonObject | None:
        if not self.costs.usage.requests:
            return None
        cost = self.costs.cost
        return {
            "planner_usd": cost.planner_usd,
            "summarizer_usd": cost.summarizer_usd,
            "embedding_usd": cost.embedding_usd,
            "total_usd": cost.total_usd,
            "requests": self.costs.usage.requests,
            "input_tokens": self.costs.usage.input_tokens,
            "output_tokens": self.costs.usage.output_tokens,
        }
