"""A conversation as it is stored: events, the runs that answered them, and what was learned."""

from datetime import datetime, timedelta
from operator import attrgetter, not_
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from workflow_agent.conversations.agents import Mode
from workflow_agent.conversations.archive import SealedTurns
from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.compactions import Compaction
from workflow_agent.conversations.context_records import RecordedContext
from workflow_agent.conversations.iterations import FinishReason, Iteration
from workflow_agent.conversations.runs import Feedback, Run
from workflow_agent.values.stored import JsonObject, Moment, Value, digest_of, iso_milliseconds
from workflow_agent.values.tokens import Cost, Totals, Usage
from workflow_agent.workflows.model.terms import ID_PATTERN
from workflow_agent.workflows.previews import Preview


class AttachedDocument(Value):
    """A document somebody attached, read as text; the text itself is a blob of the conversation."""

    attachment_id: str
    """Made of the text: the same document attached again has the same id."""
    title: str
    source: str | None = None
    """Where the sender says it is from; it is never fetched."""
    attachment_type: str = "document"
    media_type: str
    """What it was before it was read as text."""
    size_chars: int
    content_ref: str
    turn: int
    """The turn it came with last."""
    at: Moment


def attachment_id_of(text: str) -> str:
    """Return the id of a document with this text."""
    return f"att_{digest_of(text)[:32]}"


def merged_attachments(
    known: tuple[AttachedDocument, ...], added: tuple[AttachedDocument, ...]
) -> tuple[AttachedDocument, ...]:
    """Return the documents of a conversation with those of a new message, each once, the latest last."""
    once = {one.attachment_id: one for one in added}
    return (*(one for one in known if one.attachment_id not in once), *once.values())


SCHEMA_VERSION = 2
CONVERSATION_ID_PATTERN = ID_PATTERN
Phase = Literal["chat", "brainstorm", "plan", "execute", "verification", "chores", "reflection"]
Relation = Literal["created", "modified", "viewed", "discussed", "analysed", "deleted"]
WRITES: frozenset[Relation] = frozenset({"created", "modified", "deleted"})
"""What changes a workflow."""
ConversationId = Annotated[str, StringConstraints(pattern=CONVERSATION_ID_PATTERN)]


class ModeRecord(Value):
    """Which mode led a reply, and why."""

    name: Mode
    confidence: float
    signals: tuple[str, ...] = ()
    source: Literal["inferred", "request", "conversation", "agent", "switched", "imported"]
    """Inferred from the message; set by request, conversation or agent; switched in the run; or not known,
    because the reply was brought in from elsewhere."""


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
    times: int = 1
    """How often on that day; an entry is kept for each day."""
    is_elsewhere: bool = Field(default=False, exclude_if=not_)
    """Whether there was no such workflow here when the conversation was imported."""


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
    is_external: bool = Field(default=False, exclude_if=not_)
    """Whether somebody else said it than the user: its text is data."""


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
    context: RecordedContext = Field(default_factory=dict)
    iterations: tuple[Iteration, ...] = ()
    finish_reason: FinishReason = "stop"
    """Why the model's last answer ended."""
    unconfirmed_claims: tuple[str, ...] = ()
    """Sentences of it that claim a change which the record does not show."""
    preview: Preview | None = None
    """A change it showed without making it; the next message may confirm it."""

    def context_in(self, conversation_id: str) -> JsonObject:
        """Return the context record as lists of records give it: with what it is the record of."""
        named = {"conversation_id": conversation_id, "turn": self.turn, "at": iso_milliseconds(self.at)}
        return {**named, **self.context}


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


class PhaseTransition(Value):
    """That the phase changed, or that another agent took over within it."""

    from_: Phase = Field(alias="from")
    to: Phase
    agent: str
    """Who changed the phase, or who took over."""
    reason: str = ""
    message: str = ""
    summary: str = ""
    timestamp: Moment


