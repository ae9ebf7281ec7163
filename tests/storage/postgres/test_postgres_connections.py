"""Connections to PostgreSQL that break: what was asked is asked again over another."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from benchmarks.postgres_wire import Sent, Wire
from tests.support.postgres import an_empty_database, database_url
from tests.support.scripted import scripted
from workflow_agent.assistant.providers import Models
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.conversations.document import Conversation, WorkflowReference
from workflow_agent.conversations.memory.person import Fact, Person
from workflow_agent.main.composition import build
from workflow_agent.settings import Settings
from workflow_agent.storage.postgres.database import Database, DatabaseOptions
from workflow_agent.storage.postgres.memories import PostgresPersonMemory, PostgresWorkflowMemory

pytestmark = pytest.mark.slow
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    async def watch(sent: Sent, is_done: bool) -> bool:
        return True

    wire = Wire(await asyncio.to_thread(database_url), watch)
    await wire.open()
    yield wire
    await wire.close()


async def test_a_connection_that_the_server_ended_is_given_to_nobody_before_its_end_is_seen(wire: Wire) -> None:
    wire.linger_seconds = 1.0
    database = Database(DatabaseOptions(wire.url, most_connections=1))
    await database.rows("SELECT 1")
    server = await asyncpg.connect(wire.target)
    await server.execute("SELECT pg_terminate_backend(p) FROM unnest($1::int[]) AS p", wire.keys())
    await server.close()

    found = [await database.row("SELECT $1::int AS n", number) for number in range(2)]

    assert [row and row["n"] for row in found] == [0, 1]
    await database.close()


async def test_a_turn_without_tools_asks_the_database_four_times(wire: Wire, tmp_path: Path) -> None:
    """To store message and reply, once for what is known of the user, and for what is to be forgotten."""
    asked: list[str] = []

    async def watch(sent: Sent, is_done: bool) -> bool:
        if not is_done:
            asked.append(" ".join(sent.text.split())[:60])
        return True

    settings = Settings(data_dir=tmp_path, database_url=SecretStr(wire.url))
    wire.watch = watch
    application = build(settings, Models("test", {"test": scripted(*["Hello."] * 3)[0]}, window_tokens=32_000))
    request = TurnRequest("hi", conversation_id="trips")
    at = application.services.clock()
    await application.stores.conversations.create(
        Conversation(id="trips", tenant=settings.tenant, created_at=at, updated_at=at)
    )
    await (await application.services.chat.start(settings.tenant, request)).outcome()
    asked.clear()
    for _ in range(2):
        await (await application.services.chat.start(settings.tenant, request)).outcome()
    await application.finish()
    application.close()

    assert len(asked) == 2 * 4, asked


async def test_what_is_known_of_a_user_is_read_at_once_as_each_memory_reads_it() -> None:
    async with an_empty_database() as database:
        memory, people = PostgresWorkflowMemory(database, most=10), PostgresPersonMemory(database)
        nobody = await memory.read_known("acme", "nobody")
        dealt_with = WorkflowReference(
            workflow_id="wf_a", name="A", relation="modified", turn=1, conversation_id="talk", at=NOON
        )
        told = Fact(id="mem_0123456789", text="short names", at=NOON)
        await memory.remember("acme", "anna", [dealt_with])
        await people.update("acme", "anna", lambda one: one.model_copy(update={"facts": (told,)}))

        known = await memory.read_known("acme", "anna")

    assert nobody == ((), Person(user="nobody"))
    assert known == ((dealt_with,), Person(user="anna", facts=(told,)))
