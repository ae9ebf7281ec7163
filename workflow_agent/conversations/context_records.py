"""What the fields of a context record mean, for schemas and whoever shows one. No record is made of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema
from typing_extensions import override

from workflow_agent.conversations.agents import Mode
from workflow_agent.conversations.artifacts import ArtifactType, ProcessingStrategy
from workflow_agent.conversations.iterations import FinishReason
from workflow_agent.errors import ContextOverflow
from workflow_agent.values.described import Described
from workflow_agent.values.stored import JsonObject
from workflow_agent.values.tokens import (
    Counting,
    Level,
    Utilization,
    apportioned,
    budget_tokens,
    is_plausible,
    largest_first,
    level_of,
)

PlannedBy = Literal["nobody", "rule", "model", "cache", "fallback"]
"""Who planned: nobody, as there was nothing; a rule; a model, now or before; a rule, as the model failed."""


class Recorded(Described):
    """A part of a record: older ones lack some of its fields, later ones may have more.

    What stands here as a default is in no record, and the schema does not speak of it.
    """

    model_config = ConfigDict(extra="allow")

    @classmethod
    @override
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /) -> JsonSchemaValue:
        made = super().__get_pydantic_json_schema__(core_schema, handler)
        properties: dict[str, Any] = handler.resolve_ref_schema(made).get("properties", {})
        for one in properties.values():
            one.pop("default", None)
        return made


class Breakdown(Recorded):
    """What the last request was made of, in tokens by section; it sums to `used_tokens`."""

    prompt_module: int = 0
    """The instructions of the mode: its Markdown file."""
    phase: int = 0
    """What the conversation's phase adds to them."""
    memory: int = 0
    """Facts of the run: today, the agents, the workflows dealt with before."""
    workflow: int = 0
    """The open workflow, in outline."""
    calls: int = 0
    """The latest call records, and how a program reads the others."""
    tools: int = 0
    """The definitions of the tools that are offered."""
    summary: int = 0
    """The summary that stands for compacted turns, with its frame."""
    ledger: int = 0
    """The facts of compacted turns that are kept word for word."""
    history: int = 0
    """The earlier turns that are in view, with their frame."""
    artifacts: int = 0
    """Documents and earlier results that were put before the message."""
    message: int = 0
    """The message to answer."""
    run: int = 0
    """What this run's own steps added: calls and their results."""


class TurnsInView(Recorded):
    """What became of the earlier turns."""

    included: int = 0
    """Stand in the window: the newest in full, older ones without their calls and results."""
    compacted: int = 0
    """Stand there as a summary and a ledger."""
    excluded: int = 0
    """Were not sent: there was no room, or they are too long ago."""


class CompactionInForce(Recorded):
    """The compaction that stood for the oldest turns."""

    id: str = ""
    """As in `compactions`; one that a later one took up is kept with the turns it covers."""
    to_turn: int = 0
    """The last turn it stands for; the first is turn 1."""
    fallback: str | None = None
    """Why it has no summary of its own; null where a model made one."""


class MessageLength(Recorded):
    """Whether the message was sent whole."""

    original_chars: int = 0
    """As it was said."""
    included_chars: int = 0
    """As it was sent; less where it alone is larger than the window."""


class ProcessedArtifact(Recorded):
    """What became of one document or earlier tool result, without its content."""

    artifact_id: str = ""
    """Made of its source and its content."""
    source: str = ""
    """Where it is from: `history:msg_7:get_workflow` is a result in the event with `index` 7,
    `attachment:Travel policy` a document by its title, `message:3` the whole of turn 3's message."""
    artifact_type: ArtifactType = ArtifactType.TOOL_RESULT
    """A tool result or a document."""
    strategy: ProcessingStrategy = ProcessingStrategy.EXCLUDE
    """What was done in the end: taken in full, summarised, searched for passages, or left out, also for want
    of room."""
    rationale: str = ""
    """Why, in the words of the rule or of the model that planned."""
    priority: int | None = None
    """Its place in the plan: 1 goes in first."""
    summarization_focus: str | None = None
    """What a summary of it was to keep; null where none was planned."""
    extraction_query: str | None = None
    """What passages of it were looked for by; null where none were planned."""
    original_size_chars: int = 0
    """How long it is."""
    processed_size_chars: int | None = None
    """How long what went into the window is; null for what was left out."""
    cache_hit: bool = False
    """Whether its summary or passages had been made before."""


class PlanningCost(Recorded):
    """What planning and summarising artifacts took; it is also in the reply's `usage` and `cost`."""

    planner_usd: float = 0.0
    """Paid for planning."""
    summarizer_usd: float = 0.0
    """Paid for summaries."""
    embedding_usd: float = 0.0
    """Paid for finding passages by meaning."""
    total_usd: float | None = None
    """All of it; null where no price is known."""
    requests: int = 0
    """Calls that a model answered, also those whose answer was of no use."""
    input_tokens: int = 0
    """What they were sent."""
    output_tokens: int = 0
    """What they answered."""


class Planning(Recorded):
    """Who decided about the artifacts; without further fields where nobody had to."""

    planned_by: PlannedBy = "nobody"
    """Nobody, as there was nothing to decide; a rule; a model; the cache, as a model had planned the same
    before; or the rule as fallback, as the model failed."""
    reason: str = ""
    """Why a model planned, or did not: `no artifacts`, `few characters`, `fits with room to spare`,
    `near or over the limit`, `expensive primary model`, `a large artifact`, `no model is asked`; in older
    records also `historical artifacts`."""
    model: str | None = None
    """The model that planned or should have; null where none was asked."""
    reasoning: str = ""
    """Of the whole plan, in the words of the rule or of the model."""
    failure: str | None = None
    """The type of the error that made its plan impossible."""
    corrections: list[str] = Field(default_factory=list)
    """What was set right in its plan."""
    failed_summaries: int = 0
    """Summaries that failed; passages stand in for them."""
    notes: list[str] = Field(default_factory=list)
    """What else to know: a document that could not be read, a price that is not known."""
    cache_hits: int = 0
    """Plans, summaries and passages that were there already."""
    cache_misses: int = 0
    """And those that had to be made."""


