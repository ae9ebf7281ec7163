"""From what people call a workflow to the workflow: "it", "the other one", "the thing from yesterday"."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from workflow_agent.domain.conversation import WorkflowReference
from workflow_agent.domain.memory.choosing import Asked, Scene, chosen
from workflow_agent.domain.memory.periods import Period
from workflow_agent.domain.memory.phrases import Phrase, bare, inner_phrase, read_phrase
from workflow_agent.domain.memory.references import Known, known_workflows
from workflow_agent.domain.memory.resolution import Resolution, ambiguous, resolved, unknown
from workflow_agent.domain.memory.words import NO_FIT, Fit, fit

_ID = re.compile(r"(?<![\w-])wf_[a-z0-9_-]{1,61}(?![\w-])")
_MOST_WITHIN = 0.78
"""How sure a phrase found within a sentence can be."""
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

    Args:
        text: A phrase such as "my task workflow", as somebody wrote it.
        references: What is remembered, of this conversation and of the user's others, in any order.
        now: What "yesterday" is counted from; its time zone is where days begin.
        open_workflow_id: What "it" means.
        conversation_id: The conversation the phrase was said in; that of the newest reference unless given.
    """
    known = known_workflows(references)
    by_id = {one.workflow_id: one for one in known}
    if ids := list(dict.fromkeys(_ID.findall(text.casefold()))):
        found = [by_id[one] for one in ids if one in by_id]
        return resolved(found, 1.0, "its id") if len(found) == len(ids) else unknown("an id not met before")
    if not known:
        return unknown("nothing is remembered yet")
    gone = [one for one in known if one.is_gone]
    known = [one for one in known if not one.is_gone]
    here = conversation_id or (known or gone)[0].newest.conversation_id
    whole = _by_whole_name(text, known)
    if whole is not None:
        return whole
    names = [name for one in known for name in one.names]
    phrase = read_phrase(text, now, names)
    about = gone if "deleted" in phrase.relations else known
    if not about:
        return unknown("none like that is remembered")
    scene = Scene(tuple(about), open_workflow_id, here)
    found = _read(phrase, scene)
    inner = inner_phrase(text, names) if found.outcome != "resolved" else None
    if inner is None:
        return found
    said = _by_whole_name(inner, known) or _read(read_phrase(inner, now, names), scene)
    return replace(said, confidence=min(said.confidence, _MOST_WITHIN))


def _by_whole_name(text: str, known: Sequence[Known]) -> Resolution | None:
    wanted = bare(text)
    if not wanted:
        return None
    named = [one for one in known if bare(one.name) == wanted]
    called = [one for one in known if any(bare(alias) == wanted for alias in one.aliases)]
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
        return {1.0: 0.93, 0.97: 0.92, 0.95: 0.9, 0.85: 0.78, 0.8: 0.76, 0.75: 0.76}.get(
            self.fit.sureness, 0.6
        )


def _read(phrase: Phrase, scene: Scene) -> Resolution:
    if phrase.is_beyond:
        return unknown("it says more than is remembered", scene.known)
    hits = _hits(phrase.words, scene.known) if phrase.words else None
    if hits is not None and not hits.known:
        return unknown("no name fits", ())
    if hits is not None and hits.fit.found < 1.0:
        return ambiguous(hits.known, "only some of the words fit")
    meant = _in_time_and_deed(phrase, hits.known if hits else scene.known)
    if not meant.known:
        return ambiguous(hits.known if hits else scene.known, "none was dealt with like that")
    sure = min(hits.confidence if hits else 1.0, meant.confidence)
    return chosen(Asked(phrase, replace(scene, known=tuple(meant.known)), scene, sure))


def _hits(words: Sequence[str], known: Sequence[Known]) -> _Hits:
    fits = [(max((fit(words, name) for name in one.names), key=lambda f: f.score), one) for one in known]
    best = max((pair[0] for pair in fits), key=lambda f: f.score, default=NO_FIT)
    close = [one for fitted, one in fits if fitted.score > 0 and fitted.score >= best.score - _MARGIN]
    return _Hits(close, best)


@dataclass(frozen=True, slots=True)
class _Meant:
    known: list[Known]
    confidence: float = 1.0


def _in_time_and_deed(phrase: Phrase, known: Sequence[Known]) -> _Meant:
    """Return the workflows dealt with as the phrase says, each with the references that show it."""
    if not phrase.has_time:
        return _Meant(_dealt_with(phrase, known, None))
    readings = [_dealt_with(phrase, known, period) for period in phrase.periods]
    found = [reading for reading in readings if reading]
    if not found:
        return _Meant([])
    return _Meant(found[0], 1.0 if len(readings) == 1 else 0.75)


def _dealt_with(phrase: Phrase, known: Sequence[Known], period: Period | None) -> list[Known]:
    shown = [_evidence(one, phrase, period) for one in known]
    if not phrase.is_negated:
        return [one for one in shown if one is not None]
    return [one for one, evidence in zip(known, shown, strict=True) if evidence is None]


def _evidence(known: Known, phrase: Phrase, period: Period | None) -> Known | None:
    kept = tuple(
        one
        for one in known.references
        if (not phrase.relations or one.relation in phrase.relations)
        and (period is None or period.holds(one.at))
    )
    return replace(known, references=kept) if kept else None
