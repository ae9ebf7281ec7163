"""A message as mode inference reads it: words with their classes, what is asked for, and the phrases found in it.

A phrase is a row of elements. `add` is that word, `FLOW` any word of the class, `add|FLOW` either,
`FLOW+DEF` both at once, `!FLOW` any word but those, `^why` a word where a clause may start, `new?` an
optional element, `..` up to two words in between and `...` up to five, within one sentence. `$` is the end
of a clause.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from workflow_agent.assistant.modes.lexicon import REQUESTABLE, classes_of
from workflow_agent.assistant.modes.spelling import IS_AFTER, SPELLINGS, SUFFIXES

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
        self._by_class: defaultdict[str, list[Phrase]] = defaultdict(list)
        for phrase in phrases:
            for name in phrase.first:
                self._by_class[name].append(phrase)

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


HEAD_CHARS: Final = 2000
TAIL_CHARS: Final = 800
"""Of a longer message only its beginning and end are read: there people say what they want with the rest."""

_STRAIGHT: Final = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u00ab": '"', "\u00bb": '"'}
)
_TOKEN: Final = re.compile(
    r"""(?P<quote>"[^"\n]{1,60}"|`[^`\n]{1,60}`|(?<!\w)'[^'\n]{1,60}'(?!\w))"""
    r"""|(?P<bullet>\n[ \t]{0,8}(?:[-*\u2022]|\d{1,2}[.)])[ \t]|\b\d{1,2}\)|\(\d\))"""
    r"""|(?P<arrow>->|=>|\u2192|\u21d2|\u27a1|\u2794|\u27f6|\s>\s)"""
    r"""|(?P<word>\w+(?:'\w+)*)"""
    r"""|(?P<stop>[.](?!\w)|[!?;\u2026]|\n+)"""
    r"""|(?P<pause>,(?!\d)|:(?!\d)|[()\u2014\u2013]|\s-\s)"""
)
_MARKS: Final = {
    "quote": frozenset({"QUOTE"}),
    "bullet": frozenset({"BULLET", "END", "STOP"}),
    "arrow": frozenset({"ARROW", "END"}),
    "pause": frozenset({"END"}),
    "stop": frozenset({"END", "STOP"}),
}
_AUXILIARY: Final = frozenset({"BE", "MODAL", "HAS", "DOES"})
_OBJECT: Final = frozenset({"DEF", "INDEF", "IT", "WH", "END", "QUOTE", "ME", "if", "for", "to", "in"})
_FREE: Final = frozenset({"PAD", "GREET", "THANKS", "YES", "NO", "PRAISE"})
_JOINT: Final = frozenset({"and", "but", "so", "then", "or", "also", "because", "either", "please", "just"})
_FRAMES: Final = PhraseIndex(compile_phrase(phrase, meaning) for meaning, phrase in table("frames.tsv"))
"""The verb behind an `ask` ("could you") is to be done, behind a `wonder` ("how do I") it is only talked about."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a message in order, punctuation included."""

    words: tuple[str, ...]
    classes: tuple[frozenset[str], ...]
    """For each word: itself, its classes, and OPEN, LEAD, ASKED or DO_<verb class> where something may be
    asked for."""

    def spoken(self) -> list[str]:
        """Return the words without punctuation."""
        return [word for word, found in zip(self.words, self.classes, strict=True) if "END" not in found]

    def excerpt(self, start: int, end: int) -> str:
        """Return the words from `start` up to `end` as one readable line."""
        return " ".join(" ".join(self.words[start:end]).split())


def read(message: str) -> Reading:
    """Return the message's words with their classes; of a very long message its beginning and its end."""
    if len(message) > HEAD_CHARS + TAIL_CHARS:
        message = f"{message[:HEAD_CHARS]}\n{message[-TAIL_CHARS:]}"
    return _read(message)


# A turn asks three times, for who answers, for the mode and for what is referred to: it is read once.
@lru_cache(maxsize=64)
def _read(message: str) -> Reading:
    # A list may begin with the message: its first bullet is known by the line break before it.
    tokens = _tokens("\n" + message.lower().translate(_STRAIGHT).lstrip("\n"))
    pairs = [*(pair for at, pair in enumerate(tokens) if at or pair[0] != "\n"), (".", _MARKS["stop"] | {"LAST"})]
    words, classes = zip(*pairs, strict=True)
    return Reading(words, tuple(_with_requests(classes)))


def _tokens(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup or "", match.group()
        if kind == "word":
            for word in _spelled_out(token):
                yield word, classes_of(word)
        else:
            yield token.strip(" \t"), _MARKS[kind] | ({token} if kind == "stop" else frozenset())


def _spelled_out(word: str) -> Sequence[str]:
    """Return the words that a contraction or shorthand stands for."""
    if word in SPELLINGS:
        return SPELLINGS[word].split()
    if "'" not in word:
        return (word,)
    for suffix, full in SUFFIXES.items():
        if word.endswith(suffix):
            return (word.removesuffix(suffix), full)
    base = word.partition("'")[0]
    return (base, "is") if word.endswith("'s") and base in IS_AFTER else (base,)


def _with_requests(classes: Sequence[frozenset[str]]) -> Iterator[frozenset[str]]:
    """Yield each word's classes, completed where a clause starts or a request has been opened.

    A clause starts after punctuation, after a joining word, and after words that only pad it ("so, could you
    please"). Only there is a base form of a verb a request.
    """
    state = frozenset({"OPEN", "LEAD"})
    frame_end, meaning = 0, ""
    for at, found in enumerate(classes):
        if at < frame_end:
            yield found
            continue
        if frame_end == at and meaning:
            state = frozenset({"OPEN", "LEAD", "ASKED"}) if meaning == "ask" else frozenset[str]()
        frame_end, meaning = _longest_frame(classes, at)
        if frame_end:
            yield found | state
            continue
        yield _requested(classes, at, state) if state else found
        state = _state_after(found, state)


def _longest_frame(classes: Sequence[frozenset[str]], at: int) -> tuple[int, str]:
    ends = ((end, frame.meaning) for frame, end in _FRAMES.found_at(classes, at))
    return max(ends, default=(0, ""))


def _state_after(found: frozenset[str], state: frozenset[str]) -> frozenset[str]:
    if "STOP" in found or "ARROW" in found:
        return frozenset({"OPEN", "LEAD"})
    if "END" in found or not _JOINT.isdisjoint(found):
        return state or frozenset({"OPEN"})
    return state if not _FREE.isdisjoint(found) else frozenset()


def _requested(classes: Sequence[frozenset[str]], at: int, state: frozenset[str]) -> frozenset[str]:
    """Return the classes of a word where a clause starts: a verb is to be done, unless it is a subject."""
    found = classes[at]
    asked = {f"DO_{name}" for name in REQUESTABLE if name in found or ("ASKED" in state and f"{name}_ING" in found)}
    if asked and _is_subject(classes, at):
        asked = set[str]()
    if not asked and "ASKED" in state and _FREE.isdisjoint(found):
        asked = {"DO_OTHER"}
    return found | state | asked


def _is_subject(classes: Sequence[frozenset[str]], at: int) -> bool:
    """Return whether the verb begins a statement about itself, as in "search is the second step"."""
    for following in classes[at + 1 : at + 4]:
        if not _AUXILIARY.isdisjoint(following):
            return True
        if not _OBJECT.isdisjoint(following):
            return False
    return False
