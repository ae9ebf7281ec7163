"""Applying a list of edits to a workflow, wholly or not at all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflow_agent.errors import EditRefused
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.diff import WorkflowDiff, diff_workflows
from workflow_agent.workflows.edits import rearrangement
from workflow_agent.workflows.edits.flow import likeness
from workflow_agent.workflows.edits.graph_draft import GraphDraft, new_step, position_of, put, with_changes
from workflow_agent.workflows.edits.operations import (
    AddAlias,
    AddTrigger,
    Connect,
    Disconnect,
    Edit,
    Refusal,
    RemoveAlias,
    RemoveTrigger,
    RenameWorkflow,
    SetAutomation,
    SetDescription,
    SetStart,
    Tag,
    Untag,
    UpdateTransition,
)
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
from workflow_agent.workflows.model.triggers import describe_trigger
from workflow_agent.workflows.model.workflow import Workflow, step_document


def add_step(graph: GraphDraft, edit: AddStep) -> None:
    """Add a step that nothing leads to yet."""
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


def set_field(graph: GraphDraft, edit: RenameStep | SetForm | SetAssignee | SetRetry | SetTimeout) -> None:
    """Set one field of a step."""
    _change(graph, edit.step, _FIELDS[edit.op], getattr(edit, _FIELDS[edit.op]))


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


class HeaderDraft:
    """What surrounds the graph while edits are applied; each change notes the edit that takes it back."""

    def __init__(self, workflow: Workflow, undo: list[Edit]) -> None:
        self._undo = undo
        self.name = workflow.name
        self.description = workflow.description
        self.aliases = list(workflow.aliases)
        self.tags = list(workflow.tags)
        self.triggers = list(workflow.triggers)

    def fields(self) -> JsonObject:
        """Return these fields of the workflow as they are now."""
        lists = {"aliases": self.aliases, "tags": self.tags, "triggers": self.triggers}
        return {"name": self.name, "description": self.description} | {key: tuple(of) for key, of in lists.items()}

    def rename(self, edit: RenameWorkflow) -> None:
        """Give the workflow another name."""
        self._undo.append(RenameWorkflow(op="rename_workflow", name=self.name))
        self.name = edit.name

    def describe(self, edit: SetDescription) -> None:
        """Say what the workflow is for."""
        self._undo.append(SetDescription(op="set_description", description=self.description))
        self.description = edit.description

    def add_trigger(self, edit: AddTrigger) -> None:
        """Add something that starts the workflow."""
        if edit.position is None and edit.trigger in self.triggers:
            raise Refusal(f"the workflow starts {describe_trigger(edit.trigger)} already")
        at = put(self.triggers, edit.trigger, edit.position)
        self._undo.append(RemoveTrigger(op="remove_trigger", index=at))

    def remove_trigger(self, edit: RemoveTrigger) -> None:
        """Remove a trigger."""
        known = [f"{at} ({describe_trigger(trigger)})" for at, trigger in enumerate(self.triggers)]
        at = edit.index
        if edit.trigger is not None:
            if edit.trigger not in self.triggers:
                raise Refusal(f"the workflow does not start {describe_trigger(edit.trigger)}", known)
            at = self.triggers.index(edit.trigger)
        if at is None or at >= len(known):
            raise Refusal(f"there is no trigger {at}", known)
        self._undo.append(AddTrigger(op="add_trigger", trigger=self.triggers.pop(at), position=at))

    def add_alias(self, edit: AddAlias) -> None:
        """Add another name people use."""
        if edit.position is not None or not _places(edit.alias, self.aliases):
            at = put(self.aliases, edit.alias, edit.position)
            self._undo.append(RemoveAlias(op="remove_alias", alias=edit.alias, position=at))

    def remove_alias(self, edit: RemoveAlias) -> None:
        """Remove an alias."""
        for at in _found("alias", edit.alias, edit.position, self.aliases):
            self._undo.append(AddAlias(op="add_alias", alias=self.aliases.pop(at), position=at))

    def tag(self, edit: Tag) -> None:
        """Add a tag."""
        if edit.position is not None or not _places(edit.tag, self.tags):
            at = put(self.tags, edit.tag, edit.position)
            self._undo.append(Untag(op="untag", tag=edit.tag, position=at))

    def untag(self, edit: Untag) -> None:
        """Remove a tag."""
        for at in _found("tag", edit.tag, edit.position, self.tags):
            self._undo.append(Tag(op="tag", tag=self.tags.pop(at), position=at))


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
    "add_step": add_step,
    "insert_step": rearrangement.insert_step,
    "remove_step": rearrangement.remove_step,
    "update_step": update_step,
    "move_step": rearrangement.move_step,
    "replace_step": rearrangement.replace_step,
    "connect": connect,
    "disconnect": disconnect,
    "update_transition": update_transition,
    "set_start": set_start,
    "set_permission": set_permission,
    **dict.fromkeys(_FIELDS, set_field),
    "set_automation": set_automation,
    "wrap_in_approval": rearrangement.wrap_in_approval,
    "parallelize": rearrangement.parallelize,
    "add_error_path": rearrangement.add_error_path,
}
_ON_THE_HEADER: Mapping[str, Callable[[HeaderDraft, Any], None]] = {
    "add_trigger": HeaderDraft.add_trigger,
    "remove_trigger": HeaderDraft.remove_trigger,
    "rename_workflow": HeaderDraft.rename,
    "set_description": HeaderDraft.describe,
    "add_alias": HeaderDraft.add_alias,
    "remove_alias": HeaderDraft.remove_alias,
    "tag": HeaderDraft.tag,
    "untag": HeaderDraft.untag,
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
