"""How work flows past a step, and placing a step in the flow: before, after or between others."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.edits import Placed
from workflow_agent.workflows.edits.graph_draft import GraphDraft, new_transition, position_of
from workflow_agent.workflows.edits.operations import Refusal
from workflow_agent.workflows.model.steps import Condition, Step
from workflow_agent.workflows.model.transitions import Transition, TransitionType

FAILURE_TYPES = frozenset({"error", "compensation"})
_REJECTING = re.compile(
    r"\b(?:reject|declin|den(?:y|ied|ial)|refus|disapprov|fail|cancel|abort|invalid|unsuccessful|error"
    r"|no\b|not\b|false\b|unless\b|never\b)",
    re.IGNORECASE,
)


def arrivals(graph: GraphDraft, step_id: str) -> list[Transition]:
    """Return the transitions by which work comes to a step, in order.

    Not side ports (`data`), and not what stays within the step: a loop back to itself or from its own scope.
    """
    inside = graph.within(step_id)
    return [edge for edge in graph.incoming(step_id) if edge.type != "data" and edge.from_ not in inside]


def exits(graph: GraphDraft, step_id: str) -> list[Transition]:
    """Return the transitions by which work that went well goes on from a step, in order.

    Not side ports, error and compensation paths (they belong to the step whose failure they handle), and
    not what stays within the step.
    """
    inside = graph.within(step_id)
    return [edge for edge in graph.outgoing(step_id) if is_flow(edge) and edge.to not in inside]


def ends_in_flow(graph: GraphDraft) -> tuple[set[str], set[str]]:
    """Return the steps that have arrivals and those that have exits, for all steps at once."""
    parents = {step.id: step.parent for step in graph.steps}
    entered: set[str] = set()
    left: set[str] = set()
    for edge in graph.transitions:
        if edge.type != "data" and not _is_inside(edge.from_, edge.to, parents):
            entered.add(edge.to)
        if is_flow(edge) and not _is_inside(edge.to, edge.from_, parents):
            left.add(edge.from_)
    return entered, left


def _is_inside(step_id: str, scope_id: str, parents: Mapping[str, str | None]) -> bool:
    here: str | None = step_id
    while here is not None and here != scope_id:
        here = parents[here]
    return here is not None


def is_flow(edge: Transition) -> bool:
    """Return whether a transition is taken when work goes well."""
    return edge.type != "data" and edge.type not in FAILURE_TYPES


def decides(edge: Transition) -> bool:
    """Return whether a transition is only taken under a condition or by somebody's choice."""
    return edge.type in ("condition", "default") or edge.when is not None or edge.action is not None


def main_exit(graph: GraphDraft, step: Step) -> Transition | None:
    """Return the exit that work takes when all is well, of a step whose exits decide; else None.

    It is the first that does not reject and does not lead back in the list of steps; else the first
    that does not reject; else the first.
    """
    leaving = exits(graph, step.id)
    if not any(decides(edge) for edge in leaving):
        return None
    order = {listed.id: at for at, listed in enumerate(graph.steps)}
    return min(leaving, key=lambda edge: (_rejects(graph, edge), order[edge.to] <= order[step.id]))


def _rejects(graph: GraphDraft, edge: Transition) -> bool:
    target = graph.find_step(edge.to)
    texts = [edge.label, edge.action]
    if edge.when is not None:
        texts += [edge.when.text, edge.when.formula]
    if target.type == "end":
        texts += [target.outcome, target.name]
    return any(text is not None and _REJECTING.search(text) is not None for text in texts)


@dataclass(frozen=True, slots=True)
class Place:
    """What it takes to put a step into the flow."""

    scope: str | None
    position: int
    """In the list of steps, without the one to be placed."""
    entering: tuple[Transition, ...] = ()
    """They come to lead to the step, and keep everything else."""
    source: str | None = None
    """It gets a new transition to the step."""
    leaving: tuple[Transition, ...] = ()
    """They come to leave the step, and keep everything else."""
    target: str | None = None
    """The step leads on to it."""
    link: TransitionType = "sequence"
    """The type of the transition to the target."""
    is_start: bool = False


def find_place(graph: GraphDraft, where: Placed, moving: Step | None = None) -> Place:
    """Return the place that is meant.

    A step that is `moving` is in the graph already and out of the flow; what leaves it and its scope stays.
    """
    own = graph.within(moving.id) if moving else set[str]()
    listed = [step for step in graph.steps if moving is None or step.id != moving.id]
    if where.before is not None:
        return _before(graph, graph.find_step(where.before), listed, own)
    if where.after is not None:
        return _after(graph, graph.find_step(where.after), listed)
    first, second = cast("tuple[str, str]", where.between)
    return _between(graph, graph.find_step(first), graph.find_step(second), listed)


