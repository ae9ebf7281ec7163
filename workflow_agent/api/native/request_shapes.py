"""The shapes of request bodies, which are enforced; that of a message is in `chat`."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from workflow_agent.api.body import Body
from workflow_agent.api.dependencies import CLEAN_PATTERN, MAX_NUMBER
from workflow_agent.conversations.agents import Mode
from workflow_agent.conversations.document import CONVERSATION_ID_PATTERN, Phase
from workflow_agent.conversations.runs import MOST_NOTE_CHARS, Rating
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.analysis.simulation import MAX_RUNS
from workflow_agent.workflows.formats import FORMATS
from workflow_agent.workflows.model.terms import WORKFLOW_ID_PATTERN, Duration

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
Title = Annotated[str, StringConstraints(max_length=200, pattern=CLEAN_PATTERN)]


class NewConversation(Body, json_schema_extra={"examples": [{"id": "expenses-chat", "title": "Expenses"}]}):
    """A conversation to be."""

    id: ConversationIdText | None = None
    """A name of your own for it, by which messages find it; made up where it is left out."""
    title: Title = ""
    mode_override: Mode | None = None
    """Leads every turn instead of the inferred mode."""
    workflow_id: WorkflowIdText | None = None
    """The workflow that is open from the start."""
    metadata: JsonObject = Field(default_factory=dict)
    """Whatever belongs to it; kept as it is."""


class ConversationChange(
    Body, json_schema_extra={"examples": [{"title": "Expenses, second half"}], "minProperties": 1}
):
    """What to change of a conversation; fields left out stay as they are."""

    title: Title = ""
    mode_override: Mode | None = None
    """Null lets the mode be inferred again."""


AgentName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Reason = Annotated[str, StringConstraints(max_length=300, pattern=CLEAN_PATTERN)]
Summary = Annotated[str, StringConstraints(max_length=4_000, pattern=CLEAN_PATTERN)]


class NewEvent(Body, json_schema_extra={"examples": [{"content": "Invoice 17 was paid.", "author": "billing"}]}):
    """A message that asks for no reply."""

    content: MessageText
    author: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,63}$")] | None = None
    """An external party, whose words are data; without it the message is the user's."""


class NewPhase(Body, json_schema_extra={"examples": [{"to": "plan", "reason": "We know what we want."}]}):
    """The phase to go to."""

    to: Phase
    reason: Reason = ""
    message: Summary = ""
    """What was said about it."""
    summary: Summary = ""
    """What the next phase has to know."""


_PLACES = ("event_id", "index", "turn")
_Place = Annotated[int, Field(le=MAX_NUMBER)]


class NewForkBody(
    Body,
    json_schema_extra={
        "examples": [{"turn": 1, "title": "Another way"}],
        "oneOf": [{"required": [place]} for place in _PLACES],
    },
):
    """Where a new conversation goes on from: after an event, by its id or number, or after a turn."""

    event_id: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=CLEAN_PATTERN)] | None = None
    """The id of the last event that the fork holds."""
    index: Annotated[_Place, Field(ge=0)] | None = None
    """The number of the last event that the fork holds, from 0."""
    turn: Annotated[_Place, Field(ge=1)] | None = None
    """The last turn that the fork holds, from 1."""
    title: Title | None = None
    """Without it the fork has the title of what it is forked from."""
    id: ConversationIdText | None = None
    """Without it one is made."""

    @model_validator(mode="after")
    def _names_one_place(self) -> Self:
        if sum(getattr(self, place) is not None for place in _PLACES) != 1:
            raise ValueError(f"name one of {', '.join(_PLACES)}")
        return self


class ConversationBundle(
    Body,
    json_schema_extra={
        "examples": [
            {"format": "workflow-agent/conversation", "format_version": 1, "payload": "{}", "sha256": "0" * 64}
        ]
    },
):
    """A conversation as it was exported."""

    format: Literal["workflow-agent/conversation"]
    format_version: Literal[1]
    sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
    """The digest of the payload, in UTF-8."""
    payload: Annotated[str, StringConstraints(max_length=100_000_000)]
    """The conversation and the contents it keeps apart, as the text of a JSON object."""
    conversation_id: ConversationIdText | None = None
    """For people; the id in the payload counts."""
    title: Title | None = None
    """For people."""
    turns: Annotated[int, Field(ge=0, le=MAX_NUMBER)] | None = None
    """For people."""
    exported_at: Annotated[str, StringConstraints(max_length=40, pattern=CLEAN_PATTERN)] | None = None
    """For people."""
    new_id: bool = False
    """Whether to import it under another id where its own is taken; with an Idempotency-Key always."""


class NewHandoff(
    Body,
    json_schema_extra={"examples": [{"to": "editor", "reason": "It is time to change it.", "summary": "Fix 1 and 2."}]},
):
    """Who is to go on, and with what."""

    to: AgentName
    """An agent; see /api/v1/agents."""
    reason: Reason = ""
    summary: Summary = ""
    """What the next agent has to know."""


class NewFeedback(Body, json_schema_extra={"examples": [{"rating": "down", "note": "It left out the legal review."}]}):
    """What somebody thinks of a reply."""

    rating: Rating
    note: Annotated[str, StringConstraints(max_length=MOST_NOTE_CHARS, pattern=CLEAN_PATTERN)] = ""
    """Why; may be left out."""


class EditList(
    Body, json_schema_extra={"examples": [{"edits": [{"op": "rename_step", "step": "review", "name": "Review"}]}]}
):
    """Edits to a workflow: all are applied, or none."""

    edits: Annotated[list[JsonObject], Field(min_length=1, max_length=500)]


class SimulationRequest(Body, json_schema_extra={"examples": [{"case": {"amount": 1500, "approved": True}}]}):
    """What is known of the cases to play through a workflow; everything may be left out."""

    case: JsonObject = Field(default_factory=dict)
    """Facts by name; under the id of a step which of its ways is taken (a list: one each time the case comes there),
    `yes` or `no` where it is asked whether it is done, or how often a loop goes round."""
    chances: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(default_factory=dict)
    """How likely a transition is taken, by its id or as `from>to`."""
    times: dict[str, Duration] = Field(default_factory=dict)
    """How long a step lasts, by its id; else as the workflow says."""
    staff: dict[str, Annotated[int, Field(ge=1, le=10_000)]] = Field(default_factory=dict)
    """How many there are of a role; of others there are always enough."""
    hourly_costs: dict[str, Annotated[float, Field(ge=0, le=1e9)]] = Field(default_factory=dict)
    """What an hour of a role costs."""
    per_day: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    """How many cases begin a day, at random; without it they have nothing to do with one another."""
    runs: Annotated[int, Field(ge=1, le=MAX_RUNS)] = 1
    """How many cases; of a single one the path is told."""
    seed: Annotated[int, Field(ge=0, le=MAX_NUMBER)] = 0
    """The same one plays the same again."""


class ImportRequest(
    Body,
    json_schema_extra={
        "examples": [
            {
                "text": '{"StartAt": "Pay", "States": {"Pay": {"Type": "Task", '
                '"Resource": "arn:aws:lambda:eu-west-1:1:function:pay", "End": true}}}'
            }
        ]
    },
):
    """A workflow in another format."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=5_000_000)]
    """The document: JSON, YAML or XML."""
    format: Annotated[str, Field(max_length=40, json_schema_extra={"enum": list(FORMATS)})] | None = None
    """The format it is in; told by its content unless given."""
