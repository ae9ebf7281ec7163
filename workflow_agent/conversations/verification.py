"""What can be wrong inside a conversation, and what of it can be set right without guessing."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple, TypeVar

from workflow_agent.conversations.document import AgentReply, Conversation
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.seals import SealedPart, whole_conversation
from workflow_agent.values.tokens import COUNTS, Totals

Change = Callable[[Conversation], Conversation]
Holder = TypeVar("Holder", AgentReply, Run)
"""What iterations are kept with."""
_CENT_OF_A_CENT = 1e-6


class Wrong(NamedTuple):
    """Something that is wrong in a conversation."""

    kind: str
    message: str
    change: Change | None = None
    """Sets it right; None where that would be a guess."""


def wrong_in(conversation: Conversation, parts: Sequence[SealedPart] = ()) -> Iterator[Wrong]:
    """Yield all that contradicts itself in a conversation and its sealed parts, whose files are sound."""
    everything = whole_conversation(conversation, parts)
    yield from _wrong_events(everything)
    yield from _wrong_runs(everything)
    yield from wrong_steps(conversation)
    yield from _wrong_totals(everything)


def _wrong_events(conversation: Conversation) -> Iterator[Wrong]:
    counted = Counter(event.id for event in conversation.events)
    for event_id in (one for one, times in counted.items() if times > 1):
        yield Wrong("duplicate_event_id", f"{counted[event_id]} events have the id {event_id!r}.")
    for expected, event in enumerate(conversation.events):
        if event.index != expected:
            yield Wrong("event_index_gap", f"Event {event.id!r} has the number {event.index}, not {expected}.")
            # Those after it are off by as much.
            return


def _wrong_runs(conversation: Conversation) -> Iterator[Wrong]:
    events = {event.id for event in conversation.events}
    runs = {run.run_id for run in conversation.runs}
    for run in conversation.runs:
        if run.user_event_id not in events:
            yield Wrong("run_without_message", f"The message {run.user_event_id!r} of run {run.run_id!r} is gone.")
        if run.status == "completed" and run.reply_event_id not in events:
            yield Wrong("run_without_reply", f"Run {run.run_id!r} is completed, and its reply is gone.")
    for event in conversation.events:
        if isinstance(event, AgentReply) and event.run_id not in runs:
            yield Wrong("reply_without_run", f"The run {event.run_id!r} of reply {event.id!r} is gone.")


def wrong_steps(conversation: Conversation) -> Iterator[Wrong]:
    """Yield the iterations and tool calls that are open although their run has ended."""
    runs = {run.run_id: run for run in conversation.runs}
    for event in conversation.events:
        if isinstance(event, AgentReply) and _is_open(event.iterations):
            run = runs.get(event.run_id)
            at = (run and run.completed_at) or event.at
            change = partial(_with_closed, event.id, at)
            yield Wrong("open_iteration", f"Reply {event.id!r} has an open step.", change)
    for run in conversation.runs:
        if run.status != "running" and _is_open(run.iterations):
            change = partial(_with_closed, run.run_id, run.completed_at) if run.completed_at else None
            yield Wrong("open_iteration", f"Run {run.run_id!r} is {run.status}, and a step is open.", change)


def _is_open(iterations: Iterable[Iteration]) -> bool:
    return any(one.completed_at is None or any(call.outcome is None for call in one.tool_calls) for one in iterations)


def _with_closed(holder_id: str, at: datetime, conversation: Conversation) -> Conversation:
    """Return the conversation with the iterations of a reply or a run closed, as when a run is cut off."""
    events = tuple(
        _closed(event, at) if isinstance(event, AgentReply) and event.id == holder_id else event
        for event in conversation.events
    )
    runs = tuple(_closed(run, at) if run.run_id == holder_id else run for run in conversation.runs)
    return conversation.model_copy(update={"events": events, "runs": runs})


def _closed(holder: Holder, at: datetime) -> Holder:
    iterations: list[Iteration] = []
    for one in holder.iterations:
        calls = tuple(call.model_copy(update={"outcome": call.outcome or "interrupted"}) for call in one.tool_calls)
        closed = {"completed_at": one.completed_at or at, "tool_calls": calls}
        iterations.append(one.model_copy(update=closed))
    return holder.model_copy(update={"iterations": tuple(iterations)})


def _wrong_totals(conversation: Conversation) -> Iterator[Wrong]:
    right, totals = _right_totals(conversation), conversation.usage_totals
    numbers = (*COUNTS, "turns")
    off = [name for name in numbers if getattr(totals, name) != getattr(right, name)]
    if abs(totals.cost_usd - right.cost_usd) > _CENT_OF_A_CENT:
        off.append("cost_usd")
    if off:
        said = ", ".join(f"{name} {getattr(totals, name)} instead of {getattr(right, name)}" for name in off)
        message = f"The totals do not agree with the replies: {said}."
        yield Wrong("wrong_totals", message, partial(_with_totals, right))


def _with_totals(right: Totals, conversation: Conversation) -> Conversation:
    return conversation.model_copy(update={"usage_totals": right})


def _right_totals(conversation: Conversation) -> Totals:
    """Return the totals moved no further than what is on record asks for.

    A run without a reply has spent what only the totals tell; compactions may be counted in them or not.
    """
    replies = [event for event in conversation.events if isinstance(event, AgentReply)]
    compactions, totals = conversation.compactions, conversation.usage_totals
    is_all_on_record = all(run.status == "completed" and run.attempt == 1 for run in conversation.runs)
    fields: dict[str, float] = {"turns": sum(reply.mode.source != "imported" for reply in replies)}
    for name in COUNTS:
        least = sum(getattr(reply.usage, name) for reply in replies)
        most = least + sum(getattr(one.usage, name) for one in compactions)
        fields[name] = _within(getattr(totals, name), least, most if is_all_on_record else None)
    cost = sum(reply.cost.total_usd or 0.0 for reply in replies)
    most_cost = cost + sum(one.cost.total_usd or 0.0 for one in compactions)
    fields["cost_usd"] = _within(totals.cost_usd, cost, most_cost if is_all_on_record else None)
    return Totals.model_validate({**totals.model_dump(), **fields})


def _within(value: float, least: float, most: float | None) -> float:
    return max(value, least) if most is None else min(max(value, least), most)
