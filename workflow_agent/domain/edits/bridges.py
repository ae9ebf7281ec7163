"""Joining what led to a step with what it led on to, when it leaves the flow."""

import json
from collections.abc import Iterable

from workflow_agent.domain.edits.flow import FAILURE_TYPES, decides
from workflow_agent.domain.edits.graph_draft import GraphDraft, transition_document
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Condition, Transition, TransitionType

Pair = tuple[Transition, Transition]
"""A transition into a step, and one out of it."""


def bridge(graph: GraphDraft, pairs: Iterable[Pair]) -> None:
    """Make one transition of each pair, from where the first comes to where the second goes.

    One of the two is changed in place where it can be, so that it keeps its id. Nothing is made that
    would lead a step to itself or repeat another transition. What then still touches the step is left
    to the caller.
    """
    listed = list(pairs)
    sources = {arriving.from_ for arriving, _ in listed}
    known = {likeness(edge) for edge in graph.transitions if edge.from_ in sources}
    splits = len({leaving.id for _, leaving in listed}) > 1
    reused: set[str] = set()
    for arriving, leaving in listed:
        made = _joined(arriving, leaving, splits=splits)
        if made.from_ == made.to or likeness(made) in known:
            continue
        known.add(likeness(made))
        if made.id in graph.transition_ids and made.id not in reused:
            reused.add(made.id)
            graph.change_transition(made)
        else:
            fresh: JsonObject = {"id": graph.new_transition_id(made.from_, made.to), "extensions": {}}
            graph.put_transition(made.model_copy(update=fresh))


def likeness(edge: Transition) -> str:
    """Return what two transitions share if one of them is superfluous."""
    document = transition_document(edge)
    return json.dumps({key: document[key] for key in document if key not in ("id", "label", "extensions")})


def _joined(arriving: Transition, leaving: Transition, *, splits: bool) -> Transition:
    """Return the transition that replaces two; it is based on the one that carries the decision.

    Where both decide, the ways out are what there is to choose from if there are several (`splits`); the
    conditions are put together.
    """
    keeps_arriving = (
        arriving.type in FAILURE_TYPES or not decides(leaving) or (decides(arriving) and not splits)
    )
    base, other = (arriving, leaving) if keeps_arriving else (leaving, arriving)
    joined = {
        "from_": arriving.from_,
        "to": leaving.to,
        "type": _type(arriving, leaving),
        "when": _both(arriving.when, leaving.when),
        "permission": base.permission or other.permission,
        "form": base.form or other.form,
    }
    return base.model_copy(update=joined)


def _type(arriving: Transition, leaving: Transition) -> TransitionType:
    types = (arriving.type, leaving.type)
    if arriving.type in FAILURE_TYPES:
        return arriving.type
    if "condition" in types:
        return "condition"
    return "default" if "default" in types else "sequence"


def _both(first: Condition | None, second: Condition | None) -> Condition | None:
    if first is None or second is None or first == second:
        return first or second
    return Condition(text=f"{_words(first)} and {_words(second)}")


def _words(condition: Condition) -> str:
    if condition.text is not None:
        return condition.text
    expression = condition.expression
    return expression if isinstance(expression, str) else json.dumps(expression)
