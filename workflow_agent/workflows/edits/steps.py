"""The operations on steps, as data."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from workflow_agent.values.stored import Value
from workflow_agent.workflows.edits import Placed, Position, Ref, StepChanges, StepDraft, StepField, check_changes
from workflow_agent.workflows.model.steps import Form, Retry
from workflow_agent.workflows.model.terms import Duration, Id, Label, Name, exactly_one_of


class AddStep(Value):
    """Add a step that nothing leads to yet."""

    op: Literal["add_step"]
    step: StepDraft
    after_in_list: Ref | None = None
    """The step it is listed after; it is listed last without."""
    position: Position | None = None

    @model_validator(mode="after")
    def _is_listed_once(self) -> Self:
        if self.after_in_list is not None and self.position is not None:
            raise ValueError("needs at most one of `after_in_list` and `position`")
        return self


class InsertStep(Placed):
    """Put a new step into the flow; no transition it replaces remains."""

    op: Literal["insert_step"]
    step: StepDraft

    @model_validator(mode="after")
    def _is_said_once(self) -> Self:
        if len(self.places()) != 1:
            raise ValueError(f"needs exactly one of `before`, `after` and `between`, got {self.places() or 'none'}")
        return self


class RemoveStep(Value):
    """Remove a step with everything that hangs on it, and join (or not) what was on its two sides."""

    op: Literal["remove_step"]
    step: Ref
    mode: Literal["reconnect", "cut"] = "reconnect"


class RenameStep(Value):
    """Give a step another name; its id stays."""

    op: Literal["rename_step"]
    step: Ref
    name: Name


class UpdateStep(Value):
    """Change fields of a step in place."""

    op: Literal["update_step"]
    step: Ref
    set_: StepChanges = Field(default_factory=StepChanges, alias="set")
    unset: tuple[StepField, ...] = ()

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        check_changes(self.set_, self.unset)
        return self


class MoveStep(Placed):
    """Take a step out of the flow and put it in elsewhere, or (`position`) list it elsewhere."""

    op: Literal["move_step"]
    step: Ref
    position: Position | None = None
    """Only the place in the list of steps; no transition changes."""

    @model_validator(mode="after")
    def _is_said_once(self) -> Self:
        named = [*self.places(), *(["position"] if self.position is not None else [])]
        if len(named) != 1:
            raise ValueError(f"needs exactly one of `before`, `after`, `between` and `position`, got {named or 'none'}")
        return self


class ReplaceStep(Value):
    """Put another step in the place of one: same neighbours, same scope, same place in the list."""

    op: Literal["replace_step"]
    step: Ref
    with_: StepDraft = Field(alias="with")


class SetForm(Value):
    """Set what a person fills in at a step; null removes the form."""

    op: Literal["set_form"]
    step: Ref
    form: Form | None


class SetPermission(Value):
    """Set who may do a step or take a transition; null removes the permission."""

    op: Literal["set_permission"]
    step: Ref | None = None
    transition: Id | None = None
    permission: Label | None
    _names_one_part = exactly_one_of("step", "transition")


class SetAssignee(Value):
    """Set who does a step; null removes the assignee."""

    op: Literal["set_assignee"]
    step: Ref
    assignee: Label | None


class SetRetry(Value):
    """Set how a failed step is tried again; null removes the retry."""

    op: Literal["set_retry"]
    step: Ref
    retry: Retry | None


class SetTimeout(Value):
    """Set how long a step may take; null removes the limit."""

    op: Literal["set_timeout"]
    step: Ref
    timeout: Duration | None


class WrapInApproval(Value):
    """Put an approval before a step: approved goes on to it, rejected goes elsewhere."""

    op: Literal["wrap_in_approval"]
    step: Ref
    assignee: Label
    name: Name | None = None
    """The approval step's name; `Approve <the step's name>` without."""
    on_reject: Ref | None = None
    """Where a rejection leads; without, to an end step with outcome `rejected`."""


class Parallelize(Value):
    """Run steps that follow one another at the same time, between a fork and a join."""

    op: Literal["parallelize"]
    steps: Annotated[tuple[Ref, ...], Field(min_length=2, max_length=100)]


class AddErrorPath(Value):
    """Say what happens when a step fails."""

    op: Literal["add_error_path"]
    step: Ref
    to: Ref | None = None
    """Where a failure leads; without, to an end step with outcome `failed`."""
