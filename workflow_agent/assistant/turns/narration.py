"""A run as those who watch it see it: text as it comes, tool calls and their results, and what went wrong."""

import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import exceptions
from pydantic_ai.messages import ModelResponse, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta, ToolReturnPart

from workflow_agent.assistant.loop import Asking, LoopEvent
from workflow_agent.assistant.record import Evidence
from workflow_agent.assistant.replay import arguments_of
from workflow_agent.assistant.requests import RunStream, TurnOutcome, chat_response, outcome_of
from workflow_agent.conversations.document import WRITES, AgentReply, WorkflowTouch
from workflow_agent.conversations.iterations import ToolResult
from workflow_agent.conversations.records import Records, newest_in
from workflow_agent.conversations.runs import Run, RunError
from workflow_agent.conversations.transcript import may_become_echo, without_echo
from workflow_agent.conversations.transitions import Handoff
from workflow_agent.errors import InvalidInput, ModelBusy, ModelFailed, WorkflowAgentError

_PARAGRAPH = "\n\n"


@dataclass(slots=True)
class Narration:
    """Passes on what happens in an agent loop, and keeps what was said.

    What is said in several steps becomes paragraphs of one reply, so that the reply is exactly the
    text that was streamed, whitespace included.
    """

    stream: RunStream
    evidence: Evidence
    names: Collection[str] = ()
    """Of the agents: a model that sees `[name]:` before others' messages may write it before its own."""
    on_first_chunk: Callable[[float], None] = field(default=lambda _: None)
    """Learns after how many seconds the model began to answer, at each request."""
    _said: list[str] = field(default_factory=list[str])
    _held: str = ""
    """The beginning, while it may still be such a name."""
    _asked_at: float | None = None
    _results_told: int = 0

    @property
    def text(self) -> str:
        """Return everything that was said; call it when nothing more comes."""
        self._let_go(without_echo(self._held, self.names))
        return "".join(self._said)

    def add(self, text: str) -> None:
        """Say something in a paragraph of its own."""
        self._say(_PARAGRAPH + text if self._said or self._held else text)

    async def follow(self, events: AsyncGenerator[LoopEvent]) -> None:
        """Pass on the events of a run, each once it is in the evidence, until the answer or an error."""
        try:
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, PartDeltaEvent | PartStartEvent):
                        self._heard(event)
                    else:
                        await self._took(event)
        finally:
            self._tell_results()

    async def _took(self, event: LoopEvent) -> None:
        match event:
            case Asking():
                for result in await self.evidence.asking(event):
                    self._tell(result)
                self._asked_at = time.perf_counter()
            case ModelResponse():
                await self.evidence.responded(event)
                for call in event.tool_calls:
                    asked = {"id": call.tool_call_id, "name": call.tool_name, "args": arguments_of(call)}
                    self.stream.publish("tool_call", asked)
            case ToolReturnPart():
                self._tell_results()
            case _:
                pass

    def _heard(self, piece: PartStartEvent | PartDeltaEvent) -> None:
        if self._asked_at is not None:
            self.on_first_chunk(time.perf_counter() - self._asked_at)
            self._asked_at = None
        match piece:
            case PartStartEvent(part=TextPart(content=text)):
                self.add(text)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                self._say(text)
            case _:
                pass

    def _tell_results(self) -> None:
        """Tell what calls came to that ended since the last time, also those an error broke off."""
        results = list(self.evidence.results.values())[self._results_told :]
        self._results_told += len(results)
        for result in results:
            self._tell(result)

    def _tell(self, result: ToolResult) -> None:
        duration_ms = self.evidence.durations_ms.get(result.id)
        answered = {"id": result.id, "name": result.name, "outcome": result.outcome}
        self.stream.publish("tool_result", {**answered, "duration_ms": duration_ms})

    def _say(self, text: str) -> None:
        if self._said:
            self._let_go(text)
            return
        self._held += text
        begun = without_echo(self._held, self.names)
        if not may_become_echo(begun, self.names):
            self._let_go(begun)

    def _let_go(self, text: str) -> None:
        self._held = ""
        if text:
            self._said.append(text)
            self.stream.publish("delta", {"text": text})


def taken_over_note(confirmed: Handoff) -> str:
    """Return what an agent says first that does what another one offered and may not do."""
    return f"{confirmed.by} changes nothing, so {confirmed.to} takes this over."


def stopped_note(max_iterations: int, touched: Sequence[WorkflowTouch], answered: Sequence[str]) -> str:
    """Return what a run that used up its steps says: what it has done, and how to go on.

    The tools that gave an answer are named once for each time.
    """
    steps = "1 step" if max_iterations == 1 else f"{max_iterations} steps"
    done = _done_so_far(touched, answered)
    return f"I stopped after {steps}, the limit for one message. {done} Tell me how to go on."


def unanswered_note(touched: Sequence[WorkflowTouch], changes: Sequence[str]) -> str:
    """Return what a run says that changed workflows, as its tools tell, and got no answer of the model."""
    told = f"{_done_so_far(touched, ()).replace('Until then ', '')} The model gave no answer about it."
    return "\n".join((told, *(f"- {change}" for change in changes)))


