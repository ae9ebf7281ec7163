"""Operations on what surrounds the graph: name, description, triggers, aliases, tags."""

from collections.abc import Callable, Sequence

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.edits.graph_draft import put
from workflow_agent.workflows.edits.operations import (
    AddAlias,
    AddTrigger,
    Edit,
    Refusal,
    RemoveAlias,
    RemoveTrigger,
    RenameWorkflow,
    SetDescription,
    Tag,
    Untag,
)
from workflow_agent.workflows.model.triggers import Trigger, describe_trigger
from workflow_agent.workflows.model.workflow import Workflow


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
        return {
            "name": self.name,
            "description": self.description,
            "aliases": tuple(self.aliases),
            "tags": tuple(self.tags),
            "triggers": tuple(self.triggers),
        }

    def set_name(self, name: str) -> None:
        """Give the workflow another name."""
        self._undo.append(RenameWorkflow(op="rename_workflow", name=self.name))
        self.name = name

    def set_description(self, description: str) -> None:
        """Say what the workflow is for."""
        self._undo.append(SetDescription(op="set_description", description=self.description))
        self.description = description

    def put_trigger(self, trigger: Trigger, position: int | None) -> None:
        """Add a trigger."""
        at = put(self.triggers, trigger, position)
        self._undo.append(RemoveTrigger(op="remove_trigger", index=at))

    def take_trigger(self, position: int) -> None:
        """Remove a trigger."""
        taken = self.triggers.pop(position)
        self._undo.append(AddTrigger(op="add_trigger", trigger=taken, position=position))

    def put_alias(self, alias: str, position: int | None) -> None:
        """Add an alias."""
        at = put(self.aliases, alias, position)
        self._undo.append(RemoveAlias(op="remove_alias", alias=alias, position=at))

    def take_alias(self, position: int) -> None:
        """Remove an alias."""
        taken = self.aliases.pop(position)
        self._undo.append(AddAlias(op="add_alias", alias=taken, position=position))

    def put_tag(self, tag: str, position: int | None) -> None:
        """Add a tag."""
        at = put(self.tags, tag, position)
        self._undo.append(Untag(op="untag", tag=tag, position=at))

    def take_tag(self, position: int) -> None:
        """Remove a tag."""
        taken = self.tags.pop(position)
        self._undo.append(Tag(op="tag", tag=taken, position=position))


def rename_workflow(header: HeaderDraft, edit: RenameWorkflow) -> None:
    """Give the workflow another name."""
    header.set_name(edit.name)


def set_description(header: HeaderDraft, edit: SetDescription) -> None:
    """Say what the workflow is for."""
    header.set_description(edit.description)


def add_trigger(header: HeaderDraft, edit: AddTrigger) -> None:
    """Add something that starts the workflow."""
    if edit.position is None and edit.trigger in header.triggers:
        raise Refusal(f"the workflow starts {describe_trigger(edit.trigger)} already")
    header.put_trigger(edit.trigger, edit.position)


def remove_trigger(header: HeaderDraft, edit: RemoveTrigger) -> None:
    """Remove a trigger."""
    known = [f"{at} ({describe_trigger(trigger)})" for at, trigger in enumerate(header.triggers)]
    at = edit.index
    if edit.trigger is not None:
        if edit.trigger not in header.triggers:
            raise Refusal(f"the workflow does not start {describe_trigger(edit.trigger)}", known)
        at = header.triggers.index(edit.trigger)
    if at is None or at >= len(known):
        raise Refusal(f"there is no trigger {at}", known)
    header.take_trigger(at)


def add_alias(header: HeaderDraft, edit: AddAlias) -> None:
    """Add another name people use."""
    if edit.position is not None or not _places(edit.alias, header.aliases):
        header.put_alias(edit.alias, edit.position)


def remove_alias(header: HeaderDraft, edit: RemoveAlias) -> None:
    """Remove an alias."""
    _take("alias", edit.alias, edit.position, header.aliases, header.take_alias)


def tag(header: HeaderDraft, edit: Tag) -> None:
    """Add a tag."""
    if edit.position is not None or not _places(edit.tag, header.tags):
        header.put_tag(edit.tag, edit.position)


def untag(header: HeaderDraft, edit: Untag) -> None:
    """Remove a tag."""
    _take("tag", edit.tag, edit.position, header.tags, header.take_tag)


def _places(word: str, words: Sequence[str]) -> list[int]:
    return [at for at, known in enumerate(words) if known.casefold() == word.casefold()]


def _take(what: str, word: str, position: int | None, words: Sequence[str], take: Callable[[int], None]) -> None:
    """Remove a word at every place where it is listed, or only at one."""
    places = [at for at in _places(word, words) if position in (None, at)]
    if not places:
        where = "" if position is None else f" at position {position}"
        raise Refusal(f"the workflow has no {what} {word!r}{where}", tuple(words))
    for at in reversed(places):
        take(at)
