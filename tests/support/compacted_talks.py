"""Conversations for compaction: turns with given words, and summarisers that do as they are told."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from tests.support.long_talks import accepted, answered
from tests.support.stored import AT, a_conversation
from workflow_agent.assistant.compaction.compaction import Summarised, completed, drafted, facts_of_cut, with_compaction
from workflow_agent.assistant.compaction.ledger import Ledger
from workflow_agent.assistant.compaction.policy import CompactionRule, Cut, due_cut
from workflow_agent.conversations.compactions import Compaction, Summary
from workflow_agent.conversations.document import Conversation
from workflow_agent.values.tokens import tokens_of

Answer = dict[str, Any] | Exception | None
"""A summary's fields, a failure, or no answer at all."""


def said(*messages: str, conversation: Conversation | None = None) -> Conversation:
    """Return a conversation with these messages, each answered."""
    talk = conversation or a_conversation()
    for message in messages:
        talk = answered(accepted(talk, content=message))
    return talk


def compaction_of(
    conversation: Conversation,
    cut: Cut,
    own: Ledger,
    result: Summarised,
    *,
    compaction_id: str,
    at: datetime,
    count: Callable[[str], int],
    share: float = 0.25,
) -> Compaction:
    """Return the compaction that takes a cut out of the window, with the record of what it drops.

    The arguments are those of `drafted` and `completed`.
    """
    draft = drafted(conversation, cut, own, result.summary, compaction_id=compaction_id, at=at, count=count)
    return completed(draft, conversation, cut, result, count, share)


def compacted_by(
    cut: Cut | None,
    conversation: Conversation,
    summary: Summary | None,
    *,
    compaction_id: str | None = None,
    **result: Any,
) -> Conversation:
    """Return the conversation with a cut compacted, with this summary or without any."""
    assert cut is not None
    made = compaction_of(
        conversation,
        cut,
        facts_of_cut(conversation, cut),
        Summarised(summary, None if summary else "failed", "m", **result),
        compaction_id=compaction_id or f"cmp_{len(conversation.compactions) + 1}",
        at=AT,
        count=tokens_of,
    )
    return with_compaction(conversation, made, cut, count_spending=True)


def source_of(messages: Sequence[ModelMessage]) -> str:
    """Return what a summariser was given."""
    parts = [part for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
    return str(parts[0].content)


class SummarizerScript:
    """A summariser that gives these answers, the last one for ever, and notes what it was given."""

    def __init__(self, *answers: Answer | Callable[[str], Answer]) -> None:
        self.answers = list(answers)
        self.sources: list[str] = []
        self.gate: asyncio.Event | None = None
        """Where set, each answer waits for it."""

        self.name, self.provider = "summer", None

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self._answer, model_name=self.name)

    def priced(self) -> "SummarizerScript":
        """Return it as a model whose price is known."""
        self.name, self.provider = "gpt-4o", "openai"
        return self

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.sources.append(source_of(messages))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer = answer(self.sources[-1])
        if self.gate is not None:
            await self.gate.wait()
        if answer is None:
            await asyncio.Event().wait()
        if isinstance(answer, Exception):
            raise answer
        part = ToolCallPart(info.output_tools[0].name, answer)
        usage = RequestUsage(input_tokens=100, output_tokens=10)
        return ModelResponse(parts=[part], usage=usage, provider_name=self.provider)


def compacted_by_policy(conversation: Conversation) -> Conversation:
    """Return the conversation with its turns compacted until none is due."""
    while (cut := due_cut(conversation, CompactionRule())) is not None:
        conversation = compacted_by(
            cut,
            conversation,
            Summary(text=f"Turns up to {cut.to_turn}."),
            compaction_id=f"cmp_{cut.from_turn}_{cut.to_turn}",
        )
    return conversation
