"""Making a compaction of a cut, and putting it into the conversation or taking it back out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from workflow_agent.assistant.compaction import facts, policy
from workflow_agent.assistant.compaction.extracts import chosen, extracts_of, extracts_text, lost, sentences_of
from workflow_agent.assistant.compaction.ledger import ledger_of, merged
from workflow_agent.assistant.compaction.text import EXTRACTS_TITLE, earlier_turns, ledger_text, summary_text
from workflow_agent.conversations.compactions import Compaction, Dropped, Extract, Ledger, Summary
from workflow_agent.conversations.document import AgentReply, Conversation, Event
from workflow_agent.errors import CompactionNotFound
from workflow_agent.values.tokens import Cost, Usage, added

LEAST_SAVING = 0.1
"""Of the turns a compaction takes out of the window: one that saves less waits for more of them."""
_LEAST_TOKENS = 1_000
"""What may stand for compacted turns however few they are, as long as the window gets smaller."""


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
    unsupported: tuple[str, ...] = ()
    """What was left out of the summary, because its source does not say so."""


def facts_of_cut(conversation: Conversation, cut: policy.Cut) -> Ledger:
    """Return the facts of the turns that a cut takes."""
    return ledger_of(cut.events, conversation.runs)


def new_ledger(conversation: Conversation, own: Ledger) -> Ledger:
    """Return the facts of all compacted turns once those of a cut are among them."""
    return merged(policy.facts_of(conversation.compactions), own)[0]


def drafted(
    conversation: Conversation,
    cut: policy.Cut,
    own: Ledger,
    summary: Summary | None,
    *,
    compaction_id: str,
    at: datetime,
    count: Callable[[str], int],
) -> Compaction:
    """Return a compaction of a summary and the facts of a cut alone; see `completed` for what it lacks.

    `tokens_before` and `tokens_after` are what the window shows of all turns up to the cut's last.
    """
    taken = count("\n".join(one.content for one in cut.taken))
    latest = policy.newest(conversation)
    made = Compaction(
        id=compaction_id,
        from_turn=cut.from_turn,
        to_turn=cut.to_turn,
        at=at,
        trigger=cut.trigger,
        tokens_before=_shown_tokens(conversation, count) + taken,
        tokens_after=0,
        summary=summary,
        ledger=own,
        carried=policy.facts_of(conversation.compactions),
        source_tokens=(latest.source_tokens if latest else 0) + taken,
        event_ids=tuple(one.id for one in cut.events),
    )
    return made.model_copy(update={"tokens_after": _shown_tokens(_with(conversation, made), count)})


def completed(
    draft: Compaction,
    conversation: Conversation,
    cut: policy.Cut,
    result: Summarised,
    count: Callable[[str], int],
    share: float = 0.25,
) -> Compaction:
    """Return a drafted compaction with extracts, with the record of what it drops, and with what it took.

    A share of what was compacted may be shown in its place: extracts fill what summary and ledger leave of it.
    """
    ledger, gone = _ledger(conversation, draft)
    in_its_place = draft.summary or policy.newest_summary(policy.in_force(conversation))
    summary = summary_text(in_its_place) if in_its_place else ""
    stated = facts.entries(ledger)
    sentences = sentences_of(cut.events)
    allowed = min(_most_tokens(draft, conversation, count), max(round(draft.source_tokens * share), _LEAST_TOKENS))
    extracts = chosen(
        [*extracts_of(policy.in_force(conversation)), *sentences],
        # What the summary alone says is shown word for word too: the checks do not see every untrue sentence.
        stated,
        allowed - draft.tokens_after - count(EXTRACTS_TITLE),
        count,
    )
    dropped = _dropped(cut.events, gone, f"{ledger}\n{summary}\n{extracts_text(extracts)}")
    missing = lost([*_told_before(conversation, gone), *sentences], [*stated, *facts.entries(summary)], extracts)
    made = draft.model_copy(
        update={
            "extracts": extracts,
            "dropped": dropped.model_copy(update={"sentences": missing}),
            "unsupported": result.unsupported,
            "model": result.model,
            "usage": result.usage,
            "cost": result.cost,
            "duration_ms": result.duration_ms,
            "fallback": result.fallback,
        }
    )
    return made.model_copy(update={"tokens_after": _shown_tokens(_with(conversation, made), count)})


def _ledger(conversation: Conversation, draft: Compaction) -> tuple[str, tuple[str, ...]]:
    """Return the ledger as the window shows it with a compaction, and the facts that had to go."""
    kept = policy.facts_of(_with(conversation, draft).compactions)
    held = {entry for name in Ledger.model_fields for entry in getattr(kept, name)}
    told = (policy.facts_of(conversation.compactions), draft.ledger)
    gone = tuple(
        entry for one in told for name in Ledger.model_fields for entry in getattr(one, name) if entry not in held
    )
    return ledger_text(kept), gone


def _told_before(conversation: Conversation, gone: tuple[str, ...]) -> list[Extract]:
    """Return what the window says of turns that were compacted before: it may say it no more now."""
    latest, summary = policy.newest(conversation), policy.newest_summary(policy.in_force(conversation))
    if latest is None:
        return []
    lines = [*gone, *(summary_text(summary).splitlines() if summary else ())]
    told = [Extract(turn=latest.to_turn, speaker="user", text=one) for one in facts.sentences("\n".join(lines))]
    return [*extracts_of(policy.in_force(conversation)), *told]


def saves_enough(compaction: Compaction, conversation: Conversation, count: Callable[[str], int]) -> bool:
    """Say whether the window gets smaller by a tenth of the turns that a compaction takes out of it."""
    return compaction.tokens_after <= _most_tokens(compaction, conversation, count)


def _most_tokens(compaction: Compaction, conversation: Conversation, count: Callable[[str], int]) -> int:
    taken = compaction.tokens_before - _shown_tokens(conversation, count)
    return int(compaction.tokens_before - LEAST_SAVING * taken)


def _with(conversation: Conversation, made: Compaction) -> Conversation:
    # What all carry, one carries: in long conversations it is by far the largest part of them.
    earlier = (_superseded(one, made) for one in conversation.compactions)
    return conversation.model_copy(update={"compactions": (*earlier, made)})


def _superseded(earlier: Compaction, by: Compaction) -> Compaction:
    """Return an earlier compaction with what is its own alone, as far as the later one shows it still."""
    still = set(by.extracts)
    own = tuple(one for one in earlier.extracts if one.turn >= earlier.from_turn and one in still)
    if own == earlier.extracts and earlier.carried == Ledger():
        # The same object is not stored again.
        return earlier
    return earlier.model_copy(update={"carried": Ledger(), "extracts": own})


def _shown_tokens(conversation: Conversation, count: Callable[[str], int]) -> int:
    earlier = earlier_turns(conversation)
    return count(earlier.text) if earlier else 0


def _dropped(events: tuple[Event, ...], gone: tuple[str, ...], kept: str) -> Dropped:
    """Return the identifiers, numbers and quotes of events that are not in what is kept."""
    told = (facts.stating(one.content) if isinstance(one, AgentReply) else one.content for one in events)
    said = facts.unnumbered("\n".join([*told, *gone]))
    has_number = set(facts.numbers(kept))
    return Dropped(
        identifiers=tuple(one for one in facts.identifiers(said) if one not in kept),
        numbers=tuple(one for one in facts.numbers(said) if one not in has_number and one not in kept),
        quotes=tuple(one for one in facts.quotes(said) if one not in kept),
    )


def with_compaction(
    conversation: Conversation, compaction: Compaction, cut: policy.Cut, *, count_spending: bool
) -> Conversation:
    """Return a conversation under its lock with a compaction in force, or without one that was made of another state.

    What it cost may be yet to be added to the conversation's totals.
    """
    if count_spending and (compaction.usage != Usage() or compaction.cost != Cost()):
        totals = added(conversation.usage_totals, compaction.usage, compaction.cost, turns=0)
        conversation = conversation.model_copy(update={"usage_totals": totals})
    return _with(conversation, compaction) if still_holds(conversation, cut) else conversation


def excess_tokens(before: Conversation, after: Conversation, count: Callable[[str], int]) -> int:
    """Return by how much the window would be over its budget with the turns back that were brought back."""
    sent, budget = policy.sent_and_budget_tokens(before)
    shown = {event.id for event in before.events} - policy.hidden_events(before)
    back = {event.id for event in after.events} - policy.hidden_events(after) - shown
    returned = sum(count(event.content) for event in after.events if event.id in back)
    head = _shown_tokens(after, count) - _shown_tokens(before, count)
    return max(sent + returned + head - budget, 0) if budget else 0


def least_excess_tokens(before: Conversation, known: Conversation, count: Callable[[str], int]) -> int:
    """Return by how much the window would be over its budget at least, were all turns read so far back.

    Of the conversation before, what stands for compacted turns goes; the known one has the sealed turns that were read.
    """
    sent, budget = policy.sent_and_budget_tokens(before)
    hidden = policy.hidden_events(known)
    back = sum(count(one.content) for one in known.events if one.id in hidden)
    return max(sent + back - _shown_tokens(before, count) - budget, 0) if budget else 0


def still_holds(conversation: Conversation, cut: policy.Cut) -> bool:
    """Say whether a conversation is still in the state that a cut was decided in."""
    hidden = policy.hidden_events(conversation)
    there = {event.id for event in conversation.events}
    same = tuple(one.id for one in policy.in_force(conversation)) == cut.basis
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
    undone = {one.id for one in policy.in_force(conversation) if one.to_turn >= wanted.from_turn}
    facts_so_far, extracts = policy.facts_of(conversation.compactions), extracts_of(policy.in_force(conversation))
    undoing = {"restored_at": at, "carried": Ledger()}
    changed = [one.model_copy(update=undoing) if one.id in undone else one for one in conversation.compactions]
    kept = [place for place, one in enumerate(changed) if one.restored_at is None]
    if kept:
        # More than the facts of the turns before it, and none of them missing.
        last = changed[kept[-1]]
        shown = tuple(one for one in extracts if one.turn <= last.to_turn)
        changed[kept[-1]] = last.model_copy(update={"carried": facts_so_far, "extracts": shown})
    return conversation.model_copy(update={"compactions": tuple(changed)})
