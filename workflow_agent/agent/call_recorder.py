"""The call records of one run, each made where its call ends."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from opentelemetry import trace
from pydantic import ValidationError
from pydantic_ai.exceptions import ModelRetry, ToolFailed, ToolRetryError

from workflow_agent.domain.call_history import CallRecord, CallStatus
from workflow_agent.domain.call_records import PROGRAM_TOOL, EndedCall, InnerCall, inner_record, tool_record
from workflow_agent.domain.history_use import scan_program
from workflow_agent.domain.values import JsonObject

_UNRECORDABLE = (ValidationError, TypeError, ValueError, AttributeError, LookupError, RuntimeError)
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class CallRecorder:
    """Keeps one record a call, however often its end is reported; a record that fails fails nothing else.

    Args:
        parent_call_id: The message's call.
        known: How many records the conversation had before this run.
    """

    parent_call_id: str
    known: int = 0
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

    def status_of(self, call_id: str) -> CallStatus | None:
        """Return how a call is on record to have ended, or None when it is not on record."""
        record = self.records.get(call_id)
        return record.outcome_summary.status if record else None

    def _use_of_history(self, call: EndedCall) -> JsonObject:
        if call.name != PROGRAM_TOOL:
            return {}
        use = scan_program(str(call.args.get("code", "")))
        return {
            "history_record_appended": True,
            "conversation_history_size": self.known + len(self.records),
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
