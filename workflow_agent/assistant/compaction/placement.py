"""Whether the values of a sentence stand with what the turns say them of, and whether it denies what they affirm."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from workflow_agent.assistant.compaction.contradictions import is_beyond, is_uncertain
from workflow_agent.assistant.compaction.statements import (
    Statement,
    Statements,
    is_unit,
    says_little,
    stated_in,
    statement_of,
    stem,
    words_within,
)
from workflow_agent.assistant.compaction.subjects import is_verb, replacements_in

_FEWEST_AROUND: Final = 2
_MOST_OF_IT: Final = 0.75
_PLACED: Final = re.compile(r"\b(by|to|with|from|in|at|for|via|through) (?:the |an? )?([^\W\d_]+)", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")
OF_ANYTHING: Final = frozenset(map(stem, ("workflow", "process", "step")))
_NAME: Final = r"(?<![\w'-])([A-Z][\w'.-]++(?: [A-Z][\w'.-]++){0,2})"
_ROLE: Final = re.compile(
    rf"(?:The |Our )?{_NAME} (?:is|was|acts as|works as|serves as) (?:the|an?|our|their|her|his) "
    r"((?!and |who |that )[\w'-]++(?: (?!and |who |that )[\w'-]++){0,5})\W*$"
)
"""Who somebody is, as the whole of a sentence."""
_PRONOUNS: Final = frozenset({"them", "it", "him", "her", "me", "us", "you", "that", "this", "those", "these"})
_SPEAKER: Final = re.compile(r"\bI\b")
_INTRODUCED: Final = re.compile(
    rf"\b(?:I am|[Ii]'?m|[Tt]his is|[Hh]ere is|[Ii]t'?s|[Mm]y name is|[Mm]e =) {_NAME}"
    rf"|\b[Ii](?: am|'?m) [a-z][^.,;!?]{{2,60}}, {_NAME}|{_NAME},? (?:speaking|here|writing)\b"
    rf"|^(?:(?:[Hh]i|[Hh]ello|[Hh]ey|[Gg]ood \w+|[Dd]ear \w+)\W+(?:there\W+)?)?{_NAME}, [a-z]"
)
"""Who says who it is: what "I" does, they do."""


class Placement:
    """Where the values of some turns stand.

    Args:
        texts: The sentences of the turns.
        beside: Pairs of sentences of which the second goes on with the first.
        neighbours: All pairs of sentences that one message has side by side.
        speakers: Stems of the names of those who say "I".
    """

    def __init__(
        self,
        texts: Sequence[str],
        beside: Iterable[tuple[str, str]],
        neighbours: Iterable[tuple[str, str]],
        speakers: frozenset[str],
    ) -> None:
        self.sentences = Statements(map(statement_of, texts))
        self.parts = Statements(part for text in texts for part in stated_in(text))
        self._speakers = speakers
        self._beside = Statements(_joined(beside))
        self._neighbours = Statements(_joined(neighbours))

    def misplaced(self, said: Statement, values_of: Callable[[Statement], frozenset[str]]) -> str | None:
        """Return which value of a sentence is said of something else; None where all are in place.

        `values_of` gives the values of a clause, and what else may be one.
        """
        return self._swapped(said) or next(
            (why for part in stated_in(said.text) if (why := self._misplaced_in(part, said, values_of(said)))), None
        )

    def other_role(self, said: Statement) -> str | None:
        """Return whom the turns do not call what a sentence calls them: "Carla is the manager"."""
        match = _ROLE.match(said.text)
        if match is None:
            return None
        who, role = words_within(match[1]), {word for word in words_within(match[2]) if not says_little(word)}
        held = [*self._holding(who[-1], self._beside), *self._holding(who[-1], self._neighbours)] if who else []
        if not held or not role or any(2 * len(role & set(one.words)) > len(role) for one in held):
            return None
        return f"nobody calls {match[1]} {match[2]!r}"

    def _misplaced_in(self, part: Statement, said: Statement, named: frozenset[str]) -> str | None:
        values = (named & set(part.words)) - self._speakers
        for value in values:
            around = _context(part, value)
            if len(around) < _FEWEST_AROUND:
                around = _context(said, value)
            held = self._holding(value, self._beside)
            is_known = 2 * sum(bool(self.sentences.holding(word)) for word in around) >= len(around)
            if around - OF_ANYTHING and is_known and held and not any(around & set(one.words) for one in held):
                return f"{value!r} is said of something else"
            if value in part.denied and any(value in one.denied for one in held):
                continue
            if self._is_of_another(value, part) or self._is_in_anothers_place(value, part, said):
                return f"{value!r} is said of something else"
        for one, other in combinations(sorted(values), 2):
            if self._are_apart(one, other) or self._are_crossed(one, other, said):
                return f"{one!r} and {other!r} are said of different things"
        return None

    def _swapped(self, said: Statement) -> str | None:
        """Say which word of a clause stands in the place of another: "by mail" for "by freight"."""
        words = set(said.words)
        for preposition, place in placed_in(said.text):
            others = words - {place}
            if len(others) < _FEWEST_AROUND:
                continue
            held = [one for one in self._holding(place) if words <= set(one.words)]
            swapped = [
                part
                for one in held
                for part in stated_in(one.text)
                if others <= set(part.words)
                and place not in part.words
                and any(same == preposition and rival not in words for same, rival in placed_in(part.text))
            ]
            if held and len(swapped) == len(held):
                return f"{place!r} is said of something else"
        return None

    def _is_of_another(self, value: str, stated: Statement) -> bool:
        """Say whether what is told of a value is told of another one of its kind, in another clause.

        "Claims need two signatures, contracts three" does not say that claims need three.
        """
        around = set(stated.words) - {value}
        mine = self.parts.holding(value)
        if len(around) < _FEWEST_AROUND or any(around & set(one.words) for one in mine):
            mine_words = {word for one in mine for word in one.words}
            around = {word for word in around & stated.values if word not in mine_words}
        if not around:
            return False
        together = [one for one in self._holding(value) if around <= set(one.words)]
        return bool(together) and all(
            any(around <= set(part.words) and _rivals(part, value, stated) for part in stated_in(one.text))
            for one in together
        )

    def _is_in_anothers_place(self, value: str, stated: Statement, said: Statement) -> bool:
        """Say whether each sentence with a value says what is told of it in a clause with another one instead."""
        around = set(stated.words) - {value}
        held = self._holding(value)
        if len(around) < _FEWEST_AROUND or not held:
            return False
        for one in held:
            parts = stated_in(one.text)
            mine = max((len(around & set(part.words)) for part in parts if value in part.words), default=0)
            rival = max((len(around & set(part.words)) for part in parts if _rivals(part, value, said)), default=0)
            if rival <= mine or rival < max(_FEWEST_AROUND, _MOST_OF_IT * len(around) - 0.5):
                return False
        return True

    def _are_apart(self, one: str, other: str) -> bool:
        """Say whether two values never go together, and another of its kind stands in the place of one."""
        if any(other in held.words for held in self._holding(one, self._neighbours)):
            return False
        mine, theirs = self._holding(one), self._holding(other)
        if {_kind(one), _kind(other)} == {"number"} and _shared(mine) & _shared(theirs):
            # "Of three extractors two": both are said of the same things.
            return False
        rivals = any(_kind(value) == _kind(other) for held in mine for value in held.values - {one})
        return rivals or any(_kind(value) == _kind(one) for held in theirs for value in held.values - {other})

    def _are_crossed(self, one: str, other: str, said: Statement) -> bool:
        """Say whether two values are each with another one's: "A goes to B, C to D" does not say that A goes to D."""
        together = [held for held in self._holding(one) if other in held.words]
        if not together:
            return False
        for held in together:
            parts = stated_in(held.text)
            if any(one in part.words and other in part.words for part in parts):
                return False
            first, second = (
                [part for part in parts if value in part.words and _rivals(part, rival, said)]
                for value, rival in ((one, other), (other, one))
            )
            if not (first and second):
                return False
        return True

    def _holding(self, value: str, joined: Statements | None = None) -> list[Statement]:
        """Return the sentences with a value, and those of some that are joined from two."""
        return [*self.sentences.holding(value), *(joined.holding(value) if joined else ())]


