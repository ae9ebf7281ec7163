"""Making the record of a call from what is known of how it ended."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workflow_agent.conversations.artifacts import text_of
from workflow_agent.conversations.call_history import CallRecord, CallSource, CallStatus, OutcomeSummary, source_of
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.values.stored import JsonObject, content_ref_of, json_safe

PROGRAM_TOOL = "run_python"
"""The tool whose argument is a program."""
_MAX_SOURCE_CHARS = 10_000


@dataclass(frozen=True, slots=True)
class EndedCall:
    """A call as it ended."""

    id: str
    name: str
    args: JsonObject
    status: CallStatus
    started_at: datetime
    duration_ms: float | None = None
    result: Any = None
    error_type: str | None = None
    error_message: str | None = None


@dataclass(frozen=True, slots=True)
class InnerCall:
    """What a program called while a tool ran it."""

    parent_id: str
    name: str
    wanted: str
    started_at: datetime
    duration_ms: float
    is_found: bool
    result: Any = None
    error_message: str | None = None


def ended_calls(iteration: Iteration, interrupted_as: CallStatus = "interrupted") -> Iterator[EndedCall]:
    """Yield the calls of an iteration that ended, as its messages tell it.

    `interrupted_as` names the end of a call that was cut off.
    """
    asked = {made.id: made.args for message in iteration.messages for made in message.tool_calls}
    results = {result.id: result for message in iteration.messages for result in message.results}
    for call in iteration.tool_calls:
        if call.outcome is None:
            continue
        ended = interrupted_as if call.outcome == "interrupted" else call.outcome
        status = "error" if ended == "failed" else ended
        content = results[call.id].content if call.id in results else None
        yield EndedCall(
            id=call.id,
            name=call.name,
            args=asked.get(call.id, {}),
            status=status,
            started_at=iteration.started_at,
            duration_ms=call.duration_ms,
            result=content if status == "success" else None,
            error_message=None if status == "success" or content is None else str(content),
        )


def tool_record(
    call: EndedCall, parent_call_id: str, trace_id: str | None = None, use: JsonObject | None = None
) -> CallRecord:
    """Return the record of a tool call; of a program, its source stands apart from the arguments.

    `use` says of a program how it used the history.
    """
    ok = call.status == "success"
    error_type = None if ok else call.error_type or call.status
    args = dict(call.args)
    source: Any = args.pop("code", None) if call.name == PROGRAM_TOOL else None
    return CallRecord(
        call_id=call.id,
        timestamp=call.started_at,
        speaker="agent",
        method_name=call.name,
        kwargs=json_safe(args),
        outcome_summary=OutcomeSummary(
            status=call.status,
            ok=ok,
            error_type=error_type,
            retriable=call.status in ("retried", "cancelled", "interrupted"),
            value_class=type(call.result).__name__ if ok else None,
        ),
        trace_id=trace_id,
        parent_call_id=parent_call_id,
        depth=1,
        duration_ms=call.duration_ms,
        error_type=error_type,
        error_message=None if ok or call.error_message is None else json_safe(call.error_message),
        program_source=None if source is None else str(source)[:_MAX_SOURCE_CHARS],
        content_ref=content_ref_of(call.result) if ok else None,
        source=source_of(call.result) if ok else None,
        **(use or {}),
    )


def inner_record(call: InnerCall, call_id: str, trace_id: str | None) -> CallRecord:
    """Return the record of a call that a program made."""
    error_type = None if call.is_found else "LookupError"
    return CallRecord(
        call_id=call_id,
        timestamp=call.started_at,
        speaker="tool",
        method_name=call.name,
        args=(json_safe(call.wanted),),
        outcome_summary=OutcomeSummary(
            status="success" if call.is_found else "error",
            ok=call.is_found,
            error_type=error_type,
            value_class=type(call.result).__name__ if call.is_found else None,
        ),
        trace_id=trace_id,
        parent_call_id=call.parent_id,
        depth=2,
        duration_ms=call.duration_ms,
        error_type=error_type,
        error_message=call.error_message,
        artifact_hit=call.is_found if call.name == "content" else None,
        content_ref=content_ref_of(call.result) if call.is_found else None,
    )


_MOST_PREVIEW_CHARS = 200
_MOST_VALUE_CHARS = 60
HOW_TO_READ = (
    'Programs for `run_python` read the call history in context["conversation_history"]: dicts, oldest '
    "first, with speaker (user, agent, tool), method_name, args, kwargs, timestamp, outcome_summary "
    "{status, ok}, others with .get. content(ref) gives what a content_ref stands for."
)
"""What a turn is told that is offered `run_python`."""


def history_notice(records: Sequence[CallRecord], sealed: int = 0, *, with_programs: bool = True) -> str:
    """Return all that the model is told of the call history; empty when there is none."""
    latest = latest_calls(records, sealed)
    return f"{HOW_TO_READ}\n\n{latest}" if latest and with_programs else latest


def latest_calls(records: Sequence[CallRecord], sealed: int = 0) -> str:
    """Return two lines: how many records there are, and the latest call; empty when there is none.

    The second tells what was asked for and what became of it; results are read with a program. Messages are left
    out: the model has them before it.

    The records are those a program finds; `sealed` older ones it does not find.
    """
    if not records:
        return ""
    latest = next((one for one in reversed(records) if one.speaker != "user"), None)
    count = f"{len(records)} {'record' if len(records) == 1 else 'records'}"
    older = f" ({sealed} older ones are not in it)" if sealed else ""
    told = f"Call history: {count}{older}."
    return told if latest is None else f"{told} The latest:\n- {preview_of(latest)}"


def preview_of(record: CallRecord) -> str:
    """Return one call in a line of at most 200 characters: who called what with what, and what became of it."""
    ended, source = record.outcome_summary, record.source
    head = f"{record.speaker}: {record.method_name}"
    if source is not None and source.change is not None:
        others = (source.changes or 1) - 1
        more = f" and {others} more" if others else ""
        return _in_a_line(f"{head}: {source.change}{more}{_arrow(source)}")
    why = f" ({ended.error_type})" if ended.error_type and ended.error_type != ended.status else ""
    found = "" if source is None else _arrow(source) if source.count == 1 else f", {source.count} found"
    asked = ", ".join(f"{name}={_in_short(value)}" for name, value in record.kwargs.items() if value not in (None, ""))
    asked = asked or ", ".join(map(_in_short, record.args))
    room = _MOST_PREVIEW_CHARS - len(head) - len(ended.status) - len(why) - len(found) - len("(): ")
    return _in_a_line(f"{head}({asked[: max(room, 0)]}): {ended.status}{why}{found}")


def _arrow(source: CallSource) -> str:
    return f" → {source.primary}{f' v{source.version}' if source.version else ''}" if source.primary else ""


def _in_short(value: Any) -> str:
    text = text_of(value)
    return text if len(text) <= _MOST_VALUE_CHARS else f"{text[: _MOST_VALUE_CHARS - 1]}…"


def _in_a_line(text: str) -> str:
    return " ".join(text.split())[:_MOST_PREVIEW_CHARS]
