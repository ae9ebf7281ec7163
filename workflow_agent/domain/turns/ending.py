"""How a run ends: with a reply, or without one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from workflow_agent.domain.call_history import CallRecord
from workflow_agent.domain.conversation import (
    AgentReply,
    AgentState,
    Conversation,
    Cost,
    ExecutionTime,
    ModeRecord,
    Run,
    RunError,
    Totals,
    Usage,
    WorkflowReference,
    WorkflowTouch,
    replace_run,
)
from workflow_agent.domain.errors import RunNotFound, StaleRun
from workflow_agent.domain.iterations import Iteration
from workflow_agent.domain.values import JsonObject

EndStatus = Literal["failed", "cancelled", "interrupted"]
"""How a run ends that leaves no reply."""


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


def current_run(conversation: Conversation, run_id: str, fence: int) -> Run:
    """Return the run if this attempt at it may still commit.

    Raises:
        StaleRun: It was cancelled or interrupted, or another attempt took over.
    """
    run = conversation.run(run_id)
    if run is None or run.status != "running" or run.fence != fence:
        state = "gone" if run is None else f"{run.status} (fence {run.fence})"
        raise StaleRun(
            f"Run {run_id!r} with fence {fence} may not commit: it is {state}. Its result was discarded.",
            run_id=run_id,
        )
    return run


def commit_reply(
    conversation: Conversation,
    run_id: str,
    fence: int,
    reply: Reply,
    *,
    at: datetime,
    new_id: Callable[[str], str],
) -> Conversation:
    """Return the conversation with the run's reply, its evidence and what it learned.

    Raises:
        StaleRun: This attempt lost its fence.
    """
    run = current_run(conversation, run_id, fence)
    event = AgentReply(
        id=new_id("evt"), index=conversation.next_index, turn=run.turn, at=at, author=run.agent,
        content=reply.content, run_id=run_id, model=reply.model, mode=reply.mode,
        tools_used=reply.tools_used, workflows_touched=reply.workflows_touched, usage=reply.usage,
        cost=reply.cost, context=reply.context, iterations=reply.iterations,
        duration_ms=_elapsed_ms(run.accepted_at, at),
    )  # fmt: skip
    done = run.model_copy(
        update={"status": "completed", "completed_at": at, "reply_event_id": event.id, "error": None}
    )
    state = conversation.agent_states.get(run.agent, AgentState())
    read = state.model_copy(update={"last_processed_index": event.index})
    return _ended(conversation, done, at).model_copy(
        update={
            "events": (*conversation.events, event),
            "calls": (*conversation.calls, *reply.calls),
            "agent_states": {**conversation.agent_states, run.agent: read},
            "workflow_refs": merged_references(conversation.workflow_refs, reply.references),
            "bound_workflow_id": reply.bound_workflow_id,
            "usage_totals": _added(conversation.usage_totals, reply),
        }
    )


def _added(totals: Totals, reply: Reply) -> Totals:
    summed = totals.plus(reply.usage)
    return Totals(
        **summed.model_dump(),
        turns=totals.turns + 1,
        cost_usd=totals.cost_usd + (reply.cost.total_usd or 0.0),
    )


def _elapsed_ms(since: datetime, until: datetime) -> float:
    return max((until - since) / timedelta(milliseconds=1), 0.0)


def _ended(conversation: Conversation, run: Run, at: datetime) -> Conversation:
    clock = conversation.execution_time
    worked = _elapsed_ms(clock.current_since, at) if clock.current_since else 0.0
    return conversation.model_copy(
        update={
            "runs": replace_run(conversation.runs, run),
            "execution_time": ExecutionTime(total_ms=clock.total_ms + worked),
            "updated_at": at,
        }
    )


def merged_references(
    known: Sequence[WorkflowReference], new: Sequence[WorkflowReference]
) -> tuple[WorkflowReference, ...]:
    """Return one reference for each workflow and relation, the newest last."""
    newest = {(ref.workflow_id, ref.relation): ref for ref in new}
    kept = [ref for ref in known if (ref.workflow_id, ref.relation) not in newest]
    return (*kept, *newest.values())


def end_run(
    conversation: Conversation,
    run_id: str,
    fence: int,
    status: EndStatus,
    *,
    error: RunError,
    iterations: Sequence[Iteration] = (),
    calls: Sequence[CallRecord] = (),
    at: datetime,
) -> Conversation:
    """Return the conversation with a run ended without a reply, its evidence kept on the run.

    Raises:
        StaleRun: This attempt lost its fence.
    """
    run = current_run(conversation, run_id, fence)
    ended = run.model_copy(
        update={"status": status, "completed_at": at, "error": error, "iterations": tuple(iterations)}
    )
    changed = _ended(conversation, ended, at)
    return changed.model_copy(update={"calls": (*changed.calls, *calls)})


def cancel_run(conversation: Conversation, run_id: str, *, at: datetime) -> Conversation:
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
    return end_run(conversation, run_id, run.fence, "cancelled", error=error, at=at)


def interrupt_dead_runs(
    conversation: Conversation, *, is_alive: Callable[[Run], bool], at: datetime
) -> Conversation:
    """Return the conversation with every run of a dead process marked interrupted."""
    changed = conversation
    for run in conversation.runs:
        if run.status == "running" and not is_alive(run):
            error = RunError(
                type="Interrupted",
                message="The server stopped before the reply was ready. Send the message again.",
                retriable=True,
            )
            ended = run.model_copy(update={"status": "interrupted", "completed_at": at, "error": error})
            changed = _ended(changed, ended, run.accepted_at)
    return changed
