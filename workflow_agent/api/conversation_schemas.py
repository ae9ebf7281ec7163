"""The shapes of replies about turns, runs and conversations, for the OpenAPI document."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from workflow_agent.domain.call_history import CallRecord
from workflow_agent.domain.conversation import (
    Cost,
    Event,
    ModeRecord,
    Phase,
    RunError,
    RunStatus,
    Usage,
    WorkflowTouch,
)
from workflow_agent.domain.iterations import Iteration
from workflow_agent.domain.values import JsonObject


class Page(BaseModel):
    """What every list has."""

    next_cursor: str | None


class ChatResponse(BaseModel):
    """A finished turn."""

    response: str
    conversation_id: str
    turn: int
    run_id: str
    agent: str
    mode: ModeRecord
    tools_used: list[str]
    workflows_touched: list[WorkflowTouch]
    context: JsonObject
    usage: Usage
    cost: Cost
    model: str
    duration_ms: float | None
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


class ConversationItem(BaseModel):
    """A conversation in a list."""

    id: str
    title: str
    phase: Phase
    version: int
    turns: int
    created_at: datetime
    updated_at: datetime
    bound_workflow_id: str | None


class ConversationList(Page):
    """Conversations, newest first."""

    items: list[ConversationItem]


class History(Page):
    """Events of a conversation, oldest first."""

    items: list[Event]
    total: int


class Turn(BaseModel):
    """One turn: the message, its reply where there is one, and the run between them."""

    conversation_id: str
    turn: int
    message: Event | None
    reply: Event | None
    run: JsonObject | None


class IterationList(BaseModel):
    """The steps of a turn's run."""

    conversation_id: str
    turn: int
    run_id: str
    items: list[Iteration]


class CallList(Page):
    """Call records, oldest first."""

    items: list[CallRecord]
    total: int


class ContextRecord(BaseModel):
    """What the model saw in one turn, token by token."""

    model_config = ConfigDict(extra="allow")

    conversation_id: str
    turn: int


class ContextList(BaseModel):
    """Context records."""

    items: list[ContextRecord]
