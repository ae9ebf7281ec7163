"""Connections to PostgreSQL that break: what was asked is asked again over another."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from benchmarks.postgres_wire import Sent, Wire
from tests.support.postgres import database_url
from workflow_agent.storage.postgres.database import Database, DatabaseOptions

pytestmark = pytest.mark.slow


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    async def watch(sent: Sent, is_done: bool) -> bool:
        return True

    wire = Wire(await asyncio.to_thread(database_url), watch)
    await wire.open()
    yield wire
    await wire.close()


async def test_a_connection_that_the_server_ended_is_given_to_nobody_before_its_end_is_seen(
    wire: Wire,
) -> None:
    wire.linger_seconds = 3_600.0
    database = Database(DatabaseOptions(wire.url, most_connections=1))
    await database.rows("SELECT 1")
    server = await asyncpg.connect(wire.target)
    await server.execute("SELECT pg_terminate_backend(p) FROM unnest($1::int[]) AS p", wire.keys())
    await server.close()

    found = [await database.row("SELECT $1::int AS n", number) for number in range(2)]

    assert [row and row["n"] for row in found] == [0, 1]
    await database.close()
