"""Logs as JSON lines, each with the run and the trace that it belongs to, which are carried along the call."""

import json
import logging
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from opentelemetry import context, trace
from opentelemetry.trace import format_span_id, format_trace_id
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from workflow_agent.values.stored import JsonObject, iso_milliseconds, json_safe

_PROPAGATOR = TraceContextTextMapPropagator()
_RUN = context.create_key("workflow_agent-run")
_MAX_MESSAGE_CHARS = 4_000
_ALWAYS_THERE = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "taskName", "color_message"}
"""What every record has, and what uvicorn adds for terminals."""


def continued(headers: Mapping[str, str]) -> AbstractContextManager[None]:
    """Let the block belong to the trace that a caller's `traceparent` names, as W3C Trace Context says.

    A header that is none is passed over: the block then begins a trace of its own.
    """
    carrier = {name: headers[name] for name in _PROPAGATOR.fields if name in headers}
    return _attached(_PROPAGATOR.extract(carrier)) if carrier else nullcontext()


def correlated(**ids: str) -> AbstractContextManager[None]:
    """Let everything logged inside the block carry these ids, beside those set around it."""
    return _attached(context.set_value(_RUN, {**_run_ids(), **ids}))


@contextmanager
def _attached(inside: context.Context) -> Generator[None]:
    token = context.attach(inside)
    try:
        yield
    finally:
        context.detach(token)


def correlation() -> dict[str, str]:
    """Return the ids of the run and the span in whose course this is called; nothing outside of one."""
    span = trace.get_current_span().get_span_context()
    ids = dict(_run_ids())
    if span.is_valid:
        ids |= {"trace_id": format_trace_id(span.trace_id), "span_id": format_span_id(span.span_id)}
    return ids


def _run_ids() -> dict[str, str]:
    found = context.get_value(_RUN)
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType] - only correlated() sets it


_KEPT_RECORDS = 1_000


@dataclass(slots=True)
class RecentContexts:
    """The context records of the latest turns of this process, newest last, each with its tenant."""

    records: deque[tuple[str, JsonObject]] = field(default_factory=lambda: deque(maxlen=_KEPT_RECORDS))

    def add(self, tenant: str, record: JsonObject) -> None:
        """Keep a turn's record; the oldest goes when there are too many."""
        self.records.append((tenant, record))

    def latest(self, tenant: str, limit: int) -> Sequence[JsonObject]:
        """Return up to `limit` records of a tenant, newest first."""
        return [record for one, record in reversed(list(self.records)) if one == tenant][:limit]


class JsonLines(logging.Formatter):
    """Formats a record as one line of ASCII JSON: time, level, logger, message, the ids of run and span it is
    written in, and what `extra` adds."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": iso_milliseconds(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage()[:_MAX_MESSAGE_CHARS],
        } | correlation()
        known = _ALWAYS_THERE | line.keys()
        line |= json_safe({name: value for name, value in record.__dict__.items() if name not in known})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        # ASCII alone, because some readers also split at U+2028 and its like.
        return json.dumps(line, ensure_ascii=True)


def log_config(level: str) -> dict[str, Any]:
    """Return the `logging.config` of the server: everything to standard error, as JSON lines."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonLines}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "workflow_agent": {"level": level.upper()},
            "uvicorn": {"level": level.upper()},
            "uvicorn.access": {"level": "CRITICAL"},
        },
    }
