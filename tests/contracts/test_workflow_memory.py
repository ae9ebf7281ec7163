"""What every memory of the workflows a user dealt with promises."""

import asyncio
import errno
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.failing_files import FailingFileSystem, never
from tests.support.in_memory import InMemoryWorkflowMemory
from tests.support.postgres import an_empty_database
from workflow_agent.conversations.document import WorkflowReference
from workflow_agent.conversations.memory.references import WorkflowMemory
from workflow_agent.errors import CorruptDocument, InvalidInput, StorageFailed
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.memories import JsonWorkflowMemory
from workflow_agent.storage.postgres.memories import PostgresWorkflowMemory

AT = datetime(2026, 11, 20, 15, tzinfo=UTC)
STRANGE_USERS = [
    pytest.param("../../etc/passwd", id="climbs"),
    pytest.param("a/b", id="slash"),
    pytest.param("", id="empty"),
    pytest.param("Ünï ©ode 🙂", id="unicode"),
    pytest.param("x" * 10_000, id="very long"),
    pytest.param("nul\x00byte", id="zero byte"),
    pytest.param("half \ud800 pair", id="lone surrogate"),
    pytest.param("ANNA", id="upper case"),
]


@pytest.fixture(params=["memory", "json", "postgres"])
async def memory(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[WorkflowMemory]:
    if request.param == "memory":
        yield InMemoryWorkflowMemory(most=10)
    elif request.param == "json":
        yield JsonWorkflowMemory(DurableFiles(tmp_path / "data"), most=10)
    else:
        async with an_empty_database() as database:
            yield PostgresWorkflowMemory(database, most=10)


def reference(number: int = 1, **fields: object) -> WorkflowReference:
    return WorkflowReference.model_validate(
        {
            "workflow_id": f"wf_{number}",
            "name": f"Number {number}",
            "relation": "viewed",
            "turn": number,
            "conversation_id": "cv_1",
            "at": AT + timedelta(minutes=number),
            **fields,
        }
    )


async def test_nobody_is_known_at_first(memory: WorkflowMemory) -> None:
    assert await memory.recall("acme", "anna") == ()


async def test_what_was_remembered_is_recalled_oldest_first(memory: WorkflowMemory) -> None:
    await memory.remember("acme", "anna", [reference(1)])
    await memory.remember("acme", "anna", [reference(2, aliases=("the Monday thing",))])

    recalled = await memory.recall("acme", "anna")

    assert recalled == (reference(1), reference(2, aliases=("the Monday thing",)))


async def test_users_and_tenants_do_not_share(memory: WorkflowMemory) -> None:
    await memory.remember("acme", "anna", [reference(1)])

    assert await memory.recall("acme", "ben") == ()
    assert await memory.recall("umbrella", "anna") == ()


@pytest.mark.parametrize("user", STRANGE_USERS)
async def test_any_text_is_a_user(memory: WorkflowMemory, user: str) -> None:
    await memory.remember("acme", user, [reference(1)])
    await memory.remember("acme", "anna", [reference(2)])

    assert await memory.recall("acme", user) == (reference(1),)


async def test_a_tenant_is_matched_before_anything_is_kept(memory: WorkflowMemory) -> None:
    with pytest.raises(InvalidInput):
        await memory.remember("../acme", "anna", [reference(1)])
    with pytest.raises(InvalidInput):
        await memory.recall("../acme", "anna")


async def test_of_many_who_write_at_once_nothing_is_lost(memory: WorkflowMemory) -> None:
    await asyncio.gather(*(memory.remember("acme", "anna", [reference(n)]) for n in range(8)))

    assert {one.workflow_id for one in await memory.recall("acme", "anna")} == {f"wf_{n}" for n in range(8)}


async def test_the_same_turn_remembered_twice_counts_once(memory: WorkflowMemory) -> None:
    for _ in range(2):
        await memory.remember("acme", "anna", [reference(1)])

    assert await memory.recall("acme", "anna") == (reference(1),)


async def test_it_stays_within_its_bound(memory: WorkflowMemory) -> None:
    await memory.remember("acme", "anna", [reference(n) for n in range(25)])

    assert len(await memory.recall("acme", "anna")) == 10


async def test_a_damaged_file_is_set_aside_and_the_next_write_works(tmp_path: Path) -> None:
    memory = JsonWorkflowMemory(DurableFiles(tmp_path), most=10)
    await memory.remember("acme", "anna", [reference(1)])
    (tmp_path / "acme" / "memory" / "anna.json").write_bytes(b'{"references": [')

    with pytest.raises(CorruptDocument):
        await memory.recall("acme", "anna")
    await memory.remember("acme", "anna", [reference(2)])

    assert await memory.recall("acme", "anna") == (reference(2),)
    assert [path.name for path in (tmp_path / "acme" / "memory").glob("anna.json.corrupt-*")] != []


async def test_two_processes_do_not_overwrite_each_other(tmp_path: Path) -> None:
    first, second = (JsonWorkflowMemory(DurableFiles(tmp_path), most=10) for _ in range(2))

    await asyncio.gather(
        *(memory.remember("acme", "anna", [reference(n)]) for n, memory in enumerate([first, second, first, second]))
    )

    assert len(await first.recall("acme", "anna")) == 4


async def test_what_is_new_is_stored_at_once_and_what_is_repeated_by_the_time_it_settles(tmp_path: Path) -> None:
    memory, after_a_restart = (JsonWorkflowMemory(DurableFiles(tmp_path), most=10) for _ in range(2))
    again = reference(1, turn=2, at=AT + timedelta(minutes=5))
    await memory.remember("acme", "anna", [reference(1)])
    await memory.remember("acme", "anna", [again])

    assert await after_a_restart.recall("acme", "anna") == (reference(1),)
    assert await memory.recall("acme", "anna") == (again.model_copy(update={"times": 2}),)
    await memory.settle()

    assert await after_a_restart.recall("acme", "anna") == (again.model_copy(update={"times": 2}),)


@pytest.mark.parametrize("news", [{"name": "Renamed"}, {"aliases": ("the Monday thing",)}, {"relation": "modified"}])
async def test_news_about_a_known_workflow_are_stored_at_once(tmp_path: Path, news: dict[str, object]) -> None:
    memory, after_a_restart = (JsonWorkflowMemory(DurableFiles(tmp_path), most=10) for _ in range(2))
    await memory.remember("acme", "anna", [reference(1)])
    await memory.remember("acme", "anna", [reference(1, turn=2)])
    await memory.remember("acme", "anna", [reference(1, turn=3, **news)])

    assert await after_a_restart.recall("acme", "anna") == await memory.recall("acme", "anna")
    assert sum(one.times for one in await memory.recall("acme", "anna")) == 3


async def test_what_could_not_be_stored_is_stored_later(tmp_path: Path) -> None:
    failing = FailingFileSystem(lambda _number, name, _argument: name == "fsync", errno.ENOSPC)
    memory = JsonWorkflowMemory(DurableFiles(tmp_path), most=10)
    await memory.remember("acme", "anna", [reference(1)])
    on_a_full_disk = JsonWorkflowMemory(DurableFiles(tmp_path, file_system=failing), most=10)
    await on_a_full_disk.recall("acme", "anna")
    await on_a_full_disk.remember("acme", "anna", [reference(1, turn=2)])

    with pytest.raises(StorageFailed):
        await on_a_full_disk.settle()
    failing._fails = lambda *_: False
    await on_a_full_disk.settle()

    assert [one.times for one in await memory.recall("acme", "anna")] == [2]


async def test_many_turns_at_once_wait_for_two_saves_at_most(tmp_path: Path) -> None:
    counting = FailingFileSystem(never, errno.EIO)
    memory = JsonWorkflowMemory(DurableFiles(tmp_path, file_system=counting), most=100)

    await asyncio.gather(*(memory.remember("acme", "anna", [reference(n)]) for n in range(50)))

    assert counting.made.count("replace") <= 2
    after_a_restart = JsonWorkflowMemory(DurableFiles(tmp_path), most=100)
    assert len(await after_a_restart.recall("acme", "anna")) == 50


async def test_each_turn_of_a_batch_that_was_not_stored_learns_of_it(tmp_path: Path) -> None:
    failing = FailingFileSystem(lambda _number, name, _argument: name == "fsync", errno.ENOSPC)
    memory = JsonWorkflowMemory(DurableFiles(tmp_path, file_system=failing), most=10)

    came_to = await asyncio.gather(
        *(memory.remember("acme", "anna", [reference(n)]) for n in range(3)), return_exceptions=True
    )

    assert [type(one) for one in came_to] == [StorageFailed] * 3
    assert await JsonWorkflowMemory(DurableFiles(tmp_path), most=10).recall("acme", "anna") == ()


async def test_what_is_corrected_is_recalled_as_it_is_then(memory: WorkflowMemory) -> None:
    await memory.remember("acme", "anna", [reference(1), reference(2)])
    await memory.remember("acme", "anna", [reference(2)])

    await memory.correct("acme", "anna", lambda known: [one for one in known if one.workflow_id != "wf_1"])
    kept = await memory.recall("acme", "anna")
    await memory.correct("acme", "anna", lambda _: [])

    assert [one.workflow_id for one in kept] == ["wf_2"]
    assert await memory.recall("acme", "anna") == ()
