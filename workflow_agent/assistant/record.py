"""What a run leaves behind: its iterations, its calls and the size of what it sent."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from opentelemetry import trace
from pydantic import ValidationError
from pydantic_ai.exceptions import ModelRetry, ToolFailed, ToolRetryError
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, ToolCallPart
from pydantic_core import to_json

from workflow_agent.assistant import replay
from workflow_agent.assistant.loop import Asking
from workflow_agent.assistant.providers import OFFLINE, usage_of
from workflow_agent.conversations import iterations
from workflow_agent.conversations.call_history import CallRecord, CallStatus, scan_program
from workflow_agent.conversations.calls import (
    PROGRAM_TOOL,
    EndedCall,
    InnerCall,
    ended_calls,
    inner_record,
    tool_record,
)
from workflow_agent.conversations.compactions import Compaction
from workflow_agent.conversations.iterations import FinishReason, Iteration, Message, Outcome, ToolResult, TurnContext
from workflow_agent.values.stored import JsonObject
from workflow_agent.values.tokens import RunCosts, TokenCounter

_UNRECORDABLE = (ValidationError, TypeError, ValueError, AttributeError, LookupError, RuntimeError)
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class CallRecorder:
    """Keeps one record a call, however often its end is reported; a record that fails fails nothing else."""

    parent_call_id: str
    """The message's call."""
    known: int = 0
    """How many records the conversation had before this run."""
    records: dict[str, CallRecord] = field(default_factory=dict[str, CallRecord])
    failed: int = 0
    """Calls of which no record could be made."""

    def ended(self, call: EndedCall) -> None:
        """Record a tool call, and say so on the span it ran in."""
        use = self._use_of_history(call)
        is_kept = self._keep(call.id, lambda: tool_record(call, self.parent_call_id, _trace_id(), use))
        span = trace.get_current_span()
        span.set_attribute("history_record_appended", is_kept)
        span.set_attribute("conversation_history_size", self.known + len(self.records))
        if use:
            span.set_attribute("history_access_detected", use["history_access_detected"])
            span.set_attribute("history_query_patterns", list(use["history_query_patterns"]))

    def called_inside(self, call: InnerCall) -> None:
        """Record a call that a program made."""
        number = sum(record.parent_call_id == call.parent_id for record in self.records.values()) + 1
        call_id = f"{call.parent_id}.{number}"
        self._keep(call_id, lambda: inner_record(call, call_id, _trace_id()))

    def _use_of_history(self, call: EndedCall) -> JsonObject:
        if call.name != PROGRAM_TOOL:
            return {}
        use = scan_program(str(call.args.get("code", "")))
        known = self.known + len(self.records)
        patterns = list(use.patterns)
        signals = {"call_id": call.id, "records": known, "history_read": use.is_detected, "patterns": patterns}
        _log.info("a program was run", extra=signals)
        return {
            "history_record_appended": True,
            "conversation_history_size": known,
            "history_access_detected": use.is_detected,
            "history_query_patterns": use.patterns,
        }

    def _keep(self, call_id: str, make: Callable[[], CallRecord]) -> bool:
        try:
            self.records[call_id] = make()
        except _UNRECORDABLE:
            self.failed += 1
            _log.warning("a call was not recorded", extra={"call_id": call_id[:200]}, exc_info=True)
            return False
        return True


def status_of_error(error: BaseException) -> CallStatus:
    """Return how a call ended that raised."""
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return "retried" if isinstance(error, ModelRetry | ToolRetryError) else "error"


def error_type_of(error: BaseException) -> str:
    """Return the name of what went wrong: what a tool put into other words counts, not the wrapping."""
    wraps = isinstance(error, ModelRetry | ToolRetryError | ToolFailed)
    return type(error.__cause__ if wraps and error.__cause__ else error).__name__


def _trace_id() -> str | None:
    context = trace.get_current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else None


BETWEEN_PARTS = "\n\n"
"""Between the parts of the instructions."""
StepKept = Callable[[Iteration, Iterable[CallRecord], bytes | None], Awaitable[None]]
"""Keeps an iteration as it stands, the records so far, and what the model said, should the process die."""


