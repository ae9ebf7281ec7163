"""What every pair of stores promises of an attempt that lost its run: it writes nothing any more."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import lock_descriptor

from tests.support.in_memory import InMemoryConversationStore, InMemoryWorkflowCatalog
from tests.support.postgres import an_empty_database
from tests.support.stored import Clock, a_conversation, a_workflow, saying
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import ContentNotFound, StaleRun, WorkflowNotFound
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileSystem
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.database import Database
from workflow_agent.storage.postgres.workflows import PostgresWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.values.stored import RunFence, content_ref_of
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import Author, Change, WorkflowCatalog

RUN = "run_invoice-1_1_abc"
Stores = tuple[ConversationStore, WorkflowCatalog]


def json_stores(root: Path, system: FileSystem | None = None) -> tuple[JsonConversationStore, WorkflowCatalog]:
    files = DurableFiles(root, file_system=system)
    conversations = JsonConversationStore(files)
    specs: TtlCache[Workflow] = TtlCache(max_entries=10, ttl_seconds=300)
    return conversations, JsonWorkflowCatalog(files, specs, now=Clock(), fences=conversations)


def postgres_stores(database: Database) -> Stores:
    conversations = PostgresConversationStore(database)
    specs: TtlCache[Workflow] = TtlCache(max_entries=10, ttl_seconds=300)
    return conversations, PostgresWorkflowCatalog(database, specs, now=Clock(), conversations=conversations)


@pytest.fixture(params=["memory", "json", "postgres"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stores]:
    if request.param == "json":
        yield json_stores(tmp_path / "data")
    elif request.param == "memory":
        conversations = InMemoryConversationStore()
        yield conversations, InMemoryWorkflowCatalog(now=Clock(), fences=conversations)
    else:
        async with an_empty_database() as database:
            yield postgres_stores(database)


def by_attempt(number: int, action: str = "edited", digest: str = "d1") -> Change:
    fence = RunFence("invoice-1", RUN, number)
    return Change(Author(run_id=RUN, attempt=number), action, digest=digest, fence=fence)


def renamed(change: Change) -> Callable[[Workflow], tuple[Workflow, Change]]:
    return lambda one: (one.model_copy(update={"name": f"By attempt {change.author.attempt}"}), change)


def run_again(conversation: Conversation) -> Conversation:
    (run,) = conversation.runs
    return conversation.model_copy(update={"runs": (run.model_copy(update={"fence": 2, "attempt": 2}),)})


def cancelled(conversation: Conversation) -> Conversation:
    (run,) = conversation.runs
    return conversation.model_copy(update={"runs": (run.model_copy(update={"status": "cancelled"}),)})


async def test_the_attempt_that_has_the_run_writes(stores: Stores) -> None:
    conversations, catalog = stores
    await conversations.create(saying(a_conversation(), "Hi"))
    first, fence = by_attempt(1), RunFence("invoice-1", RUN, 1)

    await catalog.create("acme", a_workflow(), replace(first, digest="d0"))
    changed = await catalog.update("acme", "wf_expenses", renamed(first), beforehand=first)
    ref = await conversations.put_blob("acme", "invoice-1", "kept", fence)
    await catalog.delete("acme", "wf_expenses", fence=fence)

    assert (changed.version, changed.name) == (2, "By attempt 1")
    assert await conversations.blob("acme", "invoice-1", ref) == "kept"
    with pytest.raises(WorkflowNotFound):
        await catalog.get("acme", "wf_expenses")


@pytest.mark.parametrize("end", [run_again, cancelled, None], ids=["run again", "cancelled", "deleted"])
async def test_an_attempt_that_lost_the_run_writes_nothing(stores: Stores, end: Any) -> None:
    conversations, catalog = stores
    stored = await conversations.create(saying(a_conversation(), "Hi"))
    await catalog.create("acme", a_workflow(), Change(Author(), "created"))
    known = await conversations.put_blob("acme", "invoice-1", "known")
    late, fence = by_attempt(1), RunFence("invoice-1", RUN, 1)
    if end is None:
        await conversations.delete("acme", stored.id)
    else:
        await conversations.update("acme", stored.id, end)

    for write in (
        catalog.create("acme", a_workflow("wf_other"), late),
        catalog.update("acme", "wf_expenses", renamed(late), beforehand=late),
        catalog.delete("acme", "wf_expenses", fence=fence),
        conversations.put_blob("acme", "invoice-1", "late", fence),
    ):
        with pytest.raises(StaleRun, match=RUN):
            await write

    assert [(one.id, one.version) for one in await catalog.all("acme")] == [("wf_expenses", 1)]
    if end is not None:
        assert await conversations.blob("acme", "invoice-1", known) == "known"
        with pytest.raises(ContentNotFound):
            await conversations.blob("acme", "invoice-1", content_ref_of("late"))


async def test_the_next_attempt_writes_what_the_one_before_has_not(stores: Stores) -> None:
    conversations, catalog = stores
    await conversations.create(saying(a_conversation(), "Hi"))
    await catalog.create("acme", a_workflow(), Change(Author(), "created"))
    made = await catalog.update("acme", "wf_expenses", renamed(by_attempt(1)), beforehand=by_attempt(1))
    await conversations.update("acme", "invoice-1", run_again)

    same = await catalog.update("acme", "wf_expenses", renamed(by_attempt(2)), beforehand=by_attempt(2))
    other = by_attempt(2, digest="d2")
    next_one = await catalog.update("acme", "wf_expenses", renamed(other), beforehand=other)

    assert same == made
    assert (next_one.version, next_one.name) == (3, "By attempt 2")


async def test_no_attempt_begins_while_another_writes(tmp_path: Path) -> None:
    held: list[str] = []

    class Watched(FileSystem):
        """Notes which conversations are locked when a workflow's document is replaced."""

        def replace(self, source: Path, target: Path) -> None:
            if target.parent.name == "workflows":
                for lock in tmp_path.rglob("conversations/*.lock"):
                    with lock.open("rb") as descriptor:
                        if not lock_descriptor(descriptor.fileno(), blocking=False):
                            held.append(lock.stem)
            super().replace(source, target)

    conversations, catalog = json_stores(tmp_path, Watched())
    await conversations.create(saying(a_conversation(), "Hi"))
    await catalog.create("acme", a_workflow(), by_attempt(1, digest="d0"))

    await catalog.update("acme", "wf_expenses", renamed(by_attempt(1)), beforehand=by_attempt(1))

    assert held == ["invoice-1", "invoice-1"]
