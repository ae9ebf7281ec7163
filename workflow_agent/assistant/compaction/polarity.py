"""Whether a sentence denies what the turns affirm, or affirms what they deny."""

import re
from dataclasses import replace
from typing import Final

from workflow_agent.assistant.compaction.contradictions import is_beyond, is_uncertain
from workflow_agent.assistant.compaction.placement import clause_with_most, placed_in
from workflow_agent.assistant.compaction.statements import Statement, Statements, says_little, stated_in
from workflow_agent.assistant.compaction.subjects import replacements_in

_ENOUGH: Final = 0.5
_MOST_OF_IT: Final = 0.75
_FEWEST_SHARED: Final = 2
_EXCEPTED: Final = re.compile(
    r"\b(?:every|all|each|everyone|everybody|nobody|anyone|no one) .{0,40}?\b(?:but|except)\b", re.IGNORECASE
)
_FOR_A_TIME: Final = re.compile(
    r"\b(?:until|before|after|once|over|at first|initially|not yet|so far)\b", re.IGNORECASE
)
_REQUEST: Final = re.compile(r"(?:(?:and|then|also|so|now),? )?(?:please|kindly)\b", re.IGNORECASE)
_MEANS: Final = ("by", "via", "through")
_BRANCH: Final = re.compile(r"\b(?:if not|otherwise|or else)\b", re.IGNORECASE)
"""What a sentence says on both conditions is neither denied nor affirmed."""


def wrong_polarity(said: Statement, sentences: Statements) -> str | None:
    """Return what a sentence denies or affirms against the turns; None where it does not."""
    for part in stated_in(said.text):
        # What takes the place of another is said in many ways that deny nothing.
        if replacements_in(part.text) or _EXCEPTED.search(part.text):
            continue
        # "Without a photo" denies something of what stands before it.
        is_short = bool(part.denied) and len(set(part.words)) < _FEWEST_SHARED
        stated = replace(said, denied=part.denied) if is_short else part
        why = _denied_otherwise(stated, sentences) or _denied_value(part, sentences)
        if why:
            return why
    return None


def _denied_otherwise(said: Statement, sentences: Statements) -> str | None:
    words = set(said.words)
    counts = sentences.overlaps(words)
    most = max(counts.values(), default=0)
    if most < max(_ENOUGH * len(words), _FEWEST_SHARED):
        return None
    near = [sentences.all[at] for at, count in counts.items() if count == most]
    near = [one for one in near if not is_uncertain(clause_with_most(words, one).text) and not _BRANCH.search(one.text)]
    near = [one for one in near if not _REQUEST.match(one.text)]
    if not near:
        return None
    if said.denied:
        # What a rule leaves out may be denied in many words: only what is told plainly contradicts.
        is_plain = most >= _MOST_OF_IT * len(words) and not _FOR_A_TIME.search(said.text)
        is_plain = is_plain and not is_uncertain(said.text) and not any(is_beyond(said, one) for one in near)
        is_affirmed = is_plain and all(
            said.denied & set(one.words) and not (one.denied | clause_with_most(words, one).denied) & words
            for one in near
        )
        return "the turns do not deny it" if is_affirmed else None
    least = 0 if most == len(words) else _ENOUGH * most
    is_denied = all(len(words & _denied_of(words, one, most)) > least for one in near)
    return "the turns deny it" if is_denied else None


def _denied_of(words: set[str], told: Statement, most: int) -> frozenset[str]:
    """Return what a sentence denies; only its clause counts that has all that is asked for."""
    clause = clause_with_most(words, told)
    return clause.denied if len(words & set(clause.words)) == most else told.denied


def _denied_value(said: Statement, sentences: Statements) -> str | None:
    """Say which value is denied wherever it is named and told here as so, or the other way round."""
    placed = (
        () if said.denied else (word for how, word in placed_in(said.text) if how in _MEANS and not says_little(word))
    )
    for value in said.values.union(placed):
        held = [sentences.all[at] for at in sentences.holding(value)]
        if not held or any(_BRANCH.search(one.text) or is_uncertain(one.text) for one in held):
            continue
        if not said.denied and all(value in one.denied for one in held):
            return f"{value!r} is denied"
        is_told = not _FOR_A_TIME.search(said.text) and not any(is_beyond(said, one) or one.denied for one in held)
        if value in said.denied and is_told:
            return f"{value!r} is not denied"
    return None