def _done_so_far(touched: Sequence[WorkflowTouch], answered: Sequence[str]) -> str:
    changed = [touch for touch in touched if touch.change in WRITES]
    if changed:
        listed = "; ".join(f"{touch.change} {touch.name!r} (version {touch.version})" for touch in changed)
        return f"Until then I {listed}."
    if not answered:
        return "No tool gave an answer, and no workflow was changed."
    times = Counter(answered)
    listed = ", ".join(name if count == 1 else f"{name} ({count} times)" for name, count in times.items())
    return f"No workflow was changed; these tools gave me answers: {listed}."


def replayed(records: Records, run: Run) -> RunStream | None:
    """Return the stream of a turn that was completed before, as if it had just been answered."""
    outcome = outcome_of(records, run.run_id, replayed=True)
    if outcome is None or newest_in(records, run).status != "completed":
        return None
    return stream_of_outcome(outcome)


def stream_of_outcome(outcome: TurnOutcome) -> RunStream:
    """Return the stream of a finished turn, the replies of all its agents in order."""
    stream = RunStream(outcome.run_id)
    tell(stream, outcome.conversation_id, outcome.replies)
    stream.publish("complete", chat_response(outcome))
    stream.close()
    return stream


def tell(stream: RunStream, conversation_id: str, replies: Iterable[AgentReply]) -> None:
    """Publish replies, each from its start to its context record."""
    for reply in replies:
        stream.publish(
            "start",
            {"conversation_id": conversation_id, "run_id": reply.run_id, "turn": reply.turn, "agent": reply.author},
        )
        stream.publish("mode", reply.mode.model_dump(mode="json"))
        stream.publish("delta", {"text": reply.content})
        stream.publish("context", dict(reply.context))


_FAILURES: Sequence[tuple[type[Exception], str, str, bool]] = (
    (exceptions.RunTimedOut, "run_timeout", "The answer took longer than allowed and was stopped.", True),
    (exceptions.ModelTimeoutError, "model_timeout", "The model's provider did not answer in time.", True),
    (exceptions.ModelRateLimitError, "rate_limited", "The model's provider refused: too many requests.", True),
    (exceptions.ModelQuotaExceededError, "quota_exceeded", "The quota at the model's provider is used up.", False),
    (
        exceptions.ModelContextWindowExceededError,
        "context_too_long",
        "The request was longer than the model takes.",
        False,
    ),
    (exceptions.ModelAuthenticationError, "authentication", "The model's provider refused the API key.", False),
    (exceptions.ModelNotFoundError, "model_not_found", "The model's provider has no such model.", False),
    (exceptions.ModelOverloadedError, "overloaded", "The model's provider is overloaded.", True),
    (exceptions.ModelConnectionError, "connection", "The connection to the model's provider failed.", True),
    (exceptions.ModelAPIError, "provider_error", "The model's provider answered with an error.", True),
    (exceptions.UnexpectedModelBehavior, "unexpected_behavior", "The model's answer could not be used.", True),
    (exceptions.AgentRunError, "run_failed", "The run could not be finished.", True),
)
_REFUSALS = frozenset({400, 413, 415, 422})
_REJECTED = (
    "request_rejected",
    "The model's provider refused the request as it is; sent again, it would be refused again.",
    False,
)
_UNKNOWN = (Exception, "internal", "Something failed inside the service.", True)
_NEXT = " Your message is kept; the conversation takes the next one."


def failure_of(error: Exception, run_id: str) -> tuple[RunError, WorkflowAgentError]:
    """Return an exception as a run stores it, and as the caller gets it.

    Provider messages stay out of both: they may quote keys, prompts or addresses. Logs have them.
    """
    if isinstance(error, WorkflowAgentError):
        return RunError(type=error.code, message=error.message, retriable=False), error
    cause = error.exceptions[-1] if isinstance(error, exceptions.FallbackExceptionGroup) else error
    kind, name, message, retriable = next((one for one in _FAILURES if isinstance(cause, one[0])), _UNKNOWN)
    if (
        kind is exceptions.ModelAPIError
        and isinstance(cause, exceptions.ModelHTTPError)
        and cause.status_code in _REFUSALS
    ):
        name, message, retriable = _REJECTED
    stored = RunError(type=name, message=message + _NEXT, retriable=retriable)
    details: dict[str, object] = {"error_type": name, "run_id": run_id, "retriable": retriable}
    if not isinstance(cause, exceptions.ModelRateLimitError):
        return stored, ModelFailed(stored.message, **details)
    if cause.retry_after is None:
        return stored, ModelBusy(stored.message, **details)
    told = f"{message} It asks to wait {cause.retry_after:.0f} s.{_NEXT}"
    stored = RunError(type=name, message=told, retriable=retriable)
    return stored, ModelBusy(told, **details, retry_after=cause.retry_after)


def error_data(error: WorkflowAgentError) -> dict[str, object]:
    """Return an error as the data of a stream's `error` event."""
    return {"code": error.code, "detail": error.message, **error.details}


def error_of(data: Mapping[str, Any]) -> WorkflowAgentError:
    """Return the error that an `error` event tells of."""
    details = {name: value for name, value in data.items() if name not in ("code", "detail")}
    kind = next((kind for kind in _kinds() if kind.code == data["code"]), WorkflowAgentError)
    return kind(str(data["detail"]), **details)


def _kinds(root: type[WorkflowAgentError] = WorkflowAgentError) -> Iterator[type[WorkflowAgentError]]:
    """Yield the errors that are made of a message and details alone."""
    if root.__init__ in (WorkflowAgentError.__init__, InvalidInput.__init__):
        yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)
