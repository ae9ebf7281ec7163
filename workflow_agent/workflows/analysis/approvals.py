"""Approvals: a yes that must be able to become a no, by the right person, in time."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from workflow_agent.values import shortened
from workflow_agent.workflows.analysis.findings import Observation, rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.words import named, transition_text, vocabulary, words
from workflow_agent.workflows.model.findings import EditDocument
from workflow_agent.workflows.model.parser import unique_id
from workflow_agent.workflows.model.steps import Step, ends_badly
from workflow_agent.workflows.model.transitions import Transition

_reliability_rule = partial(rule, "reliability")
_security_rule = partial(rule, "security")
_APPROVE = vocabulary(
    """
    accept accepted approval approvals approve approved approves approving authorisation authorise
    authorised authorization authorize authorized signoff genehmigen genehmigt genehmigung freigabe
    freigeben aprobar aprobado approuver
    """
)
_ACT = vocabulary(
    """
    approval approvals approve approves approving authorisation authorise authorization authorize
    signoff genehmigen genehmigung freigabe freigeben aprobar approuver
    """
)
_ASKS = vocabulary("apply ask request send submit prepare draft record collect inform notify")
_SIGN_OFF = re.compile(r"sign[ -]off", re.IGNORECASE)
_DEADLINE = "P3D"
_LOOKS_BACK_STEPS = 51


def is_approval(graph: FlowGraph, step: Step) -> bool:
    """Say whether somebody decides here whether the work may go on.

    A person's step that is called an approval, or one after which "approved" makes a difference;
    asking for an approval is not one.
    """
    if step.type != "human":
        return False
    said = words(_SIGN_OFF.sub("signoff", step.name))
    if said and said[0] not in _ASKS and _ACT & set(said):
        return True
    return any(_APPROVE & set(words(transition_text(edge))) for edge in _ways_on(graph, step))


def _ways_on(graph: FlowGraph, step: Step) -> Sequence[Transition]:
    """Return the exits of a step, or of the decision that alone follows it."""
    exits = graph.exits(step.id)
    follows = graph.steps[exits[0].to] if len({edge.to for edge in exits}) == 1 else None
    return graph.exits(follows.id) if follows and follows.type == "decision" else exits


def _approvals(graph: FlowGraph) -> Iterator[Step]:
    return (s for s in graph.workflow.steps if s.id in graph.reachable and is_approval(graph, s))


def _approving_states(graph: FlowGraph) -> Iterator[Step]:
    states = (step for step in graph.workflow.steps if step.type == "state")
    return (s for s in states if any(_ACT & set(words(edge.action or "")) for edge in graph.exits(s.id)))


@_reliability_rule(
    "approval-without-reject-path", "warning", "An approval that cannot be refused is only a delay.", has_fix=True
)
def approval_without_reject_path(graph: FlowGraph) -> Iterator[Observation]:
    """Find an approval that has no way to say no."""
    rejections = [s for s in graph.children.get("", ()) if s.type == "end" and ends_badly(s)]
    new_id = unique_id("rejected", graph.steps)
    for step in (*_approvals(graph), *_approving_states(graph)):
        exits = graph.exits(step.id)
        if len({edge.to for edge in _ways_on(graph, step)}) < 2:
            following = [graph.steps[edge.to] for edge in exits]
            only = f"its only way on is to {named(following[0])}" if following else "nothing comes after it"
            yield Observation(
                f"{named(step)} is an approval, but {only}.",
                steps=(step.id,),
                transitions=tuple(edge.id for edge in exits),
                evidence={"exits": [edge.id for edge in exits]},
                fix=_reject_path(graph, step, rejections, new_id),
            )


def _reject_path(graph: FlowGraph, step: Step, rejections: list[Step], new_id: str) -> tuple[EditDocument, ...]:
    """Return edits that send a refusal to an end for refusals, made where there is none."""
    exits = graph.exits(step.id)
    if step.type != "human" or step.parent or len(exits) != 1 or graph.steps[exits[0].to].type == "decision":
        return ()
    edits: list[EditDocument] = []
    target_id = next((s.id for s in rejections if s.id != exits[0].to), new_id)
    if target_id == new_id:
        made: dict[str, Any] = {"id": new_id, "name": "Rejected", "type": "end", "outcome": "rejected"}
        edits.append({"op": "add_step", "step": made})
    if exits[0].type == "sequence" and exits[0].when is None:
        said: dict[str, Any] = {"type": "condition", "when": {"text": "approved"}}
        edits.append({"op": "update_transition", "transition": exits[0].id, "set": said})
    refused: dict[str, Any] = {"type": "condition", "when": {"text": "rejected"}}
    return (*edits, {"op": "connect", "from": step.id, "to": target_id, **refused})


@_reliability_rule(
    "approval-without-deadline",
    "warning",
    "If nobody answers, the work waits for ever and nobody is told.",
    has_fix=True,
)
def approval_without_deadline(graph: FlowGraph) -> Iterator[Observation]:
    """Find an approval with neither a deadline nor an escalation."""
    watched = {a.on.from_ or a.on.to for a in graph.workflow.automations if a.on.event in ("timeout", "scheduled")}
    for step in _approvals(graph):
        if step.timeout or step.escalate_to or watched & {step.id, None}:
            continue
        yield Observation(
            f"{named(step)} is an approval without a deadline.",
            steps=(step.id,),
            evidence={"assignee": step.assignee, "suggested_timeout": _DEADLINE},
            fix=({"op": "set_timeout", "step": step.id, "timeout": _DEADLINE},),
        )


@_security_rule("self-approval", "warning", "A second pair of eyes protects only if it belongs to somebody else.")
def self_approval(graph: FlowGraph) -> Iterator[Observation]:
    """Find an approval assigned to the role that made the request."""
    for step in _approvals(graph):
        maker = _requester(graph, step)
        if maker is not None and step.assignee and _same(maker.assignee, step.assignee):
            yield Observation(
                f"{named(step)} is approved by {step.assignee!r}, who also does {named(maker)} before it.",
                steps=(maker.id, step.id),
                evidence={"assignee": step.assignee},
            )


def _same(one: str | None, other: str) -> bool:
    return one is not None and one.strip().casefold() == other.strip().casefold()


def _requester(graph: FlowGraph, step: Step) -> Step | None:
    """Return the person's step whose result is approved: the last one passed on every way here."""
    before = islice(graph.passed_before(step.id), _LOOKS_BACK_STEPS)
    nearest = next((one for one in before if one.type == "human"), None)
    return nearest if nearest is not None and not is_approval(graph, nearest) else None


