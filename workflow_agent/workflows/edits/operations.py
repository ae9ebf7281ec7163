"""The operations on transitions and on the workflow as a whole, and every operation in one union, as data."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self, cast, get_args

from pydantic import Field, ValidationError, model_validator

from workflow_agent.errors import InvalidInput, Problem, in_short
from workflow_agent.values.stored import JsonObject, Value
from workflow_agent.workflows.edits import Position, Ref, TransitionChanges, TransitionField, When, check_changes, steps
from workflow_agent.workflows.model.parser import problems_of
from workflow_agent.workflows.model.steps import Form
from workflow_agent.workflows.model.terms import Id, Label, Name, Text, exactly_one_of
from workflow_agent.workflows.model.transitions import TransitionType
from workflow_agent.workflows.model.triggers import Trigger
from workflow_agent.workflows.model.workflow import Automation


class Connect(Value):
    """Add a transition between two steps."""

    op: Literal["connect"]
    from_: Ref = Field(alias="from")
    to: Ref
    id: Id | None = None
    """Made from the two ends without; with one, a transition like an existing one is allowed."""
    type: TransitionType | None = None
    """Without: `condition` where there is a `when`, else `sequence`."""
    when: When | None = None
    label: Text | None = None
    action: Label | None = None
    permission: Label | None = None
    form: Form | None = None
    errors: tuple[Label, ...] = ()
    extensions: JsonObject = Field(default_factory=dict)
    position: Position | None = None


class Disconnect(Value):
    """Remove one transition, or every transition from one step to another."""

    op: Literal["disconnect"]
    from_: Ref | None = Field(default=None, alias="from")
    to: Ref | None = None
    transition: Id | None = None

    @model_validator(mode="after")
    def _names_transitions(self) -> Self:
        ends = [end for end in (self.from_, self.to) if end is not None]
        if len(ends) != (2 if self.transition is None else 0):
            raise ValueError("needs either `transition`, or `from` and `to`")
        return self


class UpdateTransition(Value):
    """Change fields of a transition in place, its ends included."""

    op: Literal["update_transition"]
    transition: Id
    set_: TransitionChanges = Field(default_factory=TransitionChanges, alias="set")
    unset: tuple[TransitionField, ...] = ()

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        check_changes(self.set_, self.unset)
        return self


class SetStart(Value):
    """Say which step comes first."""

    op: Literal["set_start"]
    step: Ref


class AddTrigger(Value):
    """Add something that starts the workflow."""

    op: Literal["add_trigger"]
    trigger: Trigger
    position: Position | None = None


class RemoveTrigger(Value):
    """Remove a trigger, by its place in the list or by naming it in full."""

    op: Literal["remove_trigger"]
    index: Position | None = None
    trigger: Trigger | None = None
    _names_one = exactly_one_of("index", "trigger")


class SetAutomation(Value):
    """Add an automation, replace the one with its id, or (null with `id`) remove one."""

    op: Literal["set_automation"]
    automation: Automation | None
    id: Id | None = None
    position: Position | None = None

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if self.automation is None and self.id is None:
            raise ValueError("needs the `id` of the automation to remove")
        if self.automation is not None and self.id not in (None, self.automation.id):
            raise ValueError(f"{self.id!r} is not the automation's own id {self.automation.id!r}")
        return self


class RenameWorkflow(Value):
    """Give the workflow another name; its id stays."""

    op: Literal["rename_workflow"]
    name: Name


class SetDescription(Value):
    """Say what the workflow is for."""

    op: Literal["set_description"]
    description: Text


class AddAlias(Value):
    """Add another name people use; one that is there already, in any case, is left as it is."""

    op: Literal["add_alias"]
    alias: Name
    position: Position | None = None


class RemoveAlias(Value):
    """Remove an alias, in any case; with `position` only the one listed there."""

    op: Literal["remove_alias"]
    alias: Name
    position: Position | None = None


class Tag(Value):
    """Add a tag; one that is there already, in any case, is left as it is."""

    op: Literal["tag"]
    tag: Label
    position: Position | None = None


class Untag(Value):
    """Remove a tag, in any case; with `position` only the one listed there."""

    op: Literal["untag"]
    tag: Label
    position: Position | None = None


Operation = (
    steps.AddStep
    | steps.InsertStep
    | steps.RemoveStep
    | steps.RenameStep
    | steps.UpdateStep
    | steps.MoveStep
    | steps.ReplaceStep
    | Connect
    | Disconnect
    | UpdateTransition
    | SetStart
    | AddTrigger
    | RemoveTrigger
    | steps.SetForm
    | steps.SetPermission
    | steps.SetAssignee
    | steps.SetRetry
    | steps.SetTimeout
    | SetAutomation
    | RenameWorkflow
    | SetDescription
    | AddAlias
    | RemoveAlias
    | Tag
    | Untag
    | steps.WrapInApproval
    | steps.Parallelize
    | steps.AddErrorPath
)
Edit = Annotated[Operation, Field(discriminator="op")]
OPERATIONS: tuple[str, ...] = tuple(
    get_args(operation.model_fields["op"].annotation)[0] for operation in get_args(Operation)
)
"""The names of all operations."""
MAX_EDITS = 1_000


class _EditList(Value):
    edits: Annotated[tuple[Edit, ...], Field(max_length=MAX_EDITS)]


def parse_edits(data: Any) -> tuple[Edit, ...]:
    """Return the edits that a list of plain data describes.

    Raises:
        InvalidInput: With every problem of every edit, each with its JSON pointer.
    """
    if not isinstance(data, list | tuple):
        problem = Problem("/edits", f"must be a list of edits, got {type(data).__name__}")
        raise InvalidInput(f"The edits are not valid: {problem.message}", [problem])
    listed = cast("list[Any]", data)
    try:
        return _EditList.model_validate({"edits": listed}).edits
    except ValidationError as error:
        problems = problems_of(error, {"edits": listed})
        raise InvalidInput(f"The edits are not valid: {in_short(problems)}", problems) from error


def edit_document(edit: Edit) -> JsonObject:
    """Return an edit as plain JSON data; `parse_edits` gives it back."""
    return edit.as_plain()


_IDS_SHOWN = 50


class Refusal(Exception):
    """An operation does not fit the workflow; what would is usually ids."""

    def __init__(self, message: str, valid: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.valid = tuple(valid)[:_IDS_SHOWN]
