"""Which hosts have a lease, and what is made of one that lost it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from benchmarks.postgres_wire import Sent, Wire
from tests.support.postgres import a_database_of_ones_own
from tests.support.scripted import scripted
from workflow_agent.assistant.providers import Models
from workflow_agent.conversations.document import Conversation, UserMessage
from workflow_agent.conversations.runs import Run
from workflow_agent.errors import StorageFailed
from workflow_agent.main.application import Application
from workflow_agent.main.composition import build
from workflow_agent.settings import Settings

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
EIGHTH = 8
WAITING = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    async def watch(sent: Sent, is_done: bool) -> bool:
        return True

    wire = Wire(await asyncio.to_thread(a_database_of_ones_own), watch)
    await wire.open()
    yield wire
    await wire.close()


@pytest.fixture
async def host(wire: Wire, tmp_path: Path) -> AsyncIterator[Application]:
    url = SecretStr(wire.url)
    settings = Settings(data_dir=tmp_path, database_url=url, host_lease_seconds=1, database_patience_seconds=30)
    application = build(settings, Models("scripted", {"scripted": scripted("Here.")[0]}, window_tokens=128_000))
    await application.open()
    yield application
    await application.finish()
    await asyncio.to_thread(application.close)


async def an_eighth_attempt(host: Application, owner: str, conversation_id: str = "talk") -> None:
    run_id = f"run_{conversation_id}_1_a"
    event = UserMessage(id="evt_1", index=0, turn=1, at=NOON, author="user", content="hello", run_id=run_id)
    run = Run(
        run_id=run_id,
        fingerprint="f",
        status="running",
        fence=EIGHTH,
        attempt=EIGHTH,
        agent=next(iter(host.services.agents)),
        turn=1,
        user_event_id="evt_1",
        owner=owner,
        accepted_at=NOON,
    )
    talk = Conversation(
        id=conversation_id, tenant="default", created_at=NOON, updated_at=NOON, events=(event,), runs=(run,)
    )
    await host.stores.conversations.create(talk)


@asynccontextmanager
async def a_connection(wire: Wire) -> AsyncGenerator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(wire.url)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def a_locked_row(wire: Wire, conversation_id: str) -> AsyncGenerator[None]:
    async with a_connection(wire) as connection, connection.transaction():
        await connection.execute("SET LOCAL workflow_agent.tenant = 'default'")
        locked = await connection.fetch("SELECT FROM conversation WHERE id = $1 FOR UPDATE", conversation_id)
        assert len(locked) == 1
        yield


async def looked_after(host: Application) -> Run:
    """Return the run once a look has done something about it."""
    while True:
        with suppress(StorageFailed):
            await host.takeover.look()
        (run,) = (await host.stores.conversations.load("default", "talk")).runs
        if (run.status, run.attempt) != ("running", EIGHTH):
            return run
        await asyncio.sleep(0.05)


async def test_a_message_that_eight_processes_died_of_is_not_tried_again(host: Application) -> None:
    await an_eighth_attempt(host, "999-nobody")

    async with asyncio.timeout(60):
        run = await looked_after(host)

    assert (run.status, run.attempt) == ("interrupted", EIGHTH)


@pytest.mark.slow
async def test_a_conversation_that_is_locked_keeps_no_later_run_waiting(host: Application, wire: Wire) -> None:
    await an_eighth_attempt(host, "999-nobody", "locked")
    async with asyncio.timeout(60), a_connection(wire) as seeing, a_locked_row(wire, "locked"):
        while not await seeing.fetch(WAITING):
            await host.takeover.look()
        await an_eighth_attempt(host, "998-nobody")

        run = await looked_after(host)

        assert await seeing.fetch(WAITING)
    assert run.status == "interrupted"


async def test_no_attempt_is_the_last_while_it_is_the_database_that_is_away(host: Application, wire: Wire) -> None:
    before = host.stores.owners.owner
    await an_eighth_attempt(host, before)

    async with asyncio.timeout(60):
        wire.cut()
        while host.stores.owners.owner == before:  # noqa: ASYNC110 - the lease has a thread of its own
            await asyncio.sleep(0.05)
        wire.is_cut = False
        run = await looked_after(host)

    assert run.attempt == EIGHTH + 1


@pytest.mark.slow
async def test_nobody_looks_for_dead_hosts_once_a_host_has_finished(host: Application) -> None:
    beside = asyncio.create_task(host.look_after())
    await an_eighth_attempt(host, "999-nobody")
    async with asyncio.timeout(60):
        while (await host.stores.conversations.load("default", "talk")).active_run():  # noqa: ASYNC110 - who looks is a task
            await asyncio.sleep(0.05)

        await host.finish()

    assert beside.done()
