"""The structured call history: who called what, with what, and how it ended."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import ConfigDict, Field, ValidationError

from workflow_agent.values.stored import JsonObject, Moment, Value, is_none, json_safe

QueryPattern = Literal["filter", "map", "slice", "count", "group", "sort"]
PATTERNS: tuple[QueryPattern, ...] = ("filter", "map", "slice", "count", "group", "sort")
HISTORY_KEY = "conversation_history"
_CALLED: dict[str, tuple[QueryPattern, ...]] = {
    "filter": ("filter",), "map": ("map",), "len": ("count",), "sum": ("count",), "count": ("count",),
    "Counter": ("count", "group"), "groupby": ("group",), "defaultdict": ("group",), "setdefault": ("group",),
    "sorted": ("sort",), "sort": ("sort",), "islice": ("slice",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class HistoryUse:
    """Whether a program reads the call history, and what it does with it."""

    is_detected: bool = False
    patterns: tuple[QueryPattern, ...] = ()
    """In the order of `PATTERNS`; empty where the history is not read."""


def scan_program(code: str) -> HistoryUse:
    """Return how a program uses the history; text that is no program uses nothing.

    A sign, not a proof: a program that reads the history and sorts something else counts as sorting it.
    """
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return HistoryUse()
    if not any(isinstance(node, ast.Constant) and node.value == HISTORY_KEY for node in nodes):
        return HistoryUse()
    found = set(_patterns(nodes))
    return HistoryUse(is_detected=True, patterns=tuple(pattern for pattern in PATTERNS if pattern in found))


def _patterns(nodes: Iterable[ast.AST]) -> Iterator[QueryPattern]:
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                yield from _CALLED.get(name, ())
            case ast.Subscript(slice=ast.Slice()):
                yield "slice"
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                yield from _of_comprehension(node)
            case ast.For():
                yield from _of_loop(node)
            case _:
                pass


def _of_comprehension(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> Iterator[QueryPattern]:
    if any(generator.ifs for generator in node.generators):
        yield "filter"
    if isinstance(node, ast.DictComp) or not isinstance(node.elt, ast.Name | ast.Constant):
        yield "map"


def _of_loop(node: ast.For) -> Iterator[QueryPattern]:
    if any(isinstance(inner, ast.If) for inner in node.body):
        yield "filter"
    for inner in ast.walk(node):
        if isinstance(inner, ast.AugAssign) and isinstance(inner.op, ast.Add):
            yield "group" if isinstance(inner.target, ast.Subscript) else "count"


CallStatus = Literal["success", "error", "retried", "cancelled", "interrupted"]


class OutcomeSummary(Value):
    """How a call ended, without its value."""

    model_config = ConfigDict(extra="allow")

    status: CallStatus
    ok: bool
    error_type: str | None = None
    retriable: bool = False
    value_class: str | None = None


class CallSource(Value):
    """Where a call's result came from."""

    model_config = ConfigDict(extra="allow")

    count: int
    primary: str | None = None
    retrieval_mode: str | None = None
    version: int | None = Field(default=None, exclude_if=is_none)
    """Of the one workflow that it is about."""
    change: str | None = Field(default=None, exclude_if=is_none)
    """What was done to it first, in words."""
    changes: int | None = Field(default=None, exclude_if=is_none)
    """How much was done to it."""


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
    """0 a message of the user, 1 a tool call of the agent, 2 a call by a program that a tool ran."""
    duration_ms: float | None = None
    error_type: str | None = None
    error_message: str | None = None
    program_source: str | None = None
    artifact_hit: bool | None = None
    content_ref: str | None = None
    """`sha256:` and the digest of the result, which is kept with the turn."""
    source: CallSource | None = None
    history_record_appended: bool | None = Field(default=None, exclude_if=is_none)
    conversation_history_size: int | None = Field(default=None, exclude_if=is_none)
    """How many records a program found."""
    history_access_detected: bool | None = Field(default=None, exclude_if=is_none)
    history_query_patterns: tuple[QueryPattern, ...] | None = Field(default=None, exclude_if=is_none)


_MOST_CHANGE_CHARS = 100


def source_of(result: Any) -> CallSource | None:
    """Return where a tool's result came from, where the result says so; None for any other."""
    match result:
        case {"hits": [{"id": str(first), "strategies": [*strategies]}, *_] as hits}:
            return CallSource(count=len(hits), primary=first, retrieval_mode="+".join(map(str, strategies)))
        case {"hits": [*hits]}:
            return CallSource(count=len(hits), retrieval_mode="search")
        case {"workflows": [{"id": str(first)}, *_] as listed}:
            return CallSource(count=len(listed), primary=first, retrieval_mode="list")
        case {"workflow": {"id": str(only)} as about}:
            version: Any = about.get("version")
            known = version if isinstance(version, int) else None
            found = CallSource(count=1, primary=only, retrieval_mode="direct", version=known)
            changes: list[Any] = result["changes"] if isinstance(result.get("changes"), list) else []
            if changes and result.get("applied") is not False:
                told = str(changes[0])[:_MOST_CHANGE_CHARS]
                found = found.model_copy(update={"change": json_safe(told), "changes": len(changes)})
            return found
        case _:
            return None


def mended_history(stored: Any, at: str) -> tuple[list[JsonObject], int]:
    """Return a stored history with every record valid, and how many had to be set right.

    What a record says beside its known fields is kept; what is no record at all is kept as the text of one.
    """
    if not isinstance(stored, list):
        return [], 1
    entries = cast("list[Any]", stored)
    mended = [one if _is_record(one) else _mended(one, number, at) for number, one in enumerate(entries)]
    return mended, sum(new is not old for new, old in zip(mended, entries, strict=True))


def _is_record(entry: Any) -> bool:
    try:
        CallRecord.model_validate(entry)
    except ValidationError:
        return False
    return True


def _mended(entry: Any, number: int, at: str) -> JsonObject:
    given: JsonObject = dict(cast("JsonObject", entry)) if isinstance(entry, dict) else {"malformed": json_safe(entry)}
    record: JsonObject = {
        "call_id": f"mended_{number}",
        "timestamp": at,
        "speaker": "tool",
        "method_name": "unknown",
        "args": [],
        "kwargs": {},
        "outcome_summary": {"status": "error", "ok": False, "error_type": "unknown"},
    }
    for name, value in given.items():
        if _is_record({**record, name: value}):
            record[name] = value
        else:
            record[f"malformed_{name}"] = json_safe(value)
    return record
