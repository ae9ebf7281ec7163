"""The shapes of requests, open as OpenAI's are."""

from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints

from workflow_agent.api.native.attachments import Attachments
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.described import Described

MAX_MESSAGES = 10_000
MAX_METADATA = 16

Text = Annotated[str, StringConstraints(max_length=1_000_000)]
Metadata = Annotated[
    dict[Annotated[str, StringConstraints(max_length=64)], Annotated[str, StringConstraints(max_length=512)]],
    Field(max_length=MAX_METADATA),
]


def _as_parts(content: Any) -> Any:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _as_items(given: Any) -> Any:
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


def _as_id(given: Any) -> Any:
    return cast("JsonObject", given).get("id", given) if isinstance(given, dict) else given


Parts = Annotated[list[JsonObject] | None, BeforeValidator(_as_parts)]
"""The content of a message: text, or parts."""


class Open(Described):
    """An object that may have members nobody here knows."""

    model_config = ConfigDict(extra="allow", strict=True)


class ChatMessage(Open):
    """One message of a chat, as the client holds it."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Parts = None
    tool_calls: list[JsonObject] | None = None
    tool_call_id: str | None = None


class StreamOptions(Open):
    """What a stream carries beside the text."""

    include_usage: bool | None = None


class CompletionRequest(Open):
    """The body of `POST /v1/chat/completions`."""

    model: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=MAX_MESSAGES)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    attachments: Attachments | None = None
    """Documents that come with the last message."""
    metadata: Metadata | None = None
    user: Annotated[str, StringConstraints(max_length=256)] | None = None


class InputItem(Open):
    """One item of a response's input; only messages mean something here."""

    type: str = "message"
    role: Literal["system", "developer", "user", "assistant"] | None = None
    content: Parts = None


class ResponseRequest(Open):
    """The body of `POST /v1/responses`."""

    model: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    input: Annotated[list[InputItem], BeforeValidator(_as_items), Field(min_length=1, max_length=MAX_MESSAGES)]
    instructions: Text | None = None
    previous_response_id: Annotated[str, StringConstraints(max_length=200)] | None = None
    conversation: Annotated[str | None, BeforeValidator(_as_id)] = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    background: bool | None = None
    attachments: Attachments | None = None
    """Documents that come with the input."""
    metadata: Metadata | None = None
    user: Annotated[str, StringConstraints(max_length=256)] | None = None


class NewItems(Open):
    """Items to add to a conversation."""

    items: Annotated[list[InputItem], Field(min_length=1, max_length=20)]


class NewConversation(Open):
    """The body of `POST /v1/conversations`."""

    items: Annotated[list[InputItem], Field(max_length=20)] | None = None
    metadata: Metadata | None = None


class MetadataChange(Open):
    """The body of `POST /v1/conversations/{id}`."""

    metadata: Metadata
