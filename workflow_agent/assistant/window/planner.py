"""Planning what of the artifacts goes into the window, by one call of a model; doing it within a budget."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, cast

from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup, UserError
from pydantic_ai.models import Model

from workflow_agent.assistant.compaction.summarizer import Aside, Form
from workflow_agent.assistant.window.counters import PlanningLedger
from workflow_agent.assistant.window.plan import corrected_plan, rule_plan
from workflow_agent.conversations.artifacts import (
    Artifact,
    ArtifactDecision,
    ArtifactPlan,
    ArtifactUsageRecord,
    ProcessingStrategy,
    text_of,
)
from workflow_agent.conversations.transcript import HEADING, framed
from workflow_agent.values.caches import SummaryCache, TtlCache
from workflow_agent.values.stored import JsonObject, canonical_json, digest_of, iso_milliseconds
from workflow_agent.values.tokens import RunCosts
from workflow_agent.workflows.search.passages import best_passages, joined_ranks, passages_of

PLAN_TOOL = "plan_context"
PREVIEW_CHARS = 500
PREVIEW_ITEMS = 5
_METADATA_CHARS = 300


def plan_request(artifacts: Sequence[Artifact], question: str, goal: str, available_tokens: int) -> JsonObject:
    """Return the document the planner reads; all of it is data."""
    return {
        "question": question[: 4 * PREVIEW_CHARS],
        "goal": goal,
        "available_tokens": available_tokens,
        "artifacts": [_described(one) for one in artifacts],
    }


def _described(artifact: Artifact) -> JsonObject:
    return {
        "artifact_id": artifact.artifact_id,
        "type": artifact.artifact_type.value,
        "source": artifact.source[:_METADATA_CHARS],
        "size_chars": artifact.size_chars,
        "timestamp": iso_milliseconds(artifact.timestamp),
        "metadata": {name: _short(value) for name, value in artifact.metadata.items()},
        "preview": preview_of(artifact.content),
    }


def _short(value: Any) -> Any:
    text = text_of(value)
    return value if len(text) <= _METADATA_CHARS else text[:_METADATA_CHARS]


def preview_of(content: Any) -> str:
    """Return the beginning of a content: five items of each list in it, 500 characters in all."""
    return text_of(_first_items(content))[:PREVIEW_CHARS]


def _first_items(content: Any) -> Any:
    if isinstance(content, list):
        items = cast("list[Any]", content)
        more = [f"... {len(items) - PREVIEW_ITEMS} more"] if len(items) > PREVIEW_ITEMS else []
        return [*(_first_items(one) for one in items[:PREVIEW_ITEMS]), *more]
    if isinstance(content, Mapping):
        return {name: _first_items(value) for name, value in cast("Mapping[str, Any]", content).items()}
    return content


_log = logging.getLogger(__name__)
FAILURES = (AgentRunError, FallbackExceptionGroup, UserError, TimeoutError, ValueError)
"""How a call of a planner or summarizer may fail; the turn goes on without it."""
_CHARS_A_TOKEN = 2
"""Few, so that passages and what frames them fit."""
_JOIN_TOKENS = 4
"""Between two artifacts, whichever way tokens are counted."""
_PLAN = Form[JsonObject].of(PLAN_TOOL, ArtifactPlan, lambda answer: answer)
"""Taken as it is given: what of it cannot be used is set right."""
Rank = Callable[[Sequence[str], str], Sequence[int]]
"""Positions of texts by how well they answer a query, the best first, without those that do not answer."""
RankByMeaning = Callable[[Sequence[str], str], Awaitable[tuple[Sequence[int], RunCosts]]]


def _kept() -> TtlCache[Any]:
    return TtlCache(max_entries=500, ttl_seconds=300)


@dataclass(frozen=True, slots=True)
class PlanningParts:
    """What planning needs, whichever turn it is for."""

    plan_prompt: str
    summary_prompt: str
    rank: Rank
    summaries: SummaryCache
    rank_by_meaning: RankByMeaning | None = None
    """Beside `rank`, where an embedding model is configured."""
    timeout_seconds: float = 20.0
    """For one call of the planner or the summarizer."""
    extract_chars: int = 6_000
    """The most that is taken out of one artifact."""
    summary_chars: int = 2_000
    plans: TtlCache[ArtifactPlan] = field(default_factory=_kept)
    extracts: TtlCache[str] = field(default_factory=_kept)

    def statistics(self) -> dict[str, JsonObject]:
        """Return the statistics of each cache."""
        return {
            "plans": self.plans.statistics().as_dict(),
            "extracts": self.extracts.statistics().as_dict(),
            "summaries": self.summaries.statistics(),
        }


@dataclass(frozen=True, slots=True)
class ArtifactProcessor:
    """Plans and prepares the artifacts of one turn."""

    parts: PlanningParts
    planner: Model
    summarizer: Model
    count: Callable[[str], int]
    """As the model that answers counts tokens."""
    ledger: PlanningLedger
    """Takes down what it cost and what became of each artifact."""

    async def plan_context(
        self, artifacts: Sequence[Artifact], user_query: str, goal: str, available_tokens: int
    ) -> ArtifactPlan:
        """Return what to do with each artifact, planned by the model, or by rule where that fails.

        The same question about the same artifacts is planned once.
        """
        key = digest_of([sorted(one.artifact_id for one in artifacts), user_query, self.planner.model_name])
        self.ledger.planner_model = self.planner.model_name
        known = self.parts.plans.get(key)
        self.ledger.looked_up(hit=known is not None)
        if known is not None:
            self.ledger.planned_by = "cache"
            return known
        document = canonical_json(plan_request(artifacts, user_query, goal, available_tokens)).decode()
        try:
            answer = await self._aside("planner", self.planner, self.parts.plan_prompt).filled(document, _PLAN)
            plan, corrections = corrected_plan(answer, artifacts, user_query)
        except FAILURES as error:
            self.ledger.planned_by, self.ledger.failure = "fallback", type(error).__name__
            _log.warning("the context was planned by rule", extra={"error_type": type(error).__name__})
            return rule_plan(artifacts, user_query, available_tokens)
        self.ledger.planned_by = "model"
        self.ledger.corrections += corrections
        self.parts.plans.put(key, plan)
        return plan

    def _aside(self, spent_on: Literal["planner", "summarizer"], model: Model, prompt: str) -> Aside:
        return Aside(model, prompt, partial(self.ledger.spent, spent_on), self.parts.timeout_seconds)

    async def execute_plan(
        self, plan: ArtifactPlan, artifacts: Mapping[str, Artifact], token_budget: int
    ) -> list[tuple[Artifact, str]]:
        """Return the artifacts that go into the window, each as it goes in, the most important first.

        Each goes in whole as it was planned, or not at all; one that does not fit leaves its room to others.
        """
        self.ledger.reasoning = plan.reasoning
        decisions = sorted(plan.artifacts, key=lambda one: one.priority)
        decisions = [one for one in decisions if one.artifact_id in artifacts]
        most_chars = min(self.parts.extract_chars, max(token_budget, 0) * _CHARS_A_TOKEN)
        processed = await asyncio.gather(
            *(self._processed(one, artifacts[one.artifact_id], most_chars) for one in decisions)
        )
        included: list[tuple[Artifact, str]] = []
        room = token_budget - self.count(HEADING)
        for decision, (text, hit) in zip(decisions, processed, strict=True):
            artifact = artifacts[decision.artifact_id]
            frame = framed(artifact, text, decision.strategy) if text else ""
            tokens = self.count(frame) + _JOIN_TOKENS
            fits = bool(text) and tokens <= room
            if fits:
                included.append((artifact, frame))
                room -= tokens
            self.ledger.records.append(_record(artifact, decision, text, fits=fits, hit=hit))
        return included

    async def _processed(self, decision: ArtifactDecision, artifact: Artifact, most_chars: int) -> tuple[str, bool]:
        """Return what goes in of an artifact, nothing for one that is excluded, and whether it was kept."""
        match decision.strategy:
            case ProcessingStrategy.EXCLUDE:
                return "", False
            case ProcessingStrategy.INCLUDE_FULL:
                return artifact.text, False
            case ProcessingStrategy.RAG_EXTRACT:
                return await self._extracted(artifact, decision.extraction_query or "", most_chars)
            case ProcessingStrategy.SUMMARIZE:
                return await self._summarized(artifact, decision.summarization_focus or "", most_chars)

    async def _extracted(self, artifact: Artifact, query: str, most_chars: int) -> tuple[str, bool]:
        key = digest_of([artifact.text, query, most_chars])
        known = self.parts.extracts.get(key)
        self.ledger.looked_up(hit=known is not None)
        if known is not None:
            return known, True
        extract = await self._extract(artifact.text, query, most_chars)
        self.parts.extracts.put(key, extract)
        return extract, False

    async def _extract(self, text: str, query: str, most_chars: int) -> str:
        passages = await asyncio.to_thread(passages_of, text)
        texts = [one.text for one in passages]
        ranked = await asyncio.to_thread(self.parts.rank, texts, query)
        if self.parts.rank_by_meaning is not None:
            near, costs = await self.parts.rank_by_meaning(texts, query)
            self.ledger.costs = self.ledger.costs.with_aside(costs)
            ranked = joined_ranks(ranked, near)
        best = best_passages(passages, ranked, most_chars)
        return "\n\n".join(one.quoted(len(text)) for one in best)

    async def _summarized(self, artifact: Artifact, focus: str, most_chars: int) -> tuple[str, bool]:
        """Return a summary; where none can be had, the passages about its focus."""
        try:
            summary = await self.parts.summaries.get_or_make(
                artifact.text, focus, self.summarizer.model_name, partial(self._summarize, artifact, focus)
            )
        except FAILURES as error:
            self.ledger.failed_summaries += 1
            _log.warning("an artifact was not summarized", extra={"error_type": type(error).__name__})
            return await self._extracted(artifact, focus, most_chars)
        self.ledger.looked_up(hit=summary.is_hit)
        return summary

    async def _summarize(self, artifact: Artifact, focus: str) -> str:
        asked = {"focus": focus, "most_characters": self.parts.summary_chars, "text": artifact.text}
        aside = self._aside("summarizer", self.summarizer, self.parts.summary_prompt)
        summary = await aside.text(canonical_json(asked).decode())
        if not 0 < len(summary.strip()) < artifact.size_chars:
            raise ValueError("the summary is empty, or longer than what it is of")
        return summary.strip()


def _record(artifact: Artifact, decision: ArtifactDecision, text: str, *, fits: bool, hit: bool) -> ArtifactUsageRecord:
    rationale = decision.relevance_rationale
    if decision.strategy is not ProcessingStrategy.EXCLUDE and not fits:
        why = "there was no room for it" if text else "no passage answers the question"
        rationale = f"{rationale} (planned as {decision.strategy}; {why})"
    return ArtifactUsageRecord(
        artifact_id=artifact.artifact_id,
        source=artifact.source,
        artifact_type=artifact.artifact_type,
        strategy=decision.strategy if fits else ProcessingStrategy.EXCLUDE,
        rationale=rationale,
        priority=decision.priority,
        summarization_focus=decision.summarization_focus,
        extraction_query=decision.extraction_query,
        original_size_chars=artifact.size_chars,
        processed_size_chars=len(text) if fits else None,
        cache_hit=hit,
    )
