"""Applying a list of edits to a workflow, wholly or not at all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflow_agent.domain.diff import WorkflowDiff, diff_workflows
from workflow_agent.domain.edits import changes, header_changes, patterns, rearranging
from workflow_agent.domain.edits.graph_draft import GraphDraft
from workflow_agent.domain.edits.header_draft import HeaderDraft
from workflow_agent.domain.edits.operations import Edit
from workflow_agent.domain.edits.refusal import Refusal
from workflow_agent.domain.errors import EditRefused
from workflow_agent.domain.workflow import Workflow

_ON_THE_GRAPH: Mapping[str, Callable[[GraphDraft, Any], None]] = {
    "add_step": changes.add_step,
    "insert_step": rearranging.insert_step,
    "remove_step": rearranging.remove_step,
    "rename_step": changes.rename_step,
    "update_step": changes.update_step,
    "move_step": rearranging.move_step,
    "replace_step": rearranging.replace_step,
    "connect": changes.connect,
    "disconnect": changes.disconnect,
    "update_transition": changes.update_transition,
    "set_start": changes.set_start,
    "set_form": changes.set_form,
    "set_permission": changes.set_permission,
    "set_assignee": changes.set_assignee,
    "set_retry": changes.set_retry,
    "set_timeout": changes.set_timeout,
    "set_automation": changes.set_automation,
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
