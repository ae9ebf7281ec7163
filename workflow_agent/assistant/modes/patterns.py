"""Phrases over words and word classes: a small notation, and finding every phrase that occurs.

A phrase is a row of elements. `add` is that word, `FLOW` any word of the class, `add|FLOW` either,
`FLOW+DEF` both at once, `!FLOW` any word but those, `^why` a word where a clause may start, `new?` an
optional element, `..` up to two words in between and `...` up to five, within one sentence. `$` is the end
of a clause.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

GAPS: Final = {"..": 2, "...": 5}
HORIZON: Final = 6
"""How many words ahead are looked at before a phrase is tried."""


@dataclass(frozen=True, slots=True)
class Element:
    """One place of a phrase: what may stand there."""

    any_of: frozenset[str]
    all_of: frozenset[str] = frozenset()
    is_optional: bool = False
    is_negated: bool = False
    gap: int = 0
    """Up to this many words are passed over before the place."""

    def accepts(self, classes: frozenset[str]) -> bool:
        """Return whether a word of these classes may stand here."""
        hit = self.all_of <= classes and not (self.any_of and self.any_of.isdisjoint(classes))
        return hit is not self.is_negated


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """A compiled phrase and what finding it means."""

    text: str
    first: frozenset[str]
    rest: tuple[Element, ...]
    demanded_of_first: frozenset[str]
    soon: frozenset[str]
    """One of these has to come within `HORIZON` words; empty where the phrase asks for nothing so soon."""
    is_next: bool
    """Whether it has to be the next word."""
    meaning: str
    weight: float = 0.0

    def end_in(self, words: Sequence[frozenset[str]], start: int) -> int:
        """Return where the phrase ends whose first element is at `start`; 0 if the rest does not follow.

        All readings of the optional places are followed at once, so the cost is bounded by the phrase,
        not the text.
        """
        places = {start + 1} if self.demanded_of_first <= words[start] else set[int]()
        for element in self.rest:
            if not places:
                return 0
            places = _after(element, words, places)
        return max(places, default=0)


def _after(element: Element, words: Sequence[frozenset[str]], places: set[int]) -> set[int]:
    """Return the places that can follow, once one element has been read from each of `places`."""
    reached = set(places) if element.is_optional else set[int]()
    for place in places:
        for at in range(place, min(place + element.gap + 1, len(words))):
            if element.accepts(words[at]):
                reached.add(at + 1)
            if "STOP" in words[at]:
                break
    return reached


def table(name: str) -> list[list[str]]:
    """Return the rows of a data file of this folder, cut at tabs."""
    text = files("workflow_agent.assistant.modes").joinpath(name).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines()]


def compile_phrase(text: str, meaning: str, weight: float = 0.0) -> Phrase:
    """Return the phrase that the notation describes; its first element is neither optional nor negated."""
    elements: list[Element] = []
    gap = 0
    for part in text.split():
        if part in GAPS:
            gap = GAPS[part]
        else:
            elements.append(_element(part, gap))
            gap = 0
    first, *rest = elements
    soon, distance = _soon(rest)
    return Phrase(text, first.any_of, tuple(rest), first.all_of, soon, distance == 1, meaning, weight)


def _element(part: str, gap: int) -> Element:
    is_optional, is_negated, is_open = part.endswith("?"), part.startswith("!"), part.startswith("^")
    body = "END" if part == "$" else part.removesuffix("?").lstrip("!^")
    any_of, *demands = body.split("+")
    all_of = frozenset(demands) | ({"OPEN"} if is_open else frozenset[str]())
    return Element(frozenset(any_of.split("|")), all_of, is_optional, is_negated, gap)


def _soon(rest: Sequence[Element]) -> tuple[frozenset[str], int]:
    """Return what has to come soon, and within how many words."""
    distance = 0
    for element in rest:
        distance += 1 + element.gap
        if not element.is_optional and not element.is_negated:
            return (element.any_of if distance <= HORIZON else frozenset()), distance
    return frozenset(), distance


class PhraseIndex:
    """Phrases by the classes they begin with."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        index: defaultdict[str, list[Phrase]] = defaultdict(list)
        for phrase in phrases:
            for name in phrase.first:
                index[name].append(phrase)
        self._by_class: Mapping[str, tuple[Phrase, ...]] = {name: tuple(found) for name, found in index.items()}

    def found_in(self, words: Sequence[frozenset[str]]) -> Iterator[tuple[Phrase, int, int]]:
        """Yield every phrase that occurs, at its first place, with start and end."""
        found: set[Phrase] = set()
        for start in range(len(words)):
            for phrase, end in self.found_at(words, start, found):
                found.add(phrase)
                yield phrase, start, end

    def found_at(
        self, words: Sequence[frozenset[str]], start: int, skipped: Container[Phrase] = ()
    ) -> Iterator[tuple[Phrase, int]]:
        """Yield the phrases that begin at `start` with their ends, except the `skipped`."""
        beginning = self._by_class.keys() & words[start]
        if not beginning:
            return
        after = words[start + 1 : start + 1 + HORIZON]
        ahead = frozenset[str]().union(*after)
        following = after[0] if after else ahead
        for name in beginning:
            for phrase in self._by_class[name]:
                is_hopeless = phrase.soon and phrase.soon.isdisjoint(following if phrase.is_next else ahead)
                if is_hopeless or phrase in skipped:
                    continue
                if end := phrase.end_in(words, start):
                    yield phrase, end
