"""The service itself: a turn through its protocol, compactions included."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from benchmarks.peers.protocol import SUMMARY, reply_of
from workflow_agent.assistant.providers import Models
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.conversations.document import Conversation
from workflow_agent.main.application import Application
from workflow_agent.main.composition import build
from workflow_agent.settings import Settings

_TENANT = "default"


_TOOL = "list_workflows"


def fake_model(seconds: float, *, calls: bool = False) -> FunctionModel:
    """Return a model that answers every message, with `calls` after a tool call, and sums up when asked."""

    async def whole(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if seconds:
            await asyncio.sleep(seconds)
        if info.output_tools:
            return ModelResponse([ToolCallPart(info.output_tools[0].name, {"text": SUMMARY})])
        return ModelResponse([TextPart(SUMMARY)])

    async def streamed(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        if seconds:
            await asyncio.sleep(seconds)
        is_asked = messages[-1].parts[-1].part_kind != "tool-return"
        if calls and is_asked and any(tool.name == _TOOL for tool in info.function_tools):
            yield {0: DeltaToolCall(_TOOL, "{}", tool_call_id=f"call_{len(messages)}")}
            return
        yield reply_of(str(messages[-1].parts[-1].content))  # type: ignore[union-attr]

    return FunctionModel(whole, stream_function=streamed, model_name="fake")


def application(directory: Path, seconds: float, *, calls: bool = False) -> Application:
    """Return the service as it is served, around the fake model."""
    models = Models("fake", {"fake": fake_model(seconds, calls=calls)}, window_tokens=128_000)
    return build(Settings(data_dir=directory), models)


@dataclass(frozen=True, slots=True)
class _Talks:
    application: Application

    async def say(self, conversation: str, message: str) -> str:
        chat = self.application.services.chat
        await self._begun(conversation)
        started = await chat.start(_TENANT, TurnRequest(message, conversation_id=conversation, is_streamed=False))
        outcome = await started.outcome()
        # No turn waits for it; here it counts all the same.
        await self.application.services.compactor.settled()
        return outcome.reply.content

    async def _begun(self, conversation: str) -> None:
        store = self.application.stores.conversations
        at = self.application.services.clock()
        if not (self.application.settings.data_dir / _TENANT / "conversations" / f"{conversation}.json").exists():
            await store.create(Conversation(id=conversation, tenant=_TENANT, created_at=at, updated_at=at))

    async def seed(self, conversation: str, turns: int) -> None:
        raise NotImplementedError("it is talked to the end")


@asynccontextmanager
async def open_service(directory: Path, seconds: float, *, calls: bool = False) -> AsyncGenerator[Any]:
    """Run the service in this process."""
    one = application(directory, seconds, calls=calls)
    await one.prepare()
    try:
        yield _Talks(one)
    finally:
        await one.finish()
        await asyncio.to_thread(one.close)