class Told(NamedTuple):
    """A part of the instructions."""

    section: str
    text: str
    is_lasting: bool = False
    """Whether it comes again in other turns just so."""


def joined(parts: Iterable[Told]) -> str:
    """Return the parts of the instructions as the model reads them."""
    return BETWEEN_PARTS.join(part.text for part in parts)


@dataclass(slots=True)
class Evidence:
    """The record of one run, growing as it goes."""

    turn: TurnContext
    now: Callable[[], datetime]
    calls: CallRecorder
    keep_step: StepKept
    check: Callable[[], None] = lambda: None
    """Raises where the run is another process's by now: what the model says would be for nothing."""
    costs: RunCosts = field(default_factory=RunCosts)
    model: str = ""
    finish_reason: FinishReason = "stop"
    """Why the latest answer of the model ended."""
    refusal: str = ""
    """Its words, where it refused."""
    answer: str = ""
    """What it said."""
    unconfirmed_claims: tuple[str, ...] = ()
    """Sentences of the answer that claim a change which the record does not show."""
    is_asked_again: bool = False
    """Whether such claims were sent back to the model."""
    instructions: tuple[Told, ...] = ()
    """The parts of the first request's instructions, the stable ones first."""
    latest_instructions: tuple[Told, ...] = ()
    """Those of the request under way."""
    counter: TokenCounter = field(default_factory=TokenCounter)
    """How the run's model counts, once it is chosen."""
    section_tokens: dict[str, int] = field(default_factory=dict[str, int])
    """Tokens of each part of the latest request, by section."""
    reported_tokens: int | None = None
    """What the provider counted for that request; None where there is no provider, or it did not say."""
    durations_ms: dict[str, float] = field(default_factory=dict[str, float])
    results: dict[str, ToolResult] = field(default_factory=dict[str, ToolResult])
    """What calls came to, by their ids, also where no request tells the model of it any more."""
    called_at: dict[str, datetime] = field(default_factory=dict[str, datetime])
    """When each tool call began; one that was refused before it began is not here."""

    _keeping: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def responded(self, response: ModelResponse) -> None:
        """Note what the model said, and what the provider charged for it.

        What it calls is kept, should the process die, and so is an answer that somebody charges for: whoever
        goes on with the run does not ask again.
        """
        text, calls = replay.said_by(response)
        self.turn = iterations.add_assistant_message(
            self.turn,
            text,
            calls,
            session_id=replay.session_of(response),
            finish_reason=replay.why_ended(response),
            failed_attempts=replay.attempts_before(response),
            at=self.now(),
        )
        self.finish_reason, self.refusal, self.answer = replay.why_ended(response), replay.refusal_in(response), text
        self.model = response.model_name or self.model
        self.costs = self.costs.with_call("primary", usage_of(response), response.usage.cost)
        is_counted = response.provider_name not in (None, OFFLINE)
        self.reported_tokens = (response.usage.input_tokens or None) if is_counted else None
        if calls or is_counted:
            said = ModelMessagesTypeAdapter.dump_json([response])
            await self.keep_step(self.turn.iterations[-1], self.calls.records.values(), said)

    def says(self, text: str) -> None:
        """Note what the run says in the model's place."""
        self.turn = iterations.add_assistant_message(self.turn, text, at=self.now())

    def answered(self, call: ToolCallPart, outcome: Outcome, content: Any) -> None:
        """Note what a call came to, before the model is told."""
        self.results[call.tool_call_id] = ToolResult(
            id=call.tool_call_id, name=call.tool_name, outcome=outcome, content=content
        )

    def summarised(self, compaction: Compaction) -> None:
        """Note what a compaction took that had to be made before this run could go on."""
        spent = compaction.cost.total_usd
        price = None if spent is None else Decimal(str(spent))
        self.costs = self.costs.with_call("summarizer", compaction.usage, price)

    def spent_aside(self, costs: RunCosts) -> None:
        """Note what was spent for the run beside its own requests."""
        self.costs = self.costs.with_aside(costs)

    def told(self, *parts: Told) -> str:
        """Note the parts of a request's instructions; return them as the model reads them."""
        for section in dict.fromkeys(part.section for part in parts):
            self.measured(section, *(part.text for part in parts if part.section == section))
        self.latest_instructions = said = tuple(part for part in parts if part.text)
        if not self.model:
            self.instructions = said
        return joined(said)

    def measured(self, section: str, *texts: str) -> None:
        """Note how large a part of the request is that is being made."""
        self.section_tokens[section] = sum(map(self.counter.count, texts))

    async def asking(self, asked: Asking) -> tuple[ToolResult, ...]:
        """Note what a request carries, and return the results of calls that were refused before they began.

        The first one carries the instructions, later ones the results that end an iteration.
        """
        self.check()
        before = self.turn.current_iteration
        results = self._requesting(asked)
        never_began = tuple(result for result in results if result.id not in self.results)
        # What ran was kept when it ended.
        if self.turn.current_iteration != before and (never_began or not results):
            await self.keep_step(self.turn.iterations[-2], self.calls.records.values(), None)
        return never_began

    def _requesting(self, asked: Asking) -> tuple[ToolResult, ...]:
        if not self.model:
            self._first_request(asked.model.model_name)
        results = replay.results_in(asked.messages)
        if results or replay.asks_to_mend(asked.messages):
            self.turn = iterations.add_tool_results(self.turn, results, durations_ms=self.durations_ms, at=self.now())
            self._record(self.turn.iterations[-2])
        # What the loop itself added; the instructions and the message are counted by themselves.
        said = (one for step in self.turn.iterations for one in step.messages if one.role in ("assistant", "tool"))
        self.measured("run", *(text for one in said for text in texts_of(one)))
        return results

    def _first_request(self, model_name: str) -> None:
        first = self.turn.iterations[0]
        system = Message(role="system", content=joined(self.instructions))
        with_system = first.model_copy(update={"messages": (system, *first.messages)})
        self.turn = self.turn.model_copy(update={"iterations": (with_system,)})
        self.model = model_name

    def closed(self, *, interrupted_as: CallStatus = "interrupted") -> tuple[Iteration, ...]:
        """Return every iteration, completed, as the run leaves them; each call is on record then, open ones as such."""
        self.turn = self._as_it_stands()
        for iteration in self.turn.iterations:
            self._record(iteration, interrupted_as)
        return self.turn.iterations

    async def keep(self) -> None:
        """Keep the latest iteration as it would be left if the process died now."""
        async with self._keeping:
            await self.keep_step(self._as_it_stands().iterations[-1], self.calls.records.values(), None)

    def _as_it_stands(self) -> TurnContext:
        return iterations.close(self.turn, results=self.results, durations_ms=self.durations_ms, at=self.now())

    def tools_used(self) -> tuple[str, ...]:
        """Return the names of the tools that were called, in order of first use."""
        return tuple(dict.fromkeys(call.name for one in self.turn.iterations for call in one.tool_calls))

    def tools_that_answered(self) -> tuple[str, ...]:
        """Return the name of the tool for each call that succeeded, in the order they ended."""
        return tuple(result.name for result in self.results.values() if result.outcome == "success")

    def call_records(self) -> tuple[CallRecord, ...]:
        """Return one record for each call of the closed run, in the order they began."""
        return tuple(sorted(self.calls.records.values(), key=lambda record: record.timestamp))

    def _record(self, iteration: Iteration, interrupted_as: CallStatus = "interrupted") -> None:
        """Record the calls that ended without being run, or otherwise than it seemed where they ran."""
        for call in ended_calls(iteration, interrupted_as):
            known = self.calls.records.get(call.id)
            if known is None or known.outcome_summary.status != call.status:
                self.calls.ended(replace(call, started_at=self.called_at.get(call.id, call.started_at)))


def texts_of(message: Message) -> Iterator[str]:
    """Yield what a message of the loop holds as text, as it weighs in the window."""
    yield message.content
    for call in message.tool_calls:
        yield f"{call.name} {as_sent(call.args).decode()}"
    for result in message.results:
        yield result.content if isinstance(result.content, str) else as_sent(result.content).decode()


def as_sent(content: Any) -> bytes:
    """Return a value as JSON as the framework writes it into a request, whatever is in it."""
    return to_json(content, inf_nan_mode="null", serialize_unknown=True)
