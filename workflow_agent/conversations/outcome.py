"""How a run ends: with a reply, or without one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.document import (
    WRITES,
    AgentReply,
    AgentState,
    Conversation,
    ExecutionTime,
    ModeRecord,
    WorkflowReference,
    WorkflowTouch,
)
from workflow_agent.conversations.iterations import FinishReason, Iteration, session_in
from workflow_agent.conversations.memory.references import merged_references
from workflow_agent.conversations.message_records import EndStatus, title_from, title_of_work
from workflow_agent.conversations.runs import Run, RunError, replace_run
from workflow_agent.conversations.transitions import Handoff, PhaseChange, change_phase, hand_over, with_event
from workflow_agent.errors import PhaseNotAllowed, StaleRun
from workflow_agent.values.stored import JsonObject
from workflow_agent.values.tokens import Cost, RunCosts, Usage, added
from workflow_agent.workflows.previews import Preview

AUTO_TITLE = "auto_title"
"""The metadata that holds the title nobody gave; once the conversation has another, it stays."""
NOTHING_SPENT = RunCosts()


@dataclass(frozen=True, slots=True)
class Reply:
    """What a finished run brings to its conversation."""

    content: str
    model: str
    mode: ModeRecord
    tools_used: tuple[str, ...]
    workflows_touched: tuple[WorkflowTouch, ...]
    references: tuple[WorkflowReference, ...]
    usage: Usage
    cost: Cost
    context: JsonObject
    iterations: tuple[Iteration, ...]
    calls: tuple[CallRecord, ...]
    bound_workflow_id: str | None
    phase_changes: tuple[PhaseChange, ...] = ()
    handoffs: tuple[Handoff, ...] = ()
    seen_index: int | None = None
    """The newest event the agent had before it when it began; None where it saw all."""
    preview: Preview | None = None
    finish_reason: FinishReason = "stop"
    unconfirmed_claims: tuple[str, ...] = ()


def current_run(conversation: Conversation | None, run_id: str, fence: int) -> Run:
    """Return the run if this attempt at it may still write.

    Raises:
        StaleRun: It was cancelled or interrupted, another attempt took over, or the conversation is gone.
    """
    run = conversation.run(run_id) if conversation else None
    if run is None or run.status != "running" or run.fence != fence:
        state = "gone" if run is None else f"{run.status} (fence {run.fence})"
        raise StaleRun(
            f"Run {run_id!r} with fence {fence} may not commit: it is {state}. Its result was discarded.", run_id=run_id
        )
    return run


def commit_reply(
    conversation: Conversation, run_id: str, fence: int, reply: Reply, *, at: datetime, new_id: Callable[[str], str]
) -> Conversation:
    """Return the conversation with the run's reply, its evidence and what it learned.

    Raises:
        StaleRun: This attempt lost its fence.
    """
    run = current_run(conversation, run_id, fence)
    event = AgentReply(
        id=new_id("evt"),
        index=conversation.next_index,
        turn=run.turn,
        at=at,
        author=run.agent,
        content=reply.content,
        run_id=run_id,
        model=reply.model,
        mode=reply.mode,
        tools_used=reply.tools_used,
        workflows_touched=reply.workflows_touched,
        usage=reply.usage,
        cost=reply.cost,
        context=reply.context,
        iterations=reply.iterations,
        duration_ms=run.worked_ms(at),
        preview=reply.preview,
        finish_reason=reply.finish_reason,
        unconfirmed_claims=reply.unconfirmed_claims,
    )
    done = run.model_copy(update={"status": "completed", "completed_at": at, "reply_event_id": event.id, "error": None})
    ended = run_ended(conversation, done, at, reply.iterations)
    state = ended.agent_states.get(run.agent, AgentState())
    # What came in while it answered, it has not read.
    has_read_all = reply.seen_index is None or event.index == reply.seen_index + 1
    read_until = event.index if has_read_all else reply.seen_index or 0
    read = state.model_copy(update={"last_processed_index": max(read_until, state.last_processed_index)})
    replied = ended.model_copy(
        update={
            "events": (*conversation.events, event),
            "calls": (*conversation.calls, *reply.calls),
            "agent_states": {**ended.agent_states, run.agent: read},
            "workflow_refs": merged_references(conversation.workflow_refs, reply.references),
            "bound_workflow_id": reply.bound_workflow_id,
            "usage_totals": added(conversation.usage_totals, reply.usage, reply.cost, turns=0 if run.follows else 1),
        }
    )
    titled = _titled(replied, run, reply)
    return _passed_on(_moved_on(titled, reply, at, new_id), done, reply, at, new_id)


def _titled(conversation: Conversation, run: Run, reply: Reply) -> Conversation:
    """Return the conversation titled by what happened in it, unless somebody gave it a title."""
    asked = next((e for e in reversed(conversation.events) if e.id == run.user_event_id), None)
    message = asked.content if asked else ""
    if conversation.title not in (conversation.metadata.get(AUTO_TITLE), title_from(message)):
        return conversation
    title = title_of_work(reply.workflows_touched, reply.calls, reply.mode.name, message)
    did_write = any(one.change in WRITES for one in reply.workflows_touched)
    if title is None or (AUTO_TITLE in conversation.metadata and not did_write):
        return conversation
    return conversation.model_copy(update={"title": title, "metadata": {**conversation.metadata, AUTO_TITLE: title}})


def _passed_on(
    conversation: Conversation, run: Run, reply: Reply, at: datetime, new_id: Callable[[str], str]
) -> Conversation:
    """Return the conversation with the next agent's run open, where another answers the same message."""
    following = tuple(dict.fromkeys((*(one.to for one in reply.handoffs), *run.then)))
    if not following:
        return conversation
    opened = Run(
        run_id=new_id(f"run_{conversation.id}_{run.turn}"),
        fingerprint=run.fingerprint,
        status="running",
        fence=conversation.next_fence,
        agent=following[0],
        turn=run.turn,
        owner=run.owner,
        accepted_at=at,
        user_event_id=run.user_event_id,
        follows=run.run_id,
        then=following[1:],
    )
    return run_begun(conversation, (*conversation.runs, opened), at)


