"""Reading a phrase that refers to a workflow: when, what was done, which of several, and the words left."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from workflow_agent.domain.conversation import Relation
from workflow_agent.domain.memory.lexicon import (
    BEYOND,
    CAPITALS,
    CHOICES,
    COUNTS,
    DONE,
    FILLERS,
    INNER,
    NEGATION,
    OPENING,
    ORDINALS,
    REJECTED,
    SENTENCE,
    Choice,
)
from workflow_agent.domain.memory.periods import Period, time_words
from workflow_agent.domain.memory.words import initials, telling_words, words_of

_LONGEST_CHARS = 300


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
    known = [_without_article(words_of(name)) for name in names]
    named, rest = _without_names(_plain(text), known)
    abbreviated, rest = _without_initials(text, rest, names)
    timed = time_words(rest, now)
    rest = timed.rest if timed else rest
    relations, is_negated, rest = _relations(rest)
    choice, number, rest = _choice(rest)
    words = [word for word in rest.split() if word not in FILLERS]
    is_beyond = BEYOND.search(rest) is not None and not is_negated
    return Phrase(
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


def bare(text: str) -> str:
    """Return the words that tell one name from another, to compare whole names; empty when there are none."""
    return " ".join(word for word in words_of(text) if word not in FILLERS)


def inner_phrase(text: str, names: Iterable[str]) -> str | None:
    """Return the part of a sentence that refers to a workflow, or None.

    Of "add a step to the task one" that is the end.
    """
    plain = _plain(text[:_LONGEST_CHARS])
    if not SENTENCE.match(plain):
        return None
    known = [words for name in names if len(words := _without_article(words_of(name))) > 1]
    whole = [" ".join(words) for words in known if f" {' '.join(words)} " in f" {plain} "]
    if whole:
        return max(whole, key=len)
    found = INNER.search(plain)
    return found[1] if found and found[1] != plain else None


def _plain(text: str) -> str:
    return OPENING.sub("", " ".join(words_of(text)))


def _without_names(plain: str, names: Sequence[Sequence[str]]) -> tuple[list[str], str]:
    """Return the telling words of the longest pieces of names, two words or more, and the phrase without."""
    taken: list[str] = []
    runs = {
        tuple(name[at : at + size])
        for name in names
        for size in range(2, len(name) + 1)
        for at in range(len(name) - size + 1)
    }
    whole = {tuple(name) for name in names}
    for words in sorted(runs, key=lambda run: (-len(run), run)):
        run = " ".join(words)
        telling = [word for word in words if word not in FILLERS]
        at = f" {plain} ".find(f" {run} ")
        if at >= 0 and (len(telling) > 1 or (telling and words in whole)):
            taken += telling
            plain = " ".join(f"{plain[:at]} {plain[at + len(run) :]}".split())
    return taken, plain


def _without_article(words: list[str]) -> list[str]:
    return words[1:] if len(words) > 1 and words[0] in ("the", "a", "an", "my", "our") else words


def _without_initials(text: str, rest: str, names: Sequence[str]) -> tuple[list[str], str]:
    """Return words in capitals that a name has or begins with, so that IT is no pronoun."""
    known: set[str] = set()
    for name in names:
        words = telling_words(name)
        known |= set(words_of(name)) | {
            initials(words[at:end]) for at in range(len(words)) for end in range(at + 2, len(words) + 1)
        }
    taken = [word.casefold() for word in CAPITALS.findall(text) if word.casefold() in known]
    taken = [word for word in taken if word in rest.split()]
    for word in taken:
        rest = re.sub(rf"\b{word}\b", " ", rest, count=1)
    return taken, " ".join(rest.split())


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
