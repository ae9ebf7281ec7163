"""What each number of some messages is told of: of which of its kind the words around it tell most."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from workflow_agent.assistant.compaction.statements import clauses, is_unit, says_little, statement_of, word_set

_FEWEST_AROUND: Final = 2
_LEAST: Final = 0.7
"""So much the words around a number have to tell of it: about as one rare word right beside it does."""
_MORE: Final = 1.6
"""So many times as much they tell of another one, where that is the one meant."""
_NEAR_WORDS: Final = 5.0
_OTHER_CLAUSE: Final = 0.5
_UNIT: Final = re.compile(r"-([a-z]+)$")
_MONTHS: Final = word_set("january february march april may june july august september october november december")


class Bindings:
    """Where the words of messages stand to their numbers.

    Args:
        messages: The sentences of each.
    """

    def __init__(self, messages: Iterable[Iterable[str]]) -> None:
        self._at: dict[str, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        """For each word by message: its place among the words and the number of its clause."""
        self._counts: dict[str, set[str]] = defaultdict(set)
        """How many there are of what, wherever a number stands right before it."""
        self._messages = 0
        self._kinds: dict[str, set[str]] = defaultdict(set)
        for number, sentences in enumerate(messages, 1):
            self._messages = number
            place = clause = 0
            for sentence in sentences:
                for part in clauses(sentence):
                    clause += 1
                    told = statement_of(part).words
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
        for part in clauses(sentence):
            told = statement_of(part).words
            for count, noun in _counted(told):
                if self._counts.get(noun) and count not in self._counts[noun] and count in self._at:
                    return f"{count!r} is said of something else"
            words = set(told)
            for value in words:
                if not value[0].isdigit() or value not in self._at:
                    continue
                within = words if len(self._context(words, value)) >= _FEWEST_AROUND else whole
                around = self._context(within, value)
                here = self._told(value, around)
                rivals = self._kinds[_kind(value)] - within
                if any(self._told(one, around) > max(_LEAST, _MORE * here) for one in rivals):
                    return f"{value!r} is said of something else"
        return None

    def _context(self, words: set[str], value: str) -> set[str]:
        return {
            word for word in words if word != value and word in self._at and not is_unit(word) and not says_little(word)
        }

    def _told(self, value: str, around: set[str]) -> float:
        """Return how much some words tell of a number, where they do so most."""
        return max(
            (
                sum(self._nearness(word, message, place, clause) for word in around)
                for message, places in self._at[value].items()
                for place, clause in places
            ),
            default=0.0,
        )

    def _nearness(self, word: str, message: int, place: int, clause: int) -> float:
        held = self._at[word]
        nearest = max(
            (
                _OTHER_CLAUSE ** abs(other - clause) / (1 + abs(at - place) / _NEAR_WORDS)
                for at, other in held.get(message, ())
            ),
            default=0.0,
        )
        return nearest * math.log(1 + self._messages / len(held))


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
