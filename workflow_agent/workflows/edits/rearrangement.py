"""Operations that rearrange the flow around one step: insert, move, replace, remove."""

from itertools import product

from workflow_agent.workflows.edits import Placed
from workflow_agent.workflows.edits.flow import (
    Pair,
    arrivals,
    bridge,
    decides,
    ends_in_flow,
    enter,
    exits,
    find_place,
    is_flow,
    join_flow,
    main_exit,
)
from workflow_agent.workflows.edits.graph_draft import GraphDraft, new_step, new_transition, position_of
from workflow_agent.workflows.edits.operations import Refusal
from workflow_agent.workflows.edits.steps import (
    AddErrorPath,
    InsertStep,
    MoveStep,
    Parallelize,
    RemoveStep,
    ReplaceStep,
    WrapInApproval,
)
from workflow_agent.workflows.model.steps import Condition, Step, StepType
from workflow_agent.workflows.model.transitions import Transition


def insert_step(graph: GraphDraft, edit: InsertStep) -> None:
    """Put a new step into the flow."""
    place = find_place(graph, edit)
    step = new_step(graph, edit.step, place.scope)
    graph.put_step(step, place.position)
    join_flow(graph, step, place)


def move_step(graph: GraphDraft, edit: MoveStep) -> None:
    """Take a step out of the flow and put it in elsewhere; its decisions go with it."""
    step = graph.find_step(edit.step)
    if edit.position is not None:
        graph.list_step(step.id, edit.position)
        return
    own = graph.within(step.id)
    for ref in (edit.before, edit.after, *(edit.between or ())):
        if ref is not None and graph.find_step(ref).id in own:
            valid = (other.id for other in graph.steps if other.id not in own)
            raise Refusal(f"{step.id!r} cannot be placed by {ref!r}, which is itself or inside it", valid)
    onward = _leave_flow(graph, step)
    place = find_place(graph, edit, step)
    moved = step.model_copy(update={"parent": place.scope})
    graph.change_step(moved)
    graph.list_step(step.id, place.position)
    join_flow(graph, moved, place, onward)


def _leave_flow(graph: GraphDraft, step: Step) -> Transition | None:
    """Join the two sides of a step, and return its transition that used to lead on, if any.

    A step that decides takes its other outcomes along: they say what happens there, wherever that is.
    """
    main = main_exit(graph, step)
    onward = [main] if main is not None else exits(graph, step.id)
    plain = [new_transition(graph, step.id, edge.to) for edge in onward]
    bridge(graph, product(arrivals(graph, step.id), plain))
    for edge in (*arrivals(graph, step.id), *onward[1:]):
        graph.take_transition(edge.id)
    if graph.start == step.id:
        graph.set_start(_start_without(graph, step, onward))
    return onward[0] if onward else None


def _start_without(graph: GraphDraft, step: Step, onward: list[Transition]) -> str:
    return onward[0].to if onward else next(other.id for other in graph.steps if other.id != step.id)


def remove_step(graph: GraphDraft, edit: RemoveStep) -> None:
    """Remove a step, its transitions and the automations that react to it; its scope is dissolved."""
    step = graph.find_step(edit.step)
    if len(graph.steps) == 1:
        raise Refusal(f"{step.id!r} is the only step, and a workflow needs one; replace it instead")
    if graph.start == step.id:
        graph.set_start(_start_without(graph, step, _heads(graph, step) or exits(graph, step.id)))
    if edit.mode == "reconnect":
        bridge(graph, _sides(graph, step))
    for edge in [edge for edge in graph.transitions if step.id in (edge.from_, edge.to)]:
        graph.take_transition(edge.id)
    for child in [child for child in graph.steps if child.parent == step.id]:
        graph.change_step(child.model_copy(update={"parent": step.parent}))
    for automation in [a for a in graph.automations if step.id in (a.on.from_, a.on.to)]:
        graph.take_automation(automation.id)
    graph.take_step(step.id)


def _sides(graph: GraphDraft, step: Step) -> list[Pair]:
    """Return each way into a step with each way it went on: through its scope, if it has one."""
    into_scope = _heads(graph, step)
    onward = exits(graph, step.id)
    return [*product(arrivals(graph, step.id), into_scope or onward), *product(_tails(graph, step), onward)]


def _heads(graph: GraphDraft, step: Step) -> list[Transition]:
    """Return the transitions into a step's scope; where none is drawn, to the steps nothing leads to."""
    inside = graph.within(step.id) - {step.id}
    drawn = [edge for edge in graph.outgoing(step.id) if is_flow(edge) and edge.to in inside]
    if drawn:
        return drawn
    entered, _ = ends_in_flow(graph)
    heads = [child.id for child in graph.steps if child.parent == step.id and child.id not in entered]
    return [new_transition(graph, step.id, head) for head in heads]


def _tails(graph: GraphDraft, step: Step) -> list[Transition]:
    """Return the transitions back from a step's scope; where none is drawn, from those that lead nowhere."""
    inside = graph.within(step.id) - {step.id}
    drawn = [edge for edge in graph.incoming(step.id) if edge.type != "data" and edge.from_ in inside]
    if drawn:
        return drawn
    _, left = ends_in_flow(graph)
    children = [child for child in graph.steps if child.parent == step.id and child.type != "end"]
    return [new_transition(graph, tail.id, step.id) for tail in children if tail.id not in left]


def replace_step(graph: GraphDraft, edit: ReplaceStep) -> None:
    """Put another step in the place of one, in its scope, under an id of its own."""
    old = graph.find_step(edit.step)
    new = new_step(graph, edit.with_, old.parent, replaced=old.id)
    if new.id == old.id:
        graph.change_step(new)
        return
    graph.put_step(new, position_of(graph.steps, old.id))
    if graph.start == old.id:
        graph.set_start(new.id)
    _refer_to(graph, old.id, new.id)
    graph.take_step(old.id)


def _refer_to(graph: GraphDraft, old_id: str, new_id: str) -> None:
    """Let everything that refers to one step refer to another."""

    def renamed(step_id: str | None) -> str | None:
        return new_id if step_id == old_id else step_id

    for edge in [edge for edge in graph.transitions if old_id in (edge.from_, edge.to)]:
        ends = {"from_": renamed(edge.from_), "to": renamed(edge.to)}
        graph.change_transition(edge.model_copy(update=ends))
    for child in [step for step in graph.steps if step.parent == old_id]:
        graph.change_step(child.model_copy(update={"parent": new_id}))
    for automation in [a for a in graph.automations if old_id in (a.on.from_, a.on.to)]:
        reacts = {"from_": renamed(automation.on.from_), "to": renamed(automation.on.to)}
        on = automation.on.model_copy(update=reacts)
        graph.put_automation(automation.model_copy(update={"on": on}))


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
    approval = Step(id=graph.new_step_id(name), name=name, type="human", assignee=edit.assignee, parent=step.parent)
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
                f"every failure of {step.id!r} leads to {edge.to!r} already; update that transition", [edge.id]
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
            raise Refusal(f"{step.id!r} is of type {step.type!r}, which cannot run in parallel", _PARALLEL_TYPES)
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
