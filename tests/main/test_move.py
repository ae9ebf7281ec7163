"""Moving a data directory into a database: all of it, once, and nothing over what is there."""

import asyncio
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.support.long_talks import compacted, talked
from tests.support.postgres import a_database_of_ones_own
from tests.support.stored import Clock, a_conversation, a_workflow
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.seals import SealRule
from workflow_agent.errors import StorageFailed
from workflow_agent.main.hosts import database_of
from workflow_agent.main.move import Moved, moved
from workflow_agent.settings import Settings, load_settings
from workflow_agent.storage.files.caches import TtlCache
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.idempotency import JsonIdempotencyKeys
from workflow_agent.storage.files.records import JsonRecords
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.idempotency import PostgresIdempotencyKeys
from workflow_agent.storage.postgres.records import PostgresRecords
from workflow_agent.storage.postgres.workflows import PostgresWorkflowCatalog
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import Author, Change

pytestmark = pytest.mark.slow
CREATED, EDITED = Change(Author(), "created"), Change(Author(run_id="run_a_1_x"), "edited", digest="d")
RULE = SealRule(above_bytes=50_000, fewest_turns=4, most_turns=8)
SPECS: TtlCache[Workflow] = TtlCache(max_entries=0, ttl_seconds=0)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    url = SecretStr(a_database_of_ones_own())
    return load_settings(data_dir=tmp_path, tenant="acme", database_url=url)


def one_turn_more(conversation: Conversation) -> Conversation:
    return compacted(talked(1, conversation), keep=6, step=2)


async def filled(root: Path) -> tuple[Conversation, str]:
    """Put a conversation with sealed turns, a workflow of two versions and more into a data directory."""
    files = DurableFiles(root)
    store = JsonConversationStore(files, seal=RULE)
    talk = await store.create(a_conversation())
    for _ in range(40):
        talk = await store.update("acme", "invoice-1", one_turn_more)
    content_ref = await store.put_blob("acme", "invoice-1", {"b": "half \ud800", "a": 2**80})
    catalog = JsonWorkflowCatalog(files, SPECS, now=Clock())
    await catalog.create("acme", a_workflow(), CREATED)
    await catalog.update("acme", "wf_expenses", lambda one: (one.model_copy(update={"name": "Costs"}), EDITED))
    await JsonIdempotencyKeys(files, 3_600).claim("acme", "key", "f", "wf_expenses")
    await JsonRecords(files, "acme").put("previews", "pv_a", {"at": 1})
    return talk, content_ref


async def test_all_that_a_data_directory_keeps_is_in_the_database_then(settings: Settings) -> None:
    talk, content_ref = await filled(settings.data_dir)

    first, second = [await asyncio.to_thread(moved, settings) for _ in range(2)]

    database = database_of(settings)
    store = PostgresConversationStore(database, seal=RULE)
    catalog = PostgresWorkflowCatalog(database, SPECS, now=Clock(), conversations=store)
    there = JsonWorkflowCatalog(DurableFiles(settings.data_dir), SPECS, now=Clock())
    assert (first, second) == (Moved(1, 1, 0, 2), Moved(0, 0, 0, 2))
    assert await store.load("acme", "invoice-1") == talk
    assert talk.sealed_turns > 0
    part = await store.sealed("acme", "invoice-1", Position("turn", 1))
    assert part.events[0].content == talked(1).events[0].content
    assert await store.blob("acme", "invoice-1", content_ref) == {"b": "half \ud800", "a": 2**80}
    assert list(await catalog.versions("acme", "wf_expenses")) == list(await there.versions("acme", "wf_expenses"))
    assert await PostgresIdempotencyKeys(database, 3_600).find("acme", "key") == "wf_expenses"
    assert await PostgresRecords(database, "acme").get("previews", "pv_a") == {"at": 1}
    went_on = await store.update("acme", "invoice-1", one_turn_more)
    assert went_on.version == talk.version + 1
    await database.close()


async def test_what_is_there_with_another_content_is_named_and_stays(settings: Settings) -> None:
    await filled(settings.data_dir)
    database = database_of(settings)
    await database.migrate()
    other = await PostgresConversationStore(database).create(a_conversation(title="Other"))

    with pytest.raises(StorageFailed, match="'invoice-1' is in the database with another content"):
        await asyncio.to_thread(moved, settings)

    assert await PostgresConversationStore(database).load("acme", "invoice-1") == other
    await database.close()
