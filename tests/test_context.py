from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage

from workflow_agent.context import BuiltContext, ContextManager, WindowLimits
from workflow_agent.domain.conversation import (
    AgentReply,
    Conversation,
    Event,
    ModeRecord,
    SystemEvent,
    UserMessage,
)
from workflow_agent.domain.errors import ContextOverflow
from workflow_agent.domain.iterations import Iteration, Message, ToolCall, ToolResult

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
MODE = ModeRecord(name="general", confidence=1.0, source="inferred")
WIDE = WindowLimits(window_tokens=10_000, reserve_tokens=0, utilization="full")


def user(index: int, turn: int, content: str) -> UserMessage:
    return UserMessage(id=f"e{index}", index=index, turn=turn, at=NOON, author="user", content=content)


def reply(index: int, turn: int, content: str, *, author: str = "assistant", tool: str = "") -> AgentReply:
    messages: list[Message] = [
        Message(role="system", content="instructions"),
        Message(role="user", content="asked"),
    ]
    if tool:
        messages.append(Message(role="assistant", tool_calls=(ToolCall(id="c", name=tool),)))
        messages.append(Message(role="tool", results=(ToolResult(id="c", name=tool, content={"n": 1}),)))
    messages.append(Message(role="assistant", content=content))
    iteration = Iteration(number=1, messages=tuple(messages), started_at=NOON, completed_at=NOON)
    return AgentReply(
        id=f"e{index}", index=index, turn=turn, at=NOON, author=author, content=content, run_id=f"r{turn}",
        model="m", mode=MODE, iterations=(iteration,),
    )  # fmt: skip


def conversation(*events: Event) -> Conversation:
    return Conversation(id="c", tenant="default", created_at=NOON, updated_at=NOON, events=events)


async def built(
    *events: Event, limits: WindowLimits = WIDE, fixed: int = 0, agent: str = "assistant", **manager: Any
) -> BuiltContext:
    trigger = next(event for event in reversed(events) if isinstance(event, UserMessage))
    return await ContextManager(**manager).build(conversation(*events), trigger, agent, fixed, limits)


def shown(history: list[ModelMessage]) -> list[str]:
    return [
        f"{type(part).__name__}: {getattr(part, 'content', getattr(part, 'tool_name', ''))}"
        for message in history
        for part in message.parts
    ]


async def test_the_trigger_is_not_in_its_own_history() -> None:
    context = await built(user(0, 1, "hello"))

    assert context.history == []
    assert (context.turns_included, context.turns_excluded) == (0, 0)


async def test_earlier_turns_are_replayed_with_their_tool_calls() -> None:
    context = await built(user(0, 1, "find it"), reply(1, 1, "Found.", tool="search"), user(2, 2, "thanks"))

    assert shown(context.history) == [
        "UserPromptPart: find it",
        "ToolCallPart: search",
        "ToolReturnPart: {'n': 1}",
        "TextPart: Found.",
    ]


async def test_older_turns_keep_what_was_said_but_not_the_tools() -> None:
    context = await built(
        user(0, 1, "find it"), reply(1, 1, "Found.", tool="search"),
        user(2, 2, "more"), reply(3, 2, "More.", tool="search"), user(4, 3, "thanks"),
        turns_with_tools=1,
    )  # fmt: skip

    assert shown(context.history) == [
        "UserPromptPart: find it",
        "TextPart: Found.",
        "UserPromptPart: more",
        "ToolCallPart: search",
        "ToolReturnPart: {'n': 1}",
        "TextPart: More.",
    ]


async def test_other_agents_and_the_system_are_told_apart() -> None:
    note = SystemEvent(id="e2", index=2, at=NOON, content="The phase is now plan.", kind="phase_change")

    context = await built(
        user(0, 1, "hi"), reply(1, 1, "Hello.", author="analyst"), note, user(3, 2, "and you?")
    )

    assert shown(context.history) == [
        "UserPromptPart: hi",
        "SystemPromptPart: [analyst]: Hello.",
        "SystemPromptPart: The phase is now plan.",
    ]


async def test_history_stops_at_the_turn_that_does_not_fit() -> None:
    limits = WindowLimits(window_tokens=100, reserve_tokens=0, utilization="full")

    context = await built(
        user(0, 1, "short"), reply(1, 1, "short"), user(2, 2, "x" * 1_000), reply(3, 2, "short"),
        user(4, 3, "short"), reply(5, 3, "fits"), user(6, 4, "now"), limits=limits,
    )  # fmt: skip

    assert shown(context.history) == ["UserPromptPart: short", "TextPart: fits"]
    assert (context.turns_included, context.turns_excluded) == (1, 2)


async def test_fixed_parts_over_the_budget_say_by_how_much() -> None:
    with pytest.raises(
        ContextOverflow, match="take 10050 tokens, 50 more than the budget of 10000"
    ) as refusal:
        await built(user(0, 1, "hi"), fixed=10_050)

    assert refusal.value.details["excess_tokens"] == 50


async def test_a_message_answered_again_does_not_see_what_came_later() -> None:
    events = (user(0, 1, "first"), user(1, 2, "second"), reply(2, 2, "Second."))

    context = await ContextManager().build(conversation(*events), events[0], "assistant", 0, WIDE)  # type: ignore[arg-type]

    assert context.history == []


async def test_the_record_sums_to_what_was_used() -> None:
    context = await built(user(0, 1, "find it"), reply(1, 1, "Found."), user(2, 2, "y" * 10))

    record = context.record(
        model="m", mode=MODE, section_chars={"prompt_module": 9, "tools": 40, "run": 3}, cache_stats={}
    )

    assert record["breakdown"] == {
        "prompt_module": 3, "memory": 0, "workflow": 0, "tools": 10, "history": 4, "message": 3, "run": 1,
    }  # fmt: skip
    assert record["used_tokens"] == sum(record["breakdown"].values()) == 21
    assert record["fraction"] == round(21 / 10_000, 4)
    assert record["level"] == "ok"
    assert record["turns"] == {"included": 1, "compacted": 0, "excluded": 0}
