"""Choosing among workflows that fit a phrase: the last, the first, the other, both, or the one at hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from workflow_agent.domain.memory import ordering
from workflow_agent.domain.memory.lexicon import Choice
from workflow_agent.domain.memory.references import Known
from workflow_agent.domain.memory.resolution import Resolution, ambiguous, resolved, unknown
from workflow_agent.domain.memory.scene import Asked, Scene


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
    fits = [
        one for one in at_hand if any(one.workflow_id == other.workflow_id for other in asked.fitting.known)
    ]
    if len(fits) != 1:
        return ambiguous(fits or asked.fitting.known, "nothing says which is at hand")
    is_open = fits[0].workflow_id == asked.scene.open_workflow_id
    sure = 0.95 if is_open else 0.85 if asked.phrase.is_pointing or len(asked.scene.known) == 1 else 0.7
    return resolved(fits, min(asked.sure, sure), "the one at hand")


def _not_focus(asked: Asked) -> Resolution:
    return _other(replace(asked, sure=min(asked.sure, 0.75)))


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
        return (
            resolved(pair, min(asked.sure, 0.9), "both") if len(pair) == 2 else ambiguous(pair, "not two fit")
        )
    for pair in (asked.scene.here(), asked.scene.of_newest_turn()):
        if len(pair) == 2:
            return resolved(pair, 0.88, "the two dealt with here")
    return ambiguous(asked.scene.known, "nothing says which two")


def _earlier(asked: Asked) -> Resolution:
    if asked.phrase.words or asked.phrase.has_time:
        return _only(asked)
    found = _other(replace(asked, sure=min(asked.sure, 0.7)))
    return found if found.outcome == "resolved" else ambiguous(asked.fitting.known, "several came earlier")


def _former(asked: Asked) -> Resolution:
    return _of_pair(0, asked.scene)


def _latter(asked: Asked) -> Resolution:
    return _of_pair(-1, asked.scene)


def _of_pair(at: int, scene: Scene) -> Resolution:
    pair = next((some for some in (scene.of_newest_turn(), scene.here()) if len(some) == 2), None)
    if pair is None:
        return ambiguous(scene.known, "nothing says of which two")
    ordered = sorted(pair, key=ordering.last_moment)
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
    None: _only, "focus": _focus, "not_focus": _not_focus, "last": ordering.last, "first": ordering.first,
    "nth": ordering.nth, "some_first": ordering.some_first, "some_last": ordering.some_last,
    "middle": ordering.middle, "before": ordering.before, "older": ordering.older, "newer": ordering.newer,
    "other": _other, "both": _both, "former": _former, "latter": _latter, "earlier": _earlier,
    "group": _group, "all": _all,
}  # fmt: skip
