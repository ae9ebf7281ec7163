"""No framework at all: a message and its reply, each appended and synced. What any server of turns takes."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers.protocol import look_up_team, message_of, reply_of
from benchmarks.peers.pydantic_ai_json import append_synced


@dataclass(frozen=True, slots=True)
class _Talks:
    directory: Path
    seconds: float
    calls: bool

    async def say(self, conversation: str, message: str) -> str:
        file = self.directory / f"{conversation}.jsonl"
        await asyncio.to_thread(append_synced, file, _line("user", message))
        if self.calls:
            await asyncio.sleep(self.seconds)
            look_up_team("3")
        await asyncio.sleep(self.seconds)
        reply = reply_of(message)
        await asyncio.to_thread(append_synced, file, _line("assistant", reply))
        return reply

    async def seed(self, conversation: str, turns: int) -> None:
        with (self.directory / f"{conversation}.jsonl").open("ab") as file:
            file.writelines(_line("user", message_of(turn)) for turn in range(1, turns + 1))


def _line(role: str, content: str) -> bytes:
    return json.dumps({"role": role, "content": content}).encode() + b"\n"


@asynccontextmanager
async def open_bare(directory: Path, seconds: float, *, calls: bool = False) -> AsyncGenerator[Any]:
    """Run it."""
    yield _Talks(directory, seconds, calls)
