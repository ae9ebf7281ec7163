"""How a message gets into a conversation: exactly once, and only while no other is being answered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from workflow_agent.conversations.abandonment import interrupt_dead_runs
from workflow_agent.conversations.document import (
    AttachedDocument,
    Conversation,
    SystemEvent,
    UserMessage,
    WorkflowReference,
    merged_attachments,
)
from workflow_agent.conversations.handoffs import Handoff, hand_over
from workflow_agent.conversations.memory.references import merged_references
from workflow_agent.conversations.message_records import title_from
from workflow_agent.conversations.records import newest_in
from workflow_agent.conversations.runs import Run, replace_run
from workflow_agent.conversations.store import LeftBehind
from workflow_agent.errors import ConversationBusy, IdempotencyMismatch
from workflow_agent.values.stored import JsonObject, Value


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message as it comes in, and how it was sent."""

    content: str
    author: str
    agent: str
    fingerprint: str
    then: tuple[str, ...] = ()
    """The agents that answer it after the first."""
    handoff: Handoff | None = None
    """What it brings about, recorded before it."""
    key: str | None = None
    options: JsonObject = field(default_factory=dict)
    attachments: tuple[AttachedDocument, ...] = ()


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What became of a message: a new run, another attempt at its run, or a run that is there already."""

    conversation: Conversation
    run: Run
    is_new: bool
    """Whether a run has to be started for it."""


def accept_message(
    conversation: Conversation,
    message: NewMessage,
    *,
    owner: str,
    is_alive: Callable[[Run], bool],
    at: datetime,
    new_id: Callable[[str], str],
    left_by: Callable[[Run], LeftBehind] = lambda _: LeftBehind(),
) -> Acceptance:
    """Return the conversation with the message in it exactly once, and the run that answers it.

    A run whose process died is marked interrupted on the way.

    Args:
        conversation: As read under its lock.
        message: What to accept; its key, when it has one, makes a re-sent message the same message.
        owner: The server process that would run it.
        is_alive: Whether the process that works on a run is still at it.
        at: Now.
        new_id: Makes an id from its prefix.
        left_by: What a run whose process died left of its evidence.

    Raises:
        IdempotencyMismatch: The key was used for a different request.
        ConversationBusy: Another run is under way.
    """
    settled = interrupt_dead_runs(conversation, is_alive=is_alive, at=at, left_by=left_by)
    known = next((run for run in settled.runs if message.key is not None and run.key == message.key), None)
    if known is not None:
        if known.fingerprint != message.fingerprint:
            raise IdempotencyMismatch(
                f"The idempotency key {message.key!r} was used for a different request (run {known.run_id}). "
                "Send a new key with a new request.",
                run_id=known.run_id,
            )
        # Where several agents answer it, those that answered have: it goes on where it failed.
        last = newest_in(settled, known)
        if last.status not in ("interrupted", "failed"):
            return Acceptance(settled, known, is_new=False)
        _refuse_while_busy(settled)
        return _run_again(settled, last, owner, at)
    _refuse_while_busy(settled)
    return _first_attempt(settled, message, owner, at, new_id)


def taken_over(conversation: Conversation, run: Run, *, owner: str, at: datetime) -> Conversation:
    """Return the conversation with the run of a dead process as another attempt of this one's."""
    return _run_again(conversation, run, owner, at).conversation


def _refuse_while_busy(conversation: Conversation) -> None:
    active = conversation.active_run()
    if active is not None:
        raise ConversationBusy(
            f"Conversation {conversation.id!r} is answering another message (run {active.run_id}). "
            "Wait for that run or cancel it, then send again.",
            run_id=active.run_id,
            conversation_id=conversation.id,
        )


def _run_again(conversation: Conversation, known: Run, owner: str, at: datetime) -> Acceptance:
    again = known.model_copy(
        update={
            "status": "running",
            "fence": conversation.next_fence,
            "attempt": known.attempt + 1,
            "owner": owner,
            "accepted_at": at,
            "completed_at": None,
            "error": None,
            "iterations": (),
        }
    )
    changed = _working(conversation, at, replace_run(conversation.runs, again))
    return Acceptance(changed, again, is_new=True)


def _first_attempt(
    conversation: Conversation, message: NewMessage, owner: str, at: datetime, new_id: Callable[[str], str]
) -> Acceptance:
    if message.handoff is not None:
        conversation, _ = hand_over(conversation, message.handoff, at=at, new_id=new_id)
    turn = conversation.turn_count + 1
    attached = tuple(one.model_copy(update={"turn": turn}) for one in message.attachments)
    named = {"attachments": [one.attachment_id for one in attached]} if attached else {}
    event = UserMessage(
        id=new_id("evt"),
        index=conversation.next_index,
        turn=turn,
        at=at,
        author=message.author,
        content=message.content,
        run_id=new_id(f"run_{conversation.id}_{turn}"),
        options={**message.options, **named},
    )
    run = Run(
        run_id=str(event.run_id),
        key=message.key,
        fingerprint=message.fingerprint,
        status="running",
        fence=conversation.next_fence,
        agent=message.agent,
        turn=turn,
        user_event_id=event.id,
        owner=owner,
        accepted_at=at,
        then=message.then,
    )
    titled = conversation if conversation.title else _titled(conversation, message.content)
    changed = _working(titled, at, (*titled.runs, run))
    added = {"events": (*changed.events, event), "attachments": merged_attachments(changed.attachments, attached)}
    return Acceptance(changed.model_copy(update=added), run, is_new=True)


def _working(conversation: Conversation, at: datetime, runs: Sequence[Run]) -> Conversation:
    clock = conversation.execution_time.model_copy(update={"current_since": at})
    return conversation.model_copy(update={"runs": tuple(runs), "execution_time": clock, "updated_at": at})


def _titled(conversation: Conversation, message: str) -> Conversation:
    return conversation.model_copy(update={"title": title_from(message)})


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
    event = SystemEvent(
        id=event_id,
        index=conversation.next_index,
        at=at,
        content=content,
        kind=WORKFLOW_CHANGE,
        data=change.model_dump(mode="json"),
    )
    reference = WorkflowReference(
        workflow_id=change.workflow_id,
        name=change.name,
        relation="modified",
        turn=conversation.turn_count,
        conversation_id=conversation.id,
        at=at,
    )
    changed = {
        "events": (*conversation.events, event),
        "updated_at": at,
        "bound_workflow_id": change.workflow_id,
        "workflow_refs": merged_references(conversation.workflow_refs, (reference,)),
    }
    return conversation.model_copy(update=changed), event


def post_message(
    conversation: Conversation, content: str, *, author: str | None, at: datetime, event_id: str
) -> tuple[Conversation, UserMessage]:
    """Return the conversation with a message that nobody is asked to answer, and the message.

    Args:
        conversation: As read under its lock.
        content: What was said.
        author: Who said it, if not the user: an external party, whose words are data.
        at: Now.
        event_id: The message's id.
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
