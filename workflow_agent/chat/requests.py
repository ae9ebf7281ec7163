"""What comes into a turn and what comes out of it."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field

from workflow_agent.chat.streams import RunStream
from workflow_agent.domain.conversation import AgentReply, Conversation, Run
from workflow_agent.domain.digests import digest_of
from workflow_agent.domain.modes import Mode
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.window import Utilization


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
    key: str | None = None
    """The idempotency key; the same key with the same request is the same turn."""

    def options(self) -> JsonObject:
        """Return what was asked for beside the message."""
        wanted = {
            "workflow_id": self.workflow_id, "mode": self.mode, "agent": self.agent, "model": self.model,
            "context_utilization": self.context_utilization,
        }  # fmt: skip
        return {name: value for name, value in wanted.items() if value is not None}

    def fingerprint(self) -> str:
        """Return a digest that only an equal request has."""
        return digest_of({name: value for name, value in asdict(self).items() if name != "key"})


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """A finished turn."""

    conversation_id: str
    turn: int
    run_id: str
    reply: AgentReply
    replayed: bool = False
    """Whether the reply was there already, because the same request had been sent before."""


@dataclass(frozen=True, slots=True)
class StartedTurn:
    """A turn whose message is stored."""

    conversation_id: str
    turn: int
    run_id: str
    stream: RunStream | None
    """Its events; None when another process runs it."""
    wait: Callable[[], Awaitable[TurnOutcome]] = field(repr=False)

    async def outcome(self) -> TurnOutcome:
        """Wait for the reply.

        Raises:
            ModelFailed: The run failed; the error says why.
            StaleRun: The run was cancelled or interrupted.
        """
        return await self.wait()


_REPLY_FIELDS = {
    "mode", "tools_used", "workflows_touched", "context", "usage", "cost", "model", "duration_ms"
}  # fmt: skip


def start_data(conversation: Conversation, run: Run) -> JsonObject:
    """Return the data of a stream's `start` event."""
    return {"conversation_id": conversation.id, "run_id": run.run_id, "turn": run.turn, "agent": run.agent}


def chat_response(outcome: TurnOutcome) -> JsonObject:
    """Return a finished turn as the API gives it."""
    reply = outcome.reply
    plain = reply.model_dump(
        mode="json",
        include={
            "mode",
            "tools_used",
            "workflows_touched",
            "context",
            "usage",
            "cost",
            "model",
            "duration_ms",
        },
    )
    return {
        "response": reply.content,
        "conversation_id": outcome.conversation_id,
        "turn": outcome.turn,
        "run_id": outcome.run_id,
        "agent": reply.author,
        **plain,
        "replayed": outcome.replayed,
    }
