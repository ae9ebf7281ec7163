"""The model that answers without a provider: rules, no network, deterministic."""

import asyncio
import hashlib
import itertools
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

if TYPE_CHECKING:
    from workflow_agent.assistant.offline.replying import Replying

MODEL_NAME = "offline"
DEFAULT_WINDOW_TOKENS = 32_000
_CHARS_PER_TOKEN = 4
_WORD_WITH_SPACE = re.compile(r"\s*\S+\s*|\s+")


class OfflineModel(Model[None]):
    """A small assistant made of rules that acts only by calling the tools a request offers.

    It keeps nothing between requests: each one reads the turn anew from its messages and replays it up to the
    first tool result that is missing.

    Args:
        window_tokens: How much the model claims to see at once.
    """

    def __init__(self, *, window_tokens: int = DEFAULT_WINDOW_TOKENS, settings: ModelSettings | None = None) -> None:
        super().__init__(
            settings=settings, profile=ModelProfile(context_window=window_tokens, supports_inline_system_prompts=True)
        )

    @property
    def model_name(self) -> str:
        """The name that replies and records carry."""
        return MODEL_NAME

    @property
    def system(self) -> str:
        """The provider's name: there is none, so the model's own."""
        return MODEL_NAME

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the next tool call of the turn, or its reply."""
        _, parameters = self.prepare_request(model_settings, model_request_parameters)
        parts = await asyncio.to_thread(self._parts, messages, parameters)
        return ModelResponse(
            parts=parts,
            usage=_usage(messages, parameters, parts),
            model_name=MODEL_NAME,
            provider_name=MODEL_NAME,
            finish_reason="tool_call" if isinstance(parts[0], ToolCallPart) else "stop",
        )

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Return the estimated size of a request."""
        _, parameters = self.prepare_request(model_settings, model_request_parameters)
        return _usage(messages, parameters, ())

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,  # noqa: ARG002 - part of the interface
    ) -> AsyncGenerator[StreamedResponse]:
        """Give the same answer as `request`, its text word by word."""
        _, parameters = self.prepare_request(model_settings, model_request_parameters)
        parts = await asyncio.to_thread(self._parts, messages, parameters)
        yield OfflineStream(
            model_request_parameters=parameters, parts=parts, reported=_usage(messages, parameters, parts)
        )

    def read_rules(self) -> None:
        """Import the rules now; otherwise the first request does."""
        _rules()

    # Runs in a thread: a very long message takes long enough to read that others would wait.
    def _parts(self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> list[ModelResponsePart]:
        reply = _rules()(messages, _instructions(messages, parameters), parameters)
        if isinstance(reply, str):
            return [TextPart(reply)]
        return [ToolCallPart(tool, args, tool_call_id=_call_id(tool, args, messages)) for tool, args in reply]


@dataclass
class OfflineStream(StreamedResponse):
    """A finished response given out in word-sized pieces."""

    parts: Sequence[ModelResponsePart]
    reported: RequestUsage
    started: datetime = field(default_factory=lambda: datetime.now(UTC))

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        self._usage += self.reported
        for part in self.parts:
            if isinstance(part, TextPart):
                for word in _WORD_WITH_SPACE.findall(part.content):
                    for event in self._parts_manager.handle_text_delta(vendor_part_id="text", content=word):
                        yield event
            else:
                yield self._parts_manager.handle_part(vendor_part_id=None, part=part)
        self.finish_reason = "tool_call" if isinstance(self.parts[0], ToolCallPart) else "stop"

    async def close_stream(self) -> None:
        """Do nothing: there is no connection."""

    @property
    def model_name(self) -> str:
        """The name that replies and records carry."""
        return MODEL_NAME

    @property
    def provider_name(self) -> str:
        """The provider's name."""
        return MODEL_NAME

    @property
    def provider_url(self) -> None:
        """There is no address."""

    @property
    def timestamp(self) -> datetime:
        """When the response began."""
        return self.started


def _rules() -> "Replying":
    # Here, because the rules are over a hundred modules, and a server listens before it has read them.
    from workflow_agent.assistant.offline.replying import reply  # noqa: PLC0415 - see above

    return reply


def _instructions(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> str:
    parts = parameters.instruction_parts
    if parts is not None:
        return InstructionPart.join(parts) or ""
    kept = [m.instructions for m in messages if isinstance(m, ModelRequest) and m.instructions]
    return kept[-1] if kept else ""


def _call_id(tool: str, args: Any, messages: Sequence[ModelMessage]) -> str:
    """Return an id that the same messages always give and that no call in them has."""
    taken = {part.tool_call_id for message in messages for part in message.parts if isinstance(part, ToolCallPart)}
    material = f"{len(messages)} {tool} {json.dumps(args, sort_keys=True, default=str)}"
    ids = ("call_" + hashlib.sha256(f"{material} {number}".encode()).hexdigest()[:20] for number in itertools.count())
    return next(one for one in ids if one not in taken)


def _usage(
    messages: Sequence[ModelMessage], parameters: ModelRequestParameters, parts: Sequence[ModelResponsePart]
) -> RequestUsage:
    """Return the estimate of a quarter token a character, for what was read and what was written."""
    tools = sum(
        len(tool.name) + len(tool.description or "") + len(json.dumps(tool.parameters_json_schema))
        for tool in parameters.declared_function_tools
    )
    read = len(_instructions(messages, parameters)) + tools + sum(_chars(p) for m in messages for p in m.parts)
    return RequestUsage(input_tokens=_tokens(read), output_tokens=_tokens(sum(_chars(part) for part in parts)))


def _tokens(chars: int) -> int:
    return -(-chars // _CHARS_PER_TOKEN)


def _chars(part: Any) -> int:
    if isinstance(part, ToolCallPart):
        return len(part.tool_name) + len(part.args_as_json_str())
    if isinstance(part, ToolReturnPart):
        return len(part.model_response_str())
    if isinstance(part, UserPromptPart) and not isinstance(part.content, str):
        return sum(len(item) for item in part.content if isinstance(item, str))
    content: Any = getattr(part, "content", "")
    return len(content) if isinstance(content, str) else 0
