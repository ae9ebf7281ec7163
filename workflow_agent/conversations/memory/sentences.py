"""Taking a sentence apart: what it excludes, which references it joins, what a place is counted from."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from workflow_agent.conversations.memory.words import GENERIC_NOUNS, words_of

_LEAD = r"(?:(?:no|nope|nah|sorry|wait|ok|okay|well|hm+)[\s,.!]+)*"
_STOP = (
    r"\s*(?:[,;:.!?]|\s[-\u2013\u2014]\s|\bbut\b|\bi (?:mean|meant)\b)+\s*"
    r"(?:but\s+|rather\s+|i (?:mean|meant)\s+)?"
)
_NOT_THIS_BUT = re.compile(rf"^{_LEAD}not\s+(?P<out>[^,;:.!?]+?){_STOP}(?P<meant>\w.*)$", re.IGNORECASE)
_THIS_NOT_THAT = re.compile(
    r"^(?P<meant>.*?\w)\s*[,;(]?\s+(?:and\s+)?not\s+(?P<out>(?:the|that|this|my|our)\s[^,;.!?]+)[)\s.!?]*$",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(
    r"^(?:(?:show|give|open|list|take|compare|get)\s+(?:me\s+)?)?"
    r"(?:all(?: of them)?|every(?:thing|one| one| workflow)|the (?:others?|rest)|any(?:thing)?)\s+"
    r"(?:except|but(?: not)?|besides|apart from|other than|without|save)(?: for)?\s+(?P<out>.+)$",
    re.IGNORECASE,
)
_ALONE = re.compile(rf"^{_LEAD}not\s+(?:the|that|this|my|our)\s[^,;:.!?]+[.!]*$", re.IGNORECASE)

_JOINS = re.compile(
    r"\s*(?:,\s*)?(?:\band\b(?: also\b)?|&|\+|\bplus\b|\bas well as\b)\s*|\s+(?:vs\.?|versus|against)\s+|"
    r"\s*/\s*(?=[a-z])|\s*,\s+(?=(?:the|my|our)\s)",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:compar\w*|differ\w*|diff|merg\w+|combin\w+|better|worse|longer|shorter|faster|same as)\b", re.IGNORECASE
)
_COMPARED = re.compile(r"\s+(?:with|to|than|into|as|(?<=different )from|(?<=differ )from)\s+", re.IGNORECASE)
_TALK = "no|nope|nah|ok|okay|yes|yeah|so|well|hm+|please|pls|sorry|wait|hey|hi|now|then|also|me|can|could|you"
_REFERS = re.compile(rf"\b(?!(?:{_TALK}|{_COMPARES.pattern[5:-3]})\b)\w", re.IGNORECASE)
"""Something besides talk and the word that compares."""
_EITHER = re.compile(r"\s+or\s+", re.IGNORECASE)

_BETWEEN = re.compile(r"\bbetween\s+(?P<first>.+?)\s+and\s+(?P<second>.+)$", re.IGNORECASE)
_BESIDE = re.compile(
    r"\b(?:(?:right|just|directly|immediately|shortly)\s+)?(?P<side>before|after|following|preceding)\s+"
    r"(?P<what>(?!(?:that|this|it|the (?:last|previous)|us|me)(?: one)?\W*$)\w.*)$",
    re.IGNORECASE,
)
_PLACED = re.compile(
    rf"^(?:(?!\b(?:steps?|fields?|state|branch)\b).)*\b(?:{'|'.join(sorted(GENERIC_NOUNS))}|what)\b", re.IGNORECASE
)
"""What a place in time is said of: a workflow, not a step of one."""

_MOST_PARTS = 6
"""A text of more is no reference any more; each part is read by itself, which takes time."""
_BREAKS_TEXT = (
    "i we you he she they me us him them let lets who whom whose where when why how which what and or but "
    "then so because if in on by from to into onto than as while again is are was were be been am do does "
    "did has have had can could will would should shall may might must get gets got put add remove delete "
    "rename insert make makes set change update edit move show open explain analyze analyse check draw "
    "compare validate give tell undo go use copy run need want see look find take step steps state states "
    "field fields form forms transition transitions branch branches trigger triggers role roles name title "
    "owner before after like without remember know think mean meant"
)
_BREAKS = frozenset(_BREAKS_TEXT.split())
"""Words at which a reference within a sentence ends."""
_DEFINITE = frozenset(["the", "my", "our", "this", "that", "these", "those"])
_INDEFINITE = frozenset(["a", "an", "another", "some", "any"])
_LINKS = frozenset(["of", "for", "with", "about"])
_CLAUSE_END = re.compile(r"[,;:.!?()\u2026\u2014]+")


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What a text says is not meant."""

    out: str
    meant: str
    """What is meant instead; empty for "everything except" and for a bare "not the refund one"."""
    is_rest: bool = False
    """Everything else is meant."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the order of time, counted from other workflows."""

    side: Literal["before", "after", "between"]
    of: tuple[str, ...]
    lead: str
    """The text before it: "the one we made"."""