class CacheStats(Recorded):
    """All caches together, of workflows, outlines, earlier turns and results, since the process began."""

    hits: int = 0
    """What was there."""
    misses: int = 0
    """What was not."""


class ContextRecord(Recorded):
    """What the last request of a turn was made of; `usage` beside it is of all, the planner's included.

    Empty for a reply that no model made here, as one that was brought in from elsewhere.
    """

    model: str = ""
    """The model that answered."""
    mode: Mode = "general"
    """The mode in which the run ended."""
    window_tokens: int = 0
    """How much the model takes, request and answer together."""
    budget_tokens: int = 0
    """How much a request may be: the window less room for the answer, times the share of `strategy`."""
    used_tokens: int = 0
    """How much the last request was; the sum of `breakdown`."""
    fraction: float = 0.0
    """`used_tokens` as a share of `budget_tokens`."""
    level: Level = "ok"
    """How full that is: `warning` from 0.80, `critical` from 0.95."""
    strategy: Utilization = "full"
    """How much of the window may be used (`context_utilization`): low is a third, medium two thirds."""
    breakdown: Breakdown = Breakdown()
    """The sections of the request."""
    counting: Counting = "chars_div_4"
    """Who counted `used_tokens`: the provider, the model's tokenizer here, our estimate corrected by what the
    provider counted before, or the bare estimate of four characters a token."""
    estimated_tokens: int = 0
    """What we counted ourselves, whoever's count stands."""
    estimated_by: Counting = "chars_div_4"
    """How we did."""
    counting_error: float | None = None
    """By what share our count was off: 0.05 is five in a hundred too many, below 0 too few; null where the
    provider's count is not known, or cannot be of this request."""
    turns: TurnsInView = TurnsInView()
    """How many earlier turns it saw, and in which form."""
    compaction: CompactionInForce | None = None
    """What stood for the oldest turns; null where they were not compacted."""
    message: MessageLength = MessageLength()
    """Whether the message was sent whole."""
    artifacts_processed: list[ProcessedArtifact] = Field(default_factory=list)
    """Every document and earlier result that was considered, and why it went in or did not."""
    llm_planning_used: bool = False
    """Whether a model planned that, now or when the same was asked before."""
    planning: Planning = Planning()
    """Who decided about the artifacts, and why."""
    planning_cost: PlanningCost | None = None
    """What that took; null where no model was asked."""
    finish_reason: FinishReason = "stop"
    """Why the model's last answer ended."""
    cache_stats: CacheStats = CacheStats()
    """How the caches did."""


SECTIONS = tuple(Breakdown.__annotations__)
"""The parts of a request, in the order of the record."""


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """How large a request may be."""

    window_tokens: int
    reserve_tokens: int
    utilization: Utilization

    @property
    def budget_tokens(self) -> int:
        """Return the tokens a request may use."""
        return budget_tokens(self.window_tokens, self.reserve_tokens, self.utilization)


def context_record(
    *,
    counted: Mapping[str, int],
    reported_tokens: int | None,
    counting: Counting,
    limits: WindowLimits,
    facts: JsonObject,
) -> JsonObject:
    """Return the context record: every section in tokens, summing to what was used.

    A provider's count is taken over where it is plausible; `facts` are what else is recorded.
    """
    estimate = sum(counted.values())
    is_told = reported_tokens is not None and is_plausible(estimate, reported_tokens)
    used = reported_tokens if reported_tokens is not None and is_told else estimate
    fraction = used / limits.budget_tokens if limits.budget_tokens else 1.0
    return {
        "window_tokens": limits.window_tokens,
        "budget_tokens": limits.budget_tokens,
        "used_tokens": used,
        "fraction": round(fraction, 4),
        "level": level_of(fraction),
        "breakdown": apportioned(counted, used) if is_told else dict(counted),
        "counting": "provider" if is_told else counting,
        "estimated_tokens": estimate,
        "estimated_by": counting,
        "counting_error": round(estimate / used - 1, 4) if is_told else None,
        "strategy": limits.utilization,
        **facts,
    }


def overflow_of(fixed: Mapping[str, int], budget: int) -> ContextOverflow:
    """Return the error for fixed parts that alone are over the budget: by how much, and which weigh most."""
    taken = sum(fixed.values())
    return ContextOverflow(
        f"The fixed parts of the request take {taken} tokens, {taken - budget} more than the budget of "
        f"{budget}; the largest: {largest_first(fixed)}. Use a model with a larger window, a higher context "
        "utilization, or a smaller open workflow.",
        section=max(fixed, key=lambda name: fixed[name]),
        sections=dict(fixed),
        excess_tokens=taken - budget,
    )


class _ShapeOfRecord:
    def __get_pydantic_json_schema__(self, _: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        # With a reference, as within a model, it is one definition however often it is used.
        name = f"{ContextRecord.__module__}.{ContextRecord.__qualname__}:{id(ContextRecord)}"
        shape: Any = {**ContextRecord.__pydantic_core_schema__, "ref": name}
        return handler(core_schema.chain_schema([shape]))


RecordedContext = Annotated[JsonObject, _ShapeOfRecord()]
"""Not validated, so that older records and those from elsewhere stay as they are."""