@_security_rule("approval-by-anyone", "warning", "Whoever can open the task could approve it.")
def approval_by_anyone(graph: FlowGraph) -> Iterator[Observation]:
    """Find an approval that names neither an assignee nor a permission."""
    for step in _approvals(graph):
        if step.assignee or step.permission or any(edge.permission for edge in graph.exits(step.id)):
            continue
        yield Observation(f"{named(step)} says neither who approves nor which permission it takes.", steps=(step.id,))


@_security_rule(
    "unguarded-action", "warning", "The other actions are protected, so this one is probably open by oversight."
)
def unguarded_action(graph: FlowGraph) -> Iterator[Observation]:
    """Find an approving or rejecting action of a lifecycle that needs no permission, though others do."""
    if not graph.is_lifecycle or not any(edge.permission for edge in graph.flow):
        return
    for edge in graph.flow:
        state = graph.steps[edge.from_]
        open_to_all = not (edge.permission or state.permission or state.assignee)
        if open_to_all and edge.action and (_ACT | {"reject", "decline"}) & set(words(edge.action)):
            yield Observation(
                f"The action '{shortened(edge.action)}' from {named(state)} needs no permission.",
                steps=(state.id, edge.to),
                transitions=(edge.id,),
            )


RULES = (approval_without_reject_path, approval_without_deadline, self_approval, approval_by_anyone, unguarded_action)
