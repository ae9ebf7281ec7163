"""Making a compaction of a cut, and putting it into the conversation or taking it back out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from workflow_agent.domain.compacting import facts
from workflow_agent.domain.compacting.coverage import all_facts, hidden_events, in_force
from workflow_agent.domain.compacting.ledger import ledger_of, merged
from workflow_agent.domain.compacting.policy import Cut, sent_and_budget_tokens
from workflow_agent.domain.compacting.telling import earlier_turns, ledger_text, summary_text
from workflow_agent.domain.compaction import Compaction, Dropped, Ledger, Summary
from workflow_agent.domain.conversation import AgentReply, Conversation, Event
from workflow_agent.domain.costs import added
from workflow_agent.domain.errors import CompactionNotFound
from workflow_agent.domain.usage import Cost, Usage


@dataclass(frozen=True, slots=True)
class Summarised:
    """What came of asking for a summary: the summary, or why there is none; and what it took."""

    summary: Summary | None
    fallback: str | None = None
    model: str | None = None
    """Who was asked; None when nobody was."""
    usage: Usage = field(default_factory=Usage)
    cost: Cost = field(default_factory=Cost)
    duration_ms: float = 0.0


def facts_of_cut(conversation: Conversation, cut: Cut) -> Ledger:
    """Return the facts of the turns that a cut takes."""
    return ledger_of(cut.events, conversation.runs)


def new_ledger(conversation: Conversation, own: Ledger) -> Ledger:
    """Return the facts of all compacted turns once those of a cut are among them."""
    return merged(all_facts(conversation), own)[0]


def compaction_of(
    conversation: Conversation,
    cut: Cut,
    own: Ledger,
    result: Summarised,
    *,
    compaction_id: str,
    at: datetime,
    count: Callable[[str], int],
) -> Compaction:
    """Return the compaction that takes a cut out of the window, with the record of what it drops.

    `tokens_before` and `tokens_after` are what the window shows of all turns up to the cut's last.

    Args:
        conversation: As it is now.
        cut: What is taken out.
        own: The facts of its turns.
        result: What came of asking for a summary.
        compaction_id: The new compaction's.
        at: Now.
        count: Counts tokens.
    """
    carried = all_facts(conversation)
    kept, gone = merged(carried, own)
    made = Compaction(
        id=compaction_id, from_turn=cut.from_turn, to_turn=cut.to_turn, at=at, trigger=cut.trigger,
        tokens_before=_shown_tokens(conversation, count) + sum(count(one.content) for one in cut.taken),
        tokens_after=0, summary=result.summary, ledger=own, carried=carried,
        dropped=_dropped(cut.events, gone, result.summary, kept), model=result.model, usage=result.usage,
        cost=result.cost, duration_ms=result.duration_ms, fallback=result.fallback,
        event_ids=tuple(one.id for one in cut.events),
    )  # fmt: skip
    after = conversation.model_copy(update={"compactions": (*conversation.compactions, made)})
    return made.model_copy(update={"tokens_after": _shown_tokens(after, count)})


def _shown_tokens(conversation: Conversation, count: Callable[[str], int]) -> int:
    earlier = earlier_turns(conversation)
    return count(earlier.text) if earlier else 0


def _dropped(
    events: tuple[Event, ...], gone: tuple[str, ...], summary: Summary | None, ledger: Ledger
) -> Dropped:
    """Return the identifiers, numbers and quotes of events that neither summary nor ledger has."""
    kept = (summary_text(summary) if summary else "") + "\n" + ledger_text(ledger)
    said = facts.unnumbered("\n".join([*map(_told, events), *gone]))
    has_number = set(facts.numbers(kept))
    return Dropped(
        identifiers=tuple(one for one in facts.identifiers(said) if one not in kept),
        numbers=tuple(one for one in facts.numbers(said) if one not in has_number and one not in kept),
        quotes=tuple(one for one in facts.quotes(said) if one not in kept),
    )


def _told(event: Event) -> str:
    return facts.stating(event.content) if isinstance(event, AgentReply) else event.content


def with_compaction(
    conversation: Conversation, compaction: Compaction, cut: Cut, *, count_spending: bool
) -> Conversation:
    """Return the conversation with a compaction in force; without it when it was made of another state.

    Args:
        conversation: As it is now, under its lock.
        compaction: What to put in force.
        cut: What it was made of.
        count_spending: Whether what it cost is yet to be added to the conversation's totals.
    """
    if count_spending and (compaction.usage != Usage() or compaction.cost != Cost()):
        totals = added(conversation.usage_totals, compaction.usage, compaction.cost, turns=0)
        conversation = conversation.model_copy(update={"usage_totals": totals})
    if not still_holds(conversation, cut):
        return conversation
    # What all carry, one carries: in long conversations it is by far the largest part of them.
    earlier = (one.model_copy(update={"carried": Ledger()}) for one in conversation.compactions)
    return conversation.model_copy(update={"compactions": (*earlier, compaction)})


def excess_tokens(before: Conversation, after: Conversation, count: Callable[[str], int]) -> int:
    """Return by how much the window would be over its budget with the turns back that were brought back.

    Args:
        before: The conversation.
        after: The conversation with compactions undone.
        count: Counts tokens.
    """
    sent, budget = sent_and_budget_tokens(before)
    shown = {event.id for event in before.events} - hidden_events(before)
    back = {event.id for event in after.events} - hidden_events(after) - shown
    returned = sum(count(event.content) for event in after.events if event.id in back)
    head = _shown_tokens(after, count) - _shown_tokens(before, count)
    return max(sent + returned + head - budget, 0) if budget else 0


def still_holds(conversation: Conversation, cut: Cut) -> bool:
    """Say whether a conversation is still in the state that a cut was decided in."""
    hidden = hidden_events(conversation)
    there = {event.id for event in conversation.events}
    same = tuple(one.id for one in in_force(conversation)) == cut.basis
    return same and all(one.id in there and one.id not in hidden for one in cut.taken)


def compaction_named(conversation: Conversation, compaction_id: str) -> Compaction:
    """Return the compaction with an id.

    Raises:
        CompactionNotFound: There is none; says which there are.
    """
    found = next((one for one in conversation.compactions if one.id == compaction_id), None)
    if found is None:
        raise CompactionNotFound(
            f"Conversation {conversation.id!r} has no compaction {compaction_id[:100]!r}.",
            valid=[one.id for one in conversation.compactions],
        )
    return found


def restored(conversation: Conversation, compaction_id: str, *, at: datetime) -> Conversation:
    """Return the conversation with a compaction undone, and all later ones with it.

    Raises:
        CompactionNotFound: There is none with this id in the file.
    """
    wanted = compaction_named(conversation, compaction_id)
    if wanted.restored_at is not None:
        return conversation
    undone = {one.id for one in in_force(conversation) if one.to_turn >= wanted.from_turn}
    facts_so_far = all_facts(conversation)
    changed: list[Compaction] = []
    for one in conversation.compactions:
        is_undone = one.id in undone
        update = {"restored_at": at, "carried": Ledger()} if is_undone else {}
        changed.append(one.model_copy(update=update))
    kept = [place for place, one in enumerate(changed) if one.restored_at is None]
    if kept:
        # More than the facts of the turns before it, and none of them missing.
        changed[kept[-1]] = changed[kept[-1]].model_copy(update={"carried": facts_so_far})
    return conversation.model_copy(update={"compactions": tuple(changed)})