def _moved_on(conversation: Conversation, reply: Reply, at: datetime, new_id: Callable[[str], str]) -> Conversation:
    """Return the conversation with what the run decided about its course."""
    for change in reply.phase_changes:
        try:
            conversation, _ = change_phase(conversation, change, at=at, new_id=new_id)
        except PhaseNotAllowed as refused:
            # Somebody changed the phase meanwhile: the reply stands, and that it was too late is on record.
            content = f"{change.agent} could not change the phase. {refused.message}"
            kind, data = "phase_change_refused", change.model_dump(mode="json")
            conversation, _ = with_event(conversation, kind, content, data, at=at, event_id=new_id("evt"))
    for handoff in reply.handoffs:
        conversation, _ = hand_over(conversation, handoff, at=at, new_id=new_id)
    return conversation


def run_begun(conversation: Conversation, runs: Sequence[Run], at: datetime) -> Conversation:
    """Return the conversation with its runs, one of which begins: the clock of its work started."""
    clock = conversation.execution_time.model_copy(update={"current_since": at})
    return conversation.model_copy(update={"runs": tuple(runs), "execution_time": clock, "updated_at": at})


def run_ended(conversation: Conversation, run: Run, at: datetime, steps: Sequence[Iteration]) -> Conversation:
    """Return the conversation with a run ended: the clock of its work stopped, its session kept.

    The session that its steps name becomes its agent's; an agent whose steps name none keeps its own.
    """
    clock, states, session_id = conversation.execution_time, conversation.agent_states, session_in(steps)
    if session_id is not None:
        state = states.get(run.agent, AgentState())
        states = {**states, run.agent: state.model_copy(update={"session_id": session_id})}
    return conversation.model_copy(
        update={
            "runs": replace_run(conversation.runs, run),
            "execution_time": ExecutionTime(total_ms=clock.total_ms + clock.current_ms(at)),
            "agent_states": states,
            "updated_at": at,
        }
    )


def end_run(
    conversation: Conversation,
    run_id: str,
    fence: int,
    status: EndStatus,
    *,
    error: RunError,
    iterations: Sequence[Iteration] = (),
    calls: Sequence[CallRecord] = (),
    spent: RunCosts = NOTHING_SPENT,
    at: datetime,
) -> Conversation:
    """Return the conversation with a run ended without a reply: its evidence kept, and what it spent counted.

    Raises:
        StaleRun: This attempt lost its fence.
    """
    run = current_run(conversation, run_id, fence)
    end = {"status": status, "completed_at": at, "error": error, "iterations": tuple(iterations)}
    changed = run_ended(conversation, run.model_copy(update=end), at, iterations)
    totals = added(changed.usage_totals, spent.usage, spent.cost, turns=0)
    return changed.model_copy(update={"calls": (*changed.calls, *calls), "usage_totals": totals})
