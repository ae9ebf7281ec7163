"""Operations that apply a whole pattern: an approval before a step, steps side by side, an error path."""

from workflow_agent.domain.edits.fields import Placed
from workflow_agent.domain.edits.flow import arrivals, decides, exits
from workflow_agent.domain.edits.graph_draft import GraphDraft
from workflow_agent.domain.edits.lists import position_of
from workflow_agent.domain.edits.places import enter, find_place, new_transition
from workflow_agent.domain.edits.refusal import Refusal
from workflow_agent.domain.edits.step_operations import AddErrorPath, Parallelize, WrapInApproval
from workflow_agent.domain.workflow import Condition, Step, StepType, Transition

_MAX_NAME_CHARS = 200
_PARALLEL_TYPES: tuple[StepType, ...] = ("action", "human", "wait", "event", "subworkflow", "loop")


def wrap_in_approval(graph: GraphDraft, edit: WrapInApproval) -> None:
    """Put an approval before a step."""
    step = graph.find_step(edit.step)
    if edit.on_reject is not None and graph.find_step(edit.on_reject).id == step.id:
        others = (other.id for other in graph.steps if other.id != step.id)
        raise Refusal(f"a rejection cannot lead to {step.id!r}, which is what is to be approved", others)
    place = find_place(graph, Placed(before=step.id))
    name = edit.name or f"Approve {step.name}"[:_MAX_NAME_CHARS]
    approval = Step(
        id=graph.new_step_id(name), name=name, type="human", assignee=edit.assignee, parent=step.parent
    )
    graph.put_step(approval, place.position)
    enter(graph, approval, place)
    rejected = graph.find_step(edit.on_reject) if edit.on_reject else _end(graph, "Rejected", step.parent)
    graph.put_transition(_choice(graph, approval, step, "approve", "approved"))
    graph.put_transition(_choice(graph, approval, rejected, "reject", "rejected"))


def _choice(graph: GraphDraft, step: Step, target: Step, action: str, text: str) -> Transition:
    chosen = {"when": Condition(text=text), "action": action}
    return new_transition(graph, step.id, target.id, "condition").model_copy(update=chosen)


def _end(graph: GraphDraft, name: str, scope: str | None) -> Step:
    """Return the end step of a scope that has this outcome, by its field or its name; else a new one."""
    outcome = name.lower()
    for step in graph.steps:
        if step.type == "end" and step.parent == scope and outcome in (step.outcome, step.name.casefold()):
            return step
    end = Step(id=graph.new_step_id(name), name=name, type="end", outcome=outcome, parent=scope)
    graph.put_step(end)
    return end


def add_error_path(graph: GraphDraft, edit: AddErrorPath) -> None:
    """Say what happens when a step fails."""
    step = graph.find_step(edit.step)
    if step.type == "end":
        raise Refusal(f"{step.id!r} is an end; nothing in it can fail")
    for edge in graph.outgoing(step.id):
        if edge.type == "error" and not edge.errors:
            raise Refusal(
                f"every failure of {step.id!r} leads to {edge.to!r} already; update that transition",
                [edge.id],
            )
    handler = graph.find_step(edit.to) if edit.to else _end(graph, "Failed", step.parent)
    graph.put_transition(new_transition(graph, step.id, handler.id, "error"))


def parallelize(graph: GraphDraft, edit: Parallelize) -> None:
    """Run steps that follow one another at the same time, between a fork and a join."""
    chain = _chain(graph, [graph.find_step(ref) for ref in edit.steps])
    _check_independence(chain)
    first, last = chain[0], chain[-1]
    links = [exits(graph, step.id)[0] for step in chain[:-1]]
    fork = _gateway(graph, "fork", f"Split before {first.name}", first.parent)
    place = find_place(graph, Placed(before=first.id))
    graph.put_step(fork, place.position)
    enter(graph, fork, place)
    join = _gateway(graph, "join", f"Join after {last.name}", first.parent)
    graph.put_step(join, max(position_of(graph.steps, step.id) for step in chain) + 1)
    for link in links:
        graph.change_transition(link.model_copy(update={"to": join.id}))
    for edge in exits(graph, last.id):
        graph.change_transition(edge.model_copy(update={"from_": join.id}))
    for step in chain:
        graph.put_transition(new_transition(graph, fork.id, step.id))
    graph.put_transition(new_transition(graph, last.id, join.id))


def _gateway(graph: GraphDraft, kind: StepType, name: str, scope: str | None) -> Step:
    shown = name[:_MAX_NAME_CHARS]
    return Step(id=graph.new_step_id(shown), name=shown, type=kind, parent=scope)


def _chain(graph: GraphDraft, steps: list[Step]) -> list[Step]:
    """Return the steps in the order in which they follow one another.

    Raises:
        Refusal: If they do not, each directly and without a condition.
    """
    waiting = {step.id: step for step in steps}
    if len(waiting) < len(steps):
        raise Refusal("a step is named twice; name each once")
    for step in steps:
        if step.type not in _PARALLEL_TYPES:
            raise Refusal(
                f"{step.id!r} is of type {step.type!r}, which cannot run in parallel", _PARALLEL_TYPES
            )
    successors = {step.id: exits(graph, step.id) for step in steps}
    followed = {edge.to for leaving in successors.values() for edge in leaving}
    heads = [step for step in steps if step.id not in followed]
    chain = [waiting.pop(heads[0].id)] if heads else []
    while chain and waiting:
        leaving = successors[chain[-1].id]
        if len(leaving) != 1 or leaving[0].to not in waiting or len(arrivals(graph, leaving[0].to)) != 1:
            break
        chain.append(waiting.pop(leaving[0].to))
    decided = [edge for step in chain for edge in successors[step.id] if decides(edge)]
    if waiting or decided or len({step.parent for step in chain}) != 1:
        raise Refusal(
            "the steps do not follow one another directly, unconditionally and in one scope;"
            f" they do only so far: {' → '.join(step.id for step in chain) or 'they run in a circle'}"
        )
    return chain


def _check_independence(chain: list[Step]) -> None:
    for at, step in enumerate(chain):
        for later in chain[at + 1 :]:
            if shared := sorted(set(step.writes) & {*later.reads, *later.writes}):
                raise Refusal(f"{later.id!r} needs {', '.join(shared)}, which {step.id!r} writes before it")
