"""The structured call history: who called what, with what, and how it ended."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from pydantic import ConfigDict, Field

from workflow_agent.domain.values import JsonObject, Moment, Value

MAX_VALUE_CHARS = 2_000
MAX_ITEMS = 50
MAX_DEPTH = 8


class OutcomeSummary(Value):
    """How a call ended, without its value."""

    status: Literal["success", "error", "retried", "cancelled", "interrupted"]
    ok: bool
    error_type: str | None = None
    retriable: bool = False
    value_class: str | None = None


class CallSource(Value):
    """Where a call's result came from."""

    count: int
    primary: str | None = None
    retrieval_mode: str | None = None


class CallRecord(Value):
    """One logical call; optional fields it does not know survive a round trip."""

    model_config = ConfigDict(extra="allow")

    call_id: str
    timestamp: Moment
    speaker: Literal["user", "agent", "tool"]
    method_name: str
    args: tuple[Any, ...] = ()
    kwargs: JsonObject = Field(default_factory=dict)
    outcome_summary: OutcomeSummary
    trace_id: str | None = None
    parent_call_id: str | None = None
    depth: int | None = None
    duration_ms: float | None = None
    error_type: str | None = None
    error_message: str | None = None
    program_source: str | None = None
    artifact_hit: bool | None = None
    content_ref: str | None = None
    source: CallSource | None = None


def json_safe(value: Any) -> Any:
    """Return a value as bounded JSON data, field by field.

    Bytes become text, NaN and infinities their names, cycles and what is too deep or too large
    a note, and anything else its `repr`: a value that cannot be written never loses its record.
    """
    return _safe(value, 0, ())


def _safe(value: Any, depth: int, inside: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _safe_number(value)
    if isinstance(value, str):
        return _safe_text(value)
    if isinstance(value, bytes | bytearray):
        return _safe_text(bytes(value[:MAX_VALUE_CHARS]).decode("utf-8", "replace"))
    if id(value) in inside:
        return "<cycle>"
    if depth >= MAX_DEPTH:
        return "<too deep>"
    return _safe_collection(value, depth, (*inside, id(value)))


def _safe_number(value: float) -> Any:
    if isinstance(value, int):
        return value if abs(value) < 2**63 else _safe_text(hex(value))
    return value if math.isfinite(value) else repr(value)


def _safe_text(text: str) -> str:
    kept = text if len(text) <= MAX_VALUE_CHARS else f"{text[:MAX_VALUE_CHARS]}… ({len(text)} characters)"
    return kept.encode("utf-8", "replace").decode("utf-8")


def _safe_collection(value: Any, depth: int, inside: tuple[int, ...]) -> Any:
    if isinstance(value, Mapping):
        items = list(cast("Mapping[Any, Any]", value).items())
        safe = {_safe_text(str(key)): _safe(item, depth + 1, inside) for key, item in items[:MAX_ITEMS]}
        return safe | ({"…": f"{len(items) - MAX_ITEMS} more"} if len(items) > MAX_ITEMS else {})
    if isinstance(value, Sequence | set | frozenset):
        listed = list(cast("Sequence[Any]", value))
        safe_items = [_safe(item, depth + 1, inside) for item in listed[:MAX_ITEMS]]
        return [*safe_items, f"… {len(listed) - MAX_ITEMS} more"] if len(listed) > MAX_ITEMS else safe_items
    return _safe_text(repr(value))
