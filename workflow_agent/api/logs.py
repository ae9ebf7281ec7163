"""Logs as one JSON object a line, which no input can split."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from workflow_agent.telemetry.logs import correlation
from workflow_agent.values.json_values import json_safe
from workflow_agent.values.stored import iso_milliseconds

_MAX_MESSAGE_CHARS = 4_000
_ALWAYS_THERE = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "taskName", "color_message"}
"""What every record has, and what uvicorn adds for terminals."""


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
