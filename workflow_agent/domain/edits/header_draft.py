"""A working copy of what surrounds a workflow's graph: name, description, aliases, tags, triggers."""

from workflow_agent.domain.edits.graph_operations import (
    AddAlias,
    AddTrigger,
    RemoveAlias,
    RemoveTrigger,
    RenameWorkflow,
    SetDescription,
    Tag,
    Untag,
)
from workflow_agent.domain.edits.lists import put
from workflow_agent.domain.edits.operations import Edit
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Trigger, Workflow


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
