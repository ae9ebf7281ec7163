"""A conversation as it is stored: events, the runs that answered them, and what was learned."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from workflow_agent.domain.call_history import CallRecord
from workflow_agent.domain.iterations import Iteration
from workflow_agent.domain.modes import Mode
from workflow_agent.domain.values import JsonObject, Moment, Value
from workflow_agent.domain.workflow import ID_PATTERN

SCHEMA_VERSION = 1
CONVERSATION_ID_PATTERN = ID_PATTERN

Phase = Literal["chat", "brainstorm", "plan", "execute", "verification", "chores", "reflection"]
RunStatus = Literal["running", "completed", "failed", "cancelled", "interrupted"]
Relation = Literal["created", "modified", "viewed", "discussed", "analysed"]
ConversationId = Annotated[str, StringConstraints(pattern=CONVERSATION_ID_PATTERN)]


class ModeRecord(Value):
    """Which mode led a reply, and why."""

    name: Mode
    confidence: float
    signals: tuple[str, ...] = ()
    source: Literal["inferred", "request", "conversation", "agent", "switched"]
    """Inferred from the message; set by request, conversation or agent; or switched in the run."""


class Usage(Value):
    """Tokens and requests, as the providers reported them."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def plus(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in Usage.model_fields})


class Cost(Value):
    """What the model calls cost, in US dollars; null where no price is known."""

    primary_usd: float | None = None
    planner_usd: float = 0.0
    summarizer_usd: float = 0.0
    total_usd: float | None = None


class WorkflowTouch(Value):
    """What a run did to a workflow."""

    id: str
    name: str
    version: int
    change: Relation


class WorkflowReference(Value):
    """That a conversation dealt with a workflow: how, and when last."""

    workflow_id: str
    name: str
    aliases: tuple[str, ...] = ()
    relation: Relation
    turn: int
    conversation_id: str
    at: Moment


class UserMessage(Value):
    """What a user said."""

    type: Literal["user_message"] = "user_message"
    id: str
    index: int
    turn: int
    at: Moment
    author: str
    content: str
    run_id: str | None = None
    """The run that answers it; null for a message posted without asking for a reply."""
    options: JsonObject = Field(default_factory=dict)
    """What the request asked for beside the message: mode, agent, model, workflow_id, ..."""


class AgentReply(Value):
    """What an agent answered, with all evidence of how it came to it."""

    type: Literal["agent_reply"] = "agent_reply"
    id: str
    index: int
    turn: int
    at: Moment
    author: str
    content: str
    run_id: str
    model: str
    mode: ModeRecord
    tools_used: tuple[str, ...] = ()
    workflows_touched: tuple[WorkflowTouch, ...] = ()
    usage: Usage = Usage()
    cost: Cost = Cost()
    duration_ms: float | None = None
    context: JsonObject = Field(default_factory=dict)
    iterations: tuple[Iteration, ...] = ()


class SystemEvent(Value):
    """Something that happened in the conversation itself: a phase change, a handoff."""

    type: Literal["system_event"] = "system_event"
    id: str
    index: int
    at: Moment
    author: str = "system"
    content: str
    kind: str
    data: JsonObject = Field(default_factory=dict)


Event = Annotated[UserMessage | AgentReply | SystemEvent, Field(discriminator="type")]


class AgentState(Value):
    """How far an agent has read, and its provider's session."""

    last_processed_index: int = -1
    session_id: str | None = None


class RunError(Value):
    """Why a run did not complete, for people."""

    type: str
    message: str
    retriable: bool = False


class Run(Value):
    """The work that produces one reply."""

    run_id: str
    key: str | None = None
    """The idempotency key it was sent with."""
    fingerprint: str
    """Digest of the request, to tell a retry from another request under the same key."""
    status: RunStatus
    fence: int
    """Grows with each attempt in the conversation; only the holder of the current one may commit."""
    attempt: int = 1
    agent: str
    turn: int
    user_event_id: str
    reply_event_id: str | None = None
    owner: str
    """The server process that works on it."""
    accepted_at: Moment
    completed_at: Moment | None = None
    error: RunError | None = None
    iterations: tuple[Iteration, ...] = ()
    """Evidence of a run that left no reply; a reply carries its own."""


class ExecutionTime(Value):
    """How long agents worked in this conversation."""

    total_ms: float = 0.0
    current_since: Moment | None = None


class Totals(Usage):
    """All usage of a conversation."""

    turns: int = 0
    cost_usd: float = 0.0


class Conversation(Value):
    """The whole conversation; its fields in this order are the file's."""

    schema_version: Literal[1] = SCHEMA_VERSION
    id: ConversationId
    tenant: str
    title: Annotated[str, StringConstraints(max_length=200)] = ""
    phase: Phase = "chat"
    version: int = 0
    """Grows with each save; 0 is not stored yet."""
    created_at: Moment
    updated_at: Moment
    bound_workflow_id: str | None = None
    """The open workflow: what `it` means unless something else is named."""
    mode_override: Mode | None = None
    events: tuple[Event, ...] = ()
    agent_states: dict[str, AgentState] = Field(default_factory=dict)
    phase_transitions: tuple[JsonObject, ...] = ()
    runs: tuple[Run, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    workflow_refs: tuple[WorkflowReference, ...] = ()
    compactions: tuple[JsonObject, ...] = ()
    execution_time: ExecutionTime = ExecutionTime()
    usage_totals: Totals = Totals()
    archive: tuple[JsonObject, ...] = ()
    metadata: JsonObject = Field(default_factory=dict)

    @property
    def turn_count(self) -> int:
        """Return the number of the latest turn; turns count from 1."""
        return max((event.turn for event in self.events if isinstance(event, UserMessage)), default=0)

    @property
    def next_index(self) -> int:
        """Return the number the next event gets."""
        return self.events[-1].index + 1 if self.events else 0

    def run(self, run_id: str) -> Run | None:
        """Return the run with this id, or None; newest first, because that is whom people ask for."""
        return next((run for run in reversed(self.runs) if run.run_id == run_id), None)

    def active_run(self) -> Run | None:
        """Return the run under way, or None."""
        return next((run for run in reversed(self.runs) if run.status == "running"), None)

    def reply_of(self, run_id: str) -> AgentReply | None:
        """Return the reply a run committed, or None."""
        return next(
            (e for e in reversed(self.events) if isinstance(e, AgentReply) and e.run_id == run_id), None
        )

    def events_of_turn(self, turn: int) -> tuple[UserMessage | AgentReply, ...]:
        """Return a turn's user message and, where there is one, its reply."""
        return tuple(e for e in self.events if not isinstance(e, SystemEvent) and e.turn == turn)


def replace_run(runs: Sequence[Run], changed: Run) -> tuple[Run, ...]:
    """Return the runs with one of them exchanged by its id."""
    return tuple(changed if run.run_id == changed.run_id else run for run in runs)


def conversation_document(conversation: Conversation) -> dict[str, Any]:
    """Return the conversation as plain JSON data, in the shape of its file."""
    return conversation.model_dump(mode="json", by_alias=True)
