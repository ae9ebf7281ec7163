"""Bringing in what happened elsewhere: turns that are over, a change by hand, a message that asks for no reply."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Literal, NamedTuple

from workflow_agent.conversations.agents import DEFAULT_AGENT
from workflow_agent.conversations.document import (
    AgentReply,
    AgentState,
    Conversation,
    Event,
    ModeRecord,
    SystemEvent,
    UserMessage,
    WorkflowReference,
)
from workflow_agent.conversations.memory.references import merged_references
from workflow_agent.conversations.message_records import title_from
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.transitions import with_event
from workflow_agent.values.stored import Value

IMPORTED = "imported"
"""The model, owner and fingerprint of a reply that was given elsewhere."""
_MODE = ModeRecord(name="general", confidence=0.0, source="imported")


class Said(NamedTuple):
    """Something that was said elsewhere."""

    role: Literal["user", "assistant"]
    text: str
    at: datetime | None = None
    """When; None is not known."""
    tools: tuple[str, ...] = ()
    """The names of the tools that the assistant used for it."""


def with_said(
    conversation: Conversation, said: Iterable[Said], *, author: str, at: datetime, new_id: Callable[[str], str]
) -> Conversation:
    """Return the conversation with messages added as they were said, none of which asks for a reply.

    Each message of the user begins a turn; what the assistant says before any of them begins one too. What has no
    time of its own has that of the one before, the first has `at`. No run of the conversation may be under way.
    """
    events: list[Event] = list(conversation.events)
    runs: list[Run] = list(conversation.runs)
    turn, index = conversation.turn_count, conversation.next_index
    fence = max((run.fence for run in runs), default=0)
    for one in said:
        at = one.at or at
        if one.role == "user":
            turn += 1
            events.append(UserMessage(id=new_id("evt"), index=index, turn=turn, at=at, author=author, content=one.text))
        else:
            turn, fence = max(turn, 1), fence + 1
            reply = _reply(conversation.id, turn, index, one, at, new_id)
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
            "events": tuple(events),
            "runs": tuple(runs),
            "agent_states": states,
            "updated_at": at,
        }
    )


def _reply(
    conversation_id: str, turn: int, index: int, said: Said, at: datetime, new_id: Callable[[str], str]
) -> AgentReply:
    return AgentReply(
        id=new_id("evt"),
        index=index,
        turn=turn,
        at=at,
        author=DEFAULT_AGENT,
        content=said.text,
        run_id=new_id(f"run_{conversation_id}_{turn}"),
        model=IMPORTED,
        mode=_MODE,
        tools_used=said.tools,
    )


def _run(reply: AgentReply, events: list[Event], fence: int) -> Run:
    asked = (event.id for event in reversed(events) if isinstance(event, UserMessage))
    return Run(
        run_id=reply.run_id,
        fingerprint=IMPORTED,
        status="completed",
        fence=fence,
        agent=reply.author,
        turn=reply.turn,
        user_event_id=next(asked, reply.id),
        reply_event_id=reply.id,
        owner=IMPORTED,
        accepted_at=reply.at,
        completed_at=reply.at,
    )


WORKFLOW_CHANGE = "workflow_change"
"""The kind of the system event that records a change somebody made by hand."""
_MOST_LINES = 12


class HandChange(Value):
    """A new version of a workflow that a person made without asking an agent."""

    workflow_id: str
    name: str
    version: int
    previous_version: int
    action: str
    changes: tuple[str, ...]


def post_change(
    conversation: Conversation, change: HandChange, *, at: datetime, event_id: str
) -> tuple[Conversation, SystemEvent]:
    """Return the conversation with a change that was made beside it, and the event that records it.

    The agents read it when they next answer, and what is said next is about that workflow.
    """
    told = "; ".join(change.changes[:_MOST_LINES])
    more = len(change.changes) - _MOST_LINES
    told += f"; and {more} more" if more > 0 else ""
    content = f"The user changed {change.name!r} by hand, now version {change.version}: {told}"
    data = change.model_dump(mode="json")
    noted, event = with_event(conversation, WORKFLOW_CHANGE, content, data, at=at, event_id=event_id)
    reference = WorkflowReference(
        workflow_id=change.workflow_id,
        name=change.name,
        relation="modified",
        turn=conversation.turn_count,
        conversation_id=conversation.id,
        at=at,
    )
    references = merged_references(conversation.workflow_refs, (reference,))
    return noted.model_copy(update={"bound_workflow_id": change.workflow_id, "workflow_refs": references}), event


def post_message(
    conversation: Conversation, content: str, *, author: str | None, at: datetime, event_id: str
) -> tuple[Conversation, UserMessage]:
    """Return the conversation with a message that nobody is asked to answer, and the message.

    An author is an external party, whose words are data; None is the user.
    """
    event = UserMessage(
        id=event_id,
        index=conversation.next_index,
        turn=conversation.turn_count + 1,
        at=at,
        author=author or "user",
        content=content,
        is_external=author is not None,
    )
    changed = {"events": (*conversation.events, event), "updated_at": at}
    title = {} if conversation.title or author else {"title": title_from(content)}
    return conversation.model_copy(update=changed | title), event