def exclusion_in(text: str) -> Exclusion | None:
    """Return what a text excludes: "not the refund one, the other", "all but this one"; or None."""
    if found := _ALL_BUT.match(text):
        return Exclusion(found["out"], "", is_rest=True)
    if found := _NOT_THIS_BUT.match(text):
        return Exclusion(found["out"], found["meant"])
    if found := _THIS_NOT_THAT.match(text):
        return Exclusion(found["out"], found["meant"])
    if _ALONE.match(text):
        return Exclusion(text.split("not", 1)[1], "")
    return None


def compares(text: str) -> bool:
    """Say whether a text sets one thing beside another."""
    return _COMPARES.search(text) is not None


def joined_in(text: str) -> tuple[str, ...]:
    """Return the references that a text joins by "and", or by "with" where it compares; none if only one."""
    parts = _JOINS.split(text)
    if not compares(text):
        return _several(part for part in parts if _REFERS.search(part))
    compared = [piece for part in parts for piece in _COMPARED.split(part)]
    return _several(_COMPARES.sub(" ", piece) if _REFERS.search(piece) else "it" for piece in compared)


def _several(parts: Iterable[str]) -> tuple[str, ...]:
    kept = tuple(part.strip() for part in parts if part.strip(" ,.!?"))
    return kept if 1 < len(kept) <= _MOST_PARTS else ()


def either_in(text: str) -> tuple[str, ...]:
    """Return what a text names by "or": two words for one thing, or a choice left open."""
    return _several(_EITHER.split(text))


def clauses_in(text: str) -> tuple[str, ...]:
    """Return the clauses of a text; none if it is one."""
    return _several(_CLAUSE_END.split(text))


def place_in(text: str) -> Place | None:
    """Return the place in time a text gives relative to what it names: "between exam and leave"."""
    if found := _BETWEEN.search(text):
        return Place("between", (found["first"], found["second"]), text[: found.start()])
    if (found := _BESIDE.search(text)) and _PLACED.match(text[: found.start()]):
        side = "before" if found["side"].casefold() in ("before", "preceding") else "after"
        return Place(side, (found["what"],), text[: found.start()])
    return None


def mentions_in(text: str, of_names: Collection[str]) -> list[str]:
    """Return the parts of a sentence that may refer to something known, in order.

    Something new ("a step") is none; "the workflow of the refunds" is one.

    Args:
        text: What somebody wrote.
        of_names: Words of known names, at which no part ends.
    """
    clauses = (words_of(clause) for clause in _CLAUSE_END.split(text))
    runs = (run for words in clauses for run in _runs(words, of_names))
    return [" ".join(run) for run in runs if _says_something(run)]


def _says_something(run: list[str]) -> bool:
    return any(word not in GENERIC_NOUNS and word not in _DEFINITE and word not in _LINKS for word in run)


def _runs(words: list[str], of_names: Collection[str]) -> Iterator[list[str]]:
    run: list[str] = []
    is_new = False
    for at, word in enumerate(words):
        is_break = word in _BREAKS and word not in of_names
        if is_break or word in _INDEFINITE or (is_new and word in _LINKS):
            yield from [run] if not is_new else []
            run, is_new = [], word in _INDEFINITE
        elif word in _DEFINITE and (at == 0 or words[at - 1] not in _LINKS):
            yield from [run] if not is_new else []
            run, is_new = [word], False
        else:
            run.append(word)
    if not is_new:
        yield run
