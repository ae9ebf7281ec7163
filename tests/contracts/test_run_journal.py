"""What every journal of runs promises."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.in_memory import InMemoryRunJournal
from tests.support.postgres import an_empty_database
from workflow_agent.conversations.acceptance import cancel_run, interrupt_dead_runs
from workflow_agent.conversations.calls import EndedCall, tool_record
from workflow_agent.conversations.document import Conversation, UserMessage
from workflow_agent.conversations.iterations import Iteration, Message
from workflow_agent.conversations.outcome import end_run
from workflow_agent.conversations.runs import Run, RunError
from workflow_agent.conversations.store import LeftBehind, RunJournal
from workflow_agent.storage.files.journals import JsonlRunJournal
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.database import change_of_all_tenants, of_all_tenants
from workflow_agent.storage.postgres.leases import swept
from workflow_agent.storage.postgres.records import PostgresRunJournal

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
CALL = tool_record(EndedCall("call_1", "list_workflows", {}, "success", NOON, result=[]), "evt_1")


@pytest.fixture(params=["memory", "jsonl", "postgres"])
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RunJournal]:
    if request.param == "postgres":
        async with an_empty_database() as database:
            yield PostgresRunJournal(database)
    else:
        (tmp_path / "acme" / "conversations").mkdir(parents=True)
        yield InMemoryRunJournal() if request.param == "memory" else JsonlRunJournal(tmp_path)


def run(number: int = 1, *, fence: int = 1) -> Run:
    return Run(
        run_id=f"run_talk_{number}_abc",
        fingerprint="f",
        status="running",
        fence=fence,
        agent="assistant",
        turn=number,
        user_event_id="evt_1",
        owner="me",
        accepted_at=NOON,
    )


def step(number: int, said: str = "hello") -> Iteration:
    message = Message(role="assistant", content=said)
    return Iteration(number=number, messages=(message,), started_at=NOON, metadata={"session_id": "s"})


TALK = Conversation(
    id="talk",
    tenant="acme",
    created_at=NOON,
    updated_at=NOON,
    events=(UserMessage(id="evt_1", index=0, turn=1, at=NOON, author="user", content="hi"),),
    runs=(run(fence=2),),
)


async def test_of_a_run_nobody_kept_anything_of_there_is_nothing(journal: RunJournal) -> None:
    assert await journal.left_by("acme", run()) == LeftBehind()


async def test_each_iteration_is_left_as_kept_last_with_the_newest_records(journal: RunJournal) -> None:
    await journal.keep("acme", run(), step(1, "begun"), [])
    await journal.keep("acme", run(), step(1, "done"), [])
    await journal.keep("acme", run(), step(2), [CALL])

    left = await journal.left_by("acme", run())

    assert left == LeftBehind((step(1, "done"), step(2)), (CALL,))


@pytest.mark.parametrize(
    ("tenant", "other"),
    [
        pytest.param("acme", run(2), id="another run"),
        pytest.param("acme", run(fence=2), id="another attempt"),
        pytest.param("other", run(), id="another tenant"),
    ],
)
async def test_runs_are_kept_apart(journal: RunJournal, tenant: str, other: Run) -> None:
    await journal.keep("acme", run(), step(1), [CALL])

    assert await journal.left_by(tenant, other) == LeftBehind()


@pytest.mark.parametrize("journal", ["memory", "jsonl"], indirect=True)
async def test_what_is_forgotten_is_gone_and_nothing_else(journal: RunJournal) -> None:
    await journal.keep("acme", run(), step(1), [])
    await journal.keep("acme", run(2, fence=2), step(1), [])

    await journal.forget("acme", run())
    await journal.forget("acme", run())

    assert await journal.left_by("acme", run()) == LeftBehind()
    assert (await journal.left_by("acme", run(2, fence=2))).iterations == (step(1),)


async def test_what_cannot_be_kept_fails_nothing(journal: RunJournal) -> None:
    await journal.keep("nobody", run(), step(1), [CALL])

    await journal.forget("nobody", run())


async def test_what_the_model_said_stays_known_when_the_next_attempt_died_before_it_came_so_far() -> None:
    async with an_empty_database() as database:
        journal = PostgresRunJournal(database)
        await journal.keep("acme", run(), step(1), [], b"one")
        await journal.keep("acme", run(), step(2), [], b"two")
        await journal.keep("acme", run(fence=2), step(1), [], b"one")

        left = await journal.left_by("acme", run(fence=2))
        unbegun = await journal.left_by("acme", run(fence=3))

    assert (left.iterations, left.responses) == ((step(1),), (b"one", b"two"))
    assert (unbegun.iterations, unbegun.responses) == ((), (b"one", b"two"))


async def test_on_postgresql_the_save_that_ends_a_run_removes_what_was_kept_of_it() -> None:
    async with an_empty_database() as database:
        journal, store = PostgresRunJournal(database), PostgresConversationStore(database)
        await store.create(TALK)
        await journal.keep("acme", run(fence=2), step(1), [])

        await store.update("acme", "talk", lambda talk: cancel_run(talk, run().run_id, at=NOON))
        await journal.keep("acme", run(fence=2), step(2), [])
        left = await database.rows(of_all_tenants("SELECT 1 FROM run_step"))

    assert left == []


async def test_on_postgresql_what_an_interrupted_run_kept_stays_for_who_sends_it_again() -> None:
    async with an_empty_database() as database:
        journal, store = PostgresRunJournal(database), PostgresConversationStore(database)
        await store.create(TALK)
        await journal.keep("acme", run(fence=2), step(1), [], b"one")

        await store.update("acme", "talk", lambda talk: interrupt_dead_runs(talk, is_alive=lambda _: False, at=NOON))
        await swept(database)
        left = await journal.left_by("acme", run(fence=3))
        await database.rows(change_of_all_tenants("UPDATE run_step SET at = at - interval '2 days'"))
        removed = await swept(database)

    assert (left.responses, removed) == ((b"one",), 1)


@pytest.mark.parametrize(
    ("kind", "left"),
    [pytest.param("storage_failed", (b"one",), id="the store"), pytest.param("refused", (), id="else")],
)
async def test_on_postgresql_what_a_run_kept_stays_where_the_store_failed(kind: str, left: tuple[bytes, ...]) -> None:
    async with an_empty_database() as database:
        journal, store = PostgresRunJournal(database), PostgresConversationStore(database)
        await store.create(TALK)
        await journal.keep("acme", run(fence=2), step(1), [], b"one")

        error = RunError(type=kind, message="no")
        await store.update("acme", "talk", lambda talk: end_run(talk, run().run_id, 2, "failed", error=error, at=NOON))

        assert (await journal.left_by("acme", run(fence=3))).responses == left


async def test_nothing_is_kept_of_an_attempt_once_another_has_begun() -> None:
    async with an_empty_database() as database:
        journal, store = PostgresRunJournal(database), PostgresConversationStore(database)
        await store.create(TALK)
        await journal.keep("acme", run(fence=2), step(1), [], b"one")
        await journal.keep("acme", run(), step(2), [], b"late")

        left = await journal.left_by("acme", run(fence=2))

    assert left.responses == (b"one",)
