"""Searching in long conversations on a database."""

from tests.support.postgres import an_empty_database
from tests.support.stored import a_conversation
from workflow_agent.conversations.store import MessageQuery
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.database import change_of_all_tenants

_SAY_MUCH = """INSERT INTO message SELECT $1, $2, number, number / 2 + 1, 'e' || number, 'user_message', 'user',
    '2026-01-01T00:00:00.000Z', NULL, said, said FROM generate_series(0, 5100) AS number,
    LATERAL (SELECT CASE number WHEN 7 THEN 'the lorry is blue' ELSE 'good' END AS said) AS told"""


async def test_the_oldest_of_very_many_messages_is_found_by_its_words() -> None:
    async with an_empty_database() as database:
        store = PostgresConversationStore(database)
        talk = await store.create(a_conversation())
        await store.find(talk.tenant, MessageQuery("anything", talk.id))
        await database.rows(change_of_all_tenants(_SAY_MUCH), talk.tenant, talk.id)

        hits = await store.find(talk.tenant, MessageQuery("what is blue?", talk.id, is_ranked=True))

    assert [hit.index for hit in hits] == [7]
