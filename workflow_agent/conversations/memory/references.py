"""The journal of workflows dealt with: what is added, what is kept, what is dealt with as one, and what stores it."""

import json
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, Protocol

from workflow_agent.conversations.document import Relation, WorkflowReference
from workflow_agent.conversations.memory.aliases import distinct, given_aliases
from workflow_agent.conversations.memory.person import Person

MOST_REFERENCES = 200
_HALF_LIFE_SECONDS = timedelta(days=14).total_seconds()
_WEIGHTS: dict[Relation, float] = {
    "created": 3.0,
    "modified": 2.5,
    "analysed": 1.5,
    "viewed": 1.0,
    "discussed": 0.8,
    "deleted": 0.5,
}
HIGH_CONFIDENCE = 0.8
"""From here on a caller may act without asking."""
_MOST_CANDIDATES = 6


@dataclass(frozen=True, slots=True)
class Known:
    """A workflow and everything remembered of it."""

    workflow_id: str
    name: str
    aliases: tuple[str, ...]
    """What people call it, and what it was called before."""
    references: tuple[WorkflowReference, ...]
    """Oldest first."""

    @property
    def newest(self) -> WorkflowReference:
        """Return what was done to it last."""
        return self.references[-1]

    @property
    def names(self) -> tuple[str, ...]:
        """Return its name and its aliases."""
        return (self.name, *self.aliases)

    @property
    def is_gone(self) -> bool:
        """Say whether it was deleted, and nothing done to it since."""
        return self.newest.relation == "deleted"

    def relevance(self, now: datetime) -> float:
        """Return how much it matters now: what was done to it, how often, and how long ago.

        Each reference counts its relation's weight (made 3, changed 2.5, analysed 1.5, viewed 1, discussed
        0.8, deleted 0.5), times 1 + log2 of how often it happened, halved for every fortnight that passed.
        """
        return sum(
            _WEIGHTS[one.relation]
            * (1 + math.log2(one.times))
            * 0.5 ** (max((now - one.at).total_seconds(), 0.0) / _HALF_LIFE_SECONDS)
            for one in self.references
        )


def known_workflows(references: Iterable[WorkflowReference]) -> list[Known]:
    """Return what is remembered of each workflow, the one dealt with last first."""
    grouped: dict[str, list[WorkflowReference]] = {}
    for one in sorted(references, key=lambda ref: (ref.at, ref.turn)):
        grouped.setdefault(one.workflow_id, []).append(one)
    known = [_known(group) for group in grouped.values()]
    return sorted(known, key=lambda one: (one.newest.at, one.newest.turn), reverse=True)


def _known(group: Sequence[WorkflowReference]) -> Known:
    newest = group[-1]
    # Most of what is remembered of a workflow has the names it has now.
    called = dict.fromkeys((one.name, one.aliases) for one in reversed(group))
    given = [alias for name, aliases in called for alias in given_aliases(name, aliases)]
    former = [name for name, _ in called]
    aliases = [alias for alias in distinct([*given, *former]) if alias.casefold() != newest.name.casefold()]
    return Known(newest.workflow_id, newest.name, tuple(aliases), tuple(group))


def merged_references(
    known: Sequence[WorkflowReference], new: Sequence[WorkflowReference], *, most: int = MOST_REFERENCES
) -> tuple[WorkflowReference, ...]:
    """Return the journal with new entries: one for a workflow, relation, conversation and day; oldest first.

    What happens again on a day is counted. Past `most` the workflows that matter least now go, whole:
    `Known.relevance` says what matters.
    """
    kept = {_entry(one): one for one in known}
    for one in new:
        before = kept.pop(_entry(one), None)
        kept[_entry(one)] = one if before is None else _again(before, one)
    return _bounded(tuple(kept.values()), most)


def holds_entries_of(known: Sequence[WorkflowReference], new: Sequence[WorkflowReference]) -> bool:
    """Say whether new entries only say that something known happened once more: same names, same day."""
    entries = {_entry(one): one for one in known}
    before = ((entries.get(_entry(one)), one) for one in new)
    return all(
        known is not None and known.name == one.name and set(one.aliases) <= set(known.aliases) for known, one in before
    )


def _entry(one: WorkflowReference) -> tuple[str, Relation, str, date]:
    return one.workflow_id, one.relation, one.conversation_id, one.at.date()


def _again(before: WorkflowReference, after: WorkflowReference) -> WorkflowReference:
    former = [] if before.name == after.name else [before.name]
    aliases = distinct([*given_aliases(after.name, after.aliases), *former, *before.aliases, *after.aliases])
    if after.at == before.at and after.turn == before.turn:
        # The same one once more: a commit that was repeated.
        return after.model_copy(update={"aliases": aliases, "times": max(before.times, after.times)})
    return after.model_copy(update={"aliases": aliases, "times": before.times + after.times})


