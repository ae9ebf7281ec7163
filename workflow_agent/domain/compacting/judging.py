"""Whether what a summariser returned is a summary of what it was given."""

import re
from collections.abc import Callable
from typing import Final

from workflow_agent.domain.compacting.facts import RUN_ID, WORKFLOW_ID
from workflow_agent.domain.compacting.relating import is_about
from workflow_agent.domain.compacting.telling import summary_text
from workflow_agent.domain.compaction import Summary

_WORD: Final = re.compile(r"\w{4,}")
_STEM: Final = 4
_OWN_WORDS: Final = 0.5
_REPEATED: Final = 0.25
_LONG: Final = 40
_RUN_OF_WORDS: Final = 6


def why_unusable(summary: Summary, source: str, instructions: str, count: Callable[[str], int]) -> str | None:
    """Return why a summary must not stand for what it sums up; None when it may.

    Args:
        summary: What came back.
        source: What it was to sum up, ledger and earlier summary included.
        instructions: What the summariser was told to do.
        count: Counts tokens.
    """
    told = summary_text(summary)
    if not told.strip():
        return "empty"
    if count(told) >= count(source):
        return "longer than what it sums up"
    words = _stems(told)
    if len(words) >= _LONG and len(set(words)) / len(words) < _REPEATED:
        return "repeats itself"
    if _shared_runs(told, instructions) > _OWN_WORDS:
        return "repeats its instructions"
    if not is_about(_said(summary), source):
        return "about something else"
    invented = [one[0] for pattern in (WORKFLOW_ID, RUN_ID) for one in pattern.finditer(told)]
    if any(one not in source for one in invented):
        return "names ids that were never there"
    return None


def _said(summary: Summary) -> str:
    """Return all that a summary says, without the titles we put over it."""
    entries = (getattr(summary, name) for name in Summary.model_fields if name != "text")
    return "\n".join([summary.text, *(one for several in entries for one in several)])


def _stems(text: str) -> list[str]:
    return [word[:_STEM] for word in _WORD.findall(text.casefold())]


def _shared_runs(text: str, other: str) -> float:
    """Return how much of a text is word for word in another, in runs of several words."""
    words, theirs = re.findall(r"\w+", text.casefold()), " ".join(re.findall(r"\w+", other.casefold()))
    runs = [" ".join(words[at : at + _RUN_OF_WORDS]) for at in range(len(words) - _RUN_OF_WORDS + 1)]
    return sum(run in theirs for run in runs) / len(runs) if runs else 0.0
