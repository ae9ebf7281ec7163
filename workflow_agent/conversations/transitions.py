"""How a conversation goes on: the phases and which change is allowed, and handoffs from one agent to another."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from itertools import takewhile
from operator import not_

from pydantic import Field

from workflow_agent.conversations.document import (
    AgentReply,
    Conversation,
    Phase,
    PhaseTransition,
    SystemEvent,
    UserMessage,
)
from workflow_agent.errors import HandoffNotAllowed, PhaseNotAllowed
from workflow_agent.values.stored import JsonObject, Value

ALLOWED: Mapping[Phase, tuple[Phase, ...]] = {
    "chat": ("brainstorm", "plan", "execute"),
    "brainstorm": ("chat", "plan", "execute"),
    "plan": ("execute", "chat"),
    "execute": ("verification", "chat"),
    "verification": ("chores", "execute", "chat"),
    "chores": ("reflection",),
    "reflection": ("chat",),
}
"""Where each phase may go."""
PHASES: tuple[Phase, ...] = tuple(ALLOWED)
PHASE_CHANGE = "phase_change"
"""The kind of the system event that records one."""


class PhaseChange(Value):
    """A phase to go to: who wants it, why, and what the next one has to know."""

    to: Phase
    agent: str
    """Who changes it: an agent, or `user`."""
    reason: str = ""
    message: str = ""
    summary: str = ""


def check_phase_change(now: Phase, to: Phase) -> None:
    """Refuse a change that is not allowed.

    Raises:
        PhaseNotAllowed: Lists the allowed ones.
    """
    allowed = ALLOWED[now]
    if to not in allowed:
        raise PhaseNotAllowed(
            f"The conversation is in phase {now!r} and cannot go to {to!r}; allowed: {', '.join(allowed)}.",
            phase=now,
            allowed=list(allowed),
        )


def change_phase(
    conversation: Conversation, change: PhaseChange, *, at: datetime, new_id: Callable[[str], str]
) -> tuple[Conversation, SystemEvent]:
    """Return the conversation in its new phase, and the event that records the change.

    Raises:
        PhaseNotAllowed: It cannot go there from where it is.
    """
    check_phase_change(conversation.phase, change.to)
    was = conversation.phase
    why = f": {change.reason}" if change.reason else "."
    content = f"The phase is now {change.to}; it was {was}. {change.agent} changed it{why}"
    data = {"from": was, **change.model_dump(mode="json")}
    noted = with_event(conversation, PHASE_CHANGE, content, data, at=at, event_id=new_id("evt"))
    return _with_transition(*noted, change)


def with_event(
    conversation: Conversation, kind: str, content: str, data: JsonObject, *, at: datetime, event_id: str
) -> tuple[Conversation, SystemEvent]:
    """Return the conversation with something that happened in it on record, and its event."""
    event = SystemEvent(id=event_id, index=conversation.next_index, at=at, content=content, kind=kind, data=data)
    return conversation.model_copy(update={"events": (*conversation.events, event), "updated_at": event.at}), event


def _with_transition(
    conversation: Conversation, event: SystemEvent, change: PhaseChange
) -> tuple[Conversation, SystemEvent]:
    """Return the conversation with a change of phase, or of who acts within it, and the event that tells of it."""
    moved = {"from": conversation.phase, **change.model_dump(), "timestamp": event.at}
    transitions = (*conversation.phase_transitions, PhaseTransition.model_validate(moved))
    return conversation.model_copy(update={"phase": change.to, "phase_transitions": transitions}), event


HANDOFF = "handoff"
"""The kind of the system event that records one."""


class Handoff(Value):
    """Who hands over to whom, why, and what the next one has to know."""

    by: str
    """An agent, or `user`."""
    to: str
    reason: str = ""
    summary: str = ""
    confirms: str = Field(default="", exclude_if=not_)
    """What the user said yes to, where that brought it about: the one before could only offer it."""
    event_id: str = Field(default="", exclude=True)
    """The event that records it."""


def handoff_in(event: object) -> Handoff | None:
    """Return the handoff that an event records, or None."""
    if not isinstance(event, SystemEvent) or event.kind != HANDOFF:
        return None
    return Handoff.model_validate(event.data | {"event_id": event.id})


def current_agent(conversation: Conversation, roster: Collection[str]) -> str | None:
    """Return who has the word: the agent that spoke or was handed the conversation last, or None."""
    for event in reversed(conversation.events):
        handoff = handoff_in(event)
        name = handoff.to if handoff else event.author if isinstance(event, AgentReply) else None
        if name is not None:
            return name if name in roster else None
    return None


def pending_handoff(conversation: Conversation, agent: str) -> Handoff | None:
    """Return the handoff that an agent has not yet answered to, or None."""
    for event in reversed(conversation.events):
        if isinstance(event, AgentReply) and event.author == agent:
            return None
        handoff = handoff_in(event)
        if handoff is not None:
            return handoff if handoff.to == agent else None
    return None


def refuse_handoff(by: str, to: str, *, made: int, most: int, roster: Collection[str]) -> None:
    """Refuse a handoff to oneself, and one too many since the user last said something.

    Raises:
        HandoffNotAllowed: Says to whom it may go instead.
    """
    others = [name for name in roster if name != by]
    if by == to:
        raise HandoffNotAllowed(
            f"Agent {to!r} has the conversation already. Hand it to {', '.join(others) or 'nobody else'}.", valid=others
        )
    if made >= most:
        raise HandoffNotAllowed(
            f"The conversation was handed over {made} times since the user last said something, and {most} "
            "is the most. Answer the user instead.",
            valid=[],
        )


def handoffs_since_message(conversation: Conversation) -> int:
    """Return how often the conversation was handed over since the last message."""
    since = takewhile(lambda event: not isinstance(event, UserMessage), reversed(conversation.events))
    return sum(handoff_in(event) is not None for event in since)


def hand_over(
    conversation: Conversation, handoff: Handoff, *, at: datetime, new_id: Callable[[str], str]
) -> tuple[Conversation, SystemEvent]:
    """Return the conversation with a handoff on record, and its event; the phase stays."""
    told = f"{handoff.by} handed the conversation over to {handoff.to}"
    reason = f": {handoff.reason}" if handoff.reason else "."
    summary = f"\nSummary: {handoff.summary}" if handoff.summary else ""
    content, data = told + reason + summary, handoff.model_dump(mode="json")
    noted = with_event(conversation, HANDOFF, content, data, at=at, event_id=new_id("evt"))
    taken_over = PhaseChange(
        to=conversation.phase, agent=handoff.to, reason=handoff.reason, message=told + ".", summary=handoff.summary
    )
    return _with_transition(*noted, taken_over)
