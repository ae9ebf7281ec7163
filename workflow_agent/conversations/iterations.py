"""The nested iterations of one run: what the agent loop said and did, step by step.

Only the record itself: who ran it, for whom and within which limits the runtime knows and passes on.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from operator import not_
from typing import Any, Literal

from pydantic import Field

from workflow_agent.values.stored import JsonObject, Moment, Value, is_none

Outcome = Literal["success", "failed", "retried", "interrupted"]
"""How a tool call ended: it returned, it failed for good, the model was asked to mend it, it was cut off."""
FinishReason = Literal["stop", "length", "content_filter", "refusal", "cut"]
"""Why an answer ended: it was whole, it was as long as it may be, a filter stopped it, the model refused, or
it broke off without a word of why."""


class ToolCall(Value):
    """What the model asked for."""

    id: str
    name: str
    args: JsonObject = Field(default_factory=dict)


class ToolResult(Value):
    """What the model got back for one call."""

    id: str
    name: str
    outcome: Outcome = "success"
    content: Any = None
    content_ref: str | None = Field(default=None, exclude_if=is_none)
    """`sha256:…` of the content where that is kept apart because it is large; `content` is null then."""


class MessagePart(Value):
    """A stretch of a message: its text, or the reference to where that is kept.

    `sha256:…` is a content kept apart, `event:…` what is said in the event with this id.
    """

    text: str | None = Field(default=None, exclude_if=is_none)
    content_ref: str | None = Field(default=None, exclude_if=is_none)


class Message(Value):
    """One message of the agent loop; a `tool` message carries the results of one step."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    parts: tuple[MessagePart, ...] = Field(default=(), exclude_if=not_)
    """The content in stretches, where one of them is kept apart; `content` is empty then."""
    tool_calls: tuple[ToolCall, ...] = Field(default=(), exclude_if=not_)
    results: tuple[ToolResult, ...] = Field(default=(), exclude_if=not_)


SESSION = "session_id"
"""Of an iteration's metadata: the provider's name for the session its answer belongs to."""
FAILED_ATTEMPTS = "failed_attempts"
"""Of an iteration's metadata: the models that failed before the one that answered."""
FINISH_REASON = "finish_reason"
"""Of an iteration's metadata: why the model's answer ended, where it was not whole."""


class IterationToolCall(Value):
    """How one call of an iteration went; its arguments and result stand in the messages."""

    id: str
    name: str
    outcome: Outcome | None = None
    duration_ms: float | None = None


class Iteration(Value):
    """One model request, its tool calls and their results."""

    number: int = Field(ge=1)
    messages: tuple[Message, ...] = ()
    tool_calls: tuple[IterationToolCall, ...] = ()
    started_at: Moment
    completed_at: Moment | None = None
    """Null only while it runs."""
    metadata: JsonObject = Field(default_factory=dict)


class TurnContext(Value):
    """The iterations of one run, and the number of the one under way."""

    iterations: tuple[Iteration, ...]
    current_iteration: int
    created_at: Moment
    updated_at: Moment


def _now() -> datetime:
    return datetime.now(UTC)


def new(input: str, system_prompt: str | None = None, *, at: datetime | None = None) -> TurnContext:
    """Return a context with its first iteration open, holding the system prompt and the input."""
    moment = at or _now()
    system = (Message(role="system", content=system_prompt),) if system_prompt is not None else ()
    first = Iteration(number=1, messages=(*system, Message(role="user", content=input)), started_at=moment)
    return TurnContext(iterations=(first,), current_iteration=1, created_at=moment, updated_at=moment)


def get_iteration(ctx: TurnContext, number: int) -> Iteration | None:
    """Return the iteration with this number, wherever it stands, or None."""
    return next((one for one in ctx.iterations if one.number == number), None)


def get_iteration_messages(ctx: TurnContext, number: int) -> tuple[Message, ...]:
    """Return the messages of one iteration; none when there is no such iteration."""
    found = get_iteration(ctx, number)
    return found.messages if found else ()


def get_all_messages(ctx: TurnContext) -> tuple[Message, ...]:
    """Return every message of every iteration, in the order of their numbers."""
    ordered = sorted(ctx.iterations, key=lambda one: one.number)
    return tuple(message for one in ordered for message in one.messages)


def to_messages(ctx: TurnContext) -> list[JsonObject]:
    """Return every message as plain JSON data, empty parts left out."""
    return [
        one.model_dump(mode="json", exclude_defaults=True) | {"role": one.role, "content": one.content}
        for one in get_all_messages(ctx)
    ]


