"""Bringing in what was said elsewhere, as turns that are over."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Literal

from workflow_agent.domain.agents import DEFAULT_AGENT
from workflow_agent.domain.conversation import (
    AgentReply,
    AgentState,
    Conversation,
    Event,
    ModeRecord,
    UserMessage,
)
from workflow_agent.domain.runs import Run
from workflow_agent.domain.turns.naming import title_from

IMPORTED = "imported"
"""The model, owner and fingerprint of a reply that was given elsewhere."""
_MODE = ModeRecord(name="general", confidence=0.0, source="imported")


def with_history(
    conversation: Conversation,
    said: Iterable[tuple[Literal["user", "assistant"], str]],
    *,
    author: str,
    at: datetime,
    new_id: Callable[[str], str],
) -> Conversation:
    """Return the conversation with messages added as they were said, none of which asks for a reply.

    Each message of the user begins a turn; what the assistant says before any of them begins one too.

    Args:
        conversation: What they are added to; no run of it may be under way.
        said: Role and text, oldest first.
        author: Who the user is.
        at: When they are brought in; when they were said is not known.
        new_id: Makes an id from its prefix.
    """
    events: list[Event] = list(conversation.events)
    runs: list[Run] = list(conversation.runs)
    turn, index = conversation.turn_count, conversation.next_index
    fence = max((run.fence for run in runs), default=0)
    for role, text in said:
        if role == "user":
            turn += 1
            events.append(
                UserMessage(id=new_id("evt"), index=index, turn=turn, at=at, author=author, content=text)
            )
        else:
            turn, fence = max(turn, 1), fence + 1
            reply = _reply(conversation.id, turn, index, text, at, new_id)
            events.append(reply)
            runs.append(_run(reply, events, fence))
        index += 1
    states = dict(conversation.agent_states)
    if len(runs) > len(conversation.runs):
        known = states.get(DEFAULT_AGENT, AgentState())
        states[DEFAULT_AGENT] = known.model_copy(update={"last_processed_index": index - 1})
    first = next((event.content for event in events if isinstance(event, UserMessage)), "")
    return conversation.model_copy(
        update={
            "title": conversation.title or title_from(first),
            "events": tuple(events), "runs": tuple(runs), "agent_states": states, "updated_at": at,
        }
    )  # fmt: skip


def _reply(
    conversation_id: str, turn: int, index: int, text: str, at: datetime, new_id: Callable[[str], str]
) -> AgentReply:
    return AgentReply(
        id=new_id("evt"), index=index, turn=turn, at=at, author=DEFAULT_AGENT, content=text,
        run_id=new_id(f"run_{conversation_id}_{turn}"), model=IMPORTED, mode=_MODE,
    )  # fmt: skip


def _run(reply: AgentReply, events: list[Event], fence: int) -> Run:
    asked = (event.id for event in reversed(events) if isinstance(event, UserMessage))
    return Run(
        run_id=reply.run_id, fingerprint=IMPORTED, status="completed", fence=fence, agent=reply.author,
        turn=reply.turn, user_event_id=next(asked, reply.id), reply_event_id=reply.id, owner=IMPORTED,
        accepted_at=reply.at, completed_at=reply.at,
    )  # fmt: skip
