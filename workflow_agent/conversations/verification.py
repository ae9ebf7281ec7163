"""What can be wrong inside a conversation, and what of it can be set right without guessing."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from workflow_agent.conversations.document import AgentReply, Conversation, Event
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.seals import SealedPart, in_order
from workflow_agent.values.tokens import COUNTS, Totals

Change = Callable[[Conversation], Conversation]
_CENT_OF_A_CENT = 1e-6


class Wrong(NamedTuple):
    """Something that is wrong in a conversation."""

    kind: str
    message: str
    change: Change | None = None
    """Sets it right; None where that would be a guess."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A conversation with all its sealed parts, where every one of them could be read."""

    conversation: Conversation
    parts: Sequence[SealedPart]

    @property
    def events(self) -> Sequence[Event]:
        """Return every event, oldest first."""
        return [*(event for part in self.parts for event in part.events), *self.conversation.events]

    def merged(self) -> Conversation:
        """Return the conversation as if no turn had ever left its file."""
        runs = {run.run_id: run for run in reversed(self.runs)}
        holders = (*self.parts, self.conversation)
        return self.conversation.model_copy(
            update={
                "events": tuple(self.events),
                "runs": tuple(reversed(runs.values())),
                "archive": (),
                "calls": tuple(call for one in holders for call in one.calls),
                "compactions": in_order(made for one in holders for made in one.compactions),
                "phase_transitions": tuple(made for one in holders for made in one.phase_transitions),
            }
        )

    @property
    def runs(self) -> Sequence[Run]:
        """Return every run; one that is kept for its key stands in its sealed part and in the file."""
        return [*(run for part in self.parts for run in part.runs), *self.conversation.runs]


def wrong_in(whole: Whole) -> Iterator[Wrong]:
    """Yield all that contradicts itself in a conversation whose files are sound."""
    yield from _wrong_events(whole)
    yield from _wrong_runs(whole)
    yield from wrong_steps(whole.conversation)
    yield from _wrong_totals(whole)


def _wrong_events(whole: Whole) -> Iterator[Wrong]:
    counted = Counter(event.id for event in whole.events)
    for event_id in (one for one, times in counted.items() if times > 1):
        yield Wrong("duplicate_event_id", f"{counted[event_id]} events have the id {event_id!r}.")
    for expected, event in enumerate(whole.events):
        if event.index != expected:
            yield Wrong("event_index_gap", f"Event {event.id!r} has the number {event.index}, not {expected}.")
            # Those after it are off by as much.
            return


def _wrong_runs(whole: Whole) -> Iterator[Wrong]:
    events = {event.id for event in whole.events}
    runs = {run.run_id for run in whole.runs}
    for run in {run.run_id: run for run in whole.runs}.values():
        if run.user_event_id not in events:
            yield Wrong("run_without_message", f"The message {run.user_event_id!r} of run {run.run_id!r} is gone.")
        if run.status == "completed" and run.reply_event_id not in events:
            yield Wrong("run_without_reply", f"Run {run.run_id!r} is completed, and its reply is gone.")
    for event in whole.events:
        if isinstance(event, AgentReply) and event.run_id not in runs:
            yield Wrong("reply_without_run", f"The run {event.run_id!r} of reply {event.id!r} is gone.")


def wrong_steps(conversation: Conversation) -> Iterator[Wrong]:
    """Yield the iterations and tool calls that are open although their run has ended."""
    runs = {run.run_id: run for run in conversation.runs}
    for event in conversation.events:
        if isinstance(event, AgentReply) and _is_open(event.iterations):
            run = runs.get(event.run_id)
            at = (run and run.completed_at) or event.at
            yield Wrong("open_iteration", f"Reply {event.id!r} has an open step.", _closing_reply(event.id, at))
    for run in conversation.runs:
        if run.status != "running" and _is_open(run.iterations):
            change = _closing_run(run.run_id, run.completed_at) if run.completed_at else None
            yield Wrong("open_iteration", f"Run {run.run_id!r} is {run.status}, and a step is open.", change)


def _is_open(iterations: Iterable[Iteration]) -> bool:
    return any(one.completed_at is None or any(call.outcome is None for call in one.tool_calls) for one in iterations)


def _closed(iterations: Iterable[Iteration], at: datetime) -> tuple[Iteration, ...]:
    """Return the iterations as they are closed when a run is cut off."""
    return tuple(
        one.model_copy(
            update={
                "completed_at": one.completed_at or at,
                "tool_calls": tuple(
                    call if call.outcome is not None else call.model_copy(update={"outcome": "interrupted"})
                    for call in one.tool_calls
                ),
            }
        )
        for one in iterations
    )


def _closing_reply(event_id: str, at: datetime) -> Change:
    def change(conversation: Conversation) -> Conversation:
        events = tuple(
            event.model_copy(update={"iterations": _closed(event.iterations, at)})
            if isinstance(event, AgentReply) and event.id == event_id
            else event
            for event in conversation.events
        )
        return conversation.model_copy(update={"events": events})

    return change


def _closing_run(run_id: str, at: datetime) -> Change:
    def change(conversation: Conversation) -> Conversation:
        runs = tuple(
            run.model_copy(update={"iterations": _closed(run.iterations, at)}) if run.run_id == run_id else run
            for run in conversation.runs
        )
        return conversation.model_copy(update={"runs": runs})

    return change


def _wrong_totals(whole: Whole) -> Iterator[Wrong]:
    right = _right_totals(whole)
    totals = whole.conversation.usage_totals
    numbers = (*COUNTS, "turns")
    off = [name for name in numbers if getattr(totals, name) != getattr(right, name)]
    if abs(totals.cost_usd - right.cost_usd) > _CENT_OF_A_CENT:
        off.append("cost_usd")
    if off:
        said = ", ".join(f"{name} {getattr(totals, name)} instead of {getattr(right, name)}" for name in off)
        message = f"The totals do not agree with the replies: {said}."
        yield Wrong("wrong_totals", message, _with_totals(right))


def _with_totals(right: Totals) -> Change:
    def change(conversation: Conversation) -> Conversation:
        return conversation.model_copy(update={"usage_totals": right})

    return change


def _right_totals(whole: Whole) -> Totals:
    """Return the totals moved no further than what is on record asks for.

    A run without a reply has spent what only the totals tell; compactions may be counted in them or not.
    """
    replies = [event for event in whole.events if isinstance(event, AgentReply)]
    compactions = [one for part in whole.parts for one in part.compactions]
    compactions += whole.conversation.compactions
    is_all_on_record = all(run.status == "completed" and run.attempt == 1 for run in whole.runs)
    totals = whole.conversation.usage_totals
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
