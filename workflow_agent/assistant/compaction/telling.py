"""What one sentence of some turns tells, by itself, for the checks of a summary."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from workflow_agent.assistant.compaction.statements import statement_of, stem, words_within
from workflow_agent.assistant.compaction.subjects import Act, Replacement, acts_in, figures_replaced_in, replacements_in
from workflow_agent.assistant.compaction.wording import with_counts

BETWEEN: Final = re.compile(
    r"\b(?:put|placed?|insert(?:ed)?|add(?:ed)?) (?:an? |the )?([\w' -]{2,40}?) between ([\w' -]{2,40}?) and"
    r" ([\w' -]{2,40})",
    re.IGNORECASE,
)
_DATE: Final = re.compile(r"\b(\d{1,2})-([A-Z][a-z]{2,8})\b")
_WHO: Final = re.compile(r"(?<![\w'-])([A-Z][\w'-]++(?: [A-Z][\w'-]++){0,2} ?), who ([^,;.]+)")
_A_UNIT: Final = re.compile(r"\ban? (minute|hour|day|week|month|quarter|year)\b", re.IGNORECASE)
_SAME_ONE: Final = re.compile(r"(?<![^\W\d_])([^\W\d_]+(?: [^\W\d_]+)?),? ((?:[A-Z][\w'-]+ ?){1,3})")
_NAMES: Final = re.compile(r"\?$|\brenam", re.IGNORECASE)
"""What asks does not say who does it, and a name that is told of is no deed."""
_NO_REASON: Final = re.compile(r"\bnot (?:because(?: of)?|due to|owing to|on account of) ([^.;,]+)", re.IGNORECASE)
_NONE_OF_IT: Final = re.compile(r"\bthere (?:is|are|will be) no ([^\W\d_]+)\W*$", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Telling:
    """What a sentence tells."""

    words: frozenset[str]
    """Stems of its telling words, and 1 of what it has one of."""
    uncapitalised: frozenset[str]
    """Stems of what it writes small."""
    denied_reasons: frozenset[str]
    """Words of what it is not because of."""
    absent: frozenset[str]
    """Of what there is none."""
    acts: Sequence[Act]
    """Who does what."""
    outdated: frozenset[str]
    """Figures that gave way to others."""
    replaced_figures: Sequence[Replacement]
    replacements: Sequence[Replacement]
    """What took the place of what."""
    same: frozenset[frozenset[str]]
    """Pairs of words for one and the same: "the vet, Dana Meyer"."""


# What stands for earlier turns is read at each compaction.
@lru_cache(maxsize=4_096)
def telling_of(text: str) -> Telling:
    """Return what a sentence tells."""
    words = frozenset(statement_of(text).words)
    units = {one for unit in _A_UNIT.findall(text) for one in ("1", f"1-{unit.casefold()}")}
    absent = _NONE_OF_IT.search(text)
    figures = figures_replaced_in(text)
    return Telling(
        words=words | units,
        uncapitalised=frozenset(stem(word) for word in _WORD.findall(text) if word.islower()),
        denied_reasons=frozenset(word for match in _NO_REASON.finditer(text) for word in words_within(match[1])),
        absent=frozenset((stem(absent[1].casefold()),) if absent else ()),
        acts=() if _NAMES.search(text) else acts_in(text),
        outdated=frozenset(word for one in figures for word in one.old),
        replaced_figures=figures,
        replacements=replacements_in(text),
        same=frozenset(
            frozenset((one, other))
            for match in _SAME_ONE.finditer(text)
            for one in words_within(match[1])
            for other in words_within(match[2])
        ),
    )


@lru_cache(maxsize=4_096)
def with_other_wordings(text: str) -> tuple[str, ...]:
    """Return a sentence, and what it says too."""
    # "After the second reminder" is after two.
    texts = list(dict.fromkeys((text, with_counts(text))))
    # What is put between two comes after the first and before the second.
    texts += [f"{one[2]}, {one[1]}, {one[3]}" for told in texts for one in BETWEEN.finditer(told)]
    # A date is one value, and its day and month may be told by themselves.
    texts += [_DATE.sub(r"\1 \2", told) for told in texts if _DATE.search(told)]
    # "Not from Krall, who lost two crates" affirms that Krall did.
    return (*texts, *(f"{match[1]} {match[2]}" for told in texts for match in _WHO.finditer(told)))
