"""References made of others: "not the refund one, the other", "this and the stock one"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from workflow_agent.conversations.memory.choice import Scene, first_moment, last_moment
from workflow_agent.conversations.memory.phrases import bare
from workflow_agent.conversations.memory.references import Known, Resolution, ambiguous, resolved, unknown
from workflow_agent.conversations.memory.sentences import (
    Exclusion,
    Place,
    clauses_in,
    either_in,
    exclusion_in,
    joined_in,
    place_in,
)

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
    if exclusion := exclusion_in(text):
        return _without(exclusion, scene, read)
    if parts := joined_in(text):
        joined = _joined(parts, scene, read)
        if joined is not None:
            return joined
    if either := either_in(text):
        return _either(either, scene, read)
    if place := place_in(text):
        return _beside(place, scene, read)
    return None


def of_clauses(text: str, scene: Scene, read: Read) -> Resolution | None:
    """Return what the first clause that says something means; pronouns after it only point back."""
    clauses = clauses_in(text)
    telling = [part for part in clauses if bare(part)] or list(clauses)
    found = [read(part, None) for part in telling]
    if not found or not found[0].workflow_ids:
        return None
    others = {ids for one in found if (ids := one.workflow_ids)} - {found[0].workflow_ids}
    if others:
        ids = {one for several in (*others, found[0].workflow_ids) for one in several}
        return ambiguous([one for one in scene.known if one.workflow_id in ids], "each clause means another")
    return replace(found[0], confidence=min(found[0].confidence, _CLAUSE_SUREST))


def _without(said: Exclusion, scene: Scene, read: Read) -> Resolution | None:
    out = set(read(said.out, None).workflow_ids)
    if not out:
        return read(said.meant, None) if said.meant else None
    rest = [one for one in scene.known if one.workflow_id not in out]
    here = [one for one in scene.here() if one.workflow_id not in out]
    if not rest:
        return unknown("there is no other")
    if said.is_rest:
        return resolved(here or rest, _SUREST, "all but that")
    instead = _OTHER.sub(" ", said.meant)
    if not bare(instead):
        only = next((some for some in (rest, here) if len(some) == 1), None)
        return resolved(only, _SUREST, "the one left") if only else ambiguous(here or rest, "several are left")
    meant = read(instead, None)
    return _capped(read(instead, rest) if out.issuperset(meant.workflow_ids) else meant)


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
    return (
        resolved(found, 0.7, f"{place.side} what was named")
        if len(found) == 1
        else ambiguous(found, "several lie between")
    )


def _capped(found: Resolution) -> Resolution:
    return replace(found, confidence=min(found.confidence, _SUREST))
