"""How a message gets into a conversation, and how a run ends that its own process does not end: cancelled, or dead."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.calls import ended_calls, tool_record
from workflow_agent.conversations.document import AttachedDocument, Conversation, UserMessage, merged_attachments
from workflow_agent.conversations.iterations import Iteration, TurnContext, close
from workflow_agent.conversations.message_records import call_id_of, message_call, title_from
from workflow_agent.conversations.outcome import run_begun, run_ended
from workflow_agent.conversations.records import leading_in, newest_in
from workflow_agent.conversations.runs import Run, RunError, replace_run
from workflow_agent.conversations.store import LeftBehind
from workflow_agent.conversations.transitions import Handoff, hand_over
from workflow_agent.errors import ConversationBusy, IdempotencyMismatch, RunNotFound
from workflow_agent.values.stored import JsonObject


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
    left_by: Callable[[Run], LeftBehind] = lambda _: _NOTHING,
) -> Acceptance:
    """Return the conversation with the message in it exactly once, and the run that answers it.

    A key makes a re-sent message the same message. A run whose process died is marked interrupted on the way;
    `left_by` gives what it left of its evidence.

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
    changed = run_begun(conversation, replace_run(conversation.runs, again), at)
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
    changed = run_begun(conversation, (*conversation.runs, run), at)
    added = {
        "title": conversation.title or title_from(message.content),
        "events": (*changed.events, event),
        "attachments": merged_attachments(changed.attachments, attached),
    }
    return Acceptance(changed.model_copy(update=added), run, is_new=True)


_INTERRUPTED = RunError(
    type="Interrupted", message="The server stopped before the reply was ready. Send the message again.", retriable=True
)

_NOTHING = LeftBehind()


def cancel_run(conversation: Conversation, run_id: str, *, at: datetime, left: LeftBehind = _NOTHING) -> Conversation:
    """Return the conversation with a running run cancelled; unchanged when it has ended already.

    Raises:
        RunNotFound: The conversation has no such run.
    """
    run = conversation.run(run_id)
    if run is None:
        raise RunNotFound(f"Conversation {conversation.id!r} has no run {run_id!r}.", run_id=run_id)
    if run.status != "running":
        return conversation
    error = RunError(type="Cancelled", message="The run was cancelled on request.", retriable=False)
    return _ended_outside(conversation, run, "cancelled", left, at, error)


def interrupt_dead_runs(
    conversation: Conversation,
    *,
    is_alive: Callable[[Run], bool],
    at: datetime,
    left_by: Callable[[Run], LeftBehind] = lambda _: _NOTHING,
) -> Conversation:
    """Return the conversation with every run of a dead process marked interrupted."""
    changed = conversation
    for run in conversation.runs:
        if run.status == "running" and not is_alive(run):
            left = left_by(run)
            # Nobody knows when it died: its work is counted to its last sign of life.
            finished = left.iterations[-1].completed_at if left.iterations else None
            signs = [sign for sign in (run.accepted_at, finished, left.last_seen) if sign is not None]
            changed = _ended_outside(changed, run, "interrupted", left, at, _INTERRUPTED, min(max(signs), at))
    return changed


def _ended_outside(
    conversation: Conversation,
    run: Run,
    status: Literal["cancelled", "interrupted"],
    left: LeftBehind,
    at: datetime,
    error: RunError,
    worked_until: datetime | None = None,
) -> Conversation:
    steps = _closed(left.iterations, at)
    ended = run.model_copy(update={"status": status, "completed_at": at, "error": error, "iterations": steps})
    changed = run_ended(conversation, ended, worked_until or at, steps).model_copy(update={"updated_at": at})
    calls = tuple(_calls_left(conversation, ended, steps, left.calls, at))
    return changed.model_copy(update={"calls": (*changed.calls, *calls)})


def _closed(left: Sequence[Iteration], at: datetime) -> tuple[Iteration, ...]:
    """Return the iterations completed, their open calls answered as interrupted."""
    if not left or left[-1].completed_at is not None:
        return tuple(left)
    turn = TurnContext(
        iterations=tuple(left), current_iteration=left[-1].number, created_at=left[0].started_at, updated_at=at
    )
    return close(turn, at=at).iterations


def _calls_left(
    conversation: Conversation, run: Run, steps: Sequence[Iteration], known: Sequence[CallRecord], at: datetime
) -> Iterator[CallRecord]:
    """Yield one record for the message and for each call: as it was kept, or as the iterations tell it."""
    parent = call_id_of(run.user_event_id, leading_in(conversation, run).attempt)
    status = "cancelled" if run.status == "cancelled" else "interrupted"
    message = next((event for event in conversation.events if event.id == run.user_event_id), None)
    if isinstance(message, UserMessage) and run.follows is None:
        yield message_call(message, run, status, at, run.error)
    yield from known
    recorded = {record.call_id for record in known}
    for step in steps:
        for call in ended_calls(step, status):
            if call.id not in recorded:
                yield tool_record(call, parent)
