"""A small pattern language for phrases, read from the files in `phrases/`.

`{slot}` is any text, `<group>` any phrase of a word group, `[...]` may be missing, `[...]*` may repeat,
`(a|b)` is a choice. Everything else, spaces included, stands for itself; case does not matter.
A pattern matches a whole phrase.
Phrases are short (`MOST_PHRASE_CHARS`), which bounds the work whatever somebody types.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files

from workflow_agent.agent.offline.intents.numbers import ORDINALS
from workflow_agent.agent.offline.intents.times import TIME

MOST_PHRASE_CHARS = 300
_WORD = re.compile(r"[a-z]{2,}")
_GROUP = re.compile(r"<(\w+)>")
_TOKEN = re.compile(r"\{(\w+)\}|(\]\*|[\[\]()|])|([^\[\](){}|]+)")
_NUMBER = (
    r"(?:\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|a couple of|a few|"
    r"several)"
)
_UNIT = (
    r"(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?|months?|years?|fortnights?|weekdays?)"
)
_LENGTH = (
    rf"(?:(?:{_NUMBER}|\d{{1,6}}\.\d{{1,3}}|an?|half an?)[ -]?"
    rf"(?:(?:business|working|calendar|full|whole|more|and a half|half) )*{_UNIT}(?: and a half)?)"
)
_AMOUNT = (
    r"(?:[€$£] ?)?\d[\d.,]{0,12}(?: ?(?:%|k|m))?"
    r"(?: (?:eur|euros?|usd|dollars?|pounds?|gbp|chf|francs?|percent|points?))?"
    r"(?: (?:a|per) (?:year|month|week|day|order|person))?"
)
_TYPED = {
    "amount": _AMOUNT,
    "was": _AMOUNT,
    "limit": rf"[\w ]{{3,40}}? (?:above|over|below|under|of more than|of less than|bigger than|larger than) "
    rf"{_AMOUNT}",
    "quoted": r"(?:\"[^\"]+\"|'[^']+')",
    "who_at": r"[^,;:]+?",
    "it": r"(?:it|that|this)",
    "its": r"(?:its|the)",
    "name": r"(?!(?:within|no later than|in (?:less|under) )\b).+?",
    "beside": r"(?:before|after|behind|ahead of|(?:right|directly) (?:after|before))\b.+?",
    "n": _NUMBER,
    "ord": rf"(?:\d{{1,3}}(?:st|nd|rd|th)|{'|'.join(ORDINALS)}|last)",
    "workflow_only": r"(?:(?!\b(?:from|of|in|to|and|with|for)\b).)+?",
    "dur": rf"(?:P[0-9YMWDTHS.]{{2,30}}|{_LENGTH}(?:(?:,| and|, and)? {_LENGTH})*)",
    "when": r"(?:(?:every|each|on|at|when|whenever|daily|weekly|monthly|hourly|nightly|automatically|by|"
    r"manually|once|as soon as|in the|tomorrow|today|overnight|after an?)\b.*?)",
    "agents": r"(?:(?:,? ?and |, ?| )?(?:both )?(?:the |@)?(?:assistant|designer|finder|editor|analyst))+",
    "phase": r"(?:brainstorm(?:ing)?|plan(?:ning)?|execut(?:e|ing|ion)|verif(?:y|ying|ication)|chores|"
    r"reflect(?:ion)?|chat(?:ting)?)",
    "who": r"(?!rid\b)(?:(?!\b(?:before|after|between|if|when|until|because)\b)[^,;:>])+?",
    "deed": r"(?:(?!\b(?:before|after|between|if|when|until|first|every|within|instead)\b)[^,;:])+?",
    "done": r"[a-z]+(?:ed|en|t|de|d|n)(?: (?:up|off|out|in|back|over))?",
    "unit": _UNIT,
    "m": _NUMBER,
    "do": rf"(?!(?:{_NUMBER}|go|send it|back|try|retry|repeat)\b).+?",
    "backoff": r"(?:exponential|linear|fixed|constant)",
    "blurb": r"(?!(?:an? |the )?(?:[\w-]+ ){0,2}"
    r"(?:lists?|bullets?|bullet points|tables?|diagrams?|flow ?charts?|charts?|pictures?|graphs?|"
    r"stor(?:y|ies)|summary|outline|overview|text|prose|paragraphs?|sentences?|words)(?: please)?$|"
    r"(?:if|though|well|you|i|simply|briefly|shortly|plainly|clearly|exactly|precisely|possible|"
    r"it (?:is|was)|they (?:are|were))\b).+?",
    "interval": rf"(?:{_LENGTH}|{_UNIT})",
    "time": TIME,
}
"""Slots that hold a certain kind of phrase only: a number, an ordinal, a length of time."""
_SYNTAX = {"[": "(?:", "]": ")?", "]*": ")*", "(": "(?:", ")": ")", "|": "|"}
_CLOSES = frozenset({"]", "]*", ")"})


class Phrase:
    """One pattern, compiled when it is first tried on a phrase that has all the words it cannot do without.

    There are some six hundred, and a message has the words of a few dozen.

    Args:
        kind: What it means.
        pattern: As it stands in the file.
    """

    def __init__(self, kind: str, pattern: str) -> None:
        self.kind = kind
        self._pattern = pattern

    def match(self, phrase: str, folded: str) -> re.Match[str] | None:
        """Return the match of a whole phrase.

        Args:
            phrase: As it was said.
            folded: The same without case.
        """
        if not all(any(text in folded for text in choice) for choice in self._needed):
            return None
        return self._expression.fullmatch(phrase)

    @property
    def words(self) -> frozenset[str]:
        """The words that stand in the pattern itself."""
        literals = (literal for _, _, literal in _TOKEN.findall(_spelled_out(self._pattern, _groups())))
        return frozenset(word for literal in literals for word in _WORD.findall(_folded(literal)))

    @cached_property
    def _needed(self) -> tuple[tuple[str, ...], ...]:
        return _needed(self._pattern, _groups())

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        return re.compile(_expression(self._pattern, _groups()), re.IGNORECASE)


Table = tuple[Phrase, ...]
"""Patterns in the order they are tried."""


@cache
def phrase_table(name: str) -> Table:
    """Return the patterns of `phrases/<name>.txt`."""
    kind, table = "", list[Phrase]()
    for line in _lines(name):
        if line.startswith("[") and line.endswith("]") and line[1:-1].replace(":", "_").isidentifier():
            kind = line[1:-1]
        else:
            table.append(Phrase(kind, line))
    return tuple(table)


def kinds_of(name: str) -> frozenset[str]:
    """Return the kinds a phrase file knows, without their places."""
    return frozenset(phrase.kind.partition(":")[0] for phrase in phrase_table(name))


def matches(phrase: str, table: Table) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the kind and the slots of each pattern that matches a whole phrase, in the order of the table."""
    if len(phrase) > MOST_PHRASE_CHARS:
        return
    folded = _folded(phrase)
    for one in table:
        if match := one.match(phrase, folded):
            yield one.kind, _slots(match)


