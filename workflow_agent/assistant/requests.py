"""What comes into a turn and what comes out of it: the request, its events, the response."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Protocol

from pydantic_ai.messages import ModelResponse

from workflow_agent.assistant.attachments import NewAttachment
from workflow_agent.assistant.record import Evidence
from workflow_agent.conversations.acceptance import NewMessage
from workflow_agent.conversations.agents import AgentProfile, Mode
from workflow_agent.conversations.document import AgentReply, AttachedDocument, Conversation, UserMessage
from workflow_agent.conversations.records import Records, following_in, reply_in, run_in
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.transitions import Handoff
from workflow_agent.telemetry.turns import TurnTrace
from workflow_agent.values.stored import JsonObject, digest_of
from workflow_agent.values.tokens import Utilization


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One event of a run's stream."""

    id: int
    """Without gaps, from 1 in the first attempt at a run and from 1,000,001 in the second."""
    name: str
    """start, mode, tool_call, tool_result, delta, context, complete, error or shutdown"""
    data: JsonObject


class RunEvents(Protocol):
    """The events of a run, in order, wherever it is worked on."""

    def events(self, after: int = 0) -> AsyncGenerator[RunEvent]:
        """Yield the events with an id above `after`, waiting for new ones until the last."""
        ...


_MOST_EVENTS = 1_000_000
_OPTIONS = ("workflow_id", "mode", "agent", "model", "context_utilization", "instructions")
"""What a request may ask for beside the message."""


@dataclass(slots=True)
class RunStream:
    """An attempt's events, in order; any number of readers, each from where it likes.

    Whoever has read an earlier attempt at the run, which broke off, has read none of these.
    """

    run_id: str
    attempt: int = 1
    is_closed: bool = field(default=False, init=False)
    """Whether no further event will come; `close` sets it and wakes who reads."""
    _events: list[RunEvent] = field(default_factory=list[RunEvent])
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def told(self) -> Sequence[RunEvent]:
        """Return what was published so far."""
        return tuple(self._events)

    @property
    def _before(self) -> int:
        return (self.attempt - 1) * _MOST_EVENTS

    def publish(self, name: str, data: JsonObject) -> None:
        """Add an event and wake every reader."""
        self._events.append(RunEvent(self._before + len(self._events) + 1, name, data))
        self._wake()

    def close(self) -> None:
        """Let every reader end after the last event."""
        self.is_closed = True
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def events(self, after: int = 0) -> AsyncGenerator[RunEvent]:
        """Yield the events with an id above `after`, waiting for new ones until the stream is closed."""
        position = max(after - self._before, 0)
        while True:
            news = self._news
            while position < len(self._events):
                yield self._events[position]
                position += 1
            if self.is_closed:
                return
            if news is self._news:
                await news.wait()


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A message and how it is to be answered."""

    message: str
    author: str = "user"
    conversation_id: str | None = None
    workflow_id: str | None = None
    mode: Mode | None = None
    agent: str | None = None
    model: str | None = None
    context_utilization: Utilization | None = None
    instructions: str | None = None
    """What the calling application tells the agent about this message, beside the prompt."""
    attachments: tuple[NewAttachment, ...] = ()
    echoed: JsonObject = field(default_factory=dict)
    """What the calling API repeats with the reply; it means nothing here."""
    key: str | None = None
    """The idempotency key; the same key with the same request is the same turn."""
    model_key: str | None = field(default=None, repr=False)
    """The key to reach `model` with; it is part of nothing that is stored, logged or told."""
    is_streamed: bool = True
    """Whether the sender sees the reply come; otherwise the model is asked for whole answers."""

    def options(self) -> JsonObject:
        """Return what was asked for beside the message."""
        options = {name: value for name in _OPTIONS if (value := getattr(self, name)) is not None}
        return options | ({"echoed": self.echoed} if self.echoed else {})

    def conversation_for(self, tenant: str, new_id: Callable[[str], str]) -> str:
        """Return the id of the conversation that is named, or of a new one; a retry finds it by its key."""
        if self.conversation_id is not None:
            return self.conversation_id
        return f"cv_{digest_of([tenant, self.key])[:24]}" if self.key else new_id("cv")

    def as_message(
        self, agent: str, then: tuple[str, ...], documents: tuple[AttachedDocument, ...], handoff: Handoff | None = None
    ) -> NewMessage:
        """Return the message as a conversation takes it: who answers, who after that, and with what."""
        return NewMessage(
            content=self.message,
            author=self.author,
            agent=agent,
            then=then,
            fingerprint=self.fingerprint(),
            key=self.key,
            options=self.options(),
            attachments=documents,
            handoff=handoff,
        )

    def fingerprint(self) -> str:
        """Return a digest that only an equal request has."""
        asked = {name: getattr(self, name) for name in ("message", "author", "conversation_id", *_OPTIONS)}
        # Left out where there is none: so it is the message that it was before there could be some.
        if self.attachments:
            asked["attachments"] = [asdict(one) for one in self.attachments]
        if self.echoed:
            asked["echoed"] = self.echoed
        return digest_of(asked)


def asked_again(message: UserMessage, conversation_id: str, key: str | None) -> TurnRequest:
    """Return the request that a stored message came with, but for documents: those are stored beside it."""
    options = {name: value for name, value in message.options.items() if name in (*_OPTIONS, "echoed")}
    return TurnRequest(message.content, author=message.author, conversation_id=conversation_id, key=key, **options)


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """A finished turn."""

    conversation_id: str
    turn: int
    run_id: str
    reply: AgentReply
    others: tuple[AgentReply, ...] = ()
    """What other agents answered to the same message before."""
    replayed: bool = False
    """Whether the reply was there already, because the same request had been sent before."""

    @property
    def replies(self) -> tuple[AgentReply, ...]:
        """Return what all agents answered, in order."""
        return (*self.others, self.reply)


@dataclass(frozen=True, slots=True)
class StartedTurn:
    """A turn whose message is stored."""

    conversation_id: str
    turn: int
    run_id: str
    asked: tuple[str, ...]
    """The agents it is for, as far as the message tells; one may still hand over to another."""
    stream: RunEvents | None
    """Its events; None where another process has them and cannot be asked."""
    outcome: Callable[[], Awaitable[TurnOutcome]] = field(repr=False)
    """Waits for the reply; raises ModelFailed where the run failed, StaleRun where it was cancelled or interrupted."""


_REPLY_FIELDS = {
    "mode", "tools_used", "workflows_touched", "context", "usage", "cost", "model", "duration_ms", "preview",
    "finish_reason", "unconfirmed_claims",
}  # fmt: skip


def start_data(records: Records, run: Run) -> JsonObject:
    """Return the data of a stream's `start` event."""
    return {"conversation_id": records.id, "run_id": run.run_id, "turn": run.turn, "agent": run.agent}


