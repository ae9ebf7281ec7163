"""What a phrase was found to mean, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workflow_agent.conversations.memory.references import Known

HIGH_CONFIDENCE = 0.8
"""From here on a caller may act without asking."""
_MOST_CANDIDATES = 6


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
