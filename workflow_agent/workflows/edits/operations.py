"""Every edit operation in one union, read from and written as plain data."""

from collections.abc import Iterable
from typing import Annotated, Any, cast, get_args

from pydantic import Field, ValidationError

from workflow_agent.errors import InvalidInput, Problem
from workflow_agent.values.stored import JsonObject, Value
from workflow_agent.workflows.edits.graph import (
    AddAlias,
    AddTrigger,
    Connect,
    Disconnect,
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
    AddErrorPath,
    AddStep,
    InsertStep,
    MoveStep,
    Parallelize,
    RemoveStep,
    RenameStep,
    ReplaceStep,
    SetAssignee,
    SetForm,
    SetPermission,
    SetRetry,
    SetTimeout,
    UpdateStep,
    WrapInApproval,
)
from workflow_agent.workflows.model.parser import problems_of

Operation = (
    AddStep
    | InsertStep
    | RemoveStep
    | RenameStep
    | UpdateStep
    | MoveStep
    | ReplaceStep
    | Connect
    | Disconnect
    | UpdateTransition
    | SetStart
    | AddTrigger
    | RemoveTrigger
    | SetForm
    | SetPermission
    | SetAssignee
    | SetRetry
    | SetTimeout
    | SetAutomation
    | RenameWorkflow
    | SetDescription
    | AddAlias
    | RemoveAlias
    | Tag
    | Untag
    | WrapInApproval
    | Parallelize
    | AddErrorPath
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
        told = "; ".join(f"{problem.pointer}: {problem.message}" for problem in problems[:5])
        more = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
        raise InvalidInput(f"The edits are not valid: {told}{more}", problems) from error


def edit_document(edit: Edit) -> JsonObject:
    """Return an edit as plain JSON data; `parse_edits` gives it back."""
    return edit.as_plain()


_IDS_SHOWN = 50


class Refusal(Exception):
    """An operation does not fit the workflow.

    Args:
        message: What does not fit, with the offending value.
        valid: What would, usually ids.
    """

    def __init__(self, message: str, valid: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.valid = tuple(valid)[:_IDS_SHOWN]
