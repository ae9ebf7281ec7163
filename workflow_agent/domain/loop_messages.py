"""The messages of an agent loop: what was said in it, called and given back."""

from typing import Any, Literal

from pydantic import Field

from workflow_agent.domain.values import JsonObject, Value

Outcome = Literal["success", "failed", "retried", "interrupted"]
"""How a tool call ended: it returned, it failed for good, the model was asked to mend it, it was cut off."""


def _is_empty(items: tuple[Any, ...]) -> bool:
    """Say whether to leave a list out of the file: most messages have neither calls nor results."""
    return not items


def _is_none(value: Any) -> bool:
    """Say whether to leave a field out of the file: most contents stand where they belong."""
    return value is None


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
    content_ref: str | None = Field(default=None, exclude_if=_is_none)
    """`sha256:…` of the content where that is kept apart because it is large; `content` is null then."""


class MessagePart(Value):
    """A stretch of a message: its text, or the reference to where that is kept."""

    text: str | None = Field(default=None, exclude_if=_is_none)
    content_ref: str | None = Field(default=None, exclude_if=_is_none)


class Message(Value):
    """One message of the agent loop; a `tool` message carries the results of one step."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    parts: tuple[MessagePart, ...] = Field(default=(), exclude_if=_is_empty)
    """The content in stretches, where one of them is kept apart; `content` is empty then."""
    tool_calls: tuple[ToolCall, ...] = Field(default=(), exclude_if=_is_empty)
    results: tuple[ToolResult, ...] = Field(default=(), exclude_if=_is_empty)
