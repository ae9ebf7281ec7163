"""Portfolio: what a workflow means for the others, and they for it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from workflow_agent.values import grouped, reached, shortened
from workflow_agent.workflows.analysis.findings import Observation, rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.words import listed, named, plural
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.triggers import WorkflowTrigger
from workflow_agent.workflows.model.workflow import Workflow

_rule = partial(rule, "portfolio")
_NAMES_TEMPLATES = frozenset(("argo",))
"""Systems in which what is called by name is of another kind than what is run, and may share its name."""
_STEPS_COMPARED = 20_000
_ALIKE = 0.8
_SMALLEST_COMPARED = 4


def _called(workflow: Workflow) -> list[str]:
    return [step.workflow for step in workflow.steps if step.type == "subworkflow" and step.workflow]


def _by_reference(workflows: Sequence[Workflow]) -> Mapping[str, Workflow]:
    """Return the workflows by everything a reference may say: id, name or alias; an id wins over a name."""
    found: dict[str, Workflow] = {}
    for workflow in workflows:
        for name in (workflow.name, *workflow.aliases):
            found.setdefault(name.casefold(), workflow)
    return found | {workflow.id: workflow for workflow in workflows}


def _all(graph: FlowGraph) -> list[Workflow]:
    """Return the portfolio with the workflow in its present form."""
    return [graph.workflow, *(other for other in graph.portfolio if other.id != graph.workflow.id)]


def _phrase(workflows: Sequence[Workflow]) -> str:
    return listed([f"'{shortened(workflow.name)}' ({workflow.id})" for workflow in workflows])


@_rule("missing-subworkflow", "error", "The run fails when it gets there.")
def missing_subworkflow(graph: FlowGraph) -> Iterator[Observation]:
    """Find a sub-workflow step that names no workflow, or one that does not exist.

    What another system calls may well be there: only what was drawn here has to call what is here.
    """
    known = _by_reference(_all(graph))
    # A document may hold several workflows, each a scope here; they call one another by these names.
    inside = {step.workflow for step in graph.workflow.steps if step.id in graph.children}
    for step in graph.workflow.steps:
        if step.type != "subworkflow" or (step.workflow and step.workflow in inside):
            continue
        if not step.workflow and not step.uses and not graph.children.get(step.id):
            yield Observation(f"{named(step)} does not say which workflow it runs.", steps=(step.id,))
        elif step.workflow and graph.portfolio and not graph.came_from and not _find(known, step.workflow):
            yield Observation(
                f"{named(step)} runs the workflow '{shortened(step.workflow)}', which does not exist.",
                steps=(step.id,),
                evidence={"workflow": step.workflow},
            )


def _find(known: Mapping[str, Workflow], reference: str) -> Workflow | None:
    return known.get(reference) or known.get(reference.casefold())


@_rule("recursive-subworkflow", "error", "Each run starts another one, without end.")
def recursive_subworkflow(graph: FlowGraph) -> Iterator[Observation]:
    """Find a workflow that always runs itself, directly or through others."""
    known = _by_reference(() if graph.came_from in _NAMES_TEMPLATES else _all(graph))
    for step in graph.workflow.steps:
        is_call = step.type == "subworkflow" and step.workflow and not _is_avoidable(graph, step)
        first = _find(known, step.workflow) if is_call and step.workflow else None
        way = _way_back(graph.workflow, first, known) if first else None
        if way is not None:
            through = f" by way of {_phrase(way[:-1])}" if len(way) > 1 else ""
            yield Observation(
                f"{named(step)} runs this workflow again{through}.",
                steps=(step.id,),
                evidence={"calls": [workflow.id for workflow in way]},
            )


def _is_avoidable(graph: FlowGraph, step: Step) -> bool:
    """Say whether some run comes to its end without a step."""
    if step.when is not None or step.parent is not None or step.id not in graph.reachable:
        return True
    others = graph.digraph.copy()
    others.remove_node(graph.index[step.id])
    roots = [graph.index[root] for root in graph.roots if root != step.id]
    ends = graph.natural_ends | {one.id for one in graph.workflow.steps if one.type == "end"}
    return not {graph.workflow.steps[node].id for node in reached(roots, others.successor_indices)}.isdisjoint(ends)


def _way_back(home: Workflow, first: Workflow, known: Mapping[str, Workflow]) -> list[Workflow] | None:
    """Return the shortest chain of calls from a workflow back home, home included."""
    seen = {first.id}
    waiting = [[first]]
    for way in waiting:
        if way[-1].id == home.id:
            return way
        for reference in _called(way[-1]):
            other = _find(known, reference)
            if other is not None and other.id not in seen:
                seen.add(other.id)
                waiting.append([*way, other])
    return None


@_rule("near-duplicate", "info", "A change to one of them is easily forgotten in the other.")
def near_duplicate(graph: FlowGraph) -> Iterator[Observation]:
    """Find another workflow with nearly the same steps."""
    own = _step_names(graph.workflow)
    if len(own) < _SMALLEST_COMPARED:
        return
    left = _STEPS_COMPARED
    for other in graph.portfolio:
        sizes = sorted((len(graph.workflow.steps), len(other.steps)))
        if other.id == graph.workflow.id or sizes[0] < _ALIKE * sizes[1]:
            continue
        left -= len(other.steps)
        if left < 0:
            return
        names = _step_names(other)
        alike = len(own & names) / len(own | names)
        if alike >= _ALIKE:
            yield Observation(
                f"{_phrase([other])} has nearly the same steps ({alike:.0%} of the names).",
                evidence={"workflow": other.id, "similarity": round(alike, 3)},
            )


def _step_names(workflow: Workflow) -> set[str]:
    return {" ".join(step.name.casefold().split()) for step in workflow.steps}


@_rule("blast-radius", "info", "A change here is a change for them too.")
def blast_radius(graph: FlowGraph) -> Iterator[Observation]:
    """Find other workflows that run this one or are started by it."""
    known = _by_reference(_all(graph))

    def calls(workflow: Workflow) -> list[Workflow]:
        references = _called(workflow)
        references += [t.workflow for t in workflow.triggers if isinstance(t, WorkflowTrigger)]
        return [called for one in dict.fromkeys(references) if (called := _find(known, one)) is not None]

    callers = grouped((called.id, workflow.id) for workflow in _all(graph) for called in calls(workflow))
    affected = reached([graph.workflow.id], lambda one: callers.get(one, ()))
    others = [known[one] for one in affected[1:]]
    if others:
        yield Observation(
            f"{_phrase(others)} {plural(len(others), 'depends', 'depend')} on this workflow.",
            evidence={"workflows": [workflow.id for workflow in others]},
        )


RULES = (missing_subworkflow, recursive_subworkflow, near_duplicate, blast_radius)
