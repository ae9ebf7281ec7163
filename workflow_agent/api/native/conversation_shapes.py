"""The shapes of replies about turns, runs and conversations, for the OpenAPI document."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from workflow_agent.conversations.artifacts import ArtifactType
from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.compactions import Compaction
from workflow_agent.conversations.context_records import ContextRecord, RecordedContext
from workflow_agent.conversations.document import (
    AgentReply,
    Conversation,
    Event,
    ModeRecord,
    Phase,
    SystemEvent,
    UserMessage,
    WorkflowTouch,
)
from workflow_agent.conversations.iterations import FinishReason, Iteration
from workflow_agent.conversations.runs import Feedback, RunError, RunStatus
from workflow_agent.values.stored import JsonObject, Moment
from workflow_agent.values.tokens import Cost, Usage
from workflow_agent.workflows.previews import Preview


class Page(BaseModel):
    """What every list has."""

    next_cursor: str | None


class OtherReply(BaseModel, extra="allow"):
    """What another agent answered to the same message before."""

    response: str
    run_id: str
    agent: str


class ChatResponse(BaseModel):
    """A finished turn."""

    other_replies: list[OtherReply]

    response: str
    conversation_id: str
    turn: int
    run_id: str
    agent: str
    mode: ModeRecord
    tools_used: list[str]
    workflows_touched: list[WorkflowTouch]
    context: RecordedContext
    usage: Usage
    cost: Cost
    model: str
    duration_ms: float | None
    finish_reason: FinishReason
    unconfirmed_claims: list[str]
    preview: Preview | None
    replayed: bool


class RunState(BaseModel):
    """Where a run stands; the reply where there is one."""

    run_id: str
    conversation_id: str
    turn: int
    status: RunStatus
    attempt: int
    agent: str
    accepted_at: datetime
    completed_at: datetime | None
    error: RunError | None
    reply: ChatResponse | None


class ConversationItem(BaseModel, from_attributes=True):
    """A conversation in a list."""

    id: str
    title: str
    phase: Phase
    version: int
    turns: int
    created_at: Moment
    updated_at: Moment
    bound_workflow_id: str | None


class ConversationList(Page, from_attributes=True):
    """Conversations, newest first."""

    items: list[ConversationItem]
    unreadable: list[str] | None = None
    """Files that should be conversations and cannot be read, where there are any."""


class RecordedEvent(BaseModel):
    """What was put on record, and where the conversation stands now."""

    conversation_id: str
    event: Event
    phase: Phase
    allowed_phases: list[Phase]
    """Where it may go from here."""
    agent: str | None
    """Who has the word; null before anybody spoke."""


class RatedReply(AgentReply):
    """A reply, and what was thought of it."""

    feedback: Feedback | None
    """Null where nobody said."""


EventShown = Annotated[UserMessage | RatedReply | SystemEvent, Field(discriminator="type")]


class ReplyFeedback(Feedback):
    """What was thought of a reply, and of which."""

    conversation_id: str
    event_id: str


class History(Page):
    """Events of a conversation, oldest first."""

    items: list[EventShown]
    total: int


class HitEvent(BaseModel):
    """Which event a hit is in."""

    id: str
    index: int
    type: str
    author: str
    at: str


class MessageHitItem(BaseModel):
    """A message that was found: where, and the piece of it around the first word."""

    conversation_id: str
    title: str
    turn: int
    event: HitEvent
    run_id: str | None
    snippet: str


class MessageHitList(Page):
    """Messages that were found, newest first."""

    items: list[MessageHitItem]


class Turn(BaseModel):
    """One turn: the message, its first reply where there is one, and the run between them."""

    conversation_id: str
    turn: int
    message: EventShown | None
    reply: EventShown | None
    run: JsonObject | None
    replies: list[EventShown]
    """Of every agent that answered, in order."""
    runs: list[JsonObject]


class RunOfTurn(BaseModel):
    """What one agent did about a message."""

    run_id: str
    agent: str
    iterations: int


class IterationList(BaseModel):
    """The steps of a run of a turn: the first one's unless another is asked for."""

    conversation_id: str
    turn: int
    run_id: str
    agent: str | None
    items: list[Iteration]
    runs: list[RunOfTurn]
    """Every run that answered, in order."""


class CompactionList(Page):
    """Compactions, oldest first."""

    items: list[Compaction]
    total: int


class RestoredCompactions(BaseModel):
    """Which compactions were undone, and how many turns the window still does not show."""

    conversation_id: str
    restored: list[str]
    turns_compacted: int


class ImportedConversation(Conversation):
    """A conversation that was brought in, and what of it did not come along."""

    missing_workflows: list[str]
    """Workflows that it dealt with and that are not here; none of them is open in it."""


class CallList(Page):
    """Call records, oldest first."""

    items: list[CallRecord]
    total: int | None
    """How many there are; null where a filter meets turns that were moved out of the file."""


class ArtifactItem(BaseModel):
    """An artifact without its content."""

    artifact_id: str
    artifact_type: ArtifactType
    source: str
    size_chars: int
    timestamp: datetime
    metadata: JsonObject
    """Of an attachment with its `attachment_id`; of a tool result with the tool and its arguments."""
    preview: str


class ArtifactList(Page):
    """What was attached, then what tools returned."""

    items: list[ArtifactItem]
    total: int


class ContextItem(ContextRecord):
    """A context record in a list, with what it is the record of."""

    conversation_id: str
    turn: int
    at: datetime
    """When the reply was there."""
    run_id: str = ""
    """The run that it is of; in the list of one conversation."""


class ContextList(BaseModel):
    """Context records."""

    items: list[ContextItem]
    next_cursor: str | None = None


class Blob(BaseModel):
    """A content that is kept apart, by its reference."""

    content_ref: str
    content: Any
