"""When the window is compacted, and which turns go."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, TypeVar

from workflow_agent.assistant.compaction.ledger import merged
from workflow_agent.assistant.modes.conversation_mode import reply_that_waits
from workflow_agent.conversations.compactions import (
    Compaction,
    CompactionTrigger,
    Ledger,
    Summary,
    those_in_force,
    unsummarised,
)
from workflow_agent.conversations.document import Conversation, Event, UserMessage
from workflow_agent.values.stored import JsonObject
from workflow_agent.values.tokens import SHARE_OF_WINDOW, Utilization

V = TypeVar("V")
R = TypeVar("R")


class _Same(Generic[V]):
    """A value that equals nothing but itself, whatever it holds: comparing its parts would take too long."""

    __slots__ = ("value",)

    def __init__(self, value: V) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value  # pyright: ignore[reportUnknownMemberType] - of any type


def once_each(most: int) -> Callable[[Callable[[V], R]], Callable[[V], R]]:
    """Return a decorator for a function of one unchanging value; so many of the latest, and their results, are kept."""

    def decorate(function: Callable[[V], R]) -> Callable[[V], R]:
        @lru_cache(maxsize=most)
        def made(same: _Same[V]) -> R:
            return function(same.value)

        return lambda value: made(_Same(value))

    return decorate


KEPT: Final = 32
"""Conversations whose facts stay in memory, at most 24 kB each."""


def in_force(conversation: Conversation) -> tuple[Compaction, ...]:
    """Return the compactions that were not undone, oldest first."""
    return those_in_force(conversation.compactions)


def newest(conversation: Conversation) -> Compaction | None:
    """Return the compaction that speaks for all compacted turns, or None."""
    return next(iter(in_force(conversation)[::-1]), None)


def facts_of(compactions: Sequence[Compaction]) -> Ledger:
    """Return the facts of all turns that compactions cover."""
    held = those_in_force(compactions)
    # What moved to the archive, the newest carries; a fork may hold the others without the newest.
    return _merged(_Same(held[-1].carried), *(_Same(one.ledger) for one in held)) if held else Ledger()


# A compaction asks for them six times, and those that differ in summary or extracts alone have the same ledgers.
@lru_cache(maxsize=KEPT)
def _merged(*ledgers: _Same[Ledger]) -> Ledger:
    return merged(*(one.value for one in ledgers))[0]


def hidden_events(conversation: Conversation) -> frozenset[str]:
    """Return the ids of the events that the window does not show, as far as they are not sealed."""
    return _hidden_by(conversation.compactions)


@once_each(most=KEPT)
def _hidden_by(compactions: Sequence[Compaction]) -> frozenset[str]:
    return frozenset(event_id for one in those_in_force(compactions) for event_id in one.event_ids)


def turns_compacted(conversation: Conversation) -> int:
    """Return how many turns the window does not show, sealed ones included."""
    return turns_covered(in_force(conversation))


def turns_covered(held: Sequence[Compaction]) -> int:
    """Return how many turns compactions in force cover."""
    return max((one.to_turn for one in held), default=0)


def open_turns(conversation: Conversation) -> list[UserMessage]:
    """Return the first message of each turn that the window may show, oldest first."""
    hidden = hidden_events(conversation)
    first: dict[int, UserMessage] = {}
    for event in conversation.events:
        if isinstance(event, UserMessage) and event.id not in hidden:
            first.setdefault(event.turn, event)
    return sorted(first.values(), key=lambda message: message.index)


def newest_summary(held: Sequence[Compaction]) -> Summary | None:
    """Return the newest summary of compactions in force; one that got none leaves the earlier one in place."""
    return next((one.summary for one in reversed(held) if one.summary is not None), None)


def events_of(conversation: Conversation, compactions: Sequence[Compaction]) -> tuple[Event, ...]:
    """Return the events that compactions cover, as far as they are not sealed."""
    covered = {event_id for one in compactions for event_id in one.event_ids}
    return tuple(event for event in conversation.events if event.id in covered)


_MOST_TURNS_OF_REST = 16


@dataclass(frozen=True, slots=True)
class CompactionRule:
    """When to compact, and how much."""

    max_turns: int = 15
    """How many turns the window is meant for."""
    trigger_share: float = 0.7
    """Of `max_turns` or of the window's budget, whichever is reached first."""
    compacted_share: float = 0.4
    """How much of the turns goes, oldest first."""
    kept_turns: int = 2
    """So many of the newest always stay."""

    @property
    def trigger_turns(self) -> int:
        """Return from how many uncompacted turns on it is time."""
        return math.ceil(round(self.max_turns * self.trigger_share, 6))


