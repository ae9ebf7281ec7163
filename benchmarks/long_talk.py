"""A long conversation with facts planted in it, held with the whole chat; what each request sent is noted."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from pydantic_ai.messages import ModelMessage, ModelRequest
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from tests.support.chats import APPROVAL, TENANT, ChatUnderTest, chat_with
from workflow_agent.conversations.store import MessageQuery
from workflow_agent.values.tokens import tokens_of
from workflow_agent.workflows.store import Author, Change

FACTS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "identifiers": (
        ("The vendor code of Hartmann is VN-48213.", "VN-48213", "vendor code Hartmann"),
        ("We file these under cost center CC-7719.", "CC-7719", "cost center"),
        ("The contract number is AGR-2026-0457.", "AGR-2026-0457", "contract number"),
    ),
    "numbers": (
        ("Meals are reimbursed up to 46 EUR a day.", "46 EUR", "Meals reimbursed"),
        ("The budget of the marketing team is 182,500 EUR.", "182,500 EUR", "budget marketing"),
        ("We get about 340 claims a month.", "340 claims", "claims a month"),
    ),
    "rules": (
        ("From now on always put a legal check before a payment abroad.", "legal check", "payment abroad"),
        ("Never send a claim to Sandra while she is ill.", "never send a claim to sandra", "claim Sandra"),
        ("Our rule: two people sign above 10,000 EUR.", "two people sign", "people sign"),
    ),
    "preferences": (
        ("I prefer short answers without tables.", "without tables", "short answers"),
        ("I'd rather have dates written as day, month, year.", "day, month, year", "dates written"),
        ("Please call me Jo, I prefer that to Johanna.", "call me Jo,", "prefer Johanna"),
    ),
    "decisions": (
        ("We decided to drop the paper receipts.", "paper receipts", "drop paper"),
        ("We agreed that finance owns the approval.", "finance owns", "finance owns"),
        ("Let's go with quarterly audits.", "quarterly audits", "quarterly audits"),
    ),
    "order of events": (
        ("First the pilot ran in Lyon, then it moved to Porto.", "Porto", "pilot Lyon"),
        ("The audit came before the merger on 14 March.", "before the merger", "audit merger"),
        ("After the outage in May we switched the bank.", "switched the bank", "outage bank"),
    ),
}
"""By kind: what is said, what of it must survive, and what somebody would look for it with."""
FILLERS = (
    "What does the expense approval do?",
    "Who approves claims there?",
    "How many steps has it got?",
    "What happens when the manager says no?",
    "Could it get stuck anywhere?",
    "Explain the review step.",
    "Is there anything I should tell new colleagues?",
    "What would you look at next?",
)
REPLY = "The expense approval begins when an employee submits an expense, and the manager reviews it. " * 3
FIRST, EVERY = 3, 3


@dataclass
class Sent:
    """What one turn's requests sent, in tokens."""

    fixed: list[int] = field(default_factory=list)
    """Instructions and tool definitions, by request."""
    messages: list[int] = field(default_factory=list)


@dataclass
class Talk:
    """The conversation so far, and what was sent for it."""

    chat: ChatUnderTest
    turns: list[Sent] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    """Tokens that each turn adds to a history of everything."""
    latest: str = ""
    """All text of the latest request."""
    conversation_id: str | None = None

    async def held(self, turns: int) -> "Talk":
        """Go on until it has so many turns."""
        while len(self.turns) < turns:
            await self.say(message_of(len(self.turns) + 1))
        return self

    async def say(self, message: str) -> None:
        self.turns.append(Sent())
        outcome = await self.chat.say(message, conversation_id=self.conversation_id)
        self.conversation_id = outcome.conversation_id
        await self.chat.compactor.settled()
        steps = [one for step in outcome.reply.iterations for one in step.messages]
        said = [one.content for one in steps if one.role != "system"]
        results = [json.dumps(one.content, default=str) for step in steps for one in step.results]
        calls = [json.dumps(one.args) + one.name for step in steps for one in step.tool_calls]
        self.own.append(sum(map(tokens_of, [*said, *results, *calls])))

    def note(self, messages: Sequence[ModelMessage], info: AgentInfo) -> None:
        """Take down what a request sends."""
        texts = [_text(part) for message in messages for part in message.parts]
        tools = [f"{one.name}{one.description}{json.dumps(one.parameters_json_schema)}" for one in info.function_tools]
        instructions = [one.instructions for one in messages if isinstance(one, ModelRequest)][-1] or ""
        self.turns[-1].messages.append(sum(map(tokens_of, texts)))
        self.turns[-1].fixed.append(sum(map(tokens_of, [*tools, instructions])))
        self.latest = "\n".join([instructions, *texts])

    async def recalls(self, words: str, wanted: str) -> bool:
        """Say whether one search of the conversation, as the assistant's tool makes it, finds a fact."""
        query = MessageQuery(words, self.conversation_id, limit=5)
        hits = await self.chat.store.find(TENANT, query)
        turns = {hit.turn for hit in hits}
        return any(wanted.casefold() in message_of(turn).casefold() for turn in turns)


def _text(part: object) -> str:
    content = getattr(part, "content", None)
    args = getattr(part, "args", "") or ""
    shown = content if isinstance(content, str) else json.dumps(content, default=str) if content else ""
    return shown + (args if isinstance(args, str) else json.dumps(args))


def planted() -> list[tuple[int, str, str, str, str]]:
    """Return turn, kind, sentence, what must survive and what to look for, of each fact."""
    flat = [(kind, *fact) for kind, facts in FACTS.items() for fact in facts]
    return [(FIRST + EVERY * at, *fact) for at, fact in enumerate(flat)]


def message_of(turn: int) -> str:
    """Return what is said in a turn."""
    told = {at: sentence for at, _, sentence, _, _ in planted()}
    return told.get(turn) or FILLERS[turn % len(FILLERS)]


async def begun() -> Talk:
    """Return a conversation over one workflow, its model reading that in every other turn."""
    holder: list[Talk] = []

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        talk = holder[0]
        talk.note(messages, info)
        has_read = messages[-1].parts[-1].part_kind == "tool-return"
        if len(talk.turns) % 2 == 0 and not has_read:
            yield {
                0: DeltaToolCall(
                    "get_workflow", json.dumps({"workflow": APPROVAL.id}), tool_call_id=f"call_{len(talk.turns)}"
                )
            }
            return
        yield REPLY

    chat = chat_with(FunctionModel(stream_function=answer, model_name="talk"))
    await chat.workflows.create(TENANT, APPROVAL, Change(Author(), "created"))
    holder.append(Talk(chat))
    return holder[0]