def extract_tool_calls(ctx: TurnContext) -> tuple[ToolCall, ...]:
    """Return the tool calls of the last message."""
    messages = get_all_messages(ctx)
    return messages[-1].tool_calls if messages else ()


def exceeded_max_iterations(ctx: TurnContext, max_iterations: int) -> bool:
    """Say whether one more request would be over the limit."""
    return ctx.current_iteration > max_iterations


def _with_current(ctx: TurnContext, changed: Iteration, at: datetime) -> TurnContext:
    iterations = tuple(changed if one.number == changed.number else one for one in ctx.iterations)
    return ctx.model_copy(update={"iterations": iterations, "updated_at": at})


def _current(ctx: TurnContext) -> Iteration:
    found = get_iteration(ctx, ctx.current_iteration)
    if found is None:
        raise LookupError(f"Iteration {ctx.current_iteration} is current but does not exist.")
    return found


def add_assistant_message(
    ctx: TurnContext,
    content: str,
    tool_calls: Sequence[ToolCall] = (),
    *,
    session_id: str | None = None,
    finish_reason: FinishReason = "stop",
    failed_attempts: Sequence[JsonObject] = (),
    at: datetime | None = None,
) -> TurnContext:
    """Return the context with what the model said, and asked for, in the current iteration.

    `failed_attempts` are the models that were asked before and failed, each with its error's type.
    """
    current = _current(ctx)
    calls = tuple(IterationToolCall(id=call.id, name=call.name) for call in tool_calls)
    said = Message(role="assistant", content=content, tool_calls=tuple(tool_calls))
    about: JsonObject = {SESSION: session_id} if session_id else {}
    if finish_reason != "stop":
        about[FINISH_REASON] = finish_reason
    if failed_attempts:
        about[FAILED_ATTEMPTS] = list(failed_attempts)
    changed = current.model_copy(
        update={
            "messages": (*current.messages, said),
            "tool_calls": (*current.tool_calls, *calls),
            "metadata": {**current.metadata, **about},
        }
    )
    return _with_current(ctx, changed, at or _now())


def add_tool_results(
    ctx: TurnContext,
    results: Sequence[ToolResult],
    *,
    durations_ms: dict[str, float] | None = None,
    at: datetime | None = None,
) -> TurnContext:
    """Return the context with one result message, its iteration completed and the next one open."""
    moment = at or _now()
    answered = _answered(_current(ctx), results, durations_ms or {})
    following = Iteration(number=ctx.current_iteration + 1, started_at=moment)
    closed = _with_current(ctx, answered.model_copy(update={"completed_at": moment}), moment)
    return closed.model_copy(
        update={"iterations": (*closed.iterations, following), "current_iteration": following.number}
    )


def _answered(current: Iteration, results: Sequence[ToolResult], durations_ms: dict[str, float]) -> Iteration:
    outcomes = {result.id: result.outcome for result in results}
    calls = tuple(
        call.model_copy(update={"outcome": outcomes[call.id], "duration_ms": durations_ms.get(call.id)})
        if call.id in outcomes
        else call
        for call in current.tool_calls
    )
    message = Message(role="tool", results=tuple(results))
    return current.model_copy(update={"messages": (*current.messages, message), "tool_calls": calls})


def close(
    ctx: TurnContext,
    *,
    results: Mapping[str, ToolResult] | None = None,
    durations_ms: dict[str, float] | None = None,
    at: datetime | None = None,
) -> TurnContext:
    """Return the context as its run leaves it, whatever way it ended.

    The current iteration is completed, or dropped where nothing happened in it; calls without
    a result are answered as `interrupted`, so that no open call reaches the next turn.

    `results` are what calls came to that no request told the model of any more, by the call's id.
    """
    known = results or {}
    moment = at or _now()
    current = _current(ctx)
    if not current.messages and len(ctx.iterations) > 1:
        kept = tuple(one for one in ctx.iterations if one.number != current.number)
        return ctx.model_copy(update={"iterations": kept, "current_iteration": kept[-1].number, "updated_at": moment})
    unanswered = [known.get(call.id) or _interrupted(call) for call in current.tool_calls if call.outcome is None]
    answered = _answered(current, unanswered, durations_ms or {}) if unanswered else current
    return _with_current(ctx, answered.model_copy(update={"completed_at": moment}), moment)


def _interrupted(call: IterationToolCall) -> ToolResult:
    return ToolResult(id=call.id, name=call.name, outcome="interrupted", content="The run ended before this call did.")


def session_in(iterations: Sequence[Iteration]) -> str | None:
    """Return the latest provider session that a run's iterations name, or None."""
    named = (one.metadata.get(SESSION) for one in reversed(iterations))
    return next((session for session in named if isinstance(session, str)), None)
