"""Choosing by the order of time: the first, the third one, the last two, the one before."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from workflow_agent.domain.memory.references import Known
from workflow_agent.domain.memory.resolution import Resolution, ambiguous, resolved, unknown
from workflow_agent.domain.memory.scene import Asked, Scene


def _in_order(scene: Scene, moment: Callable[[Known], tuple[datetime, int]]) -> list[Known]:
    return sorted(scene.known, key=moment)


def first_moment(known: Known) -> tuple[datetime, int]:
    """Return when a workflow was dealt with first."""
    return known.references[0].at, known.references[0].turn


def last_moment(known: Known) -> tuple[datetime, int]:
    """Return when a workflow was dealt with last."""
    return known.newest.at, known.newest.turn


def _counted(asked: Asked) -> Scene:
    """Return what is counted: what this conversation dealt with, unless the phrase names or dates them."""
    here = asked.fitting.here()
    is_scoped = bool(here) and not (asked.phrase.words or asked.phrase.has_time or asked.phrase.is_ever)
    return replace(asked.fitting, known=tuple(here)) if is_scoped else asked.fitting


def last(asked: Asked) -> Resolution:
    """Return the one dealt with last."""
    newest = _in_order(asked.fitting, last_moment)[-1]
    is_doubtful = not asked.says_something and asked.scene.open_workflow_id not in (None, newest.workflow_id)
    return resolved([newest], min(asked.sure, 0.6 if is_doubtful else 0.92), "the latest")


def first(asked: Asked) -> Resolution:
    """Return the one dealt with first."""
    return _nth_of(1, asked)


def nth(asked: Asked) -> Resolution:
    """Return the one that a number counts to."""
    return _nth_of(asked.phrase.number, asked)


def _nth_of(number: int, asked: Asked) -> Resolution:
    """Count those of this conversation, unless the phrase names or dates them."""
    among = _counted(asked)
    ordered = _in_order(among, first_moment)
    if not 1 <= number <= len(ordered):
        return unknown(f"there are {len(ordered)} that fit", ordered)
    is_partial = len(ordered) < len(asked.fitting.known)
    confidence = min(asked.sure, 0.75 if is_partial or number > 1 else 0.88)
    return resolved([ordered[number - 1]], confidence, f"number {number} in order of time")


def some_first(asked: Asked) -> Resolution:
    """Return the first few."""
    return _several_of(asked, slice(0, asked.phrase.number))


def some_last(asked: Asked) -> Resolution:
    """Return the latest few."""
    return _several_of(asked, slice(-asked.phrase.number, None))


def _several_of(asked: Asked, part: slice) -> Resolution:
    """Count those of this conversation, or those that a name or a time narrows them to."""
    among = _counted(asked)
    ordered = _in_order(among, first_moment)
    if len(ordered) < asked.phrase.number:
        return ambiguous(ordered or asked.scene.known, f"{len(ordered)} fit")
    return resolved(ordered[part], min(asked.sure, 0.75), "in order of time")


def middle(asked: Asked) -> Resolution:
    """Return the one in the middle."""
    ordered = _in_order(_counted(asked), first_moment)
    if len(ordered) < 3 or len(ordered) % 2 == 0:
        return ambiguous(ordered or asked.scene.known, "none is in the middle")
    return resolved([ordered[len(ordered) // 2]], min(asked.sure, 0.7), "in the middle in order of time")


def before(asked: Asked) -> Resolution:
    """Return the one dealt with before the one at hand."""
    newest_first = _in_order(asked.fitting, last_moment)[::-1]
    if not asked.says_something:
        at_hand = {one.workflow_id for one in asked.scene.at_hand()[:1]}
        rest = [one for one in newest_first if one.workflow_id not in at_hand]
    else:
        rest = newest_first[1:]
    if not rest:
        return unknown("there is none before it", asked.fitting.known)
    return resolved(rest[:1], min(asked.sure, 0.78), "the one dealt with before")


def older(asked: Asked) -> Resolution:
    """Return the one met first."""
    return resolved(_in_order(_counted(asked), first_moment)[:1], min(asked.sure, 0.7), "the older one")


def newer(asked: Asked) -> Resolution:
    """Return the one met last."""
    return resolved(_in_order(_counted(asked), first_moment)[-1:], min(asked.sure, 0.7), "the newer one")
