"""Moving between a data directory and a database: all of it, once, and nothing over what is there."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.support.long_talks import compacted, talked
from tests.support.postgres import a_database_of_ones_own
from tests.support.stored import Clock, a_conversation, a_workflow
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.document import Conversation, WorkflowReference
from workflow_agent.conversations.memory.person import Fact
from workflow_agent.conversations.seals import SealRule
from workflow_agent.errors import StorageFailed
from workflow_agent.main.holdings import Moved, moved
from workflow_agent.main.hosts import database_of
from workflow_agent.settings import Settings, load_settings
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.memories import JsonPersonMemory, JsonWorkflowMemory
from workflow_agent.storage.files.records import JsonIdempotencyKeys, JsonRecords
from workflow_agent.storage.files.verification.directory import verify_directory
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.records import PostgresIdempotencyKeys, PostgresRecords
from workflow_agent.storage.postgres.workflows import PostgresWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import Author, Change

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
CREATED, EDITED = Change(Author(), "created"), Change(Author(run_id="run_a_1_x"), "edited", digest="d")
RULE = SealRule(above_bytes=50_000, fewest_turns=4, most_turns=8)
SPECS: TtlCache[Workflow] = TtlCache(max_entries=0, ttl_seconds=0)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    url = SecretStr(a_database_of_ones_own())
    return load_settings(data_dir=tmp_path, tenant="acme", database_url=url)


def in_files(settings: Settings, folder: Path | None = None) -> Settings:
    return settings.model_copy(update={"database_url": None, "data_dir": folder or settings.data_dir})


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
    await JsonIdempotencyKeys(files, "acme", 3_600).claim("key", "f", "wf_expenses")
    await JsonRecords(files, "acme").put("previews", "pv_a", {"at": 1})
    dealt_with = WorkflowReference(
        workflow_id="wf_expenses", name="Costs", relation="modified", turn=1, conversation_id="invoice-1", at=NOON
    )
    await JsonWorkflowMemory(files, most=200).remember("acme", "Änne & Söhne \u2603", [dealt_with])
    told = Fact(id="mem_0123456789", text="short names", kind="preference", source=None, at=NOON)
    await JsonPersonMemory(files).update("acme", "anna", lambda one: one.model_copy(update={"facts": (told,)}))
    return talk, content_ref


async def test_all_that_a_data_directory_keeps_is_in_the_database_then(settings: Settings) -> None:
    talk, content_ref = await filled(settings.data_dir)

    first, second = [await asyncio.to_thread(moved, in_files(settings), settings) for _ in range(2)]

    database = database_of(settings)
    store = PostgresConversationStore(database, seal=RULE)
    catalog = PostgresWorkflowCatalog(database, SPECS, now=Clock(), conversations=store)
    there = JsonWorkflowCatalog(DurableFiles(settings.data_dir), SPECS, now=Clock())
    assert (first, second) == (Moved(1, 1, 2, 2), Moved())
    assert await store.load("acme", "invoice-1") == talk
    assert talk.sealed_turns > 0
    part = await store.sealed("acme", "invoice-1", Position("turn", 1))
    assert part.events[0].content == talked(1).events[0].content
    assert await store.blob("acme", "invoice-1", content_ref) == {"b": "half \ud800", "a": 2**80}
    assert list(await catalog.versions("acme", "wf_expenses")) == list(await there.versions("acme", "wf_expenses"))
    assert await PostgresIdempotencyKeys(database, "acme", 3_600).find("key") == "wf_expenses"
    assert await PostgresRecords(database, "acme").get("previews", "pv_a") == {"at": 1}
    went_on = await store.update("acme", "invoice-1", one_turn_more)
    assert went_on.version == talk.version + 1
    await database.close()


async def test_what_is_there_with_another_content_is_named_and_stays(settings: Settings) -> None:
    await filled(settings.data_dir)
    database = database_of(settings)
    await database.migrate()
    other = await PostgresConversationStore(database).create(a_conversation(title="Other"))

    with pytest.raises(StorageFailed, match="'invoice-1' is there with another content"):
        await asyncio.to_thread(moved, in_files(settings), settings)

    assert await PostgresConversationStore(database).load("acme", "invoice-1") == other
    await database.close()


async def test_what_comes_back_into_files_is_what_left_them_and_goes_on(settings: Settings, tmp_path: Path) -> None:
    talk, _ = await filled(settings.data_dir)
    back = in_files(settings, tmp_path / "back")
    there = await asyncio.to_thread(moved, in_files(settings), settings)

    first, second = [await asyncio.to_thread(moved, settings, back) for _ in range(2)]

    assert (first, second) == (Moved(1, 1, 2, 2), Moved())
    assert there.digest == first.digest == second.digest
    assert documents_in(back.data_dir) == documents_in(settings.data_dir)
    kinds = [[one.kind for one in verify_directory(root)] for root in (settings.data_dir, back.data_dir)]
    # Nothing in the conversation refers to the content that was put there.
    assert kinds == [["blob_orphan"]] * 2
    store = JsonConversationStore(DurableFiles(back.data_dir), seal=RULE)
    assert (await store.update("acme", "invoice-1", one_turn_more)).version == talk.version + 1


def documents_in(root: Path) -> dict[str, object]:
    """Return what is in the JSON files of a tenant, by their places; the records of keys have their times."""
    paths = [path for path in (root / "acme").rglob("*") if path.is_file()]
    known = {str(path.relative_to(root)): path for path in paths if path.suffix == ".json" or "blobs" in path.parts}
    return {
        name: {**json.loads(path.read_bytes()), "at": 0} if "/keys/" in name else json.loads(path.read_bytes())
        for name, path in known.items()
    }


async def test_a_move_back_that_was_stopped_goes_on(settings: Settings, tmp_path: Path) -> None:
    await filled(settings.data_dir)
    await asyncio.to_thread(moved, in_files(settings), settings)
    back = in_files(settings, tmp_path / "back")
    await asyncio.to_thread(moved, settings, back)
    whole = documents_in(back.data_dir)
    # As a kill before the document of the conversation leaves it, and before the second version's.
    (back.data_dir / "acme" / "conversations" / "invoice-1.json").unlink()
    (back.data_dir / "acme" / "workflows" / "wf_expenses.json").unlink()

    again = await asyncio.to_thread(moved, settings, back)

    assert (again.conversations, again.workflows) == (1, 1)
    left = documents_in(back.data_dir)
    assert {name: left[name] for name in whole} == whole


async def test_a_file_with_another_content_is_named_and_stays(settings: Settings, tmp_path: Path) -> None:
    await filled(settings.data_dir)
    await asyncio.to_thread(moved, in_files(settings), settings)
    other = await JsonConversationStore(DurableFiles(tmp_path / "back")).create(a_conversation(title="Other"))

    with pytest.raises(StorageFailed, match="'invoice-1' is there with another content"):
        await asyncio.to_thread(moved, settings, in_files(settings, tmp_path / "back"))

    assert await JsonConversationStore(DurableFiles(tmp_path / "back")).load("acme", "invoice-1") == other
