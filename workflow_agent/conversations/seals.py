"""Which turns leave the conversation's file, and what stays of them there.

Only turns that a compaction covers are sealed: those the window does not show. A sealed turn is whole,
with its runs, its calls and the compactions that a later one took up. Nothing is dropped.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from workflow_agent.conversations.archive import SealedTurns
from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.compactions import Compaction, those_in_force, unsummarised
from workflow_agent.conversations.document import (
    SCHEMA_VERSION,
    AgentReply,
    Conversation,
    Event,
    PhaseTransition,
    SystemEvent,
    UserMessage,
)
from workflow_agent.conversations.message_records import call_id_of
from workflow_agent.conversations.runs import Run
from workflow_agent.values.stored import Value

KEY_TURNS = 64
"""An idempotency key is known for at least so many turns, sealed or not."""
NEWEST_TURNS = 2
"""So many turns are never sealed, whatever was compacted."""
_TRANSITIONS_KEPT = 64
_FAILURES_KEPT = 8
"""More of them in a row change nothing: the rest between two tries is at its longest after five."""


@dataclass(frozen=True, slots=True)
class SealRule:
    """When turns are sealed, and how many at a time."""

    above_bytes: int = 256 * 1024
    """The size of the conversation's file from which on turns leave it."""
    fewest_turns: int = 8
    """Fewer are not worth a file, unless the conversation's file is twice too large."""
    most_turns: int = 64

    def limit_bytes(self, conversation: Conversation) -> int:
        """Return the size above which a conversation is sealed: less once it was, so as to stay even."""
        return self.above_bytes * 2 // 3 if conversation.archive else self.above_bytes

    def turns_for(self, conversation: Conversation, size_bytes: int) -> int:
        """Return how many turns to seal at once: what brings a file well below its limit, and no more.

        Many at a time would make the file shrink and grow again, and a turn cost now half, now double.
        """
        live = conversation.turn_count - conversation.sealed_turns
        excess = size_bytes - self.above_bytes * 3 // 5
        return min(max(-(-excess * live // size_bytes), self.fewest_turns), self.most_turns)


class SealedPart(Value):
    """What one sealed file holds: turns as they were, and everything that belongs to them."""

    schema_version: Literal[2] = SCHEMA_VERSION
    id: str
    tenant: str
    first_turn: int
    last_turn: int
    first_call: int
    first_compaction: int = 0
    events: tuple[Event, ...]
    runs: tuple[Run, ...]
    calls: tuple[CallRecord, ...]
    compactions: tuple[Compaction, ...] = ()
    phase_transitions: tuple[PhaseTransition, ...] = ()


@dataclass(frozen=True, slots=True)
class Sealing:
    """Turns that are about to be sealed, and the conversation without them."""

    part: SealedPart
    rest: Conversation

    @property
    def name(self) -> str:
        """Return the name of the file for the part."""
        return f"turns-{self.part.first_turn:06}-{self.part.last_turn:06}.json"

    def sealed(self, sha256: str, size_bytes: int) -> Conversation:
        """Return the rest with the entry of the file that the part is in."""
        part = self.part
        entry = SealedTurns(
            first_turn=part.first_turn,
            last_turn=part.last_turn,
            first_index=part.events[0].index,
            last_index=part.events[-1].index,
            first_call=part.first_call,
            calls=len(part.calls),
            replies=sum(isinstance(event, AgentReply) for event in part.events),
            first_compaction=part.first_compaction,
            compactions=len(part.compactions),
            file=self.name,
            sha256=sha256,
            bytes=size_bytes,
            last_fence=max([self.rest.sealed_fence, *(run.fence for run in part.runs)]),
        )
        return self.rest.model_copy(update={"archive": (*self.rest.archive, entry)})


def next_sealing(conversation: Conversation, size_bytes: int, rule: SealRule) -> Sealing | None:
    """Return the oldest turns to seal now, or None.

    `size_bytes` is how long its file would be.
    """
    if size_bytes <= rule.limit_bytes(conversation) or not conversation.compactions:
        return None
    first = conversation.sealed_turns + 1
    wanted = first + rule.turns_for(conversation, size_bytes) - 1
    last = min(_last_compacted(conversation, first), wanted, _last_final(conversation))
    cut = _last_clean_cut(conversation.events, last)
    if cut is None:
        return None
    turns = max(map(_turn_of, conversation.events[:cut])) - first + 1
    few = turns < rule.fewest_turns and size_bytes <= 2 * rule.above_bytes
    return None if few else _split(conversation, cut, first)


def _last_compacted(conversation: Conversation, first: int) -> int:
    """Return the last turn up to which all are covered by compactions that were not undone."""
    reached = first - 1
    for one in sorted(conversation.compactions, key=lambda one: one.from_turn):
        if one.restored_at is None and one.from_turn <= reached + 1:
            reached = max(reached, one.to_turn)
    return reached


def _last_final(conversation: Conversation) -> int:
    """Return the last turn before any that may change: a new one, one under way, one to be sent again."""
    newest = conversation.turn_count
    unsettled = (
        run.turn
        for run in conversation.runs
        if run.status == "running"
        or (run.status in ("failed", "interrupted") and (run.key or run.follows) and run.turn > newest - KEY_TURNS)
    )
    return min(newest - NEWEST_TURNS, *(turn - 1 for turn in unsettled), newest)


def _turn_of(event: Event) -> int:
    return 0 if isinstance(event, SystemEvent) else event.turn


def _last_clean_cut(events: Sequence[Event], last: int) -> int | None:
    """Return how many of the events to take: whole turns up to one, and nothing of a later one.

    A run that was repeated may have left its reply after later turns; no cut goes between them.
    """
    highest = list(accumulate(map(_turn_of, events), max))
    lowest = last + 1
    for at in range(len(events) - 1, 0, -1):
        lowest = min(lowest, _turn_of(events[at]) or lowest)
        if isinstance(events[at], UserMessage) and 0 < highest[at - 1] < lowest:
            return at
    return None


def _split(conversation: Conversation, cut: int, first: int) -> Sealing:
    events = conversation.events[:cut]
    last = max(_turn_of(event) for event in events)
    of_sealed = message_calls(conversation.runs, {event.id for event in events})
    of_live = message_calls(conversation.runs, {event.id for event in conversation.events[cut:]})
    calls = tuple(calls_of(of_sealed, of_live, conversation.calls))
    taken = {id(call) for call in calls}
    superseded = _superseded(conversation.compactions, last)
    gone = {one.id for one in superseded}
    transitions = conversation.phase_transitions[:-_TRANSITIONS_KEPT]
    part = SealedPart(
        id=conversation.id,
        tenant=conversation.tenant,
        first_turn=first,
        last_turn=last,
        first_call=conversation.sealed_calls,
        first_compaction=conversation.sealed_compactions,
        events=events,
        calls=calls,
        compactions=superseded,
        runs=tuple(run for run in conversation.runs if first <= run.turn <= last),
        phase_transitions=transitions,
    )
    rest = conversation.model_copy(
        update={
            "events": conversation.events[cut:],
            "runs": tuple(_runs_left(conversation, last)),
            "calls": tuple(call for call in conversation.calls if id(call) not in taken),
            "compactions": tuple(one for one in conversation.compactions if one.id not in gone),
            "phase_transitions": conversation.phase_transitions[len(transitions) :],
        }
    )
    return Sealing(part, rest)


def message_calls(runs: Iterable[Run], message_ids: Iterable[str]) -> set[str]:
    """Return the ids that the calls of some messages have, one for each attempt at an answer."""
    attempts = {run.user_event_id: run.attempt for run in runs if run.follows is None}
    return {call_id_of(one, attempt) for one in message_ids for attempt in range(1, attempts.get(one, 1) + 1)}


def calls_of(of_sealed: set[str], of_live: set[str], calls: Sequence[CallRecord]) -> Iterable[CallRecord]:
    """Yield the call records of sealed turns: a message's own, and those made in answering it.

    One that names neither goes with the record before it, because records are kept in order.
    """
    taking = True
    for call in calls:
        ids = {call.call_id, call.parent_call_id}
        taking = bool(ids & of_sealed) or (taking and not ids & of_live)
        (of_sealed if taking else of_live).add(call.call_id)
        if taking:
            yield call


def _superseded(compactions: Sequence[Compaction], last: int) -> tuple[Compaction, ...]:
    """Return the compactions of sealed turns that the window needs no more.

    It needs the newest, which carries the facts of all, the last in force that has a summary, and of those since the
    first, from which on turns are not summed up, and the latest that asked for one in vain: they say when to ask again.
    """
    held = those_in_force(compactions)
    failed = unsummarised(held)
    summed_up = held[: len(held) - len(failed)]
    asked = [one for one in failed if one.model is not None]
    needed = (*compactions[-1:], *held[-1:], *summed_up[-1:], *failed[:1], *asked[-_FAILURES_KEPT:])
    kept = {one.id for one in needed}
    return tuple(one for one in compactions if one.to_turn <= last and one.id not in kept)


def in_order(compactions: Iterable[Compaction]) -> tuple[Compaction, ...]:
    """Return compactions as they were made: one that the window needs is sealed after later ones."""
    return tuple(sorted(compactions, key=lambda one: one.at))


def _runs_left(conversation: Conversation, last: int) -> Iterable[Run]:
    """Yield the runs of unsealed turns, and those of sealed ones whose key must still be known."""
    oldest_key = conversation.turn_count - KEY_TURNS + 1
    for run in conversation.runs:
        if run.turn > last:
            yield run
        elif run.key is not None and run.turn >= oldest_key:
            yield run.model_copy(update={"iterations": ()}) if run.iterations else run


def unsealed(conversation: Conversation, parts: Sequence[SealedPart]) -> Conversation:
    """Return the conversation with its newest sealed parts in it again, and out of its archive.

    The archive ends with these parts, oldest first, each with an entry of its own.
    """
    if not parts:
        return conversation
    holders = (*parts, conversation)
    back = [run for part in parts for run in part.runs]
    ids = {run.run_id for run in back}
    return conversation.model_copy(
        update={
            "archive": conversation.archive[: -len(parts)],
            "events": tuple(event for one in holders for event in one.events),
            # What was left of a run for its key alone is in the part, whole.
            "runs": (*back, *(run for run in conversation.runs if run.run_id not in ids)),
            "calls": tuple(call for one in holders for call in one.calls),
            "compactions": in_order(made for one in holders for made in one.compactions),
            "phase_transitions": tuple(made for one in holders for made in one.phase_transitions),
        }
    )


def whole_conversation(conversation: Conversation, parts: Sequence[SealedPart]) -> Conversation:
    """Return a conversation with all its sealed parts in it, as if no turn had ever left its file."""
    return unsealed(conversation, parts).model_copy(update={"archive": ()})


def no_longer_sealed(before: Conversation, after: Conversation) -> frozenset[str]:
    """Return the names of the files of an archive that were needed before and are not any more.

    Turns came back, or entries that one file stood for are listed by themselves again.
    """
    there = {one.file for one in after.archive}
    lists = [one for one in after.archive if one.kind == "index"]
    return frozenset(
        one.file
        for one in before.archive
        if one.file not in there
        and not any(listing.first_turn <= one.first_turn and one.last_turn <= listing.last_turn for listing in lists)
    )
