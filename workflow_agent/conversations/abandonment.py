"""How a run ends that is not ended by the process that works on it: cancelled elsewhere, or found dead."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Literal

from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.calls import ended_calls, tool_record
from workflow_agent.conversations.document import Conversation, UserMessage
from workflow_agent.conversations.iterations import Iteration, TurnContext, close
from workflow_agent.conversations.message_records import call_id_of, message_call
from workflow_agent.conversations.outcome import run_ended
from workflow_agent.conversations.records import leading_in
from workflow_agent.conversations.runs import Run, RunError
from workflow_agent.conversations.store import LeftBehind
from workflow_agent.errors import RunNotFound

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
    """Return the conversation with every run of a dead process marked interrupted.

    Args:
        conversation: As read under its lock.
        is_alive: Whether the process that works on a run is still at it.
        at: Now.
        left_by: What a dead run left of its evidence.
    """
    changed = conversation
    for run in conversation.runs:
        if run.status == "running" and not is_alive(run):
            left = left_by(run)
            # Nobody knows when it died: its work is counted to its last sign of life.
            finished = left.iterations[-1].completed_at if left.iterations else None
            signs = [sign for sign in (run.accepted_at, finished, left.last_seen) if sign is not None]
            worked_until = min(max(signs), at)
            changed = _ended_outside(changed, run, "interrupted", left, at, _INTERRUPTED, worked_until)
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
