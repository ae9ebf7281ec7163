"""What a compaction leaves on record: the summary, the facts it carries over, and what it dropped.

A compaction changes what the model sees. The turns it covers stay as they are and can be restored.
"""

from collections.abc import Sequence
from typing import Literal

from workflow_agent.values.stored import Moment, Value
from workflow_agent.values.tokens import Cost, Usage

CompactionTrigger = Literal["turns", "tokens", "overflow", "request"]
"""Too many turns, too many tokens, a turn that would not have fitted, or somebody asked for it."""


class Summary(Value):
    """What a summariser made of the compacted turns, and of the summary before."""

    decisions: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    """What was done, to which workflow."""
    open_questions: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()
    """What the user prefers, and standing instructions."""
    names: tuple[str, ...] = ()
    text: str = ""


class Ledger(Value):
    """Facts that are carried over word for word, found by rule and not by a model."""

    workflow_ids: tuple[str, ...] = ()
    step_ids: tuple[str, ...] = ()
    run_ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Names with their aliases."""
    numbers: tuple[str, ...] = ()
    """Numbers with their nouns."""
    dates: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    """What happened in which turn, oldest first: what was done to workflows, and what the user told of the
    order of things."""
    decisions: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    """What was said to hold from now on."""
    pending: tuple[str, ...] = ()
    """Confirmations and approvals that were asked for and not given yet."""
    errors: tuple[str, ...] = ()


class Extract(Value):
    """A sentence that the window goes on showing word for word."""

    turn: int
    speaker: str
    text: str


class LostSentence(Value):
    """A sentence that counts and left the window: `recall` brings its turn back, nothing shows it unasked."""

    turn: int
    kinds: tuple[str, ...]
    """Of decision, rule, preference, open question, name, number and deadline."""
    text: str


class Dropped(Value):
    """What the compacted turns held that the window shows no more: in no summary, ledger or extract."""

    identifiers: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    sentences: tuple[LostSentence, ...] = ()


class Compaction(Value):
    """One compaction: which turns the window shows as a summary, and at what price."""

    id: str
    from_turn: int
    to_turn: int
    at: Moment
    trigger: CompactionTrigger
    tokens_before: int
    tokens_after: int
    summary: Summary | None = None
    """None when no usable one came; `fallback` says why."""
    ledger: Ledger = Ledger()
    """The facts of its own turns."""
    carried: Ledger = Ledger()
    """The facts of all turns before; the newest carries them."""
    extracts: tuple[Extract, ...] = ()
    """Sentences shown word for word: of all compacted turns in the newest, of its own in an earlier one."""
    source_tokens: int = 0
    """What all turns compacted so far took in the window."""
    unsupported: tuple[str, ...] = ()
    """Sentences of the summary that were left out, because the turns do not say so."""
    dropped: Dropped = Dropped()
    model: str | None = None
    usage: Usage = Usage()
    cost: Cost = Cost()
    duration_ms: float = 0.0
    fallback: str | None = None
    """Why the window was cut without a summary; null where there is one."""
    event_ids: tuple[str, ...] = ()
    """The events it covers."""
    restored_at: Moment | None = None
    """When it was undone."""


def those_in_force(compactions: Sequence[Compaction]) -> tuple[Compaction, ...]:
    """Return the compactions that were not undone, oldest first."""
    return tuple(one for one in compactions if one.restored_at is None)


def unsummarised(held: Sequence[Compaction]) -> tuple[Compaction, ...]:
    """Return the compactions in force after the last one that got a summary, oldest first."""
    failed = next((at for at, one in enumerate(reversed(held)) if one.summary is not None), len(held))
    return tuple(held[len(held) - failed :])
