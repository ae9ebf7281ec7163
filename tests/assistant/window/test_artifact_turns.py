"""Turns that draw on what is no longer in the window: who plans, what the model sees, what it costs."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import models
from pydantic_ai.messages import ModelMessage, TextContent
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls

from tests.support.chats import TENANT, ChatUnderTest, chat_with, offline_gathering
from tests.support.in_memory import InMemoryConversationStore
from tests.support.provider import CallsTools, Refuses, Says, provider_stub
from tests.support.scripted import Streaming
from workflow_agent.assistant.attachments import NewAttachment
from workflow_agent.assistant.providers import ModelConfig, Provider, build_model
from workflow_agent.assistant.window.contents import SealedResults
from workflow_agent.assistant.window.material import Gathering
from workflow_agent.assistant.window.plan import PlanningThresholds
from workflow_agent.assistant.window.planner import PLAN_TOOL
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.document import AgentReply
from workflow_agent.conversations.seals import SealedPart, SealRule
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles

pytestmark = pytest.mark.untraced

ALWAYS = PlanningThresholds(few_chars=0, buffer=1.0)
"""Whatever there is takes too much of the window."""
POLICY = "Claims are due within 30 days.\n\n" + "Nothing else is said here.\n\n" * 40


@dataclass
class Reader:
    """A model that plans everything in full, and answers with what stands before its message."""

    calls: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict[str, Any])
    """The tool to call for a message, if any."""
    planned: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    strategy: str = "include_full"

    async def __call__(self, messages: Sequence[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        content: Any = messages[-1].parts[-1].content
        if any(tool.name == PLAN_TOOL for tool in info.output_tools):
            yield {1: DeltaToolCall(PLAN_TOOL, json.dumps(self._plan(json.loads(content))), tool_call_id="p")}
        elif isinstance(content, str) and content in self.calls:
            name, args = self.calls.pop(content)
            yield {1: DeltaToolCall(name, json.dumps(args), tool_call_id="c")}
        elif isinstance(content, list):
            yield "I read: " + "".join(one.content for one in content if isinstance(one, TextContent))
        else:
            yield "I have nothing to read."

    def _plan(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.planned.append(asked)
        decisions = [
            {
                "artifact_id": one["artifact_id"],
                "strategy": self.strategy,
                "priority": at,
                "relevance_rationale": "why not",
                "extraction_query": "claims due",
            }
            for at, one in enumerate(asked["artifacts"], 1)
        ]
        return {"artifacts": decisions, "reasoning": "all of it"}


def model_of(reader: Reader) -> Model:
    return Streaming(stream_function=reader, profile={"context_window": 32_000})


def reading(reader: Reader, **gathered: Any) -> ChatUnderTest:
    store = InMemoryConversationStore()
    gathering: Gathering = replace(offline_gathering(store), config_of=ModelConfig.from_request, models={})
    return chat_with(model_of(reader), store=store, gathering=replace(gathering, **gathered))


async def test_a_result_that_left_the_window_is_planned_and_read_again() -> None:
    reader = Reader({"find it": ("search_workflows", {"query": "approval"})})
    chat = reading(reader, thresholds=ALWAYS)
    await chat.add()
    first = await chat.say("find it")
    for _ in range(3):
        within = await chat.say("and now?", conversation_id=first.conversation_id)

    after = await chat.say("what was it?", conversation_id=first.conversation_id)

    assert within.reply.content == "I have nothing to read."
    assert within.reply.context["llm_planning_used"] is False
    assert "wf_expense_approval" in after.reply.content
    assert 'source="history:msg_1:search_workflows"' in after.reply.content
    record = after.reply.context
    assert (record["llm_planning_used"], record["planning"]["reason"]) == (True, "near or over the limit")
    assert [one["strategy"] for one in record["artifacts_processed"]] == ["include_full"]
    assert sum(record["breakdown"].values()) == record["used_tokens"]
    assert reader.planned[0]["question"] == "what was it?"


async def test_the_whole_plan_is_in_the_record_and_in_the_file() -> None:
    reader = Reader({"find it": ("search_workflows", {"query": "approval"})}, strategy="rag_extract")
    chat = reading(reader, thresholds=ALWAYS)
    await chat.add()
    first = await chat.say("find it")
    for _ in range(3):
        await chat.say("and now?", conversation_id=first.conversation_id)

    after = await chat.say("what was it?", conversation_id=first.conversation_id)

    stored = (await chat.store.load(TENANT, first.conversation_id)).events[-1]
    assert isinstance(stored, AgentReply)
    assert stored.context == after.reply.context
    (decided,) = stored.context["artifacts_processed"]
    wanted = ("priority", "rationale", "extraction_query", "summarization_focus")
    assert {name: decided[name] for name in wanted} == {
        "priority": 1,
        "rationale": "why not (planned as rag_extract; no passage answers the question)",
        "extraction_query": "claims due",
        "summarization_focus": None,
    }
    assert stored.context["planning"]["reasoning"] == "all of it"


async def test_without_a_model_known_to_be_cheap_rules_plan_whatever_the_size() -> None:
    reader = Reader({"find it": ("search_workflows", {"query": "approval"})})
    chat = reading(reader, thresholds=ALWAYS, config_of=lambda _: ModelConfig.from_request("groq:llama-4"))
    await chat.add()
    first = await chat.say("find it")
    for _ in range(3):
        await chat.say("and now?", conversation_id=first.conversation_id)

    after = await chat.say("which approvals did the search find?", conversation_id=first.conversation_id)

    planning = after.reply.context["planning"]
    assert (planning["planned_by"], planning["reason"]) == ("rule", "near or over the limit")
    assert reader.planned == []
    assert "wf_expense_approval" in after.reply.content


class ReadStore(JsonConversationStore):
    """The store of files, which notes the sealed turns it was asked for."""

    read: list[Position]

    async def sealed(self, tenant: str, conversation_id: str, position: Position) -> SealedPart:
        self.read.append(position)
        return await super().sealed(tenant, conversation_id, position)


def damage(root: Path, pattern: str) -> None:
    files = list(root.rglob(pattern))
    assert files
    for file in files:
        file.write_bytes(b"{}")


async def sealed_talk(root: Path) -> tuple[ChatUnderTest, ReadStore, str]:
    """Return a conversation whose first turn, sealed by now, searched for approvals; then it was about lunch."""
    reader = Reader({"find approvals": ("search_workflows", {"query": "approval"})})
    store = ReadStore(DurableFiles(root), seal=SealRule(above_bytes=1, fewest_turns=1, most_turns=4))
    store.read = []
    chat = chat_with(
        model_of(reader), store=store, gathering=replace(offline_gathering(store), sealed=SealedResults(store))
    )
    await chat.add()
    first = await chat.say("find approvals")
    for number in range(14):
        said = f"Lunch {number}. " + "The colleagues at the window have been waiting for their lunch. " * 20
        await chat.say(said, conversation_id=first.conversation_id)
        await chat.compactor.settled()
    assert (await store.load(TENANT, first.conversation_id)).sealed_turns > 0
    store.read.clear()
    return chat, store, first.conversation_id


async def test_a_follow_up_finds_a_result_of_a_turn_that_was_sealed(tmp_path: Path) -> None:
    chat, _, talk = await sealed_talk(tmp_path)

    after = await chat.say("which approvals did the search find?", conversation_id=talk)
    beside = await chat.say("and the parking lot?", conversation_id=talk)

    assert 'source="history:msg_1:search_workflows"' in after.reply.content
    assert "wf_expense_approval" in after.reply.content
    assert beside.reply.content == "I have nothing to read."


async def test_sealed_files_are_read_once_and_then_only_for_what_they_are_about(tmp_path: Path) -> None:
    chat, store, talk = await sealed_talk(tmp_path)

    await chat.say("are the colleagues at the window?", conversation_id=talk)
    of_lately = list(store.read)
    await chat.say("who paints the fence?", conversation_id=talk)
    cold = len(store.read)
    await chat.say("who paints the parking lot?", conversation_id=talk)
    warm = store.read[cold:]
    await chat.say("which approvals did the search find?", conversation_id=talk)

    assert of_lately == []
    assert cold > 0
    assert warm == []
    assert store.read[cold:] == [Position("turn", 1)]


async def test_a_sealed_file_that_is_damaged_is_noted_and_the_turn_goes_on(tmp_path: Path) -> None:
    chat, _, talk = await sealed_talk(tmp_path)
    damage(tmp_path, "turns-000001-*.json")

    after = await chat.say("which approvals did the search find?", conversation_id=talk)

    assert after.reply.content == "I have nothing to read."
    assert "turn 1 cannot be read: corrupt_document" in after.reply.context["planning"]["notes"]


async def test_what_was_read_again_since_is_not_planned_for() -> None:
    reads = ("get_workflow", {"workflow": "wf_expense_approval"})
    asked = [f"open it {number}" for number in range(6)]
    reader = Reader(dict.fromkeys(asked, reads))
    chat = reading(reader)
    await chat.add()
    first = await chat.say("open it 0")

    after = [await chat.say(said, conversation_id=first.conversation_id) for said in asked[1:]]

    assert reader.planned == []
    assert {one.reply.context["planning"]["reason"] for one in after} == {"no artifacts"}


async def test_a_message_that_goes_to_no_model_is_not_planned_for() -> None:
    reader = Reader({"find it": ("search_workflows", {"query": "approval"})})
    chat = reading(reader)
    await chat.add()
    first = await chat.say("find it")
    for _ in range(3):
        await chat.say("and now?", conversation_id=first.conversation_id)

    told = await chat.say("@nobody what was it?", conversation_id=first.conversation_id)

    assert "nobody" in told.reply.content
    assert reader.planned == []
    assert told.reply.usage.requests == 0
    planning = told.reply.context["planning"]
    assert (planning["planned_by"], planning["reason"]) == ("nobody", "no model is asked")


async def test_what_is_kept_apart_because_it_is_large_is_read_again_too() -> None:
    reader = Reader({"open it": ("get_workflow", {"workflow": "wf_expense_approval"})})
    store = InMemoryConversationStore()
    gathering = replace(offline_gathering(store), config_of=ModelConfig.from_request, models={})
    gathering = replace(gathering, thresholds=ALWAYS)
    chat = chat_with(model_of(reader), store=store, gathering=gathering, inline_bytes=10)
    await chat.add()
    first = await chat.say("open it")
    for _ in range(3):
        await chat.say("and now?", conversation_id=first.conversation_id)

    after = await chat.say("what was it?", conversation_id=first.conversation_id)

    assert "Manager review" in after.reply.content


async def test_the_same_question_about_the_same_documents_is_planned_once() -> None:
    reader = Reader()
    chat = reading(reader, thresholds=ALWAYS)
    first = await chat.say("keep it", attachments=(NewAttachment(content=POLICY, title="policy"),))
    reader.planned.clear()

    asked = [await chat.say("due when?", conversation_id=first.conversation_id) for _ in range(2)]

    assert len(reader.planned) == 1
    assert [one.reply.context["planning"]["planned_by"] for one in asked] == ["model", "cache"]
    assert all(one.reply.context["llm_planning_used"] for one in asked)
    assert "30 days" in asked[1].reply.content


async def test_small_documents_of_this_turn_need_no_plan() -> None:
    reader = Reader()
    chat = reading(reader)

    outcome = await chat.say("due when?", attachments=(NewAttachment(content="Due in 30 days.", title="policy"),))

    assert reader.planned == []
    assert "Due in 30 days." in outcome.reply.content
    assert outcome.reply.context["planning"]["planned_by"] == "rule"
    assert "price" in outcome.reply.context["planning"]["notes"][0]


async def test_a_message_larger_than_the_window_is_read_in_passages() -> None:
    reader = Reader(strategy="rag_extract")
    chat = reading(reader)
    text = "When are claims due? " + "Nothing is said here. " * 1_000 + "All claims are due in May. " + "So. " * 40_000

    outcome = await chat.say(text)

    record = outcome.reply.context
    assert record["message"]["included_chars"] < record["message"]["original_chars"] == len(text)
    assert record["artifacts_processed"][0]["source"] == "message:1"
    assert "All claims are due in May." in outcome.reply.content
    assert record["used_tokens"] <= record["budget_tokens"]
    assert chat.store is not None
    stored = await chat.store.load(TENANT, outcome.conversation_id)
    assert stored.events[0].content == text


@pytest.fixture
def allow_local_requests() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


READ, WROTE = Decimal("2.5") / 1_000_000, Decimal(10) / 1_000_000
"""What gpt-4o takes for a token."""


@pytest.mark.usefixtures("allow_local_requests")
@pytest.mark.parametrize("planner", [CallsTools([(PLAN_TOOL, '{"artifacts": []}')], (1_000, 50, 0)), Refuses(500)])
async def test_planning_is_in_usage_and_cost_of_turn_and_conversation(planner: CallsTools | Refuses) -> None:
    answers = (Says(["Kept."], usage=(100, 10, 0)), planner, Says(["In May."], usage=(200, 20, 0)))
    async with provider_stub(*answers) as stub:
        stub.model = "gpt-4o"
        provider = Provider(base_url=stub.base_url, api_key="k", max_retries=0)
        model = build_model("openai:gpt-4o", provider, offline=lambda: pytest.fail("not needed"))
        store = InMemoryConversationStore()
        gathering = replace(offline_gathering(store), config_of=ModelConfig.from_request, models={})
        chat = chat_with(model, store=store, gathering=gathering)
        first = await chat.say("keep it", attachments=(NewAttachment(content=POLICY, title="policy"),))
        chat = chat_with(model, store=store, gathering=replace(gathering, thresholds=ALWAYS))
        second = await chat.say("due when?", conversation_id=first.conversation_id)

    planned = 0 if isinstance(planner, Refuses) else 1
    spent = planned * (1_000 * READ + 50 * WROTE)
    cost, record = second.reply.cost, second.reply.context
    assert Decimal(str(cost.planner_usd)) == spent
    assert Decimal(str(cost.total_usd)) == spent + 200 * READ + 20 * WROTE
    assert second.reply.usage.input_tokens == planned * 1_000 + 200
    assert (record["planning_cost"] or {"planner_usd": 0})["planner_usd"] == float(spent)
    assert record["planning"]["failure"] == (None if planned else "ModelServerError")
    totals = (await store.load(TENANT, first.conversation_id)).usage_totals
    assert Decimal(str(totals.cost_usd)) == spent + 300 * READ + 30 * WROTE
    assert totals.requests == 2 + planned
