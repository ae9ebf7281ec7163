"""Applying a list of edits to a workflow, wholly or not at all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflow_agent.errors import EditRefused
from workflow_agent.workflows.diff import WorkflowDiff, diff_workflows
from workflow_agent.workflows.edits import header as header_changes
from workflow_agent.workflows.edits import rearrangement as patterns
from workflow_agent.workflows.edits import rearrangement as rearranging
from workflow_agent.workflows.edits.graph_draft import GraphDraft, position_of, with_changes
from workflow_agent.workflows.edits.header import HeaderDraft
from workflow_agent.workflows.edits.operations import (
    Connect,
    Disconnect,
    Edit,
    Refusal,
    SetAutomation,
    SetStart,
    UpdateTransition,
)
from workflow_agent.workflows.edits.places import likeness, new_step
from workflow_agent.workflows.edits.steps import (
    AddStep,
    RenameStep,
    SetAssignee,
    SetForm,
    SetPermission,
    SetRetry,
    SetTimeout,
    UpdateStep,
)
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow, step_document


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
        name: getattr(edit, name) for name in Transition.model_fields if name not in ("id", "from_", "to", "type")
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
        raise Refusal(f"no transition leads from {from_id!r} to {to_id!r}", dict.fromkeys(e.to for e in leaving))
    for edge in joining:
        graph.take_transition(edge.id)


def update_transition(graph: GraphDraft, edit: UpdateTransition) -> None:
    """Change fields of a transition."""
    edge = graph.find_transition(edit.transition)
    changed = dict(edit.set_)
    for end in ("from", "to"):
        if end in changed:
            changed[end] = graph.find_step(str(changed[end])).id
    document = with_changes(edge.as_plain(), changed, edit.unset)
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


_ON_THE_GRAPH: Mapping[str, Callable[[GraphDraft, Any], None]] = {
    "add_step": add_step,
    "insert_step": rearranging.insert_step,
    "remove_step": rearranging.remove_step,
    "rename_step": rename_step,
    "update_step": update_step,
    "move_step": rearranging.move_step,
    "replace_step": rearranging.replace_step,
    "connect": connect,
    "disconnect": disconnect,
    "update_transition": update_transition,
    "set_start": set_start,
    "set_form": set_form,
    "set_permission": set_permission,
    "set_assignee": set_assignee,
    "set_retry": set_retry,
    "set_timeout": set_timeout,
    "set_automation": set_automation,
    "wrap_in_approval": patterns.wrap_in_approval,
    "parallelize": patterns.parallelize,
    "add_error_path": patterns.add_error_path,
}
_ON_THE_HEADER: Mapping[str, Callable[[HeaderDraft, Any], None]] = {
    "add_trigger": header_changes.add_trigger,
    "remove_trigger": header_changes.remove_trigger,
    "rename_workflow": header_changes.rename_workflow,
    "set_description": header_changes.set_description,
    "add_alias": header_changes.add_alias,
    "remove_alias": header_changes.remove_alias,
    "tag": header_changes.tag,
    "untag": header_changes.untag,
}


@dataclass(frozen=True, slots=True)
class Applied:
    """A workflow after edits."""

    workflow: Workflow
    """Version and times are those of before: they belong to whoever stores it."""
    inverse: tuple[Edit, ...]
    """Applied to `workflow`, they give the workflow of before, byte for byte."""
    diff: WorkflowDiff


def apply_edits(workflow: Workflow, edits: Sequence[Edit]) -> Applied:
    """Return the workflow with all edits applied, each to the result of those before it.

    Raises:
        EditRefused: Naming the first edit that does not fit; then nothing was changed.
    """
    undo: list[Edit] = []
    graph = GraphDraft(workflow, undo)
    header = HeaderDraft(workflow, undo)
    for index, edit in enumerate(edits):
        try:
            if edit.op in _ON_THE_GRAPH:
                _ON_THE_GRAPH[edit.op](graph, edit)
            else:
                _ON_THE_HEADER[edit.op](header, edit)
        except Refusal as refusal:
            raise EditRefused(refusal.message, index=index, op=edit.op, valid=refusal.valid) from refusal
    after = workflow.model_copy(update={**graph.fields(), **header.fields()})
    return Applied(after, tuple(reversed(undo)), diff_workflows(workflow, after))
