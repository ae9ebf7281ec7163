"""Which turns the window no longer shows, and which compaction stands for them.

The compactions in force cover the conversation from its beginning without a gap, so that what is shown is
one unbroken run of turns. Restoring one therefore restores those after it as well.
"""

from collections.abc import Sequence
from typing import Final

from workflow_agent.domain.compacting.identity import once_each
from workflow_agent.domain.compacting.ledger import merged
from workflow_agent.domain.compaction import Compaction, Ledger, Summary
from workflow_agent.domain.conversation import Conversation, Event, UserMessage

KEPT: Final = 128
"""Conversations whose facts stay in memory, at most 24 kB each."""


def in_force(conversation: Conversation) -> tuple[Compaction, ...]:
    """Return the compactions that were not undone, oldest first."""
    return those_in_force(conversation.compactions)


def those_in_force(compactions: Sequence[Compaction]) -> tuple[Compaction, ...]:
    """Return the compactions that were not undone, oldest first."""
    return tuple(one for one in compactions if one.restored_at is None)


def newest(conversation: Conversation) -> Compaction | None:
    """Return the compaction that speaks for all compacted turns, or None."""
    return next(iter(in_force(conversation)[::-1]), None)


def all_facts(conversation: Conversation) -> Ledger:
    """Return the facts of all compacted turns."""
    return facts_of(conversation.compactions)


# A turn asks for them at each window it builds, a compaction four times; they change with a compaction only.
@once_each(most=KEPT)
def facts_of(compactions: Sequence[Compaction]) -> Ledger:
    """Return the facts of all turns that compactions cover."""
    held = those_in_force(compactions)
    # What moved to the archive, the newest carries; a fork may hold the others without the newest.
    return merged(held[-1].carried, *(one.ledger for one in held))[0] if held else Ledger()


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


def last_summary(conversation: Conversation) -> Summary | None:
    """Return the newest summary in force; a compaction that got none leaves the earlier one in place."""
    return newest_summary(in_force(conversation))


def newest_summary(held: Sequence[Compaction]) -> Summary | None:
    """Return the newest summary of compactions in force."""
    return next((one.summary for one in reversed(held) if one.summary is not None), None)


def unsummarised(held: Sequence[Compaction]) -> tuple[Compaction, ...]:
    """Return the compactions in force after the last one that got a summary, oldest first."""
    trailing: list[Compaction] = []
    for one in reversed(held):
        if one.summary is not None:
            break
        trailing.insert(0, one)
    return tuple(trailing)


def events_of(conversation: Conversation, compactions: Sequence[Compaction]) -> tuple[Event, ...]:
    """Return the events that compactions cover, as far as they are not sealed."""
    covered = {event_id for one in compactions for event_id in one.event_ids}
    return tuple(event for event in conversation.events if event.id in covered)
