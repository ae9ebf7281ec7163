"""From what people call a workflow to the workflow: "it", "the other one", "the thing from yesterday"."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from workflow_agent.conversations.document import WorkflowReference
from workflow_agent.conversations.memory.choice import Asked, Scene, chosen
from workflow_agent.conversations.memory.composition import compares, composed, mentions_in, of_clauses
from workflow_agent.conversations.memory.phrases import Phrase, inner_phrase, read_phrase, respelt, says_whole_name
from workflow_agent.conversations.memory.references import (
    Known,
    Resolution,
    ambiguous,
    known_workflows,
    resolved,
    unknown,
)
from workflow_agent.conversations.memory.words import NO_FIT, SMALL_WORDS, Fit, fit, words_of
from workflow_agent.conversations.periods import Period

_ID = re.compile(r"(?<![\w-])wf_[a-z0-9_-]{1,61}(?![\w-])")
_LONGEST_CHARS = 300
"""What comes after it is not read."""
_MOST_WITHIN = 0.78
"""How sure a phrase found within a sentence can be."""
_MOST_MENTIONED = 0.72
"""How sure a name within a sentence can be whose other words fit nothing."""
_HALF = 0.5
_MARGIN = 0.06
"""How much better a name must fit than the next one to be meant."""


def resolve_reference(
    text: str,
    references: Iterable[WorkflowReference],
    *,
    now: datetime,
    open_workflow_id: str | None = None,
    conversation_id: str | None = None,
) -> Resolution:
    """Return which remembered workflow a phrase means, or that it cannot be told.

    Tried in this order: ids; whole names and aliases; then what the phrase says of names, time, what was
    done and which of several, together. Nothing is guessed: two that fit alike are ambiguous.

    `now` is what "yesterday" is counted from, and its time zone is where days begin; the conversation is that of the
    newest reference unless given.
    """
    known = known_workflows(references)
    by_id = {one.workflow_id: one for one in known}
    if ids := list(dict.fromkeys(_ID.findall(text.casefold()))):
        found = [by_id[one] for one in ids if one in by_id]
        return resolved(found, 1.0, "its id") if len(found) == len(ids) else unknown("an id not met before")
    if not known:
        return unknown("nothing is remembered yet")
    gone = tuple(one for one in known if one.is_gone)
    known = [one for one in known if not one.is_gone]
    here = conversation_id or (known or list(gone))[0].newest.conversation_id
    return _meaning(text, Scene(tuple(known), open_workflow_id, here), gone, now)


def _meaning(text: str, scene: Scene, gone: tuple[Known, ...], now: datetime) -> Resolution:
    """Return what a text means: a composition of references, or one."""

    def read(part: str, among: Sequence[Known] | None = None) -> Resolution:
        return _one(part, scene if among is None else replace(scene, known=tuple(among)), gone, now)

    text = respelt(text[:_LONGEST_CHARS], [name for one in scene.known for name in one.names])
    whole = _by_whole_name(text, scene.known) if not compares(text) else None
    if whole is not None and whole.outcome == "resolved":
        return whole
    several = composed(text, scene, read)
    if several is not None and several.outcome != "unknown":
        return several
    found = several or read(text)
    return found if found.outcome == "resolved" else of_clauses(text, scene, read) or found


def _one(text: str, scene: Scene, gone: tuple[Known, ...], now: datetime) -> Resolution:
    """Return what one reference means: read as a phrase, by its end, or by what it mentions."""
    whole = _by_whole_name(text, scene.known)
    if whole is not None:
        return whole
    names = [name for one in scene.known for name in one.names]
    phrase = read_phrase(text, now, names)
    about = gone if "deleted" in phrase.relations else scene.known
    if not about:
        return unknown("none like that is remembered")
    scene = replace(scene, known=tuple(about))
    found = _read(phrase, scene)
    if found.outcome == "resolved":
        return found
    inner = inner_phrase(text, names)
    if inner is not None:
        said = _by_whole_name(inner, scene.known) or _read(read_phrase(inner, now, names), scene)
        if said.outcome == "resolved":
            return replace(said, confidence=min(said.confidence, _MOST_WITHIN))
        found = said
    return _by_mention(text, phrase, names, scene, now) or found


def _by_mention(text: str, phrase: Phrase, names: Sequence[str], scene: Scene, now: datetime) -> Resolution | None:
    """Return the one workflow that a sentence mentions, though other words of it fit no name; else None."""
    of_names = {word for name in names for word in words_of(name)} - SMALL_WORDS
    fits: dict[str, Resolution] = {}
    for mention in mentions_in(text, of_names):
        said = read_phrase(mention, now, names)
        hits = _hits(said.words, scene.known) if said.words else None
        if hits is None or not hits.known:
            continue
        if hits.fit.found < 1.0:
            return None
        if not (said.has_time or said.relations):
            said = replace(said, periods=phrase.periods, has_time=phrase.has_time, relations=phrase.relations)
        fits[mention] = _read(said, scene)
    meant = {ids: one for one in fits.values() if (ids := one.workflow_ids)}
    if len(meant) > 1:
        several = [one for one in scene.known if any(one.workflow_id in ids for ids in meant)]
        return ambiguous(several, "it mentions several")
    if not meant or any(not one.workflow_ids for one in fits.values()):
        return None
    only = next(iter(meant.values()))
    return replace(only, confidence=min(only.confidence, _MOST_MENTIONED))


def _by_whole_name(text: str, known: Sequence[Known]) -> Resolution | None:
    named = [one for one in known if says_whole_name(text, one.name)]
    called = [one for one in known if any(says_whole_name(text, alias) for alias in one.aliases)]
    if len(named) == 1:
        others = [one for one in called if one is not named[0]]
        return resolved(named, 0.7 if others else 0.97, "its name")
    if named or len(called) > 1:
        return ambiguous(named or called, "several have this name")
    return resolved(called, 0.95, "what it is called") if called else None


@dataclass(frozen=True, slots=True)
class _Hits:
    """The workflows whose names fit a phrase alike, and how well."""

    known: list[Known]
    fit: Fit

    @property
    def confidence(self) -> float:
        return {1.0: 0.93, 0.97: 0.92, 0.95: 0.9, 0.85: 0.78, 0.8: 0.76, 0.75: 0.76}.get(self.fit.sureness, 0.6)


def _read(phrase: Phrase, scene: Scene) -> Resolution:
    if phrase.is_beyond:
        return unknown("it says more than is remembered", scene.known)
    hits = _hits(phrase.words, scene.known) if phrase.words else None
    if hits is not None and not hits.known:
        return unknown("no name fits", ())
    if hits is not None and hits.fit.found < 1.0:
        return _by_half_a_name(phrase, hits, scene) or ambiguous(hits.known, "only some of the words fit")
    meant, confidence = _in_time_and_deed(phrase, hits.known if hits else scene.known)
    if not meant:
        return ambiguous(hits.known if hits else scene.known, "none was dealt with like that")
    sure = min(hits.confidence if hits else 1.0, confidence)
    return chosen(Asked(phrase, replace(scene, known=tuple(meant)), scene, sure))


def _by_half_a_name(phrase: Phrase, hits: _Hits, scene: Scene) -> Resolution | None:
    """Return the one workflow that both some words of a name and a time or a deed point to; else None."""
    if not (phrase.has_time or phrase.relations) or hits.fit.found < _HALF:
        return None
    by_deed, _ = _in_time_and_deed(phrase, scene.known)
    by_both = [one for one in by_deed if any(one.workflow_id == hit.workflow_id for hit in hits.known)]
    if len(by_deed) == len(by_both) == 1:
        return resolved(by_both, 0.6, "half its name, and when or what was done")
    return None


def _hits(words: Sequence[str], known: Sequence[Known]) -> _Hits:
    fits = [(max((fit(words, name) for name in one.names), key=lambda f: f.score), one) for one in known]
    best = max((pair[0] for pair in fits), key=lambda f: f.score, default=NO_FIT)
    close = [one for fitted, one in fits if fitted.score > 0 and fitted.score >= best.score - _MARGIN]
    return _Hits(close, best)


def _in_time_and_deed(phrase: Phrase, known: Sequence[Known]) -> tuple[list[Known], float]:
    """Return the workflows dealt with as the phrase says, each with the references that show it, and how surely."""
    if not phrase.has_time:
        return _dealt_with(phrase, known, None), 1.0
    readings = [_dealt_with(phrase, known, period) for period in phrase.periods]
    return next(filter(None, readings), list[Known]()), 1.0 if len(readings) == 1 else 0.75


def _dealt_with(phrase: Phrase, known: Sequence[Known], period: Period | None) -> list[Known]:
    shown = [_evidence(one, phrase, period) for one in known]
    if not phrase.is_negated:
        return [one for one in shown if one is not None]
    return [one for one, evidence in zip(known, shown, strict=True) if evidence is None]


def _evidence(known: Known, phrase: Phrase, period: Period | None) -> Known | None:
    kept = tuple(
        one
        for one in known.references
        if (not phrase.relations or one.relation in phrase.relations) and (period is None or period.holds(one.at))
    )
    return replace(known, references=kept) if kept else None
