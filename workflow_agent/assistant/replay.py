"""Our stored messages as Pydantic AI messages, and back."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    RetryFeedbackPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from workflow_agent.conversations.iterations import FinishReason, Message, ToolCall, ToolResult
from workflow_agent.values.stored import JsonObject

_SAY_WHY = frozenset({"openai", "anthropic"})
"""Protocols in which each answer says why it ended, or counts its tokens at the end.

The framework takes an answer that does neither for whole.
"""
_NOTE = "not_from_the_user"
"""Frames what another agent or the system said, where it cannot be said in their role."""


def to_model_messages(messages: Iterable[Message], *, system_in_place: bool = True) -> list[ModelMessage]:
    """Return stored messages as the model's, in order; messages that say nothing are left out.

    Where the provider does not leave system messages in their place, they are carried as framed user text, which keeps
    their order and says who speaks.
    """
    carried = (one if system_in_place or one.role != "system" else _as_note(one) for one in messages)
    made = (_response(one) if one.role == "assistant" else _request(one) for one in carried)
    return [one for one in made if one is not None]


def _as_note(message: Message) -> Message:
    inside = message.content.replace(f"</{_NOTE}", f"<\\/{_NOTE}")
    return Message(role="user", content=f"<{_NOTE}>\n{inside}\n</{_NOTE}>")


def _response(message: Message) -> ModelResponse | None:
    parts: list[ModelResponsePart] = [TextPart(message.content)] if message.content else []
    parts += [ToolCallPart(call.name, call.args, tool_call_id=call.id) for call in message.tool_calls]
    return ModelResponse(parts=parts) if parts else None


def _request(message: Message) -> ModelRequest | None:
    parts: list[ModelRequestPart] = [
        ToolReturnPart(result.name, result.content, tool_call_id=result.id, outcome=result.outcome)
        for result in message.results
    ]
    if message.content:
        system = message.role == "system"
        parts.append(SystemPromptPart(message.content) if system else UserPromptPart(message.content))
    return ModelRequest(parts=parts) if parts else None


def responses_in(kept: Iterable[bytes]) -> Iterator[ModelResponse]:
    """Yield the model's responses that a journal kept, up to the first of another release."""
    for one in kept:
        try:
            (message,) = ModelMessagesTypeAdapter.validate_json(one)
        except ValueError:
            return
        if isinstance(message, ModelResponse):
            yield message


def said_by(response: ModelResponse) -> tuple[str, tuple[ToolCall, ...]]:
    """Return the text and the tool calls of a model's response.

    Arguments that are not a JSON object are kept under `unparsed`: the call is on record as it was made.
    """
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    calls = tuple(
        ToolCall(id=part.tool_call_id, name=part.tool_name, args=arguments_of(part))
        for part in response.parts
        if isinstance(part, ToolCallPart)
    )
    return text, calls


def why_ended(response: ModelResponse) -> FinishReason:
    """Return why a model's response ended."""
    details = response.provider_details or {}
    said = details.get("finish_reason")
    if details.get("refusal") or said == "refusal":
        return "refusal"
    if response.finish_reason in ("length", "content_filter"):
        return response.finish_reason
    is_counted = response.usage.has_values()
    return "cut" if not (said or is_counted) and response.provider_name in _SAY_WHY else "stop"


def attempts_before(response: ModelResponse) -> list[JsonObject]:
    """Return the models that failed before the one that gave a response, each with its error's type.

    Their messages are left out: they may quote keys, prompts or addresses.
    """
    return [
        {"model": one.model_name, "error_type": (one.error or one.outcome).partition(":")[0]}
        for one in response.failed_attempts or ()
    ]


def refusal_in(response: ModelResponse) -> str:
    """Return the words in which a model refused to answer, if it did."""
    return str((response.provider_details or {}).get("refusal") or "")


def session_of(response: ModelResponse) -> str | None:
    """Return the provider's name for the session a response belongs to: its conversation's, or its own."""
    named = (response.provider_details or {}).get("conversation_id") or response.provider_response_id
    return str(named) if named else None


def arguments_of(part: ToolCallPart) -> dict[str, Any]:
    """Return the arguments as the model wrote them; under `unparsed` what is no JSON object."""
    if isinstance(part.args, dict):
        return part.args
    try:
        parsed: Any = json.loads(part.args or "{}")
    except ValueError:
        return {"unparsed": part.args}
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {"unparsed": part.args}


def results_in(messages: Sequence[ModelMessage]) -> tuple[ToolResult, ...]:
    """Return the tool results of the last message, which answers the response before it."""
    return tuple(_result(part) for part in messages[-1].parts if isinstance(part, ToolReturnPart))


def _result(part: ToolReturnPart[Any]) -> ToolResult:
    if part.outcome == "success":
        return ToolResult(id=part.tool_call_id, name=part.tool_name, content=part.content)
    outcome = "failed" if part.outcome == "denied" else part.outcome
    told = part.model_response_str(wrap_if_error=False)
    return ToolResult(id=part.tool_call_id, name=part.tool_name, outcome=outcome, content=told)


def asks_to_mend(messages: Sequence[ModelMessage]) -> bool:
    """Say whether the last message asks the model to mend its response."""
    return any(isinstance(part, RetryFeedbackPart) for part in messages[-1].parts)