def introduced_in(text: str) -> frozenset[str]:
    """Return the stems of the names by which somebody introduces themselves in a message."""
    names = (name for match in _INTRODUCED.finditer(text) for name in match.groups() if name)
    return frozenset(word for name in names for word in words_within(name))


def clause_with_most(words: set[str], told: Statement) -> Statement:
    """Return the clause that has most of some words; a question whole."""
    return told if told.text.endswith("?") else max(stated_in(told.text), key=lambda part: len(words & set(part.words)))


def _context(stated: Statement, value: str) -> set[str]:
    """Return the words that tell what a value is of: not it, and no unit of measure."""
    return {word for word in stated.words if word != value and not is_unit(word)}


def _shared(held: Iterable[Statement]) -> set[str]:
    return {word for one in held for word in one.others if not says_little(word)}


def _joined(pairs: Iterable[tuple[str, str]]) -> Iterable[Statement]:
    return (statement_of(f"{one} {other}") for one, other in pairs)


def _kind(value: str) -> str:
    return "number" if value[0].isdigit() else "unit" if is_unit(value) else "name"


def placed_in(text: str) -> list[tuple[str, str]]:
    """Return the words that a preposition leads to, with it."""
    found = ((one[1].casefold(), one[2].casefold()) for one in _PLACED.finditer(text))
    return [(how, stem(place)) for how, place in found if place not in _PRONOUNS]