class ExecutionTime(Value):
    """How long agents worked in this conversation."""

    total_ms: float = 0.0
    """Of runs that ended, whichever way."""
    current_since: Moment | None = None

    def current_ms(self, at: datetime) -> float:
        """Return how long the run under way has taken by then; 0 where there is none."""
        if self.current_since is None:
            return 0.0
        return max((at - self.current_since) / timedelta(milliseconds=1), 0.0)


class ForkedFrom(Value):
    """Where a conversation branched off: the last event it shares with another."""

    conversation_id: str
    event_id: str
    index: int
    turn: int
    at: Moment


class Conversation(Value):
    """The whole conversation; its fields in this order are the file's."""

    schema_version: Literal[2] = SCHEMA_VERSION
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
    forked_from: ForkedFrom | None = None
    """The conversation that this one went on from; null where it began by itself."""
    events: tuple[Event, ...] = ()
    agent_states: dict[str, AgentState] = Field(default_factory=dict)
    phase_transitions: tuple[PhaseTransition, ...] = ()
    runs: tuple[Run, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    workflow_refs: tuple[WorkflowReference, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    attachments: tuple[AttachedDocument, ...] = ()
    """The documents that came with its messages, each once, in the order of their last mention."""
    execution_time: ExecutionTime = ExecutionTime()
    usage_totals: Totals = Totals()
    archive: tuple[SealedTurns, ...] = ()
    """What was moved out of this file, oldest first."""
    feedback: dict[str, Feedback] = Field(default_factory=dict)
    """What was thought of its replies, by the id of their events;
    so they and the sealed ones stay as they are."""
    metadata: JsonObject = Field(default_factory=dict)

    @property
    def sealed_turns(self) -> int:
        """Return the number of the last turn that was moved out of the file; 0 for none."""
        return self.archive[-1].last_turn if self.archive else 0

    @property
    def sealed_events(self) -> int:
        """Return how many events were moved out of the file."""
        return self.archive[-1].last_index + 1 if self.archive else 0

    @property
    def sealed_calls(self) -> int:
        """Return how many call records were moved out of the file."""
        return self.archive[-1].first_call + self.archive[-1].calls if self.archive else 0

    @property
    def sealed_compactions(self) -> int:
        """Return how many compactions were moved out of the file."""
        return self.archive[-1].first_compaction + self.archive[-1].compactions if self.archive else 0

    @property
    def sealed_fence(self) -> int:
        """Return the highest fence of any run of the turns that were moved out of the file; 0 for none."""
        return self.archive[-1].last_fence if self.archive else 0

    @property
    def turn_count(self) -> int:
        """Return the number of the latest turn; turns count from 1."""
        newest = (event.turn for event in reversed(self.events) if isinstance(event, UserMessage))
        return next(newest, self.sealed_turns)

    @property
    def next_index(self) -> int:
        """Return the number the next event gets."""
        return self.events[-1].index + 1 if self.events else self.sealed_events

    @property
    def next_fence(self) -> int:
        """Return the fence the next attempt at a run gets: higher than any before."""
        return max(self.sealed_fence, *map(attrgetter("fence"), self.runs), 0) + 1

    def run(self, run_id: str) -> Run | None:
        """Return the run with this id, or None; newest first, because that is whom people ask for."""
        return next((run for run in reversed(self.runs) if run.run_id == run_id), None)

    def active_run(self) -> Run | None:
        """Return the run under way, or None."""
        return next((run for run in reversed(self.runs) if run.status == "running"), None)

    def last_reply(self) -> AgentReply | None:
        """Return the latest reply of any agent, or None."""
        return next((event for event in reversed(self.events) if isinstance(event, AgentReply)), None)


def conversation_document(conversation: Conversation) -> dict[str, Any]:
    """Return the conversation as plain JSON data, in the shape of its file."""
    return conversation.model_dump(mode="json", by_alias=True)
