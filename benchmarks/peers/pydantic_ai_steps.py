"""Pydantic AI Harness: step persistence, each turn continuing the run of the turn before."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_ai import Agent
from pydantic_ai_harness.step_persistence import SqliteStepStore, StepPersistence, continue_run

from benchmarks.peers.protocol import message_of
from benchmarks.peers.pydantic_ai_json import agent_of, talked


@dataclass(frozen=True, slots=True)
class _Talks:
    store: SqliteStepStore
    agent: Agent[None, str]
    seeded: dict[str, Any] = field(default_factory=dict)

    async def say(self, conversation: str, message: str) -> str:
        history = self.seeded.pop(conversation, None)
        if history is None:
            runs = await self.store.list_runs(conversation_id=conversation)
            history = await continue_run(self.store, run_id=runs[-1].run_id) if runs else []
        done = await self.agent.run(message, message_history=history, conversation_id=conversation)
        return done.output

    async def seed(self, conversation: str, turns: int) -> None:
        # The first run of a conversation that comes with a history stores all of it.
        self.seeded[conversation] = talked(turns - 1)
        await self.say(conversation, message_of(turns))


@asynccontextmanager
async def open_whole(directory: Path, seconds: float, *, calls: bool = False) -> AsyncGenerator[Any]:
    """Run it with the whole history in each request and each snapshot."""
    store = SqliteStepStore(database=directory / "steps.sqlite")
    steps = [StepPersistence(store=store, agent_name="peer")]
    yield _Talks(store, agent_of(seconds, calls=calls, capabilities=steps))