def _rivals(part: Statement, value: str, said: Statement) -> bool:
    """Say whether a clause has another value of a kind in the place of one, which a statement leaves out."""
    if value in part.words:
        return False
    kind = _kind(value)
    rivals = {one for one in part.values if _kind(one) == kind}
    word = _first_word(part)
    # "Book flight" is a step where another one is spoken of, and an order where somebody is.
    is_name = kind == "name" and part.text[:1].isupper() and (is_verb(value) or not is_verb(word))
    if is_name and word in part.words and not says_little(word):
        rivals.add(word)
    return bool(rivals - set(said.words)) or (
        kind == "name" and _first_word(said) == value and _SPEAKER.search(part.text) is not None
    )


def _first_word(said: Statement) -> str:
    first = _WORD.match(said.text)
    return stem(first[0].casefold()) if first else ""


_ENOUGH: Final = 0.5
_FEWEST_SHARED: Final = 2
_EXCEPTED: Final = re.compile(
    r"\b(?:every|all|each|everyone|everybody|nobody|anyone|no one) .{0,40}?\b(?:but|except)\b", re.IGNORECASE
)
_FOR_A_TIME: Final = re.compile(
    r"\b(?:until|before|after|once|over|at first|initially|not yet|so far)\b", re.IGNORECASE
)
_REQUEST: Final = re.compile(r"(?:(?:and|then|also|so|now),? )?(?:please|kindly)\b", re.IGNORECASE)
_COULD_NOT: Final = re.compile(r"The assistant (?:could|can|did|was|is)(?: not|n't)\b|The assistant cannot\b")
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
    near, most = sentences.nearest(words)
    if most < max(_ENOUGH * len(words), _FEWEST_SHARED):
        return None
    near = [one for one in near if not (_BRANCH.search(one.text) or _REQUEST.match(one.text))]
    near = [one for one in near if not is_uncertain(clause_with_most(words, one).text)]
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
    """Say which value is denied wherever it is named and told here as so."""
    # What the assistant could not do, others may.
    if said.denied or _COULD_NOT.match(said.text):
        return None
    placed = (word for how, word in placed_in(said.text) if how in _MEANS and not says_little(word))
    for value in said.values.union(placed):
        held = sentences.holding(value)
        if not held or any(_BRANCH.search(one.text) or is_uncertain(one.text) for one in held):
            continue
        if all(value in one.denied for one in held):
            return f"{value!r} is denied"
    return None
