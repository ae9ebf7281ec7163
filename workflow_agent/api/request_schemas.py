"""The shapes of request bodies, which are enforced."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from workflow_agent.api.parameters import CLEAN_PATTERN
from workflow_agent.domain.conversation import (
    CONVERSATION_ID_PATTERN,
)
from workflow_agent.domain.modes import Mode
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import WORKFLOW_ID_PATTERN
from workflow_agent.formats import FORMATS

MAX_MESSAGE_CHARS = 32_000
MAX_EDITS = 500
_CLEAN = CLEAN_PATTERN.strip("^$")
_NOT_BLANK_PATTERN = f"^{_CLEAN}{_CLEAN.replace('[^', '[^' + chr(92) + 's').rstrip('*')}{_CLEAN}$"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank; say something")
    return text


class Body(BaseModel):
    """A request body: closed, and without conversions between JSON types."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


ConversationIdText = Annotated[str, StringConstraints(pattern=CONVERSATION_ID_PATTERN)]
WorkflowIdText = Annotated[str, StringConstraints(pattern=WORKFLOW_ID_PATTERN)]
Title = Annotated[str, StringConstraints(max_length=200, pattern=CLEAN_PATTERN)]


class ChatRequest(Body):
    """A message, and how it is to be answered."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "message": "When an employee submits an expense, the manager approves or rejects it. "
                    "If approved, finance pays; otherwise tell the employee."
                },
                {"message": "Which of ours talk to Slack?", "mode": "search"},
            ]
        }
    )

    message: Annotated[
        str,
        StringConstraints(min_length=1, max_length=MAX_MESSAGE_CHARS),
        AfterValidator(_not_blank),
        Field(json_schema_extra={"pattern": _NOT_BLANK_PATTERN}),
    ]
    """What to say; not blank."""
    conversation_id: ConversationIdText | None = None
    """The conversation to go on with; a new one without it."""
    workflow_id: WorkflowIdText | None = None
    """The workflow that is open: what `it` means."""
    mode: Mode | None = None
    """Leads instead of the mode that would be inferred."""
    agent: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")] | None = None
    """Who answers; see /api/v1/agents."""
    model: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=CLEAN_PATTERN)] | None = (
        None
    )
    """The model to answer with, where the server allows it."""
    context_utilization: Literal["low", "medium", "full"] | None = None
    """How much of the model's window may be used."""


class NewConversation(Body):
    """A conversation to be."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"id": "expenses-chat", "title": "Expenses"}]})

    id: ConversationIdText | None = None
    title: Title = ""
    mode_override: Mode | None = None
    """Leads every turn instead of the inferred mode."""
    workflow_id: WorkflowIdText | None = None
    """The workflow that is open from the start."""
    metadata: JsonObject = Field(default_factory=dict)
    """Whatever belongs to it; kept as it is."""


class ConversationChange(Body):
    """What to change of a conversation; fields left out stay as they are."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"title": "Expenses, second half"}], "minProperties": 1}
    )

    title: Title = ""
    mode_override: Mode | None = None
    """Null lets the mode be inferred again."""


class EditList(Body):
    """Edits to a workflow: all are applied, or none."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"edits": [{"op": "rename_step", "step": "review", "name": "Review"}]}]
        }
    )

    edits: Annotated[list[JsonObject], Field(min_length=1, max_length=MAX_EDITS)]


class ImportRequest(Body):
    """A workflow in another format."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "text": '{"StartAt": "Pay", "States": {"Pay": {"Type": "Task", '
                    '"Resource": "arn:aws:lambda:eu-west-1:1:function:pay", "End": true}}}'
                }
            ]
        }
    )

    text: Annotated[str, StringConstraints(min_length=1, max_length=5_000_000)]
    """The document: JSON, YAML or XML."""
    format: Annotated[str, Field(max_length=40, json_schema_extra={"enum": list(FORMATS)})] | None = None
    """The format it is in; told by its content unless given."""