def chat_response(outcome: TurnOutcome) -> JsonObject:
    """Return a finished turn as the API gives it."""
    reply = outcome.reply
    plain = reply.model_dump(mode="json", include=_REPLY_FIELDS)
    return {
        "response": reply.content,
        "conversation_id": outcome.conversation_id,
        "turn": outcome.turn,
        "run_id": outcome.run_id,
        "agent": reply.author,
        **plain,
        "other_replies": [_other(reply) for reply in outcome.others],
        "replayed": outcome.replayed,
    }


def _other(reply: AgentReply) -> JsonObject:
    plain = reply.model_dump(mode="json", include=_REPLY_FIELDS)
    return {"response": reply.content, "run_id": reply.run_id, "agent": reply.author, **plain}


def outcome_of(records: Records, run_id: str, *, replayed: bool = False) -> TurnOutcome | None:
    """Return what a run and those after it on the same message came to; None without a reply."""
    given: list[AgentReply] = []
    run = run_in(records, run_id)
    while run is not None:
        reply = reply_in(records, run.run_id)
        given += [reply] if reply else []
        run = following_in(records, run.run_id)
    if not given:
        return None
    return TurnOutcome(records.id, given[-1].turn, run_id, given[-1], tuple(given[:-1]), replayed)


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What one run may take."""

    timeout_seconds: float = 120.0
    reserve_tokens: int = 4_000
    max_handoffs: int = 4


@dataclass(frozen=True, slots=True)
class Job:
    """A message that was accepted, and everything its answer depends on."""

    tenant: str
    request: TurnRequest
    agent: AgentProfile
    conversation: Conversation
    run: Run
    message: UserMessage
    evidence: Evidence
    trace: TurnTrace
    recorded: Sequence[ModelResponse] = ()
    """What the model said in an earlier attempt, which is not asked for again."""
