"""Structure: steps nothing leads to, steps that lead nowhere, what is drawn twice or branches without need."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any

import rustworkx as rx

from workflow_agent.values import grouped
from workflow_agent.workflows.analysis.findings import Observation, rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.words import named, named_all, plural
from workflow_agent.workflows.model.findings import EditDocument
from workflow_agent.workflows.model.parser import unique_id
from workflow_agent.workflows.model.steps import Step, ends_badly, must_lead_on
from workflow_agent.workflows.model.transitions import Transition

_rule = partial(rule, "structure")
_UNNAMED_TYPES = frozenset(("end", "fork", "join", "wait", "loop"))
"""Steps that are told apart by their place, so that sharing a name does no harm."""


@_rule("unreachable-step", "error", "What is drawn there never happens.")
def unreachable_step(graph: FlowGraph) -> Iterator[Observation]:
    """Find steps that no path from the start leads to."""
    used = graph.reachable | graph.side_steps
    lost = [step.id for step in graph.workflow.steps if step.id not in used]
    # Where a last step may be skipped, work goes on past it, and nothing drawn says where.
    skipping = {s.parent for s in graph.workflow.steps if s.when and s.id in used and not graph.exits(s.id)}
    nodes = graph.digraph.subgraph([graph.index[step_id] for step_id in lost])
    start = graph.steps[graph.workflow.start]
    for group in sorted(rx.weakly_connected_components(nodes), key=min):
        steps = [graph.steps[nodes[node]] for node in sorted(group)]
        if any(step.parent in skipping for step in steps):
            continue
        yield Observation(
            f"{named_all(steps)} can never run: no path from {named(start)} leads there.",
            steps=tuple(step.id for step in steps),
            evidence={"start": start.id, "unreachable": [step.id for step in steps]},
        )


def _is_dead_end(graph: FlowGraph, step: Step) -> bool:
    if step.type == "end" or graph.exits(step.id) or step.id in graph.side_steps:
        return False
    if any(one.type == "end" for one in graph.children.get(step.id, ())):
        # Its inside says how the work came out.
        return False
    if must_lead_on(step) and not graph.children.get(step.id):
        return True
    return graph.declares_ends and step.parent is None and step.id in graph.reachable_without_compensation


@_rule("dead-end", "error", "Work that arrives there stops without an outcome.", has_fix=True)
def dead_end(graph: FlowGraph) -> Iterator[Observation]:
    """Find a step nothing comes after, where the workflow has end steps or the step only splits the way."""
    good = [s for s in graph.children.get("", ()) if s.type == "end" and not ends_badly(s)]
    for step in graph.workflow.steps:
        if step.id in graph.reachable and _is_dead_end(graph, step):
            only = {edge.type for edge in graph.out(step.id)}
            after = "when it succeeds, nothing comes after it" if only else "nothing comes after it"
            yield Observation(
                f"{named(step)} is a dead end: {after}.",
                steps=(step.id,),
                evidence={"type": step.type, "exits": sorted(only)},
                fix=_lead_to_the_end(graph, step, good),
            )


def _lead_to_the_end(graph: FlowGraph, step: Step, good: list[Step]) -> tuple[EditDocument, ...]:
    """Return an edit that leads on to the one good end; where there are several, only a person knows."""
    if len(good) != 1 or must_lead_on(step) or graph.out(good[0].id):
        return ()
    entered = graph.into(good[0].id)
    if good[0].id in graph.error_handlers or (good[0].id not in graph.reachable and entered):
        return ()
    return ({"op": "connect", "from": step.id, "to": good[0].id},)


@_rule("no-way-to-end", "error", "Work that gets there can never be finished.")
def no_way_to_end(graph: FlowGraph) -> Iterator[Observation]:
    """Find steps that lead only to one another, so that no end is ever reached."""
    lost = graph.reachable - graph.finishing - graph.side_steps
    trapped = [step.id for step in graph.workflow.steps if step.id in lost]
    if graph.is_lifecycle and not graph.has_ends:
        return
    nodes = graph.digraph.subgraph([graph.index[step_id] for step_id in trapped])
    for group in sorted(rx.strongly_connected_components(nodes), key=min):
        if all(set(nodes.successor_indices(node)) <= set(group) for node in group):
            steps = [graph.steps[nodes[node]] for node in sorted(group)]
            yield Observation(
                f"From {named_all(steps)} no end can be reached: "
                f"{plural(len(steps), 'it leads only back to itself', 'they lead only to one another')}.",
                steps=tuple(step.id for step in steps),
                evidence={"trap": [step.id for step in steps], "leading_there": trapped[:50]},
            )


@_rule(
    "lifecycle-without-end", "info", "That is right for things that are never done, and an oversight for all others."
)
def lifecycle_without_end(graph: FlowGraph) -> Iterator[Observation]:
    """Find a lifecycle in which no state is final."""
    if graph.is_lifecycle and not graph.has_ends:
        start = graph.steps[graph.workflow.start]
        yield Observation(f"No state is final: from {named(start)} it goes on for ever.", steps=(start.id,))


@_rule("no-end-step", "info", "An end step says how the work came out.", has_fix=True)
def no_end_step(graph: FlowGraph) -> Iterator[Observation]:
    """Find a process drawn here that never says where it is done."""
    last = [s for s in graph.steps_of(graph.natural_ends & graph.reachable) if not must_lead_on(s)]
    declared = any(step.type == "end" for step in graph.workflow.steps)
    if declared or graph.is_lifecycle or graph.workflow.source is not None or not last:
        return
    runs_side_by_side = len(last) > 1 and any(step.type == "fork" for step in graph.workflow.steps)
    done = unique_id("done", graph.steps)
    made: dict[str, Any] = {"id": done, "name": "Done", "type": "end", "outcome": "ok"}
    links = ({"op": "connect", "from": step.id, "to": done} for step in last)
    yield Observation(
        f"The workflow has no end step; it stops after {named_all(last)}.",
        steps=tuple(step.id for step in last),
        # Branches that run side by side need a join first, and where it belongs only a person knows.
        fix=() if runs_side_by_side else ({"op": "add_step", "step": made}, *links),
    )


@_rule("end-that-continues", "warning", "Nothing after an end is ever run.")
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


@_rule("duplicate-transition", "warning", "The second changes nothing, or runs what follows twice.", has_fix=True)
def duplicate_transition(graph: FlowGraph) -> Iterator[Observation]:
    """Find two transitions that say the same."""
    joining = grouped(((edge.from_, edge.to), edge) for edge in graph.workflow.transitions)
    for (source, target), edges in joining.items():
        said = ((edge.model_dump_json(exclude={"id"}), edge) for edge in edges)
        same = grouped(said).values() if len(edges) > 1 else ()
        extra = [edge.id for _, *others in same for edge in others]
        if extra:
            yield Observation(
                f"{named(graph.steps[source])} leads to {named(graph.steps[target])} "
                f"{len(extra) + 1} times in the same way.",
                steps=tuple(dict.fromkeys((source, target))),
                transitions=tuple(extra),
                fix=tuple({"op": "disconnect", "transition": edge_id} for edge_id in extra),
            )


@_rule("duplicate-name", "info", "People and edits that use the name cannot tell them apart.", has_fix=True)
def duplicate_name(graph: FlowGraph) -> Iterator[Observation]:
    """Find several steps with the same name."""
    told = (s for s in graph.workflow.steps if s.type not in _UNNAMED_TYPES and s.id not in graph.side_steps)
    same = grouped(((step.parent, _plain(step.name)), step) for step in told)
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


@_rule("self-loop", "warning", "Nothing makes it stop.", has_fix=True)
def self_loop(graph: FlowGraph) -> Iterator[Observation]:
    """Find a step that leads straight back to itself without a condition."""
    loops = (edge for edge in graph.flow if edge.from_ == edge.to and not edge.when and not edge.action)
    for step_id, edges in grouped((edge.from_, edge) for edge in loops).items():
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


@_rule("one-way-branch", "info", "It decides or gathers nothing, so a branch may have been forgotten.")
def one_way_branch(graph: FlowGraph) -> Iterator[Observation]:
    """Find a decision, fork or join with a single way."""
    for step in graph.workflow.steps:
        if step.id not in graph.reachable or graph.children.get(step.id):
            continue
        if must_lead_on(step) and len({edge.to for edge in graph.exits(step.id)}) == 1:
            yield Observation(f"{named(step)} is a {step.type} with only one way out.", steps=(step.id,))
        elif step.type == "join" and len({edge.from_ for edge in graph.into(step.id)}) == 1:
            yield Observation(f"{named(step)} is a join that only one path enters.", steps=(step.id,))


RULES = (unreachable_step, dead_end, no_way_to_end, lifecycle_without_end, no_end_step)
SMALL_RULES = (end_that_continues, duplicate_transition, self_loop, one_way_branch, duplicate_name)
"""Those on small things; they come after the rules of all other families."""
