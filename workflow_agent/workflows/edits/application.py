"""Applying a list of edits to a workflow, wholly or not at all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflow_agent.errors import EditRefused
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.diff import WorkflowDiff, diff_workflows
from workflow_agent.workflows.edits import operations, rearrangement, steps
from workflow_agent.workflows.edits.flow import likeness
from workflow_agent.workflows.edits.graph_draft import GraphDraft, new_step, position_of, put, with_changes
from workflow_agent.workflows.edits.operations import Edit, Refusal
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.triggers import describe_trigger
from workflow_agent.workflows.model.workflow import Workflow, step_document


def _add_step(graph: GraphDraft, edit: steps.AddStep) -> None:
    position = edit.position
    if edit.after_in_list is not None:
        position = position_of(graph.steps, graph.find_step(edit.after_in_list).id) + 1
    graph.put_step(new_step(graph, edit.step), position)


_FIELDS = {
    "rename_step": "name",
    "set_form": "form",
    "set_assignee": "assignee",
    "set_retry": "retry",
    "set_timeout": "timeout",
}
"""The field of a step that an operation sets, which is the one of the operation that says to what."""


def _set_field(
    graph: GraphDraft, edit: steps.RenameStep | steps.SetForm | steps.SetAssignee | steps.SetRetry | steps.SetTimeout
) -> None:
    _change(graph, edit.step, _FIELDS[edit.op], getattr(edit, _FIELDS[edit.op]))


def _set_permission(graph: GraphDraft, edit: steps.SetPermission) -> None:
    if edit.transition is None:
        _change(graph, edit.step or "", "permission", edit.permission)
        return
    edge = graph.find_transition(edit.transition)
    graph.change_transition(edge.model_copy(update={"permission": edit.permission}))


def _change(graph: GraphDraft, ref: str, field: str, value: Any) -> None:
    graph.change_step(graph.find_step(ref).model_copy(update={field: value}))


def _update_step(graph: GraphDraft, edit: steps.UpdateStep) -> None:
    step = graph.find_step(edit.step)
    graph.change_step(Step.model_validate(with_changes(step_document(step), edit.set_, edit.unset)))


def _connect(graph: GraphDraft, edit: operations.Connect) -> None:
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


def _disconnect(graph: GraphDraft, edit: operations.Disconnect) -> None:
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


def _update_transition(graph: GraphDraft, edit: operations.UpdateTransition) -> None:
    edge = graph.find_transition(edit.transition)
    changed = dict(edit.set_)
    for end in ("from", "to"):
        if end in changed:
            changed[end] = graph.find_step(str(changed[end])).id
    document = with_changes(edge.as_plain(), changed, edit.unset)
    graph.change_transition(Transition.model_validate(document))


def _set_start(graph: GraphDraft, edit: operations.SetStart) -> None:
    graph.set_start(graph.find_step(edit.step).id)


def _set_automation(graph: GraphDraft, edit: operations.SetAutomation) -> None:
    if edit.automation is not None:
        graph.put_automation(edit.automation, edit.position)
        return
    known = [automation.id for automation in graph.automations]
    if edit.id not in known:
        raise Refusal(f"there is no automation {edit.id!r}", known)
    graph.take_automation(str(edit.id))


class _Header:
    """What surrounds the graph while edits are applied; each change notes the edit that takes it back."""

    def __init__(self, workflow: Workflow, undo: list[Edit]) -> None:
        self._undo = undo
        self.name = workflow.name
        self.description = workflow.description
        self.aliases = list(workflow.aliases)
        self.tags = list(workflow.tags)
        self.triggers = list(workflow.triggers)

    def fields(self) -> JsonObject:
        lists = {"aliases": self.aliases, "tags": self.tags, "triggers": self.triggers}
        return {"name": self.name, "description": self.description} | {key: tuple(of) for key, of in lists.items()}

    def rename(self, edit: operations.RenameWorkflow) -> None:
        self._undo.append(operations.RenameWorkflow(op="rename_workflow", name=self.name))
        self.name = edit.name

    def describe(self, edit: operations.SetDescription) -> None:
        self._undo.append(operations.SetDescription(op="set_description", description=self.description))
        self.description = edit.description

    def add_trigger(self, edit: operations.AddTrigger) -> None:
        if edit.position is None and edit.trigger in self.triggers:
            raise Refusal(f"the workflow starts {describe_trigger(edit.trigger)} already")
        at = put(self.triggers, edit.trigger, edit.position)
        self._undo.append(operations.RemoveTrigger(op="remove_trigger", index=at))

    def remove_trigger(self, edit: operations.RemoveTrigger) -> None:
        known = [f"{at} ({describe_trigger(trigger)})" for at, trigger in enumerate(self.triggers)]
        at = edit.index
        if edit.trigger is not None:
            if edit.trigger not in self.triggers:
                raise Refusal(f"the workflow does not start {describe_trigger(edit.trigger)}", known)
            at = self.triggers.index(edit.trigger)
        if at is None or at >= len(known):
            raise Refusal(f"there is no trigger {at}", known)
        self._undo.append(operations.AddTrigger(op="add_trigger", trigger=self.triggers.pop(at), position=at))

    def add_alias(self, edit: operations.AddAlias) -> None:
        if edit.position is not None or not _places(edit.alias, self.aliases):
            at = put(self.aliases, edit.alias, edit.position)
            self._undo.append(operations.RemoveAlias(op="remove_alias", alias=edit.alias, position=at))

    def remove_alias(self, edit: operations.RemoveAlias) -> None:
        for at in _found("alias", edit.alias, edit.position, self.aliases):
            self._undo.append(operations.AddAlias(op="add_alias", alias=self.aliases.pop(at), position=at))

    def tag(self, edit: operations.Tag) -> None:
        if edit.position is not None or not _places(edit.tag, self.tags):
            at = put(self.tags, edit.tag, edit.position)
            self._undo.append(operations.Untag(op="untag", tag=edit.tag, position=at))

    def untag(self, edit: operations.Untag) -> None:
        for at in _found("tag", edit.tag, edit.position, self.tags):
            self._undo.append(operations.Tag(op="tag", tag=self.tags.pop(at), position=at))


def _places(word: str, words: Sequence[str]) -> list[int]:
    return [at for at, known in enumerate(words) if known.casefold() == word.casefold()]


def _found(what: str, word: str, position: int | None, words: Sequence[str]) -> list[int]:
    """Return every place where a word is listed, or only one, the last first."""
    places = [at for at in _places(word, words) if position in (None, at)]
    if not places:
        where = "" if position is None else f" at position {position}"
        raise Refusal(f"the workflow has no {what} {word!r}{where}", tuple(words))
    return places[::-1]


_ON_THE_GRAPH: Mapping[str, Callable[[GraphDraft, Any], None]] = {
    "add_step": _add_step,
    "insert_step": rearrangement.insert_step,
    "remove_step": rearrangement.remove_step,
    "update_step": _update_step,
    "move_step": rearrangement.move_step,
    "replace_step": rearrangement.replace_step,
    "connect": _connect,
    "disconnect": _disconnect,
    "update_transition": _update_transition,
    "set_start": _set_start,
    "set_permission": _set_permission,
    **dict.fromkeys(_FIELDS, _set_field),
    "set_automation": _set_automation,
    "wrap_in_approval": rearrangement.wrap_in_approval,
    "parallelize": rearrangement.parallelize,
    "add_error_path": rearrangement.add_error_path,
}
_ON_THE_HEADER: Mapping[str, Callable[[_Header, Any], None]] = {
    "add_trigger": _Header.add_trigger,
    "remove_trigger": _Header.remove_trigger,
    "rename_workflow": _Header.rename,
    "set_description": _Header.describe,
    "add_alias": _Header.add_alias,
    "remove_alias": _Header.remove_alias,
    "tag": _Header.tag,
    "untag": _Header.untag,
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
    header = _Header(workflow, undo)
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
