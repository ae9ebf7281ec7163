"""Structure, small things: what is drawn twice, leads back to itself or branches without need."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count

from workflow_agent.workflows.analysis.findings import Observation, rule
from workflow_agent.workflows.analysis.graph import FlowGraph, ends_of, grouped
from workflow_agent.workflows.analysis.words import named, named_all
from workflow_agent.workflows.model.findings import EditDocument
from workflow_agent.workflows.model.steps import Step, must_lead_on
from workflow_agent.workflows.model.transitions import Transition

_UNNAMED_TYPES = frozenset(("end", "fork", "join", "wait", "loop"))
"""Steps that are told apart by their place, so that sharing a name does no harm."""


@rule("end-that-continues", "structure", "warning", "Nothing after an end is ever run.")
def end_that_continues(graph: FlowGraph) -> Iterator[Observation]:
    """Find an end step with transitions leaving it."""
    for step in graph.workflow.steps:
        leaving = graph.out(step.id)
        if step.type == "end" and leaving:
            targets = [graph.steps[edge.to] for edge in leaving]
            yield Observation(
                f"{named(step)} is an end, yet it leads on to {named_all(targets)}.",
                steps=(step.id,),
                transitions=tuple(edge.id for edge in leaving),
            )


@rule(
    "duplicate-transition",
    "structure",
    "warning",
    "The second changes nothing, or runs what follows twice.",
    has_fix=True,
)
def duplicate_transition(graph: FlowGraph) -> Iterator[Observation]:
    """Find two transitions that say the same."""
    for (source, target), edges in grouped(graph.workflow.transitions, ends_of).items():
        same = grouped(edges, _said).values() if len(edges) > 1 else ()
        extra = [edge.id for _, *others in same for edge in others]
        if extra:
            yield Observation(
                f"{named(graph.steps[source])} leads to {named(graph.steps[target])} "
                f"{len(extra) + 1} times in the same way.",
                steps=tuple(dict.fromkeys((source, target))),
                transitions=tuple(extra),
                fix=tuple({"op": "disconnect", "transition": edge_id} for edge_id in extra),
            )


def _said(edge: Transition) -> str:
    """Return all that a transition says but its id."""
    return edge.model_dump_json(exclude={"id"})


@rule("duplicate-name", "structure", "info", "People and edits that use the name cannot tell them apart.", has_fix=True)
def duplicate_name(graph: FlowGraph) -> Iterator[Observation]:
    """Find several steps with the same name."""
    same: defaultdict[tuple[str | None, str], list[Step]] = defaultdict(list)
    for step in graph.workflow.steps:
        if step.type not in _UNNAMED_TYPES and step.id not in graph.side_steps:
            same[step.parent, _plain(step.name)].append(step)
    taken = {_plain(step.name) for step in graph.workflow.steps}
    for steps in same.values():
        if len(steps) > 1:
            numbers = count(2)
            yield Observation(
                f"{named_all(steps)} have the same name.",
                steps=tuple(step.id for step in steps),
                fix=tuple(_renamed(step, numbers, taken) for step in steps[1:]),
            )


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def _renamed(step: Step, numbers: Iterator[int], taken: set[str]) -> EditDocument:
    names = (f"{step.name[:190].strip()} {number}" for number in numbers)
    return {"op": "rename_step", "step": step.id, "name": next(n for n in names if _plain(n) not in taken)}


@rule("self-loop", "structure", "warning", "Nothing makes it stop.", has_fix=True)
def self_loop(graph: FlowGraph) -> Iterator[Observation]:
    """Find a step that leads straight back to itself without a condition."""
    loops = (edge for edge in graph.flow if edge.from_ == edge.to and not edge.when and not edge.action)
    for step_id, edges in grouped(loops, lambda edge: edge.from_).items():
        step = graph.steps[step_id]
        endless = [edge for edge in edges if edge.type in ("sequence", "error")]
        if endless and step.type not in ("state", "loop"):
            on_errors = all(edge.type == "error" for edge in endless)
            on = "goes back to itself on errors" if on_errors else "leads back to itself without a condition"
            yield Observation(
                f"{named(step)} {on}.",
                steps=(step.id,),
                transitions=tuple(edge.id for edge in endless),
                fix=_without(graph, step, endless),
            )


def _without(graph: FlowGraph, step: Step, loops: Sequence[Transition]) -> tuple[EditDocument, ...]:
    """Return edits that remove the loops, unless the step needs them as its other way on."""
    goes_on = any(other.to != step.id for other in graph.exits(step.id))
    if any(edge.type == "error" for edge in loops) or graph.chooses(step) or not goes_on:
        return ()
    return () if step.type in ("fork", "join") else tuple({"op": "disconnect", "transition": e.id} for e in loops)


@rule("one-way-branch", "structure", "info", "It decides or gathers nothing, so a branch may have been forgotten.")
def one_way_branch(graph: FlowGraph) -> Iterator[Observation]:
    """Find a decision, fork or join with a single way."""
    for step in graph.workflow.steps:
        if step.id not in graph.reachable or graph.children.get(step.id):
            continue
        if must_lead_on(step) and len({edge.to for edge in graph.exits(step.id)}) == 1:
            yield Observation(f"{named(step)} is a {step.type} with only one way out.", steps=(step.id,))
        elif step.type == "join" and len({edge.from_ for edge in graph.into(step.id)}) == 1:
            yield Observation(f"{named(step)} is a join that only one path enters.", steps=(step.id,))


RULES = (end_that_continues, duplicate_transition, self_loop, one_way_branch, duplicate_name)
