"""What the benchmark asks of each peer, and what they all talk about."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

LOOKED_AT = (1, 10, 100, 1_000)
"""Turns after which figures are taken."""
CLIENTS, TURNS_EACH, MODEL_SECONDS = (24, 64), 10, 0.05
"""Of the conversations over HTTP."""
TOOL = "look_up_team"
INSTRUCTIONS = "You help people with workflows."
SUMMARY = "The user told which team reports to whom, one message after the other; nothing is left to do."


def message_of(turn: int) -> str:
    """Return what the user says in a turn."""
    return f"Note {turn}: team {turn % 7} reports to team {turn % 11} on Mondays. What else do you need?"


def reply_of(message: str) -> str:
    """Return what the model answers, about 300 characters."""
    return (
        f"Noted: {message.partition('.')[0]}. I keep it with what you told me before. To go on I need "
        "to know who stands in when somebody is away, how long a report may wait before it is escalated, "
        "and whether the team's manager wants a copy of each. Tell me in any order, and I put it where "
        "it belongs."
    )


def look_up_team(name: str) -> str:
    """Return what is known of a team."""
    return f"Team {name} has seven people."


class Talks(Protocol):
    """A peer that is running."""

    async def say(self, conversation: str, message: str) -> str:
        """Return the reply to a message, once everything is stored that this peer stores."""
        ...

    async def seed(self, conversation: str, turns: int) -> None:
        """Put so many turns into a new conversation, as they would be kept had they been talked."""
        ...


class Opens(Protocol):
    """Starts a peer over a directory."""

    def __call__(self, directory: Path, seconds: float, *, calls: bool = False) -> AbstractAsyncContextManager[Talks]:
        """Return the peer, running as long as the block lasts.

        Args:
            directory: Where it keeps its files.
            seconds: How long its model takes beside the processor's time, for each request.
            calls: Whether its model calls a tool before it answers.
        """
        ...


@dataclass(frozen=True, slots=True)
class Peer:
    """One set-up that is compared."""

    name: str
    module: str
    """Whose `open_<variant>` starts it; imported only in its own process."""
    opens: str
    packages: tuple[str, ...]
    keeps: str
    """What is left of a long conversation."""
    durable: str
    """What a power cut leaves of an answered turn."""
    seeded_at: int | None = None
    """From which turn on its history is put in rather than talked, because talking would take too long."""


PEERS = {
    "ours": Peer(
        "workflow_agent",
        "ours",
        "open_service",
        ("pydantic-ai-slim",),
        "everything",
        "all of it: the message synced before the model is asked, file and directory with the reply",
    ),
    "langgraph": Peer(
        "LangGraph, SQLite checkpointer",
        "langgraph_sqlite",
        "open_whole",
        ("langgraph", "langgraph-checkpoint-sqlite", "langchain"),
        "everything",
        'all of it: durability "sync", WAL with SQLite\'s default of synchronous = FULL',
    ),
    "langgraph-summary": Peer(
        "LangGraph, summarisation middleware",
        "langgraph_sqlite",
        "open_summarised",
        ("langgraph", "langgraph-checkpoint-sqlite", "langchain"),
        "a summary and the last 20 messages",
        "as above",
    ),
    "agents": Peer(
        "OpenAI Agents SDK, SQLiteSession",
        "openai_agents",
        "open_whole",
        ("openai-agents",),
        "everything",
        "all of it: WAL with SQLite's default of synchronous = FULL",
    ),
    "agents-30": Peer(
        "OpenAI Agents SDK, last 30 items",
        "openai_agents",
        "open_cut",
        ("openai-agents",),
        "everything on disk, the last 30 items for the model",
        "as above",
    ),
    "pydantic-ai": Peer(
        "Pydantic AI, history in one JSON file",
        "pydantic_ai_json",
        "open_whole",
        ("pydantic-ai-slim",),
        "everything",
        "all of it: the file is replaced, it and its directory synced",
    ),
    "harness": Peer(
        "Pydantic AI Harness, step persistence in SQLite",
        "pydantic_ai_steps",
        "open_whole",
        ("pydantic-ai-harness", "pydantic-ai-slim"),
        "everything",
        "all of it: WAL with SQLite's default of synchronous = FULL",
        seeded_at=100,
    ),
    "synced": Peer(
        "Pydantic AI, two synced appends, last 15 turns",
        "pydantic_ai_json",
        "open_synced",
        ("pydantic-ai-slim",),
        "everything on disk, the last 15 turns for the model",
        "all of it: the message synced before the model is asked, the turn after it",
    ),
    "floor": Peer(
        "No framework, two synced appends",
        "no_framework",
        "open_bare",
        (),
        "the texts on disk, nothing for the model",
        "as above",
    ),
    "jsonl": Peer(
        "Pydantic AI, appended JSONL, last 15 turns",
        "pydantic_ai_json",
        "open_appended",
        ("pydantic-ai-slim",),
        "everything on disk, the last 15 turns for the model",
        "nothing is waited for: the system writes when it likes",
    ),
}
