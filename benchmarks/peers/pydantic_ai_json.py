"""Pydantic AI by itself: its message history in one JSON file, or appended to one of lines."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from benchmarks.peers.protocol import INSTRUCTIONS, TOOL, look_up_team, message_of, reply_of

_WINDOW_TURNS = 15


def fake_model(seconds: float) -> FunctionModel:
    """Return a model that answers every message, after a call of the tool where there is one."""

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if seconds:
            await asyncio.sleep(seconds)
        last = messages[-1].parts[-1]
        if info.function_tools and isinstance(last, UserPromptPart):
            return ModelResponse([ToolCallPart(TOOL, {"name": "3"}, f"call_{len(messages)}")])
        return ModelResponse([TextPart(reply_of(str(last.content)))])  # type: ignore[union-attr]

    return FunctionModel(answer, model_name="fake")


def agent_of(seconds: float, *, calls: bool, **how: Any) -> Agent[None, str]:
    """Return an agent over the fake model."""
    tools = [look_up_team] if calls else []
    return Agent(fake_model(seconds), instructions=INSTRUCTIONS, tools=tools, **how)


def talked(turns: int) -> list[ModelMessage]:
    """Return the messages of so many turns."""
    said: list[ModelMessage] = []
    for turn in range(1, turns + 1):
        message = message_of(turn)
        said += [
            ModelRequest([UserPromptPart(message)], instructions=INSTRUCTIONS),
            ModelResponse([TextPart(reply_of(message))], model_name="fake"),
        ]
    return said


@dataclass(frozen=True, slots=True)
class _OneFile:
    """Reads the file, runs, and replaces the file, durably."""

    directory: Path
    agent: Agent[None, str]

    async def say(self, conversation: str, message: str) -> str:
        path = self.directory / f"{conversation}.json"
        stored = await asyncio.to_thread(lambda: path.read_bytes() if path.exists() else b"[]")
        done = await self.agent.run(message, message_history=ModelMessagesTypeAdapter.validate_json(stored))
        await asyncio.to_thread(_replace, path, done.all_messages_json())
        return done.output

    async def seed(self, conversation: str, turns: int) -> None:
        data = ModelMessagesTypeAdapter.dump_json(talked(turns))
        await asyncio.to_thread(_replace, self.directory / f"{conversation}.json", data)


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_suffix(".new")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    _sync_directory(path.parent)


def _sync_directory(path: Path) -> None:
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


@dataclass(frozen=True, slots=True)
class _Appended:
    """Keeps what it shows the model in memory, and appends each turn to a file without waiting."""

    directory: Path
    agent: Agent[None, str]
    turns: dict[str, list[list[ModelMessage]]] = field(default_factory=dict)

    async def say(self, conversation: str, message: str) -> str:
        turns = self.turns.setdefault(conversation, [])
        history = [one for turn in turns[-_WINDOW_TURNS:] for one in turn]
        done = await self.agent.run(message, message_history=history)
        turns.append(done.new_messages())
        with (self.directory / f"{conversation}.jsonl").open("ab") as file:
            file.write(ModelMessagesTypeAdapter.dump_json(turns[-1]) + b"\n")
        return done.output

    async def seed(self, conversation: str, turns: int) -> None:
        said = talked(turns)
        self.turns[conversation] = [said[at : at + 2] for at in range(0, len(said), 2)]
        with (self.directory / f"{conversation}.jsonl").open("ab") as file:
            file.writelines(ModelMessagesTypeAdapter.dump_json(turn) + b"\n" for turn in self.turns[conversation])


@dataclass(frozen=True, slots=True)
class TalksSynced(_Appended):
    """Stores the message before the model is asked, and the turn after it, both durably."""

    async def say(self, conversation: str, message: str) -> str:
        turns = self.turns.setdefault(conversation, [])
        history = [one for turn in turns[-_WINDOW_TURNS:] for one in turn]
        file = self.directory / f"{conversation}.jsonl"
        asked = ModelMessagesTypeAdapter.dump_json([ModelRequest([UserPromptPart(message)])])
        await asyncio.to_thread(append_synced, file, asked + b"\n")
        done = await self.agent.run(message, message_history=history)
        turns.append(done.new_messages())
        said = ModelMessagesTypeAdapter.dump_json(turns[-1])
        await asyncio.to_thread(append_synced, file, said + b"\n")
        return done.output


def append_synced(path: Path, line: bytes) -> None:
    """Append a line durably."""
    is_new = not path.exists()
    with path.open("ab") as file:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        _sync_directory(path.parent)


@asynccontextmanager
async def open_whole(directory: Path, seconds: float, *, calls: bool = False) -> AsyncGenerator[Any]:
    """Run it with the whole history in one file and in each request."""
    yield _OneFile(directory, agent_of(seconds, calls=calls))


@asynccontextmanager
async def open_appended(directory: Path, seconds: float, *, calls: bool = False) -> AsyncGenerator[Any]:
    """Run it with the last turns in each request."""
    yield _Appended(directory, agent_of(seconds, calls=calls))


@asynccontextmanager
async def open_synced(directory: Path, seconds: float, *, calls: bool = False) -> AsyncGenerator[Any]:
    """Run it with the last turns in each request, and as durable as the service is."""
    yield TalksSynced(directory, agent_of(seconds, calls=calls))
