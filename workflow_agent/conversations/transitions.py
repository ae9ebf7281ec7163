"""How a conversation goes on: the phases and which change is allowed, and handoffs from one agent to another."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
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
from workflow_agent.values.stored import Value

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
    event = SystemEvent(
        id=new_id("evt"),
        index=conversation.next_index,
        at=at,
        content=f"The phase is now {change.to}; it was {was}. {change.agent} changed it{why}",
        kind=PHASE_CHANGE,
        data={"from": was, **change.model_dump(mode="json")},
    )
    return _with_transition(conversation, event, change), event


def _with_transition(conversation: Conversation, event: SystemEvent, change: PhaseChange) -> Conversation:
    """Return the conversation with a change of phase, or of who acts within it, and the event that tells of it."""
    transition = PhaseTransition.model_validate(
        {"from": conversation.phase, **change.model_dump(), "timestamp": event.at}
    )
    return conversation.model_copy(
        update={
            "phase": change.to,
            "events": (*conversation.events, event),
            "phase_transitions": (*conversation.phase_transitions, transition),
            "updated_at": event.at,
        }
    )


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
    made = 0
    for event in reversed(conversation.events):
        if isinstance(event, UserMessage):
            break
        made += handoff_in(event) is not None
    return made


def hand_over(
    conversation: Conversation, handoff: Handoff, *, at: datetime, new_id: Callable[[str], str]
) -> tuple[Conversation, SystemEvent]:
    """Return the conversation with a handoff on record, and its event; the phase stays."""
    told = f"{handoff.by} handed the conversation over to {handoff.to}"
    reason = f": {handoff.reason}" if handoff.reason else "."
    summary = f"\nSummary: {handoff.summary}" if handoff.summary else ""
    event = SystemEvent(
        id=new_id("evt"),
        index=conversation.next_index,
        at=at,
        content=told + reason + summary,
        kind=HANDOFF,
        data=handoff.model_dump(mode="json"),
    )
    taken_over = PhaseChange(
        to=conversation.phase, agent=handoff.to, reason=handoff.reason, message=told + ".", summary=handoff.summary
    )
    return _with_transition(conversation, event, taken_over), event