@dataclass(frozen=True, slots=True)
class Cut:
    """What a compaction takes out of the window, and the state of the conversation it was decided in."""

    trigger: CompactionTrigger
    from_turn: int
    to_turn: int
    taken: tuple[Event, ...]
    """Events that the window showed so far."""
    retried: tuple[Event, ...]
    """Events that were taken before and got no summary."""
    basis: tuple[str, ...]
    """The compactions that were in force."""

    @property
    def events(self) -> tuple[Event, ...]:
        """Return all events it stands for, oldest first."""
        return (*self.retried, *self.taken)


def due_cut(conversation: Conversation, rule: CompactionRule) -> Cut | None:
    """Return what to compact after a reply, or None.

    Besides what is too much, that is the turns for which no summary was had, once it is time to ask again.
    """
    trigger = _trigger(conversation, rule)
    if trigger is not None and (cut := cut_of(conversation, rule, trigger)):
        return cut
    failed = unsummarised(in_force(conversation))
    if not failed or not may_ask(conversation):
        return None
    first, last = failed[0], failed[-1]
    events = events_of(conversation, failed)
    return Cut(last.trigger, first.from_turn, last.to_turn, (), events, _basis(conversation)) if events else None


def _trigger(conversation: Conversation, rule: CompactionRule) -> CompactionTrigger | None:
    if len(_turns_that_count(conversation)) >= rule.trigger_turns:
        return "turns"
    # All that was sent in the latest request, no output.
    used, budget = sent_and_budget_tokens(conversation)
    return "tokens" if budget and used / budget >= rule.trigger_share else None


def _turns_that_count(conversation: Conversation) -> list[UserMessage]:
    """Return the uncompacted turns without those that were brought back on purpose."""
    last = newest(conversation)
    restored = [
        one.to_turn
        for one in conversation.compactions
        if one.restored_at is not None and (last is None or one.restored_at > last.at)
    ]
    return [turn for turn in open_turns(conversation) if turn.turn > max(restored, default=0)]


def sent_and_budget_tokens(conversation: Conversation) -> tuple[int, int]:
    """Return the tokens of the latest request, and the whole budget of its window; zeros before the first."""
    latest = conversation.last_reply()
    record: JsonObject = latest.context if latest else JsonObject()
    strategy: Utilization = record.get("strategy", "full")
    allowed: int = record.get("budget_tokens", 0)
    used: int = record.get("used_tokens", 0)
    return used, round(allowed / SHARE_OF_WINDOW[strategy])


def cut_of(
    conversation: Conversation, rule: CompactionRule, trigger: CompactionTrigger, *, at_least: int = 0
) -> Cut | None:
    """Return the oldest turns to take out of the window, at least so many; None where none may go."""
    shown = open_turns(conversation)
    last = _last_that_may_go(conversation, shown[-rule.kept_turns :])
    free = [turn for turn in shown if turn.turn <= last]
    wanted = max(int(round(len(shown) * rule.compacted_share, 6)), at_least, 1)
    going = free[:wanted]
    if not going:
        return None
    kept = shown[len(going) :]
    end = min((turn.index for turn in kept), default=conversation.next_index)
    hidden = hidden_events(conversation)
    taken = tuple(one for one in conversation.events if one.index < end and one.id not in hidden)
    failed = unsummarised(in_force(conversation))
    retried = events_of(conversation, failed)
    first = min([going[0].turn, *(one.from_turn for one in failed if retried)])
    return Cut(trigger, first, going[-1].turn, taken, retried, _basis(conversation))


def _basis(conversation: Conversation) -> tuple[str, ...]:
    return tuple(one.id for one in in_force(conversation))


def _last_that_may_go(conversation: Conversation, kept: Iterable[UserMessage]) -> int:
    """Return the last turn before those that are kept, before any under way, and before what waits for a yes."""
    limits = [turn.turn - 1 for turn in kept]
    limits += [run.turn - 1 for run in conversation.runs if run.status == "running"]
    waiting = reply_that_waits(conversation, conversation.next_index)
    if waiting is not None and waiting.preview is not None:
        limits.append(waiting.turn - 1)
    return min(limits, default=0)


def may_ask(conversation: Conversation) -> bool:
    """Say whether to ask the summariser now.

    After a failure it is asked with the next turn, and after each further one it rests twice as long.
    """
    asked = [one for one in unsummarised(in_force(conversation)) if one.model is not None]
    if not asked:
        return True
    since = {e.turn for e in conversation.events if isinstance(e, UserMessage) and e.at > asked[-1].at}
    return len(since) >= min(2 ** (len(asked) - 1), _MOST_TURNS_OF_REST)


def first_turn_undone(conversation: Conversation, compaction_id: str) -> int | None:
    """Return the first turn that undoing a compaction brings back: 0 for none; None while it is not found."""
    wanted = next((one for one in conversation.compactions if one.id == compaction_id), None)
    if wanted is None:
        return None
    if wanted.restored_at is not None:
        return 0
    return min(one.from_turn for one in in_force(conversation) if one.to_turn >= wanted.from_turn)