def _before(graph: GraphDraft, target: Step, listed: list[Step], own: set[str]) -> Place:
    return Place(
        scope=target.parent,
        position=position_of(listed, target.id),
        entering=tuple(edge for edge in arrivals(graph, target.id) if edge.from_ not in own),
        target=target.id,
        is_start=graph.start == target.id,
    )


def _after(graph: GraphDraft, source: Step, listed: list[Step]) -> Place:
    if source.type == "end":
        raise Refusal(f"nothing comes after {source.id!r}, which is an end; place the step before it")
    position = position_of(listed, source.id) + 1
    main = main_exit(graph, source)
    if main is not None:
        return Place(scope=source.parent, position=position, entering=(main,), target=main.to)
    return Place(scope=source.parent, position=position, source=source.id, leaving=tuple(exits(graph, source.id)))


def _between(graph: GraphDraft, first: Step, second: Step, listed: list[Step]) -> Place:
    joining = [edge for edge in graph.outgoing(first.id) if edge.to == second.id]
    if not joining:
        successors = dict.fromkeys(edge.to for edge in graph.outgoing(first.id))
        raise Refusal(f"no transition leads from {first.id!r} to {second.id!r}", successors)
    entering = tuple(edge for edge in joining if edge.type != "data")
    at_first, at_second = position_of(listed, first.id), position_of(listed, second.id)
    leads_back_to_scope = first.id != second.id and first.id in graph.within(second.id)
    return Place(
        scope=first.parent if leads_back_to_scope else second.parent,
        position=at_second if at_first < at_second else at_first + 1,
        entering=entering or tuple(joining),
        target=second.id,
        link="sequence" if entering else "data",
    )


def join_flow(graph: GraphDraft, step: Step, place: Place, onward: Transition | None = None) -> None:
    """Lead the flow of a place through a step that nothing leads to; `onward` is its way on, if it has one."""
    if step.type == "end" and (place.target or place.leaving):
        follower = place.target or place.leaving[0].to
        raise Refusal(f"{follower!r} would come after the end step {step.id!r}; place another type of step")
    enter(graph, step, place)
    if onward is not None and decides(onward):
        _lead_on_by_choice(graph, place, onward)
    else:
        _lead_on(graph, step, place, onward)


def enter(graph: GraphDraft, step: Step, place: Place) -> None:
    """Lead the flow of a place into a step, not yet out of it."""
    for edge in place.entering:
        graph.change_transition(edge.model_copy(update={"to": step.id}))
    if place.source is not None:
        at = position_of(graph.transitions, place.leaving[0].id) if place.leaving else None
        graph.put_transition(new_transition(graph, place.source, step.id), at)
    if place.is_start:
        graph.set_start(step.id)


def _lead_on(graph: GraphDraft, step: Step, place: Place, onward: Transition | None) -> None:
    for edge in place.leaving:
        graph.change_transition(edge.model_copy(update={"from_": step.id}))
    if place.target is None:
        if onward is not None:
            graph.take_transition(onward.id)
    elif onward is not None:
        graph.change_transition(onward.model_copy(update={"to": place.target, "type": place.link}))
    else:
        at = position_of(graph.transitions, place.entering[-1].id) + 1 if place.entering else None
        graph.put_transition(new_transition(graph, step.id, place.target, place.link), at)


def _lead_on_by_choice(graph: GraphDraft, place: Place, onward: Transition) -> None:
    """Lead on to each target by the same choice; its conditions stay with the step."""
    targets = [edge.to for edge in place.leaving] + ([] if place.target is None else [place.target])
    for edge in place.leaving:
        graph.take_transition(edge.id)
    if not targets:
        graph.take_transition(onward.id)
        return
    graph.change_transition(onward.model_copy(update={"to": targets[0]}))
    for target in targets[1:]:
        copied: JsonObject = {"id": graph.new_transition_id(onward.from_, target), "to": target, "extensions": {}}
        graph.put_transition(onward.model_copy(update=copied))


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
    document = edge.as_plain()
    return json.dumps({key: document[key] for key in document if key not in ("id", "label", "extensions")})


def _joined(arriving: Transition, leaving: Transition, *, splits: bool) -> Transition:
    """Return the transition that replaces two; it is based on the one that carries the decision.

    Where both decide, the ways out are what there is to choose from if there are several (`splits`); the
    conditions are put together.
    """
    keeps_arriving = arriving.type in FAILURE_TYPES or not decides(leaving) or (decides(arriving) and not splits)
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
    return Condition(text=" and ".join(one.formula if one.text is None else one.text for one in (first, second)))
