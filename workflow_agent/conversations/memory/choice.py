"""Choosing among workflows that fit a phrase: the last, the first, the other, both, or the one at hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from workflow_agent.conversations.memory.phrases import Phrase
from workflow_agent.conversations.memory.references import Known, Resolution, ambiguous, resolved, unknown
from workflow_agent.conversations.memory.words import Choice


@dataclass(frozen=True, slots=True)
class Scene:
    """What a phrase is said among."""

    known: tuple[Known, ...]
    """The workflows it may mean, the one dealt with last first."""
    open_workflow_id: str | None
    conversation_id: str

    def at_hand(self) -> list[Known]:
        """Return the open workflow, or what the newest turn here dealt with: several, if it compared."""
        opened = [one for one in self.known if one.workflow_id == self.open_workflow_id]
        return opened or self.of_newest_turn()

    def here(self) -> list[Known]:
        """Return the workflows that this conversation dealt with, the newest first."""
        return [one for one in self.known if any(ref.conversation_id == self.conversation_id for ref in one.references)]

    def of_newest_turn(self) -> list[Known]:
        """Return the workflows that the newest turn of this conversation dealt with."""
        turns = {
            one.workflow_id: max(ref.turn for ref in one.references if ref.conversation_id == self.conversation_id)
            for one in self.here()
        }
        newest = max(turns.values(), default=None)
        return [one for one in self.known if turns.get(one.workflow_id, -1) == newest]


@dataclass(frozen=True, slots=True)
class Asked:
    """A phrase, and what it may mean."""

    phrase: Phrase
    fitting: Scene
    """The workflows whose name, time and relation fit, each with the references that do."""
    scene: Scene
    """All that is remembered."""
    sure: float
    """How surely they fit."""

    @property
    def says_something(self) -> bool:
        """Say whether the phrase tells of a name, a time or a deed, and not only which of several."""
        return bool(self.phrase.words or self.phrase.relations or self.phrase.has_time)


def first_moment(known: Known) -> tuple[datetime, int]:
    """Return when a workflow was dealt with first."""
    return known.references[0].at, known.references[0].turn


def last_moment(known: Known) -> tuple[datetime, int]:
    """Return when a workflow was dealt with last."""
    return known.newest.at, known.newest.turn


def _counted(asked: Asked) -> list[Known]:
    """Return what is counted, oldest first: what this conversation dealt with, unless the phrase names or dates it."""
    here = asked.fitting.here()
    is_scoped = bool(here) and not (asked.phrase.words or asked.phrase.has_time or asked.phrase.is_ever)
    return sorted(here if is_scoped else asked.fitting.known, key=first_moment)


def _last(asked: Asked) -> Resolution:
    newest = max(reversed(asked.fitting.known), key=last_moment)
    is_doubtful = not asked.says_something and asked.scene.open_workflow_id not in (None, newest.workflow_id)
    return resolved([newest], min(asked.sure, 0.6 if is_doubtful else 0.92), "the latest")


def _nth_of(number: int, asked: Asked) -> Resolution:
    ordered = _counted(asked)
    if not 1 <= number <= len(ordered):
        return unknown(f"there are {len(ordered)} that fit", ordered)
    is_partial = len(ordered) < len(asked.fitting.known)
    confidence = min(asked.sure, 0.75 if is_partial or number > 1 else 0.88)
    return resolved([ordered[number - 1]], confidence, f"number {number} in order of time")


def _several_of(asked: Asked, part: slice) -> Resolution:
    ordered = _counted(asked)
    if len(ordered) < asked.phrase.number:
        return ambiguous(ordered or asked.scene.known, f"{len(ordered)} fit")
    return resolved(ordered[part], min(asked.sure, 0.75), "in order of time")


def _middle(asked: Asked) -> Resolution:
    ordered = _counted(asked)
    if len(ordered) < 3 or len(ordered) % 2 == 0:
        return ambiguous(ordered or asked.scene.known, "none is in the middle")
    return resolved([ordered[len(ordered) // 2]], min(asked.sure, 0.7), "in the middle in order of time")


def _before(asked: Asked) -> Resolution:
    newest_first = sorted(asked.fitting.known, key=last_moment)[::-1]
    if not asked.says_something:
        at_hand = {one.workflow_id for one in asked.scene.at_hand()[:1]}
        rest = [one for one in newest_first if one.workflow_id not in at_hand]
    else:
        rest = newest_first[1:]
    if not rest:
        return unknown("there is none before it", asked.fitting.known)
    return resolved(rest[:1], min(asked.sure, 0.78), "the one dealt with before")


def _at_end(asked: Asked, at: slice, reason: str) -> Resolution:
    return resolved(_counted(asked)[at], min(asked.sure, 0.7), reason)


def chosen(asked: Asked) -> Resolution:
    """Return which of the fitting workflows a phrase chooses, or that it leaves it open."""
    return _CHOOSERS[asked.phrase.choice](asked)


def _only(asked: Asked) -> Resolution:
    if not asked.says_something:
        return _focus(asked)
    if len(asked.fitting.known) == 1:
        return resolved(asked.fitting.known, min(asked.sure, 0.93), "the only one that fits")
    own = [one for one in asked.fitting.known if any(ref.relation == "created" for ref in one.references)]
    if asked.phrase.is_mine and len(own) == 1:
        return resolved(own, min(asked.sure, 0.65), "the only one that fits and was made here")
    return ambiguous(asked.fitting.known, "several fit")


def _focus(asked: Asked) -> Resolution:
    if asked.phrase.words and len(asked.fitting.known) == 1:
        return resolved(asked.fitting.known, asked.sure, "the only one that fits")
    at_hand = asked.scene.at_hand()
    fits = [one for one in at_hand if any(one.workflow_id == other.workflow_id for other in asked.fitting.known)]
    if len(fits) != 1:
        return ambiguous(fits or asked.fitting.known, "nothing says which is at hand")
    is_open = fits[0].workflow_id == asked.scene.open_workflow_id
    sure = 0.95 if is_open else 0.85 if asked.phrase.is_pointing or len(asked.scene.known) == 1 else 0.7
    return resolved(fits, min(asked.sure, sure), "the one at hand")


def _other(asked: Asked) -> Resolution:
    at_hand = asked.scene.at_hand()
    if len(at_hand) != 1:
        return ambiguous(asked.fitting.known, "nothing says which is at hand")
    rest = [one for one in asked.fitting.known if one.workflow_id != at_hand[0].workflow_id]
    ids_here = {one.workflow_id for one in asked.scene.here()}
    with_it = {one.workflow_id for one in asked.scene.of_newest_turn()}
    narrower = (
        (rest, 0.88),
        ([one for one in rest if one.workflow_id in ids_here], 0.75),
        ([one for one in rest if one.workflow_id in with_it], 0.75),
    )
    found = next(((some, most) for some, most in narrower if len(some) == 1), None)
    if found is None:
        return ambiguous(rest, "there are several others") if rest else unknown("there is no other")
    return resolved(found[0], min(asked.sure, found[1]), "the other one")


def _both(asked: Asked) -> Resolution:
    if asked.says_something:
        pair: Sequence[Known] = asked.fitting.known
        return resolved(pair, min(asked.sure, 0.9), "both") if len(pair) == 2 else ambiguous(pair, "not two fit")
    for pair in (asked.scene.here(), asked.scene.of_newest_turn()):
        if len(pair) == 2:
            return resolved(pair, 0.88, "the two dealt with here")
    return ambiguous(asked.scene.known, "nothing says which two")


def _earlier(asked: Asked) -> Resolution:
    if asked.phrase.words or asked.phrase.has_time:
        return _only(asked)
    found = _other(replace(asked, sure=min(asked.sure, 0.7)))
    return found if found.outcome == "resolved" else ambiguous(asked.fitting.known, "several came earlier")


def _of_pair(at: int, scene: Scene) -> Resolution:
    pair = next((some for some in (scene.of_newest_turn(), scene.here()) if len(some) == 2), None)
    if pair is None:
        return ambiguous(scene.known, "nothing says of which two")
    ordered = sorted(pair, key=last_moment)
    return resolved([ordered[at]], 0.75, "the first of two" if at == 0 else "the second of two")


def _group(asked: Asked) -> Resolution:
    together = asked.scene.of_newest_turn()
    if len(together) > 1:
        return resolved(together, min(asked.sure, 0.78), "those dealt with together")
    here = asked.scene.here()
    return resolved(here, 0.75, "the two dealt with here") if len(here) == 2 else _all(asked)


def _all(asked: Asked) -> Resolution:
    group: Sequence[Known] = asked.fitting.known if asked.says_something else asked.scene.here()
    if len(group) < 2 or (asked.phrase.number and asked.phrase.number != len(group)):
        return ambiguous(group or asked.scene.known, f"{len(group)} fit")
    return resolved(group, min(asked.sure, 0.85 if asked.phrase.number else 0.75), "all that fit")


_CHOOSERS: Mapping[Choice | None, Callable[[Asked], Resolution]] = {
    None: _only,
    "focus": _focus,
    "not_focus": lambda asked: _other(replace(asked, sure=min(asked.sure, 0.75))),
    "last": _last,
    "first": lambda asked: _nth_of(1, asked),
    "nth": lambda asked: _nth_of(asked.phrase.number, asked),
    "some_first": lambda asked: _several_of(asked, slice(0, asked.phrase.number)),
    "some_last": lambda asked: _several_of(asked, slice(-asked.phrase.number, None)),
    "middle": _middle,
    "before": _before,
    "older": lambda asked: _at_end(asked, slice(0, 1), "the older one"),
    "newer": lambda asked: _at_end(asked, slice(-1, None), "the newer one"),
    "other": _other,
    "both": _both,
    "former": lambda asked: _of_pair(0, asked.scene),
    "latter": lambda asked: _of_pair(-1, asked.scene),
    "earlier": _earlier,
    "group": _group,
    "all": _all,
}
