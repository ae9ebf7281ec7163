"""The shapes of requests, open as OpenAI's are: what has no effect is named, what would lie refused."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from workflow_agent.api.attachments import Attachments
from workflow_agent.domain.errors import InvalidInput, Problem
from workflow_agent.domain.values import JsonObject

MAX_MESSAGES = 10_000
MAX_METADATA = 16
_NOTHING = (None,)

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


class Open(BaseModel):
    """An object that may have members nobody here knows."""

    model_config = ConfigDict(extra="allow", strict=True, use_attribute_docstrings=True)


class ChatMessage(Open):
    """One message of a chat, as the client holds it."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Parts = None


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
    input: Annotated[
        list[InputItem], BeforeValidator(_as_items), Field(min_length=1, max_length=MAX_MESSAGES)
    ]
    instructions: Text | None = None
    previous_response_id: Annotated[str, StringConstraints(max_length=200)] | None = None
    conversation: Annotated[str | None, BeforeValidator(_as_id)] = None
    stream: bool | None = None
    background: bool | None = None
    store: bool | None = None
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


def _is_plain_text(value: Any) -> bool:
    return value is None or value == {"type": "text"}


def _is_text_option(value: Any) -> bool:
    return value is None or (
        isinstance(value, dict) and _is_plain_text(cast("JsonObject", value).get("format"))
    )


def _one_of(*values: Any) -> Callable[[Any], bool]:
    return lambda value: value in values


_HARMLESS_ONLY_AS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "n": (_one_of(None, 1), "there is one answer to a message"),
    "stop": (_one_of(None, [], ""), "answers are not cut at a stop sequence"),
    "logprobs": (_one_of(None, False), "log probabilities are not available"),
    "top_logprobs": (_one_of(None, 0), "log probabilities are not available"),
    "logit_bias": (_one_of(None, {}), "single tokens cannot be weighed"),
    "response_format": (_is_plain_text, "answers are text"),
    "text": (_is_text_option, "answers are text"),
    "modalities": (_one_of(None, ["text"]), "answers are text"),
    "audio": (_one_of(*_NOTHING), "answers are text"),
    "functions": (_one_of(None, []), "it has tools of its own and calls no others"),
    "function_call": (_one_of(None, "auto", "none"), "it has tools of its own and calls no others"),
    "tool_choice": (_one_of(None, "auto", "none"), "it has tools of its own and chooses by itself"),
    "prompt": (_one_of(*_NOTHING), "stored prompts are not kept here"),
    "web_search_options": (_one_of(*_NOTHING), "it does not search the web"),
}
"""What would change the meaning of an answer, unless it has one of these values."""


def ignored_parameters(request: Open, *, silent: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the parameters that were sent and have no effect.

    Args:
        request: What was sent.
        silent: Parameters that need no mention, because they mean nothing anywhere.

    Raises:
        InvalidInput: One would change the meaning of the answer, and cannot be honoured.
    """
    extra = request.model_extra or {}
    refused = [
        Problem(f"/{name}", f"cannot be honoured: {why}. Leave it out.")
        for name, (is_harmless, why) in _HARMLESS_ONLY_AS.items()
        if name in extra and not is_harmless(extra[name])
    ]
    if refused:
        first = refused[0]
        raise InvalidInput(f"{first.pointer[1:]!r} {first.message}", refused)
    return tuple(name for name, value in extra.items() if value is not None and name not in silent)
