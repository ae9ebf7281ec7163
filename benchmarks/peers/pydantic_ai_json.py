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
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from benchmarks.peers.protocol import INSTRUCTIONS, message_of, reply_of

_WINDOW_TURNS = 15


def fake_model(seconds: float) -> FunctionModel:
    """Return a model that answers every message."""

    async def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        if seconds:
            await asyncio.sleep(seconds)
        return ModelResponse([TextPart(reply_of(str(messages[-1].parts[-1].content)))])  # type: ignore[union-attr]

    return FunctionModel(answer, model_name="fake")


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
    directory = os.open(path.parent, os.O_RDONLY)
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
            file.writelines(
                ModelMessagesTypeAdapter.dump_json(turn) + b"\n" for turn in self.turns[conversation]
            )


@asynccontextmanager
async def open_whole(directory: Path, seconds: float) -> AsyncGenerator[Any]:
    """Run it with the whole history in one file and in each request."""
    yield _OneFile(directory, Agent(fake_model(seconds), instructions=INSTRUCTIONS))


@asynccontextmanager
async def open_appended(directory: Path, seconds: float) -> AsyncGenerator[Any]:
    """Run it with the last turns in each request."""
    yield _Appended(directory, Agent(fake_model(seconds), instructions=INSTRUCTIONS))
