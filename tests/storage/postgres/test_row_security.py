"""The second wall between tenants: what a statement that names no tenant, or another one, comes to see."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from tests.support.postgres import a_database_of_ones_own, an_empty_database
from workflow_agent.conversations.document import Conversation, UserMessage
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.database import (
    Database,
    DatabaseOptions,
    change_of_tenant,
    migrations,
    of_all_tenants,
    of_tenant,
)

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
_WITH_TENANT = """SELECT table_name FROM information_schema.columns
WHERE column_name = 'tenant' AND table_schema = current_schema()"""
INDEX_OF_MESSAGES = "message"
NUMBER = 5
"""The migration that makes the wall."""


def conversation(tenant: str) -> Conversation:
    said = UserMessage(id="evt_1", index=0, turn=1, at=NOON, author="anna", content=f"of {tenant}")
    return Conversation(id="talk", tenant=tenant, created_at=NOON, updated_at=NOON, events=(said,))


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    async with an_empty_database() as database:
        for tenant in ("acme", "globex"):
            await PostgresConversationStore(database).create(conversation(tenant))
        yield database


async def tables_with_tenants(database: Database) -> set[str]:
    return {row["table_name"] for row in await database.rows(_WITH_TENANT)} - {INDEX_OF_MESSAGES}


async def test_every_table_with_a_tenant_has_the_wall(database: Database) -> None:
    walled = await database.rows(
        "SELECT relname FROM pg_class JOIN pg_policies ON tablename = relname "
        "WHERE relrowsecurity AND relforcerowsecurity AND policyname = 'of_tenant'"
    )

    assert {row["relname"] for row in walled} == await tables_with_tenants(database)


async def test_a_statement_that_names_no_tenant_sees_nothing(database: Database) -> None:
    tables = await tables_with_tenants(database)
    statement = " UNION ALL ".join(map("SELECT tenant FROM {}".format, tables))

    everything = await database.rows(of_all_tenants(statement))
    seen = await database.rows(statement)

    # Each item counts twice: in its table and in its partition.
    assert (len(everything), len(seen)) == (6, 0)


async def test_a_statement_that_forgets_its_condition_sees_the_rows_of_its_tenant_alone(database: Database) -> None:
    seen = await database.rows(of_tenant("SELECT tenant FROM conversation WHERE $1 <> ''"), "acme")
    changed = await database.rows(change_of_tenant("DELETE FROM conversation WHERE $1 <> ''"), "acme")
    left = await database.rows(of_all_tenants("SELECT tenant FROM conversation"))

    assert [row["tenant"] for row in seen] == ["acme"]
    assert (len(changed), [row["tenant"] for row in left]) == (1, ["globex"])


async def test_the_name_of_a_tenant_does_not_stay_on_the_connection(database: Database) -> None:
    async with database.connection() as connection:
        named = await connection.fetch(of_tenant("SELECT 1 FROM conversation WHERE tenant = $1"), "acme")
        after = await connection.fetch("SELECT 1 FROM conversation")

    assert (len(named), len(after)) == (1, 0)


async def test_a_row_of_another_tenant_is_not_written(database: Database) -> None:
    with pytest.raises(StorageFailed, match="row-level security"):
        await database.rows(change_of_tenant("INSERT INTO catalogue SELECT 'globex', length($1)"), "acme")


async def test_it_is_for_people_to_switch_on_where_hosts_of_the_release_before_may_work() -> None:
    database = Database(DatabaseOptions(await asyncio.to_thread(a_database_of_ones_own, is_blank=True)))
    before_it = [one for one in migrations() if one[0] < NUMBER]
    async with database.connection() as connection:
        await connection.execute("CREATE TABLE schema_migration (number int PRIMARY KEY, at timestamptz DEFAULT now())")
        for number, path in before_it:
            await connection.execute(path.read_text())
            await connection.execute("INSERT INTO schema_migration VALUES ($1, now() - interval '1 day')", number)

    await database.migrate()
    await PostgresConversationStore(database).create(conversation("acme"))
    before = await database.rows("SELECT 1 FROM conversation")
    await database.rows("SELECT row_security_of_tenants(true)")
    after = await database.rows("SELECT 1 FROM conversation")
    await database.close()

    assert (len(before), len(after)) == (1, 0)
