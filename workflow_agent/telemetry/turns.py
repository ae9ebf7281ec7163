"""The span of a turn, from its acceptance to its end, and the steps inside it."""

import logging
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from opentelemetry.trace import Span, StatusCode, Tracer, use_span

from workflow_agent.conversations.compactions import Compaction
from workflow_agent.conversations.document import AgentReply, Conversation
from workflow_agent.telemetry.logs import correlated
from workflow_agent.telemetry.metrics import Metrics
from workflow_agent.values.stored import JsonObject

_log = logging.getLogger(__name__)
AttributeValue = str | bool | int | float
Change = Callable[[Conversation], Conversation]


def record_attributes(
    record: Mapping[str, object], prefix: str = "workflow_agent.assistant.window.context"
) -> JsonObject:
    """Return a context record as flat span attributes: figures and words, no content."""
    flat: JsonObject = {}
    for name, value in record.items():
        key = f"{prefix}.{name}"
        if isinstance(value, Mapping):
            flat |= record_attributes(value, key)  # pyright: ignore[reportUnknownArgumentType] - JSON of the record
        elif isinstance(value, AttributeValue):
            flat[key] = value
        elif isinstance(value, list | tuple):
            flat[f"{key}.count"] = len(value)  # pyright: ignore[reportUnknownArgumentType] - JSON of the record
    return flat


@dataclass(slots=True)
class TurnTrace:
    """One turn as operators see it; it must be ended exactly once."""

    span: Span
    tracer: Tracer
    metrics: Metrics
    started: float = field(default_factory=time.perf_counter)
    ids: dict[str, str] = field(default_factory=dict[str, str])
    mode: str = ""
    """Once it is chosen."""
    model: str = ""
    """By the name it is configured under, once it is chosen."""

    def identify(self, **ids: str) -> None:
        """Let the span, and the log lines inside it, carry these ids."""
        self.ids |= ids
        self.span.set_attributes({f"workflow_agent.{name}": value for name, value in ids.items()})

    @contextmanager
    def active(self) -> Generator[None]:
        """Make the turn's span the current one inside the block."""
        with use_span(self.span, record_exception=False, set_status_on_exception=False), correlated(**self.ids):
            yield

    def step(self, name: str, **attributes: AttributeValue) -> AbstractContextManager[Span]:
        """Trace a part of the turn; an error leaves only its type, because its words may quote content.

        Nothing is begun where nobody takes the turn's span.
        """
        return child_span(self.tracer, name, attributes) if self.span.is_recording() else nullcontext(self.span)

    @contextmanager
    def saving(self, phase: str) -> Generator[Callable[[Change], Change]]:
        """Trace and time the saving of the conversation.

        Yields:
            What wraps the change that the store is given, to time how long it waited for its turn.
        """
        before = time.perf_counter()
        outcome = "failed"

        def timed(change: Change) -> Change:
            def held(conversation: Conversation) -> Conversation:
                self.metrics.lock_wait_seconds.record(time.perf_counter() - before)
                return change(conversation)

            return held

        try:
            with self.step("conversation.save", phase=phase):
                yield timed
            outcome = "ok"
        finally:
            taken = time.perf_counter() - before
            self.metrics.save_seconds.record(taken, {"phase": phase, "outcome": outcome})

    def first_chunk(self, seconds: float) -> None:
        """Note how long a request waited for the first of its answer."""
        self.metrics.first_chunk_seconds.record(seconds, {"model": self.model})

    def replied(self, reply: AgentReply) -> None:
        """Put the reply's figures on the span and into the metrics, say when its window was full, and end."""
        if self.span.is_recording():
            self.span.set_attributes(record_attributes(reply.context))
            self.span.set_attributes(record_attributes(reply.usage.model_dump(), "workflow_agent.usage"))
            self.span.set_attributes(record_attributes(reply.cost.model_dump(), "workflow_agent.cost"))
        self.metrics.replied(reply, self.model, time.perf_counter() - self.started)
        self._warn(reply.context)
        self._end("completed")

    def ended(self, outcome: str, error_type: str | None = None) -> None:
        """End the turn without a reply: refused, replayed, failed, cancelled or interrupted."""
        if error_type is not None:
            mark_failed(self.span, error_type)
            self.metrics.errors.add(1, {"type": error_type})
        if self.mode or outcome in ("failed", "cancelled", "interrupted"):
            self.metrics.ended(outcome, self.mode or "none", time.perf_counter() - self.started)
        self._end(outcome)

    def calls_unrecorded(self, count: int) -> None:
        """Count the calls of the turn of which no record could be made."""
        if count:
            self.metrics.unrecorded_calls.add(count)

    def _end(self, outcome: str) -> None:
        self.span.set_attribute("workflow_agent.outcome", outcome)
        if self.mode:
            self.span.set_attribute("workflow_agent.mode", self.mode)
        self.span.end()

    def _warn(self, record: JsonObject) -> None:
        level = record.get("level", "ok")
        if level == "ok":
            return
        figures = {name: record.get(name) for name in ("used_tokens", "budget_tokens", "fraction", "model")}
        severity = logging.ERROR if level == "critical" else logging.WARNING
        _log.log(severity, "the window is nearly full", extra={"context_level": level, **figures})


@contextmanager
def child_span(tracer: Tracer, name: str, attributes: Mapping[str, AttributeValue]) -> Generator[Span]:
    """Trace the block as a span of its own; an error leaves only its type, because its words may quote content."""
    with tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield span
        except BaseException as error:
            mark_failed(span, type(error).__name__)
            raise


def mark_failed(span: Span, error_type: str) -> None:
    """Mark a span as failed, with the reason."""
    span.set_attribute("error.type", error_type)
    span.set_status(StatusCode.ERROR)


@dataclass(frozen=True, slots=True)
class CompactionTrace:
    """One compaction as operators see it."""

    span: Span
    metrics: Metrics
    conversation_id: str

    def ended(self, compaction: Compaction, *, is_in_force: bool) -> None:
        """Put the figures of a compaction on the span and into the metrics, and say so in the log."""
        outcome = "discarded" if not is_in_force else "fallback" if compaction.fallback else "summarised"
        figures = {
            "trigger": compaction.trigger,
            "outcome": outcome,
            "from_turn": compaction.from_turn,
            "to_turn": compaction.to_turn,
            "tokens_before": compaction.tokens_before,
            "tokens_after": compaction.tokens_after,
            "fallback": compaction.fallback or "",
        }
        self.span.set_attributes({f"workflow_agent.compaction.{name}": value for name, value in figures.items()})
        self.metrics.compacted(compaction, outcome)
        severity = logging.WARNING if compaction.fallback else logging.INFO
        _log.log(severity, "compaction %s", outcome, extra={**figures, "conversation_id": self.conversation_id})
