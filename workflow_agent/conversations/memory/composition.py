"""References made of others, as a sentence tells them: "not the refund one, the other", "this and the stock one"."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from workflow_agent.conversations.memory.choice import Scene, first_moment, last_moment
from workflow_agent.conversations.memory.phrases import bare
from workflow_agent.conversations.memory.references import Known, Resolution, ambiguous, resolved, unknown
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
"""Between two words for one thing, or in a choice left open."""

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
_DETERMINERS = frozenset(["the", "my", "our", "this", "that", "these", "those"])
_INDEFINITE = frozenset(["a", "an", "another", "some", "any"])
_LINKS = frozenset(["of", "for", "with", "about"])
_POINTERS = GENERIC_NOUNS | _DETERMINERS | _LINKS
"""Words that tell nothing by themselves: "the workflow with that"."""
_CLAUSE_END = re.compile(r"[,;:.!?()\u2026\u2014]+")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the order of time, counted from other workflows."""

    side: Literal["before", "after", "between"]
    of: tuple[str, ...]
    lead: str
    """The text before it: "the one we made"."""


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

    Something new ("a step") is none; "the workflow of the refunds" is one. At a word of known names no part ends.
    """
    clauses = (words_of(clause) for clause in _CLAUSE_END.split(text))
    runs = (run for words in clauses for run in _runs(words, of_names))
    return [" ".join(run) for run in runs if not _POINTERS.issuperset(run)]


def _runs(words: list[str], of_names: Collection[str]) -> Iterator[list[str]]:
    run: list[str] = []
    is_new = False
    for at, word in enumerate(words):
        is_break = word in _BREAKS and word not in of_names
        is_end = is_break or word in _INDEFINITE or (is_new and word in _LINKS)
        if is_end or (word in _DETERMINERS and (at == 0 or words[at - 1] not in _LINKS)):
            if not is_new:
                yield run
            run, is_new = [] if is_end else [word], word in _INDEFINITE
        else:
            run.append(word)
    if not is_new:
        yield run


_OTHER = re.compile(r"\b(?:others?|another|instead|rather)\b", re.IGNORECASE)
_MADE = re.compile(r"\b(?:made|make|built|created|did|drafted|designed|wrote|started)\b", re.IGNORECASE)
_DEFINITE = re.compile(r"\s*(?:the|my|our)\b", re.IGNORECASE)
_SUREST = 0.78
"""How sure a reference made of others can be: one part may have been misread."""
_CLAUSE_SUREST = 0.72

Read = Callable[[str, Sequence[Known] | None], Resolution]
"""Resolves one reference among these workflows, or among all."""


def composed(text: str, scene: Scene, read: Read) -> Resolution | None:
    """Return what a text means that is made of several references; None when it makes one."""
    if found := _ALL_BUT.match(text):
        return _without(found["out"], None, scene, read)
    if found := _NOT_THIS_BUT.match(text) or _THIS_NOT_THAT.match(text):
        return _without(found["out"], found["meant"], scene, read)
    if _ALONE.match(text):
        return _without(text.split("not", 1)[1], "", scene, read)
    if (parts := joined_in(text)) and (joined := _joined(parts, scene, read)):
        return joined
    if either := _several(_EITHER.split(text)):
        return _either(either, scene, read)
    if place := place_in(text):
        return _beside(place, scene, read)
    return None


def of_clauses(text: str, scene: Scene, read: Read) -> Resolution | None:
    """Return what the first clause that says something means; pronouns after it only point back."""
    clauses = _several(_CLAUSE_END.split(text))
    telling = [part for part in clauses if bare(part)] or list(clauses)
    found = [read(part, None) for part in telling]
    if not found or not found[0].workflow_ids:
        return None
    others = {ids for one in found if (ids := one.workflow_ids)} - {found[0].workflow_ids}
    if others:
        ids = {one for several in (*others, found[0].workflow_ids) for one in several}
        return ambiguous([one for one in scene.known if one.workflow_id in ids], "each clause means another")
    return replace(found[0], confidence=min(found[0].confidence, _CLAUSE_SUREST))


def _without(text: str, meant: str | None, scene: Scene, read: Read) -> Resolution | None:
    """Return what is meant other than what a text names: `meant`, or all the rest where that is None."""
    out = set(read(text, None).workflow_ids)
    if not out:
        return read(meant, None) if meant else None
    rest = [one for one in scene.known if one.workflow_id not in out]
    here = [one for one in scene.here() if one.workflow_id not in out]
    if not rest:
        return unknown("there is no other")
    if meant is None:
        return resolved(here or rest, _SUREST, "all but that")
    instead = _OTHER.sub(" ", meant)
    if not bare(instead):
        only = next((some for some in (rest, here) if len(some) == 1), None)
        return resolved(only, _SUREST, "the one left") if only else ambiguous(here or rest, "several are left")
    found = read(instead, None)
    return _capped(read(instead, rest) if out.issuperset(found.workflow_ids) else found)


def _joined(parts: Sequence[str], scene: Scene, read: Read) -> Resolution | None:
    found = [read(part, None) for part in parts]
    if not all(one.workflow_ids for one in found):
        return None
    ids = list(dict.fromkeys(workflow_id for one in found for workflow_id in one.workflow_ids))
    by_id = {one.workflow_id: one for one in scene.known}
    sure = min(_SUREST, *(one.confidence for one in found))
    return resolved([by_id[one] for one in ids if one in by_id], sure, "named together")


def _either(parts: Sequence[str], scene: Scene, read: Read) -> Resolution | None:
    found = [one for part in parts if (one := read(part, None)).workflow_id is not None]
    ids = {one.workflow_id for one in found}
    if len(found) < len(parts) and not (found and all(_DEFINITE.match(part) for part in parts)):
        return None
    if len(found) == len(parts) and len(ids) == 1:
        return _capped(found[0])
    return ambiguous([one for one in scene.known if one.workflow_id in ids], "it is left open which")


def _beside(place: Place, scene: Scene, read: Read) -> Resolution | None:
    at = [read(one, None).workflow_id for one in place.of]
    here = scene.here()
    among = here if {one.workflow_id for one in here}.issuperset(at) else scene.known
    ordered = sorted(among, key=first_moment if _MADE.search(place.lead) else last_moment)
    places = sorted(place for place, one in enumerate(ordered) if one.workflow_id in at)
    if len(places) != len(place.of):
        return None
    found = {
        "between": ordered[places[0] + 1 : places[-1]],
        "before": ordered[max(places[0] - 1, 0) : places[0]],
        "after": ordered[places[-1] + 1 : places[-1] + 2],
    }[place.side]
    if not found:
        return unknown(f"there is none {place.side} it", ordered)
    if len(found) > 1:
        return ambiguous(found, "several lie between")
    return resolved(found, 0.7, f"{place.side} what was named")


def _capped(found: Resolution) -> Resolution:
    return replace(found, confidence=min(found.confidence, _SUREST))