def _folded(text: str) -> str:
    # An expression that ignores case takes a dotless i for an i, which folding does not.
    return text.casefold().replace("\N{LATIN SMALL LETTER DOTLESS I}", "i")


def _needed(pattern: str, groups: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return texts of which whatever matches a pattern holds one each: what is in it, and of each choice.

    Of a phrase of a choice it is the longest text; where it has none, that is empty, which any phrase holds.
    """
    needed: list[tuple[str, ...]] = []
    opened: list[str] = []
    choice: list[str] = []
    for slot, syntax, literal in _TOKEN.findall(_spelled_out(pattern, groups)):
        if syntax in _CLOSES:
            needed += [tuple(choice)] if opened.pop() == "(" and not opened else []
        elif syntax in ("(", "["):
            opened.append(syntax)
            choice = [""] if len(opened) == 1 else choice
        elif syntax and not opened:
            return ()
        elif syntax and len(opened) == 1:
            choice.append("")
        elif not slot and not opened:
            needed.append((_folded(literal),))
        elif not slot and opened == ["("]:
            choice[-1] = max(choice[-1], _folded(literal), key=len)
    return tuple(needed)


def _slots(match: re.Match[str]) -> dict[str, str]:
    """Return what the slots hold; a slot that a pattern names twice holds what either did."""
    return {name.partition("__")[0]: text.strip() for name, text in match.groupdict().items() if text}


def _lines(name: str) -> list[str]:
    text = (files("workflow_agent.agent.offline") / "phrases" / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


@cache
def word_lists(name: str) -> Mapping[str, Sequence[str]]:
    """Return the named lists of `phrases/<name>.txt`."""
    split = [line.partition(" = ") for line in _lines(name)]
    return {key: phrases.split(" | ") for key, _, phrases in split}


@cache
def _groups() -> Mapping[str, Sequence[str]]:
    formats = [phrase for phrases in word_lists("formats").values() for phrase in phrases]
    return {**word_lists("groups"), "fmt": formats}


def _expression(pattern: str, groups: Mapping[str, Sequence[str]]) -> str:
    parts: list[str] = []
    for slot, syntax, literal in _TOKEN.findall(_spelled_out(pattern, groups)):
        if slot:
            parts.append(f"(?P<{slot}__{len(parts)}>{_TYPED.get(slot, '.+?')})")
        else:
            parts.append(_SYNTAX[syntax] if syntax else re.escape(literal))
    return "".join(parts)


def _spelled_out(pattern: str, groups: Mapping[str, Sequence[str]]) -> str:
    """Return a pattern with each word group written out as a choice, longest phrase first."""

    def choice(match: re.Match[str]) -> str:
        phrases = sorted(groups[match[1]], key=len, reverse=True)
        return _spelled_out("(" + "|".join(phrases) + ")", groups)

    return _GROUP.sub(choice, pattern)
