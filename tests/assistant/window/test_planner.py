"""Planning by a model: asked once, set right, done within a budget, and replaced by a rule where it fails."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo

from tests.support.scripted import Calls, Script, Step, Streaming, Waits, scripted
from workflow_agent.assistant.window.counters import PlanningLedger
from workflow_agent.assistant.window.planner import PLAN_TOOL, ArtifactProcessor, PlanningParts, preview_of
from workflow_agent.conversations.artifacts import (
    Artifact,
    ArtifactDecision,
    ArtifactPlan,
    ArtifactType,
    ProcessingStrategy,
    artifact_of,
)
from workflow_agent.conversations.transcript import presented
from workflow_agent.storage.files.search.vectors import ranked_by_bm25
from workflow_agent.values.caches import SummaryCache, TtlCache
from workflow_agent.values.tokens import RunCosts, Usage, tokens_of

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
STRATEGIES = tuple(ProcessingStrategy)
LONG = "Claims are due within 30 days.\n\n" + "Nothing else is said here.\n\n" * 400


def artifact(text: str, title: str = "policy") -> Artifact:
    return artifact_of(ArtifactType.DOCUMENT, text, f"attachment:{title}", NOON, {"title": title})


def parts(**fields: Any) -> PlanningParts:
    made = PlanningParts("Plan.", "Summarize.", ranked_by_bm25, SummaryCache(TtlCache(max_entries=100, ttl_seconds=60)))
    return replace(made, **fields)


def processor(
    planner: Model | None = None, summarizer: Model | None = None, shared: PlanningParts | None = None
) -> ArtifactProcessor:
    nobody = scripted()[0]
    return ArtifactProcessor(shared or parts(), planner or nobody, summarizer or nobody, tokens_of, PlanningLedger())


def decided(one: Artifact, strategy: str, priority: int = 1, **fields: Any) -> dict[str, Any]:
    return {
        "artifact_id": one.artifact_id,
        "strategy": strategy,
        "priority": priority,
        "relevance_rationale": "it is asked about",
        **fields,
    }


def plans(*decisions: dict[str, Any]) -> Calls:
    return Calls([(PLAN_TOOL, {"artifacts": list(decisions), "reasoning": "so"})])


def told(script: Script) -> str:
    return str(script.requests[0][0][0].parts[0].content)


async def test_the_planner_sees_previews_and_metadata_as_data() -> None:
    one = artifact("x" * 900 + "THE END")
    model, script = scripted(plans(decided(one, "exclude")))

    await processor(model).plan_context([one], "when is it due?", "general", 700)

    assert "THE END" not in told(script)
    assert '"available_tokens":700' in told(script)
    assert '"size_chars":907' in told(script)
    assert "when is it due?" in told(script)
    assert "when is it due?" not in script.instructions()
    assert script.requests[0][1].function_tools == []


def test_a_preview_has_five_items_and_five_hundred_characters() -> None:
    assert preview_of({"hits": list(range(9))}) == '{"hits": [0, 1, 2, 3, 4, "... 4 more"]}'
    assert len(preview_of(["x" * 300] * 9)) == 500


async def test_the_same_question_about_the_same_artifacts_is_planned_once() -> None:
    one, other = artifact("a"), artifact("b", "other")
    model, script = scripted(plans(decided(one, "exclude")), plans(decided(one, "include_full")))
    first = processor(model)
    again = processor(model, shared=first.parts)

    plan = await first.plan_context([one, other], "due?", "general", 700)
    repeated = await again.plan_context([other, one], "due?", "general", 700)

    assert repeated == plan
    assert (first.ledger.planned_by, again.ledger.planned_by) == ("model", "cache")
    assert again.ledger.facts()["llm_planning_used"]
    assert again.ledger.costs.usage.requests == 0
    assert len(script.requests) == 1
    another = processor(model, shared=first.parts)
    await another.plan_context([one, other], "who?", "general", 700)
    assert another.ledger.planned_by == "model"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(ModelHTTPError(500, "planner"), id="the provider fails"),
        pytest.param("I would include everything.", id="text instead of a plan"),
        pytest.param(Calls([(PLAN_TOOL, {"plan": []})]), id="no plan in it"),
        pytest.param(Calls([("delete_workflow", {})]), id="a tool that there is not"),
        pytest.param(Waits(), id="no answer in time"),
    ],
)
async def test_a_planner_that_fails_is_replaced_by_the_rule_visibly(answer: Step) -> None:
    one = artifact("a")
    model, _ = scripted(answer)
    failing = processor(model, shared=parts(timeout_seconds=0.05))

    plan = await failing.plan_context([one], "due?", "general", 700)

    assert [decision.strategy for decision in plan.artifacts] == [ProcessingStrategy.INCLUDE_FULL]
    facts = failing.ledger.facts()
    assert (facts["llm_planning_used"], facts["planning"]["planned_by"]) == (False, "fallback")
    assert facts["planning"]["failure"]


async def test_a_failed_plan_is_not_kept_and_its_cost_is() -> None:
    one = artifact("a")
    model, _ = scripted(Calls([(PLAN_TOOL, {"plan": []})]), plans(decided(one, "exclude")))
    shared = parts()
    failing, after = processor(model, shared=shared), processor(model, shared=shared)

    await failing.plan_context([one], "due?", "general", 700)
    await after.plan_context([one], "due?", "general", 700)

    assert (failing.ledger.planned_by, after.ledger.planned_by) == ("fallback", "model")
    assert failing.ledger.costs.usage.requests == 1


async def executed(one: Artifact, decision: dict[str, Any], budget: int, **given: Any) -> tuple[str, PlanningLedger]:
    plan = ArtifactPlan(artifacts=(ArtifactDecision(**decision),), reasoning="")
    working = processor(**given)
    included = await working.execute_plan(plan, {one.artifact_id: one}, budget)
    return "".join(text for _, text in included), working.ledger


async def test_passages_are_quoted_with_their_place() -> None:
    one = artifact(LONG)

    text, ledger = await executed(one, decided(one, "rag_extract", extraction_query="when is a claim due"), 900)

    assert f" of {len(LONG)}]\nClaims are due within 30 days." in text
    (record,) = ledger.records
    assert record.strategy is ProcessingStrategy.RAG_EXTRACT
    assert 0 < (record.processed_size_chars or 0) < record.original_size_chars


async def test_passages_near_in_meaning_are_quoted_too_where_a_model_says_which() -> None:
    one = artifact(LONG + "A hound was seen.\n\n" + "Nothing else is said here.\n\n" * 400)
    model, _ = scripted(plans(decided(one, "rag_extract", extraction_query="when are claims due, dog")))

    async def by_meaning(passages: Sequence[str], query: str) -> tuple[Sequence[int], RunCosts]:
        assert query == "when are claims due, dog"
        costs = RunCosts().with_call("embedding", Usage(requests=2, input_tokens=70), Decimal("0.02"))
        return [at for at, passage in enumerate(passages) if "hound" in passage], costs

    shared = parts(rank_by_meaning=by_meaning)
    by_words, by_both = processor(model), processor(model, shared=shared)
    plan = await by_words.plan_context([one], "q", "general", 5_000)

    [(_, worded)] = await by_words.execute_plan(plan, {one.artifact_id: one}, 5_000)
    [(_, both)] = await by_both.execute_plan(plan, {one.artifact_id: one}, 5_000)

    assert "30 days" in worded
    assert "hound" not in worded
    assert "30 days" in both
    assert "hound" in both
    assert by_both.ledger.costs.cost.embedding_usd == 0.02


async def test_where_no_passage_answers_nothing_goes_in_and_the_record_says_so() -> None:
    one = artifact(LONG)

    text, ledger = await executed(one, decided(one, "rag_extract", extraction_query="zebra"), 900)

    assert text == ""
    assert ledger.records[0].strategy is ProcessingStrategy.EXCLUDE
    assert "no passage answers the question" in ledger.records[0].rationale


async def test_a_summary_is_made_once_and_its_cost_counted() -> None:
    one = artifact(LONG)
    model, script = scripted("Due in 30 days.")
    shared = parts()
    wanted = decided(one, "summarize", summarization_focus="deadlines")

    text, first = await executed(one, wanted, 900, summarizer=model, shared=shared)
    again, second = await executed(one, wanted, 900, summarizer=model, shared=shared)

    assert "Due in 30 days." in text
    assert again == text
    assert (first.costs.usage.requests, second.costs.usage.requests) == (1, 0)
    assert (first.records[0].cache_hit, second.records[0].cache_hit) == (False, True)
    assert "30 days" in told(script)
    assert "30 days" not in script.instructions()


@pytest.mark.parametrize("answer", ["", LONG + "and more", ModelHTTPError(503, "summarizer")])
async def test_a_summary_that_is_none_is_replaced_by_passages(answer: Step) -> None:
    one = artifact(LONG)
    model, _ = scripted(answer)

    text, ledger = await executed(
        one, decided(one, "summarize", summarization_focus="when are claims due"), 900, summarizer=model
    )

    assert "[characters 1 to" in text
    assert ledger.facts()["planning"]["failed_summaries"] == 1


async def test_summaries_are_made_at_the_same_time() -> None:
    waiting = asyncio.Barrier(3)

    async def answer(_: Sequence[ModelMessage], __: AgentInfo) -> AsyncIterator[str]:
        await waiting.wait()
        yield "short"

    many = [artifact(LONG + str(number), f"doc {number}") for number in range(3)]
    plan = ArtifactPlan(
        artifacts=tuple(
            ArtifactDecision(**decided(one, "summarize", at, summarization_focus="x")) for at, one in enumerate(many, 1)
        ),
        reasoning="",
    )
    working = processor(summarizer=Streaming(stream_function=answer))

    included = await working.execute_plan(plan, {one.artifact_id: one for one in many}, 2_000)

    assert [one.source for one, _ in included] == [one.source for one in many]


async def test_what_does_not_fit_leaves_its_room_to_what_comes_after() -> None:
    large, small = artifact("word " * 2_000), artifact("small", "other")
    plan = ArtifactPlan(
        artifacts=(
            ArtifactDecision(**decided(large, "include_full", 1)),
            ArtifactDecision(**decided(small, "include_full", 2)),
        ),
        reasoning="",
    )
    working = processor()

    included = await working.execute_plan(plan, {one.artifact_id: one for one in (large, small)}, 300)

    assert [one.source for one, _ in included] == ["attachment:other"]
    assert [record.strategy.value for record in working.ledger.records] == ["exclude", "include_full"]
    assert "there was no room for it" in working.ledger.records[0].rationale


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.text(max_size=2_000), st.sampled_from(STRATEGIES), st.integers(-5, 9)), max_size=6),
    st.integers(0, 1_500),
)
async def test_the_budget_is_never_exceeded(
    given_artifacts: list[tuple[str, ProcessingStrategy, int]], budget: int
) -> None:
    made = [artifact(text, f"doc {at}") for at, (text, _, _) in enumerate(given_artifacts)]
    decisions = [
        ArtifactDecision(**decided(one, strategy, priority))
        for one, (_, strategy, priority) in zip(made, given_artifacts, strict=True)
    ]
    working = processor(summarizer=scripted(*["short"] * 6)[0])

    included = await working.execute_plan(
        ArtifactPlan(artifacts=tuple(decisions), reasoning=""), {one.artifact_id: one for one in made}, budget
    )

    if included:
        assert tokens_of(presented([frame for _, frame in included])) <= budget
    assert len(working.ledger.records) == len(made)


async def test_no_record_holds_content() -> None:
    one = artifact("the secret is 4711")
    _, ledger = await executed(one, decided(one, "include_full"), 900)

    assert "4711" not in str(ledger.facts())
