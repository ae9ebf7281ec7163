"""Reading a phrase that refers to a workflow: when, what was done, which of several, and the words left."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from workflow_agent.domain.conversation import Relation
from workflow_agent.domain.memory.lexicon import (
    BEYOND,
    CHOICES,
    COUNTS,
    DONE,
    FILLERS,
    INNER,
    NEGATION,
    OPENING,
    ORDINALS,
    POINTING,
    REJECTED,
    SENTENCE,
    Choice,
)
from workflow_agent.domain.memory.names_said import (
    initials_in,
    is_told_by,
    without_article,
    words_of_names_in,
)
from workflow_agent.domain.memory.periods import Period, time_words
from workflow_agent.domain.memory.words import GENERIC_NOUNS, is_generic, words_of

_LONGEST_CHARS = 300
_COUNTED = re.compile(r"(?:#|\bn[o\u00b0]\.?)\s*(\d{1,2})\b", re.IGNORECASE)
_DAYS = re.compile(r"\b(yesterday|today)s\b")


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a phrase says about the workflow it means."""

    words: tuple[str, ...]
    """Words that should be in a name or an alias."""
    periods: tuple[Period, ...] = ()
    """When it was dealt with, the likelier reading first; empty when nothing is said."""
    has_time: bool = False
    relations: frozenset[Relation] = frozenset()
    """What was done to it, any of these; empty when nothing is said."""
    is_negated: bool = False
    """That this was not done to it."""
    choice: Choice | None = None
    number: int = 0
    """For `nth` which one, for `all` how many, when said."""
    is_mine: bool = False
    is_pointing: bool = False
    """Says "it", "this" or "that", and not just "the one"."""
    is_ever: bool = False
    """Counts all conversations, not this one alone."""
    is_beyond: bool = False
    """Says something that references cannot answer: what was deleted, what comes after another one."""


def read_phrase(text: str, now: datetime, names: Iterable[str]) -> Phrase:
    """Return what a phrase says.

    Args:
        text: As somebody wrote it; only its first 300 characters count.
        now: What "yesterday" is counted from.
        names: Names and aliases, whose words are not read as anything else: "First aid" is not a first.
    """
    text = REJECTED.sub("", text[:_LONGEST_CHARS])
    names = list(names)
    known = [without_article(words_of(name)) for name in names]
    plain = _plain(text)
    named, rest = words_of_names_in(plain, known)
    abbreviated, rest = initials_in(text, rest, names)
    timed = time_words(rest, now)
    rest = timed.rest if timed else rest
    relations, is_negated, rest = _relations(rest)
    choice, number, rest = _choice(rest)
    kinds = [word for word in rest.split() if word in GENERIC_NOUNS and is_told_by(word, known)]
    words = [word for word in rest.split() if word not in FILLERS and not is_generic(word)]
    words = words or (kinds if not (named or abbreviated) else [])
    is_beyond = BEYOND.search(rest) is not None and not is_negated
    return Phrase(
        is_pointing=POINTING.search(plain) is not None,
        words=(*named, *abbreviated, *words),
        periods=timed.periods if timed else (),
        has_time=timed is not None,
        relations=relations,
        is_negated=is_negated,
        choice=choice,
        number=number,
        is_mine=re.search(r"\b(?:my|our|mine|ours)\b", rest) is not None,
        is_ever=re.search(r"\bever\b", rest) is not None,
        is_beyond=is_beyond,
    )


def inner_phrase(text: str, names: Iterable[str]) -> str | None:
    """Return the part of a sentence that refers to a workflow, or None.

    Of "add a step to the task one" that is the end.
    """
    plain = _plain(text[:_LONGEST_CHARS])
    if not SENTENCE.match(plain):
        return None
    known = [words for name in names if len(words := without_article(words_of(name))) > 1]
    whole = [" ".join(words) for words in known if f" {' '.join(words)} " in f" {plain} "]
    if whole:
        return max(whole, key=len)
    found = INNER.search(plain)
    return found[1] if found and found[1] != plain else None


def _plain(text: str) -> str:
    return OPENING.sub("", _DAYS.sub(r"\1", " ".join(words_of(_COUNTED.sub(r"number \1", text)))))


def _relations(plain: str) -> tuple[frozenset[Relation], bool, str]:
    for pattern, relations in DONE.items():
        match = re.search(rf"(?:\b({NEGATION}) (?:been )?(?:yet )?)?\b(?:{pattern})\b(?: yet)?", plain)
        if match:
            rest = f"{plain[: match.start()]} {plain[match.end() :]}"
            return relations, match[1] is not None, " ".join(rest.split())
    return frozenset(), False, plain


def _choice(plain: str) -> tuple[Choice | None, int, str]:
    for pattern, choice in CHOICES.items():
        match = re.search(rf"(?<!\w)(?:{pattern})(?!\w)", plain)
        if match:
            said = next((value for value in match.groups() if value), "")
            number = ORDINALS.get(said) or COUNTS.get(said) or (int(said) if said.isdigit() else 0)
            rest = f"{plain[: match.start()]} {plain[match.end() :]}"
            return choice, number, " ".join(rest.split())
    return None, 0, plain
