"""Conversations that a tenant does not keep for ever."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.in_memory import InMemoryConversationStore
from tests.support.postgres import an_empty_database
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.main.application import delete_unused, kept_since
from workflow_agent.settings import TenantAccess, load_settings
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.postgres.conversations import PostgresConversationStore

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture(params=["memory", "json", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ConversationStore]:
    if request.param == "postgres":
        async with an_empty_database() as database:
            yield PostgresConversationStore(database)
    else:
        yield (
            InMemoryConversationStore() if request.param == "memory" else JsonConversationStore(DurableFiles(tmp_path))
        )


def changed(days_ago: int, *, tenant: str = "acme", runs: tuple[Run, ...] = ()) -> Conversation:
    at = NOON - timedelta(days=days_ago)
    return Conversation(id=f"of-{days_ago}", tenant=tenant, created_at=at, updated_at=at, runs=runs)


async def test_what_was_not_changed_for_as_long_as_a_tenant_says_is_deleted(store: ConversationStore) -> None:
    for days in range(120):
        await store.create(changed(days))
    await store.create(changed(119, tenant="globex"))

    deleted = await delete_unused(store, "acme", NOON - timedelta(days=30))

    page = await store.page("acme", limit=200)
    assert (deleted, [one.id for one in page.items]) == (89, [f"of-{days}" for days in range(31)])
    assert len((await store.page("globex")).items) == 1


async def test_one_in_which_a_message_is_being_answered_stays(store: ConversationStore) -> None:
    run = Run(
        run_id="run_of-40_1_a",
        fingerprint="f",
        status="running",
        fence=1,
        agent="assistant",
        turn=1,
        user_event_id="evt_1",
        owner="me",
        accepted_at=NOON,
    )
    await store.create(changed(40, runs=(run,)))

    assert await delete_unused(store, "acme", NOON) == 0


def test_a_tenants_own_time_goes_before_that_of_all(tmp_path: Path) -> None:
    tenants = {"acme": TenantAccess(conversations_kept_days=7)}
    settings = load_settings(data_dir=tmp_path, tenants=tenants, tenant_conversations_kept_days=30)

    kept = [kept_since(settings, tenant, NOON) for tenant in ("acme", "globex")]

    assert kept == [NOON - timedelta(days=7), NOON - timedelta(days=30)]
    assert kept_since(load_settings(data_dir=tmp_path), "acme", NOON) is None
