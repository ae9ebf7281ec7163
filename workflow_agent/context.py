"""What the model will see this turn: the history that fits, the facts of the run, and the record of both."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, islice

from pydantic_ai.messages import ModelMessage

from workflow_agent.agent.replay import to_model_messages
from workflow_agent.domain.conversation import (
    AgentReply,
    Conversation,
    Event,
    ModeRecord,
    SystemEvent,
    UserMessage,
)
from workflow_agent.domain.errors import ContextOverflow
from workflow_agent.domain.iterations import Message
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.window import (
    Utilization,
    budget_tokens,
    level_of,
    newest_that_fit,
    tokens_of,
    tokens_of_chars,
)

SECTIONS = ("prompt_module", "memory", "workflow", "tools", "history", "message", "run")
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


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One earlier turn as the model reads it."""

    messages: tuple[Message, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class BuiltContext:
    """The window of one turn."""

    history: list[ModelMessage]
    limits: WindowLimits
    history_tokens: int
    message_tokens: int
    turns_included: int
    turns_excluded: int

    def record(
        self, *, model: str, mode: ModeRecord, section_chars: dict[str, int], cache_stats: JsonObject
    ) -> JsonObject:
        """Return the context record: every section in tokens, summing to what was used.

        Args:
            model: The model that answered.
            mode: The mode the run ended in.
            section_chars: Characters of the sections that the agent loop rendered for its last request.
            cache_stats: Hits and misses of all caches together, as counted so far.
        """
        measured = {name: tokens_of_chars(chars) for name, chars in section_chars.items()}
        measured |= {"history": self.history_tokens, "message": self.message_tokens}
        breakdown = {name: measured.get(name, 0) for name in SECTIONS}
        used = sum(breakdown.values())
        fraction = used / self.limits.budget_tokens if self.limits.budget_tokens else 1.0
        return {
            "model": model,
            "window_tokens": self.limits.window_tokens,
            "budget_tokens": self.limits.budget_tokens,
            "used_tokens": used,
            "fraction": round(fraction, 4),
            "level": level_of(fraction),
            "breakdown": breakdown,
            "counting": "chars_div_4",
            "strategy": self.limits.utilization,
            "turns": {"included": self.turns_included, "compacted": 0, "excluded": self.turns_excluded},
            "artifacts_processed": [],
            "llm_planning_used": False,
            "planning_cost": None,
            "cache_stats": cache_stats,
            "mode": mode.name,
        }


@dataclass(frozen=True, slots=True)
class ContextManager:
    """Builds the window of a turn.

    Args:
        max_turns: How many earlier turns are considered at all, newest first.
        turns_with_tools: In how many of the newest turns tool calls and results are replayed; of older
            ones only what was said, because a workflow read long ago may have changed since.
    """

    max_turns: int = 50
    turns_with_tools: int = 3
    count: Callable[[str], int] = tokens_of

    async def build(
        self,
        conversation: Conversation,
        trigger: UserMessage,
        agent: str,
        fixed_tokens: int,
        limits: WindowLimits,
    ) -> BuiltContext:
        """Return what fits beside the fixed parts: the message itself and the newest unbroken turns.

        Args:
            conversation: With the trigger in it.
            trigger: The message to answer; it comes last and is never in the history.
            agent: Who answers: its own replies are the assistant's, those of others are attributed.
            fixed_tokens: Prompt module, tools, facts and open workflow together.
            limits: The window and how much of it may be used.

        Raises:
            ContextOverflow: The fixed parts alone are over the budget; says by how much.
        """
        message_tokens = self.count(trigger.content)
        left = limits.budget_tokens - fixed_tokens
        if left <= 0:
            raise ContextOverflow(
                f"The instructions, tools and open workflow take {fixed_tokens} tokens, {-left} more than "
                f"the budget of {limits.budget_tokens}. Use a model with a larger window, a higher context "
                "utilization, or a smaller open workflow.",
                section="system",
                excess_tokens=-left,
            )
        earlier = list(islice(self._turns_before(conversation, trigger, agent), self.max_turns))
        fitted = newest_that_fit(earlier[::-1], left - message_tokens)
        messages = [message for turn in fitted.included for message in turn.messages]
        return BuiltContext(
            history=to_model_messages(messages),
            limits=limits,
            history_tokens=fitted.tokens,
            message_tokens=message_tokens,
            turns_included=len(fitted.included),
            turns_excluded=max(trigger.turn - 1 - len(fitted.included), 0),
        )

    def _turns_before(
        self, conversation: Conversation, trigger: UserMessage, agent: str
    ) -> Iterator[PastTurn]:
        """Yield the turns before the trigger, newest first; only as many are rendered as are asked for."""
        group: list[Event] = []
        number = 0
        newest_first = dropwhile(lambda event: event.id != trigger.id, reversed(conversation.events))
        for event in islice(newest_first, 1, None):
            group.append(event)
            if isinstance(event, UserMessage):
                yield self._rendered(group[::-1], agent, with_tools=number < self.turns_with_tools)
                group = []
                number += 1

    def _rendered(self, events: Sequence[Event], agent: str, *, with_tools: bool) -> PastTurn:
        messages = tuple(m for event in events for m in _as_read_by(agent, event, with_tools=with_tools))
        return PastTurn(messages, sum(self.count(m.content) + _tool_tokens(m) for m in messages))


def _tool_tokens(message: Message) -> int:
    asked = sum(len(call.name) + len(str(call.args)) for call in message.tool_calls)
    return tokens_of_chars(asked + sum(len(str(result.content)) for result in message.results))


def _as_read_by(agent: str, event: Event, *, with_tools: bool) -> tuple[Message, ...]:
    if isinstance(event, UserMessage):
        return (Message(role="user", content=event.content),)
    if isinstance(event, SystemEvent):
        return (Message(role="system", content=event.content),)
    if event.author != agent:
        return (Message(role="system", content=f"[{event.author}]: {event.content}"),)
    if not with_tools:
        return (Message(role="assistant", content=event.content),)
    return _loop_messages(event)


def _loop_messages(reply: AgentReply) -> tuple[Message, ...]:
    """Return what was said and done in the run, without the instructions and the message it began with."""
    messages = (message for one in reply.iterations for message in one.messages)
    return tuple(message for message in messages if message.role in ("assistant", "tool"))
