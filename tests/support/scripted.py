"""Models that do as they are told, for tests of what surrounds them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.settings import ModelSettings
from typing_extensions import override

Call = tuple[str, dict[str, Any]]


class Streaming(FunctionModel):
    """A model that says what its `stream_function` streams, also where it is asked for whole answers."""

    @override
    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        async with self.request_stream(messages, model_settings, model_request_parameters) as streamed:
            async for _ in streamed:
                pass
        return streamed.get()


@dataclass
class Calls:
    """A response that calls tools, optionally saying something first."""

    calls: Sequence[Call]
    text: str = ""


@dataclass
class Waits:
    """A response that begins, and goes on only when it is let."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    let: asyncio.Event = field(default_factory=asyncio.Event)
    text: str = "done waiting"


Step = str | Sequence[str] | Calls | Waits | Exception
Decide = Callable[[list[ModelMessage], AgentInfo], Step]


@dataclass
class Script:
    """What a scripted model says next, and what it was asked."""

    steps: list[Step]
    requests: list[tuple[list[ModelMessage], AgentInfo]] = field(default_factory=list)

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        self.requests.append((list(messages), info))
        async for part in parts_of(self.steps.pop(0), len(self.requests)):
            yield part

    def offered(self, request: int = -1) -> set[str]:
        """Return the names of the tools that a request offered."""
        return {tool.name for tool in self.requests[request][1].function_tools}

    def instructions(self, request: int = -1) -> str:
        """Return the instructions of a request."""
        return self.requests[request][1].instructions or ""


async def parts_of(step: Step, number: int) -> AsyncIterator[str | DeltaToolCalls]:
    """Yield what a step streams."""
    match step:
        case Exception():
            raise step
        case str():
            yield step
        case Calls():
            if step.text:
                yield step.text
            for at, (name, args) in enumerate(step.calls):
                call = DeltaToolCall(name, json.dumps(args), tool_call_id=f"call_{number}_{at}")
                yield {at + 1: call}
        case Waits():
            step.begun.set()
            yield ""
            await step.let.wait()
            yield step.text
        case _:
            for piece in step:
                yield piece


def scripted(*steps: Step, window_tokens: int = 32_000) -> tuple[Streaming, Script]:
    """Return a model that takes these steps, one a request, and its script."""
    script = Script(list(steps))
    model = Streaming(stream_function=script, model_name="scripted", profile={"context_window": window_tokens})
    return model, script
