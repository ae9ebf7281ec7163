"""A fork: a new conversation that holds another up to one of its events, with all evidence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.compactions import Compaction
from workflow_agent.conversations.document import (
    AgentReply,
    AgentState,
    AttachedDocument,
    Conversation,
    Event,
    ExecutionTime,
    ForkedFrom,
    Phase,
    PhaseTransition,
    SystemEvent,
    UserMessage,
    WorkflowReference,
)
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.seals import calls_of, in_order, message_calls
from workflow_agent.conversations.transitions import HANDOFF, PHASE_CHANGE
from workflow_agent.values.tokens import Totals, added


@dataclass(frozen=True, slots=True)
class NewFork:
    """What a fork is made with."""

    id: str
    index: int
    """The last event that it holds."""
    at: datetime
    title: str | None = None
    """None keeps the title."""


def forked(old: Conversation, fork: NewFork) -> Conversation:
    """Return a new conversation that holds another one up to an event.

    The old one comes whole: its sealed turns become turns of the fork's own file. A message whose answer comes after
    that event stays as one that was not answered. What an agent shared with its provider stays behind, and so do
    idempotency keys: they stand for what was sent there.
    """
    events = old.events[: fork.index + 1]
    answered = {run.run_id: run for run in _ended(events, old.runs)}
    kept = tuple(_as_kept(event, answered) for event in events)
    transitions = _transitions(old, events)
    replies = [event for event in events if isinstance(event, AgentReply)]
    last = events[-1]
    last_turn = max((event.turn for event in kept if not isinstance(event, SystemEvent)), default=0)
    return Conversation(
        id=fork.id,
        tenant=old.tenant,
        title=old.title if fork.title is None else fork.title,
        phase=_phase(old, transitions),
        created_at=fork.at,
        updated_at=fork.at,
        bound_workflow_id=_open_workflow(old, fork.index),
        mode_override=old.mode_override,
        forked_from=ForkedFrom(conversation_id=old.id, event_id=last.id, index=last.index, turn=last_turn, at=fork.at),
        events=kept,
        runs=tuple(run.model_copy(update={"key": None}) for run in answered.values()),
        agent_states=_states(old.agent_states, last.index),
        phase_transitions=transitions,
        calls=_calls(old, kept, answered),
        workflow_refs=tuple(as_own(one, old.id, fork.id) for one in old.workflow_refs if one.turn <= last_turn),
        attachments=_attachments(old.attachments, kept),
        compactions=tuple(_compactions(old, kept)),
        usage_totals=_totals(replies),
        execution_time=ExecutionTime(total_ms=sum(one.duration_ms or 0.0 for one in replies)),
        metadata=old.metadata,
    )


def _ended(events: Sequence[Event], runs: Sequence[Run]) -> Iterator[Run]:
    """Yield the runs that ended within some events: with a reply among them, or without any."""
    held = {event.id for event in events}
    for run in runs:
        is_over = run.status != "running" and (run.reply_event_id is None or run.reply_event_id in held)
        if run.user_event_id in held and is_over:
            yield run


def _as_kept(event: Event, runs: Mapping[str, Run]) -> Event:
    if isinstance(event, UserMessage) and event.run_id is not None and event.run_id not in runs:
        return event.model_copy(update={"run_id": None})
    return event


def _calls(old: Conversation, kept: Sequence[Event], answered: Mapping[str, Run]) -> tuple[CallRecord, ...]:
    """Return the records of the calls that answered the kept messages."""
    held = {event.id for event in kept if isinstance(event, UserMessage) and event.run_id in answered}
    of_kept = message_calls(old.runs, held)
    of_rest = message_calls(old.runs, {event.id for event in old.events} - held)
    return tuple(calls_of(of_kept, of_rest, old.calls))


def _transitions(old: Conversation, events: Sequence[Event]) -> tuple[PhaseTransition, ...]:
    """Return as many transitions as the events tell of; each has one."""
    told = sum(isinstance(one, SystemEvent) and one.kind in (PHASE_CHANGE, HANDOFF) for one in events)
    return old.phase_transitions[:told]


def _phase(old: Conversation, kept: Sequence[PhaseTransition]) -> Phase:
    if kept:
        return kept[-1].to
    return old.phase_transitions[0].from_ if old.phase_transitions else old.phase


def _open_workflow(old: Conversation, index: int) -> str | None:
    """Return the workflow that was open after an event."""
    touched = [
        (reply.index, touch)
        for reply in old.events
        if isinstance(reply, AgentReply)
        for touch in reply.workflows_touched
    ]
    if not any(at > index for at, _ in touched):
        return old.bound_workflow_id
    opened: str | None = None
    for at, touch in touched:
        if at <= index and touch.change != "discussed":
            opened = None if touch.change == "deleted" else touch.id
    return opened


def _attachments(known: Sequence[AttachedDocument], kept: Sequence[Event]) -> tuple[AttachedDocument, ...]:
    """Return the documents that came with the kept messages, in the order of their last mention there.

    One that came again later had its turn moved on.
    """
    mentioned: dict[str, int] = {}
    for event in kept:
        if isinstance(event, UserMessage):
            mentioned.update(dict.fromkeys(event.options.get("attachments", ()), event.turn))
    held = (one for one in known if one.attachment_id in mentioned)
    turned = (one.model_copy(update={"turn": mentioned[one.attachment_id]}) for one in held)
    return tuple(sorted(turned, key=lambda one: one.turn))


def _states(states: Mapping[str, AgentState], index: int) -> dict[str, AgentState]:
    read = {name: min(state.last_processed_index, index) for name, state in states.items()}
    return {name: AgentState(last_processed_index=until) for name, until in read.items()}


def as_own(reference: WorkflowReference, old_id: str, new_id: str) -> WorkflowReference:
    """Return a reference of a conversation as it reads under its new id."""
    if reference.conversation_id != old_id:
        return reference
    return reference.model_copy(update={"conversation_id": new_id})


def _compactions(old: Conversation, kept: Sequence[Event]) -> Iterator[Compaction]:
    """Yield the compactions that lie wholly within the kept events."""
    held = {event.id for event in kept}
    newest = max((event.turn for event in kept if isinstance(event, AgentReply)), default=0)
    for one in in_order(old.compactions):
        if one.to_turn <= newest and held.issuperset(one.event_ids):
            yield one


def _totals(replies: Iterable[AgentReply]) -> Totals:
    totals = Totals()
    for one in replies:
        totals = added(totals, one.usage, one.cost, turns=int(one.mode.source != "imported"))
    return totals
