"""What OpenAI's clients send: the bodies, and what of their parameters is honoured or refused."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

import orjson
from pydantic import BeforeValidator, Field, StringConstraints

from workflow_agent.api.native.chat import Attachments
from workflow_agent.api.openai_errors import kind_of
from workflow_agent.errors import InvalidInput, Problem
from workflow_agent.values.described import Described
from workflow_agent.values.stored import JsonObject

Test = Callable[[Any], bool]
_OWN_TOOLS = "it has tools of its own and calls no others"
_TEXT = "answers are text"
_NO_PROBABILITIES = "log probabilities are not available"
_ARTICLES = {"decimal": "a decimal", "integer": "an integer"}
_CALLED_BY_CLIENTS = ("function", "custom")
MAX_MESSAGES = 10_000
Text = Annotated[str, StringConstraints(max_length=1_000_000)]
Metadata = Annotated[
    dict[Annotated[str, StringConstraints(max_length=64)], Annotated[str, StringConstraints(max_length=512)]],
    Field(max_length=16),
]


def _as_parts(content: Any) -> Any:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _as_items(given: Any) -> Any:
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


def _as_id(given: Any) -> Any:
    return cast("JsonObject", given).get("id", given) if isinstance(given, dict) else given


Parts = Annotated[list[JsonObject] | None, BeforeValidator(_as_parts)]
"""The content of a message: text, or parts."""


class Open(Described, extra="allow", strict=True):
    """An object that may have members nobody here knows."""


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


def _never(_: Any) -> bool:
    return False


def _between(low: float, high: float, kind: Literal["decimal", "integer"] = "decimal") -> "Rule":
    """Return the rule that refuses what is no number between two; true is none."""
    kinds = (int,) if kind == "integer" else (int, float)

    def is_refused(value: Any) -> bool:
        is_number = isinstance(value, kinds) and not isinstance(value, bool)
        return value is not None and not (is_number and low <= value <= high)

    return Rule(is_refused, kind, _other_than(None), (low, high))


@dataclass(frozen=True, slots=True)
class Rule:
    """Which values of a parameter are refused, and which of the others have no effect."""

    is_refused: Test
    why: str = ""
    """Or what a number is, where there are bounds."""
    is_ignored: Test = _never
    bounds: tuple[float, float] | None = None

    def refusal(self, name: str, value: Any) -> tuple[str, str]:
        """Return what is told of a value that is refused, and its code, as OpenAI has both."""
        if self.bounds is None:
            shown = orjson.dumps(value).decode()[:60]
            told = f"Unsupported value: {name!r} does not support {shown} here: {self.why}. Leave it out."
            return told, "unsupported_value"
        low, high = self.bounds
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value or low <= value <= high:
            told = f"Invalid type for {name!r}: expected {_ARTICLES[self.why]}, but got {kind_of(value)} instead."
            return told, "invalid_type"
        side, bound, sign = ("below minimum", low, ">=") if value < low else ("above maximum", high, "<=")
        told = f"Invalid {name!r}: {self.why} {side} value. Expected a value {sign} {bound:g}"
        return f"{told}, but got {value} instead.", f"{self.why}_{side[:5]}_{side[6:9]}_value"


def _other_than(*values: Any) -> Test:
    return lambda value: value not in values


def _no_plain_text(value: Any) -> bool:
    return value not in (None, {"type": "text"})


def _text_options(value: Any) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {"format": value}


def _hosted(tools: Any) -> bool:
    """Say whether tools are wanted that would run at the provider."""
    listed = cast("list[Any]", tools) if isinstance(tools, list) else []
    kinds = [cast("JsonObject", one).get("type") for one in listed if isinstance(one, dict)]
    return any(kind not in _CALLED_BY_CLIENTS for kind in kinds)


_COUNT = _between(1, 2**63 - 1, "integer")
_RULES: Mapping[str, Rule] = {
    "n": Rule(_other_than(None, 1), "there is one answer to a message"),
    "stop": Rule(_other_than(None, [], ""), "answers are not cut at a stop sequence"),
    "logprobs": Rule(_other_than(None, False), _NO_PROBABILITIES),
    "top_logprobs": Rule(_other_than(None, 0), _NO_PROBABILITIES),
    "include": Rule(
        lambda value: isinstance(value, list) and "message.output_text.logprobs" in value, _NO_PROBABILITIES, bool
    ),
    "logit_bias": Rule(_other_than(None, {}), "single tokens cannot be weighed"),
    "response_format": Rule(_no_plain_text, _TEXT),
    "text": Rule(
        lambda value: _no_plain_text(_text_options(value).get("format")),
        _TEXT,
        lambda value: bool(_text_options(value).get("verbosity")),
    ),
    "modalities": Rule(_other_than(None, ["text"]), _TEXT),
    "audio": Rule(_other_than(None), _TEXT),
    "functions": Rule(_other_than(None, []), _OWN_TOOLS),
    "function_call": Rule(_other_than(None, "auto", "none"), _OWN_TOOLS),
    "tools": Rule(_hosted, _OWN_TOOLS, bool),
    "tool_choice": Rule(_other_than(None, "auto", "none"), "it has tools of its own and chooses by itself"),
    "prompt": Rule(_other_than(None), "stored prompts are not kept here"),
    "web_search_options": Rule(_other_than(None), "it does not search the web"),
    "moderation": Rule(_other_than(None), "nothing is moderated here"),
    "temperature": _between(0, 2),
    "top_p": _between(0, 1),
    "presence_penalty": _between(-2, 2),
    "frequency_penalty": _between(-2, 2),
    "max_tokens": _COUNT,
    "max_completion_tokens": _COUNT,
    "max_output_tokens": _COUNT,
    "truncation": Rule(_never, is_ignored=_other_than(None, "auto")),
    "store": Rule(_never, is_ignored=_other_than(None, True)),
}
_ANY_OTHER = Rule(_never, is_ignored=_other_than(None))


def ignored_parameters(request: Open) -> tuple[str, ...]:
    """Return the parameters that were sent and have no effect.

    Raises:
        InvalidInput: One would change the meaning of the answer, and cannot be honoured.
    """
    sent = (request.model_extra or {}).items()
    refused = {
        name: rule.refusal(name, value)
        for name, value in sent
        if (rule := _RULES.get(name, _ANY_OTHER)).is_refused(value)
    }
    if refused:
        told, code = next(iter(refused.values()))
        problems = [Problem(f"/{name}", message) for name, (message, _) in refused.items()]
        raise InvalidInput(told, problems, openai_code=code)
    return tuple(name for name, value in sent if _RULES.get(name, _ANY_OTHER).is_ignored(value))
