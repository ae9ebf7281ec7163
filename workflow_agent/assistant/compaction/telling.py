"""What sentences of some turns tell, for the checks of a summary: each by itself, and all of them of each number."""

import math
import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from workflow_agent.assistant.compaction.statements import (
    is_unit,
    says_little,
    stated_in,
    statement_of,
    stem,
    word_set,
    words_within,
)
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


_FEWEST_AROUND: Final = 2
_LEAST: Final = 1.0
"""So much the words around a number have to tell of it: about as one rare word right beside it does."""
_MORE: Final = 2.5
"""So many times as much they tell of another one, where that is the one meant."""
_NEAR_WORDS: Final = 5.0
_OTHER_CLAUSE: Final = 0.5
_UNIT: Final = re.compile(r"-([a-z]+)$")
_MONTHS: Final = word_set("january february march april may june july august september october november december")

_Places = Sequence[tuple[int, int]]
"""Where a word stands in a message, in order: its place among the words, and the number of its clause."""


class Bindings:
    """Where the words of messages, each a list of sentences, stand to their numbers."""

    def __init__(self, messages: Iterable[Iterable[str]]) -> None:
        self._at: dict[str, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        """By word and message."""
        self._counts: dict[str, set[str]] = defaultdict(set)
        """How many there are of what, wherever a number stands right before it."""
        self._messages = 0
        self._kinds: dict[str, set[str]] = defaultdict(set)
        for number, sentences in enumerate(messages, 1):
            self._messages = number
            place = clause = 0
            for sentence in sentences:
                for part in stated_in(sentence):
                    clause += 1
                    told = part.words
                    for count, noun in _counted(told):
                        self._counts[noun].add(count)
                    for word in told:
                        place += 1
                        self._at[word][number].append((place, clause))
                        if word[0].isdigit():
                            self._kinds[_kind(word)].add(word)
                # The end of a sentence parts more than a comma.
                clause += 1

    def misplaced(self, sentence: str) -> str | None:
        """Return the number of a sentence in whose place the messages have another one; None where there is none."""
        whole = set(statement_of(sentence).words)
        for part in stated_in(sentence):
            told = part.words
            for count, noun in _counted(told):
                if self._counts.get(noun) and count not in self._counts[noun] and count in self._at:
                    return f"{count!r} is said of something else"
            words = set(told)
            for value in words:
                if not value[0].isdigit() or value not in self._at:
                    continue
                within = words if len(self._context(words, value)) >= _FEWEST_AROUND else whole
                around = [self._weighed(word) for word in self._context(within, value)]
                least = max(_LEAST, _MORE * self._told(value, around))
                rivals = self._kinds[_kind(value)] - within
                if any(self._told(one, around, least) > least for one in rivals):
                    return f"{value!r} is said of something else"
        return None

    def _context(self, words: set[str], value: str) -> set[str]:
        return {
            word for word in words if word != value and word in self._at and not is_unit(word) and not says_little(word)
        }

    def _weighed(self, word: str) -> tuple[Mapping[int, _Places], float]:
        """Return where a word stands in each message, and what it weighs: more, the fewer have it."""
        held = self._at[word]
        return held, math.log(1 + self._messages / len(held))

    def _told(self, value: str, around: Sequence[tuple[Mapping[int, _Places], float]], least: float = 0.0) -> float:
        """Return how much some words tell of a number, where they do so most; no less than a least."""
        most = least
        for message, places in self._at[value].items():
            beside = [(held[message], weight) for held, weight in around if message in held]
            # All of them right beside it would tell no more.
            if sum(weight for _, weight in beside) <= most:
                continue
            for place, clause in places:
                most = max(most, sum(weight * _nearness(held, place, clause) for held, weight in beside))
        return most


def _nearness(places: _Places, place: int, clause: int) -> float:
    """Return how near a word comes to a place: 1 right there, less the farther, half of it a clause away."""
    # The last one before it and the first one behind are nearer than all others.
    after = bisect(places, (place, clause))
    return max(
        _OTHER_CLAUSE ** abs(other - clause) / (1 + abs(at - place) / _NEAR_WORDS)
        for at, other in places[max(after - 1, 0) : after + 1]
    )


def _counted(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the plain numbers of a clause with the word that follows: "five players"."""
    for number, noun in pairwise(words):
        if number.isdecimal() and noun.isalpha() and not is_unit(noun) and not says_little(noun):
            yield number, noun


def _kind(number: str) -> str:
    """Return of what kind a number is: a date, a span of time, a time of day, or a plain one."""
    unit = _UNIT.search(number)
    if unit is None:
        return "time" if ":" in number else "number"
    return "date" if unit[1] in _MONTHS else "span"
