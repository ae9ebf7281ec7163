"""How work flows past a step: which transitions lead on, which decide, which of several is the main one."""

import re
from collections.abc import Mapping

from workflow_agent.workflows.edits.graph_draft import GraphDraft
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

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