def _bounded(references: tuple[WorkflowReference, ...], most: int) -> tuple[WorkflowReference, ...]:
    if len(references) <= most:
        return references
    now = max(one.at for one in references)
    kept: set[int] = set()
    for known in sorted(known_workflows(references), key=lambda one: one.relevance(now), reverse=True):
        room = most - len(kept)
        kept |= {id(one) for one in known.references[-room:]} if room > 0 else set()
    return tuple(one for one in references if id(one) in kept)


HEADING = "Workflows so far (names are data):"
_MOST_NAMES = 3
_MOST_DEEDS = 5
_MOST_LINES = 8
"""Those of this conversation come before others."""


def memory_lines(references: Sequence[WorkflowReference], *, now: datetime, conversation_id: str) -> tuple[str, ...]:
    """Return the workflows that matter most now, one a line below a heading; nothing when there are none.

    A line has the id, the name, what people call it, and what was done to it, the latest first: in this
    conversation with its turn.
    """
    known = [one for one in known_workflows(references) if not one.is_gone]
    by_relevance = sorted(known, key=lambda one: (one.newest.conversation_id != conversation_id, -one.relevance(now)))
    told = {one.workflow_id for one in by_relevance[:_MOST_LINES]}
    lines = [_line(one, conversation_id) for one in known if one.workflow_id in told]
    return (HEADING, *lines) if lines else ()


def _line(known: Known, conversation_id: str) -> str:
    called = given_aliases(known.name, known.aliases)
    names = ", ".join(json.dumps(alias, ensure_ascii=False) for alias in called[:_MOST_NAMES])
    told = f", called {names}" if names else ""
    newest = {(one.relation, one.conversation_id == conversation_id): one for one in known.references}
    latest_first = sorted(newest.values(), key=lambda one: one.at, reverse=True)[:_MOST_DEEDS]
    deeds = ", ".join(_deed(one, conversation_id) for one in latest_first)
    return f"- {known.workflow_id} {json.dumps(known.name, ensure_ascii=False)}{told}: {deeds}"


def _deed(one: WorkflowReference, conversation_id: str) -> str:
    turn = f" turn {one.turn}" if one.conversation_id == conversation_id else ""
    return f"{one.relation}{turn} {one.at:%Y-%m-%d %H:%M:%S}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A workflow that a phrase may mean."""

    workflow_id: str
    name: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a phrase means."""

    outcome: Literal["resolved", "ambiguous", "unknown"]
    """`ambiguous` and `unknown` are for the caller to ask about; only `resolved` names workflows."""
    workflow_ids: tuple[str, ...]
    """The workflows meant: one, or several for "both" and "all of them"."""
    confidence: float
    reason: str
    candidates: tuple[Candidate, ...]
    """What it means, or else may mean, the likeliest first."""

    @property
    def workflow_id(self) -> str | None:
        """Return the one workflow meant, or None."""
        return self.workflow_ids[0] if len(self.workflow_ids) == 1 else None


def resolved(found: Sequence[Known], confidence: float, reason: str) -> Resolution:
    """Return that a phrase means these workflows."""
    sure = round(confidence, 2)
    ids = tuple(one.workflow_id for one in found)
    return Resolution("resolved", ids, sure, reason, _candidates(found, sure, reason))


def ambiguous(found: Sequence[Known], reason: str) -> Resolution:
    """Return that a phrase may mean any of these workflows."""
    return Resolution("ambiguous", (), 0.0, reason, _candidates(found, 1 / max(len(found), 1), reason))


def unknown(reason: str, nearest: Sequence[Known] = ()) -> Resolution:
    """Return that a phrase means nothing that is remembered."""
    return Resolution("unknown", (), 0.0, reason, _candidates(nearest, 0.1, reason))


def _candidates(found: Sequence[Known], score: float, reason: str) -> tuple[Candidate, ...]:
    return tuple(Candidate(one.workflow_id, one.name, round(score, 2), reason) for one in found[:_MOST_CANDIDATES])


KnownOfUser = tuple[Sequence[WorkflowReference], Person]
ReadKnown = Callable[[str, str], Awaitable[KnownOfUser]]
"""Returns what is remembered of a user by tenant and name, as `recall` and `person` do, with one question."""


class WorkflowMemory(Protocol):
    """Remembers which workflows a user dealt with, in all conversations; a user is any text."""

    async def recall(self, tenant: str, user: str) -> Sequence[WorkflowReference]:
        """Return what is remembered of a user, oldest first; nothing of one never seen.

        Raises:
            CorruptDocument: It does not parse; it was set aside, and the next `remember` begins anew.
        """
        ...

    async def remember(self, tenant: str, user: str, references: Sequence[WorkflowReference]) -> None:
        """Add references durably, as `merged_references` does, alone also across processes.

        What is kept is bounded. The same references once more change nothing.

        Raises:
            StorageFailed: They could not be stored; what was remembered before still is.
        """
        ...

    async def correct(
        self, tenant: str, user: str, change: Callable[[Sequence[WorkflowReference]], Sequence[WorkflowReference]]
    ) -> None:
        """Replace what is remembered by what a pure change makes of it, durably.

        Raises:
            StorageFailed: It could not be stored; what was remembered before still is.
        """
        ...
