"""When the window is compacted, and which turns go."""

import math
from dataclasses import dataclass

from workflow_agent.domain.compacting.coverage import (
    events_of,
    hidden_events,
    in_force,
    newest,
    open_turns,
    unsummarised,
)
from workflow_agent.domain.compaction import CompactionTrigger
from workflow_agent.domain.confirming import reply_that_waits
from workflow_agent.domain.conversation import AgentReply, Conversation, Event, UserMessage
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.window import SHARE_OF_WINDOW, Utilization

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
    events = events_of(conversation, failed)
    if not events:
        return None
    return Cut(failed[-1].trigger, failed[0].from_turn, failed[-1].to_turn, (), events, _basis(conversation))


def _trigger(conversation: Conversation, rule: CompactionRule) -> CompactionTrigger | None:
    if len(_turns_that_count(conversation)) >= rule.trigger_turns:
        return "turns"
    return "tokens" if fraction_sent(conversation) >= rule.trigger_share else None


def _turns_that_count(conversation: Conversation) -> list[UserMessage]:
    """Return the uncompacted turns without those that were brought back on purpose."""
    last = newest(conversation)
    restored = [
        one.to_turn
        for one in conversation.compactions
        if one.restored_at is not None and (last is None or one.restored_at > last.at)
    ]
    return [turn for turn in open_turns(conversation) if turn.turn > max(restored, default=0)]


def fraction_sent(conversation: Conversation) -> float:
    """Return how much of the window's budget the latest request took: all that was sent, no output."""
    used, budget = sent_and_budget_tokens(conversation)
    return used / budget if budget else 0.0


def sent_and_budget_tokens(conversation: Conversation) -> tuple[int, int]:
    """Return the tokens of the latest request, and the whole budget of its window; zeros before the first."""
    replies = (event for event in reversed(conversation.events) if isinstance(event, AgentReply))
    record: JsonObject = next((reply.context for reply in replies), JsonObject())
    strategy: Utilization = record.get("strategy", "full")
    allowed: int = record.get("budget_tokens", 0)
    used: int = record.get("used_tokens", 0)
    return used, round(allowed / SHARE_OF_WINDOW[strategy])


def cut_of(
    conversation: Conversation, rule: CompactionRule, trigger: CompactionTrigger, *, at_least: int = 0
) -> Cut | None:
    """Return the oldest turns to take out of the window; None where none may go.

    Args:
        conversation: As it is stored.
        rule: How many to take.
        trigger: Why.
        at_least: How many have to go, should the rule's share be fewer.
    """
    shown = open_turns(conversation)
    last = _last_that_may_go(conversation, rule)
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


def _last_that_may_go(conversation: Conversation, rule: CompactionRule) -> int:
    """Return the last turn before the newest, before any under way, and before what waits for a yes."""
    kept = open_turns(conversation)[-rule.kept_turns :]
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
