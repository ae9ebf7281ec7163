"""The phases a conversation goes through, and which change is allowed."""

from collections.abc import Callable, Mapping
from datetime import datetime

from workflow_agent.conversations.document import Conversation, Phase, PhaseTransition, SystemEvent
from workflow_agent.errors import PhaseNotAllowed
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
    transition = PhaseTransition.model_validate(
        {
            "from": was,
            "to": change.to,
            "agent": change.agent,
            "reason": change.reason,
            "message": change.message,
            "summary": change.summary,
            "timestamp": at,
        }
    )
    changed = conversation.model_copy(
        update={
            "phase": change.to,
            "events": (*conversation.events, event),
            "phase_transitions": (*conversation.phase_transitions, transition),
            "updated_at": at,
        }
    )
    return changed, event
