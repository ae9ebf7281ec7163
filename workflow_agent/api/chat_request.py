"""The shape of a message that asks for a reply, which is enforced."""

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from workflow_agent.api.attachments import Attachments
from workflow_agent.api.parameters import CLEAN_PATTERN
from workflow_agent.api.request_body import Body
from workflow_agent.domain.conversation import CONVERSATION_ID_PATTERN
from workflow_agent.domain.modes import Mode
from workflow_agent.domain.workflow import WORKFLOW_ID_PATTERN

MAX_MESSAGE_CHARS = 32_000
_CLEAN = CLEAN_PATTERN.strip("^$")
_NOT_BLANK_PATTERN = f"^{_CLEAN}{_CLEAN.replace('[^', '[^' + chr(92) + 's').rstrip('*')}{_CLEAN}$"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank; say something")
    return text


ConversationIdText = Annotated[str, StringConstraints(pattern=CONVERSATION_ID_PATTERN)]
WorkflowIdText = Annotated[str, StringConstraints(pattern=WORKFLOW_ID_PATTERN)]
MessageText = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_MESSAGE_CHARS),
    AfterValidator(_not_blank),
    Field(json_schema_extra={"pattern": _NOT_BLANK_PATTERN}),
]


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

    message: MessageText
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
    attachments: Attachments | None = None
    """Documents that come with the message; later messages can refer to them."""
