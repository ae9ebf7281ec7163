"""Operations that change one part where it stands: a step, a transition, the start, an automation."""

from typing import Any

from workflow_agent.domain.edits.bridges import likeness
from workflow_agent.domain.edits.graph_draft import GraphDraft, transition_document
from workflow_agent.domain.edits.graph_operations import (
    Connect,
    Disconnect,
    SetAutomation,
    SetStart,
    UpdateTransition,
)
from workflow_agent.domain.edits.lists import position_of, with_changes
from workflow_agent.domain.edits.places import new_step
from workflow_agent.domain.edits.refusal import Refusal
from workflow_agent.domain.edits.step_operations import (
    AddStep,
    RenameStep,
    SetAssignee,
    SetForm,
    SetPermission,
    SetRetry,
    SetTimeout,
    UpdateStep,
)
from workflow_agent.domain.workflow import Step, Transition, step_document


def add_step(graph: GraphDraft, edit: AddStep) -> None:
    """Add a step that nothing leads to yet."""
    position = edit.position
    if edit.after_in_list is not None:
        position = position_of(graph.steps, graph.find_step(edit.after_in_list).id) + 1
    graph.put_step(new_step(graph, edit.step), position)


def rename_step(graph: GraphDraft, edit: RenameStep) -> None:
    """Give a step another name."""
    _change(graph, edit.step, "name", edit.name)


def set_form(graph: GraphDraft, edit: SetForm) -> None:
    """Set what a person fills in at a step."""
    _change(graph, edit.step, "form", edit.form)


def set_assignee(graph: GraphDraft, edit: SetAssignee) -> None:
    """Set who does a step."""
    _change(graph, edit.step, "assignee", edit.assignee)


def set_retry(graph: GraphDraft, edit: SetRetry) -> None:
    """Set how a failed step is tried again."""
    _change(graph, edit.step, "retry", edit.retry)


def set_timeout(graph: GraphDraft, edit: SetTimeout) -> None:
    """Set how long a step may take."""
    _change(graph, edit.step, "timeout", edit.timeout)


def set_permission(graph: GraphDraft, edit: SetPermission) -> None:
    """Set who may do a step or take a transition."""
    if edit.transition is None:
        _change(graph, edit.step or "", "permission", edit.permission)
        return
    edge = graph.find_transition(edit.transition)
    graph.change_transition(edge.model_copy(update={"permission": edit.permission}))


def _change(graph: GraphDraft, ref: str, field: str, value: Any) -> None:
    graph.change_step(graph.find_step(ref).model_copy(update={field: value}))


def update_step(graph: GraphDraft, edit: UpdateStep) -> None:
    """Change fields of a step."""
    step = graph.find_step(edit.step)
    graph.change_step(Step.model_validate(with_changes(step_document(step), edit.set_, edit.unset)))


def connect(graph: GraphDraft, edit: Connect) -> None:
    """Add a transition between two steps."""
    from_id, to_id = graph.find_step(edit.from_).id, graph.find_step(edit.to).id
    content = {
        name: getattr(edit, name)
        for name in Transition.model_fields
        if name not in ("id", "from_", "to", "type")
    }
    ends = {"id": edit.id or graph.new_transition_id(from_id, to_id), "from_": from_id, "to": to_id}
    kind = edit.type or ("condition" if edit.when is not None else "sequence")
    edge = Transition.model_validate({**content, **ends, "type": kind})
    if edit.id is None:
        _check_is_new(graph, edge)
    graph.put_transition(edge, edit.position)


def _check_is_new(graph: GraphDraft, edge: Transition) -> None:
    for known in graph.outgoing(edge.from_):
        if likeness(known) == likeness(edge):
            raise Refusal(
                f"{edge.from_!r} leads to {edge.to!r} in this way already, by transition {known.id!r};"
                " give an `id` to have another one"
            )


def disconnect(graph: GraphDraft, edit: Disconnect) -> None:
    """Remove one transition, or every transition from one step to another."""
    if edit.transition is not None:
        graph.take_transition(graph.find_transition(edit.transition).id)
        return
    from_id, to_id = graph.find_step(edit.from_ or "").id, graph.find_step(edit.to or "").id
    leaving = graph.outgoing(from_id)
    joining = [edge for edge in leaving if edge.to == to_id]
    if not joining:
        raise Refusal(
            f"no transition leads from {from_id!r} to {to_id!r}", dict.fromkeys(e.to for e in leaving)
        )
    for edge in joining:
        graph.take_transition(edge.id)


def update_transition(graph: GraphDraft, edit: UpdateTransition) -> None:
    """Change fields of a transition."""
    edge = graph.find_transition(edit.transition)
    changed = dict(edit.set_)
    for end in ("from", "to"):
        if end in changed:
            changed[end] = graph.find_step(str(changed[end])).id
    document = with_changes(transition_document(edge), changed, edit.unset)
    graph.change_transition(Transition.model_validate(document))


def set_start(graph: GraphDraft, edit: SetStart) -> None:
    """Say which step comes first."""
    graph.set_start(graph.find_step(edit.step).id)


def set_automation(graph: GraphDraft, edit: SetAutomation) -> None:
    """Add, replace or remove an automation."""
    if edit.automation is not None:
        graph.put_automation(edit.automation, edit.position)
        return
    known = [automation.id for automation in graph.automations]
    if edit.id not in known:
        raise Refusal(f"there is no automation {edit.id!r}", known)
    graph.take_automation(str(edit.id))
