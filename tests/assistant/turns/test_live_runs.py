import asyncio
import weakref
from contextvars import ContextVar
from datetime import UTC, datetime

import pytest

from workflow_agent.assistant.requests import TurnOutcome
from workflow_agent.assistant.turns.live import LiveRuns
from workflow_agent.conversations.document import AgentReply, ModeRecord
from workflow_agent.errors import ModelFailed, ShuttingDown

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
REPLY = AgentReply(
    id="e",
    index=1,
    turn=1,
    at=NOON,
    author="assistant",
    content="hi",
    run_id="r",
    model="m",
    mode=ModeRecord(name="general", confidence=1.0, source="inferred"),
)
OUTCOME = TurnOutcome("c", 1, "r", REPLY)


class Time:
    """A clock the test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_ended_run_is_kept_for_its_time_and_then_forgotten() -> None:
    time = Time()
    runs = LiveRuns(kept_seconds=600.0, clock=time)
    runs.open("r").settle(OUTCOME)

    time.now = 600.0
    kept = runs.get("r")
    time.now = 600.1

    assert kept is not None
    assert runs.get("r") is None


def test_a_run_under_way_is_never_forgotten() -> None:
    time = Time()
    runs = LiveRuns(kept_seconds=1.0, clock=time)
    live = runs.open("r")

    time.now = 1e6

    assert runs.get("r") is live
    assert runs.running() == [live]
    assert runs.is_running("r")


def test_a_busy_server_forgets_the_oldest_first_and_none_under_way() -> None:
    runs = LiveRuns(most_kept=10, clock=Time())
    under_way = [runs.open(f"long-{number}") for number in range(20)]
    for number in range(1_000):
        runs.open(f"r{number}").settle(OUTCOME)

    kept = [number for number in range(1_000) if runs.get(f"r{number}")]

    assert runs.running() == [runs.get(live.run_id) for live in runs.running()]
    assert {live.run_id for live in runs.running()} == {live.run_id for live in under_way}
    assert len(kept) <= 10
    assert kept == list(range(1_000 - len(kept), 1_000))
    assert 999 in kept


class Known:
    """Something that the work on a run knows."""


async def test_an_ended_run_keeps_nothing_that_its_work_knew() -> None:
    known: ContextVar[Known] = ContextVar("known")
    seen: list[weakref.ref[Known]] = []

    async def work() -> None:
        known.set(Known())
        seen.append(weakref.ref(known.get()))

    live = LiveRuns().open("r")
    task = asyncio.create_task(work())
    live.worked_on_by(task)
    await task
    del task
    await asyncio.sleep(0)

    assert seen[0]() is None
    assert live.task is None


async def test_who_waits_gets_the_outcome_of_a_run_that_has_let_go_of_it() -> None:
    live = LiveRuns().open("r")
    awaited = live.awaited()

    async def work() -> None:
        live.settle(OUTCOME)

    task = asyncio.create_task(work())
    live.worked_on_by(task)
    await task
    await asyncio.sleep(0)

    assert live.end is None
    assert live.is_settled
    assert await awaited() is OUTCOME


async def test_a_run_that_is_stopped_before_its_first_step_is_not_taken_for_one_under_way() -> None:
    runs = LiveRuns()
    live = runs.open("r")
    awaited = live.awaited()

    async def work() -> None:
        raise AssertionError("it was stopped before")

    live.worked_on_by(asyncio.create_task(work()))
    assert live.task is not None
    live.task.cancel()

    with pytest.raises(ShuttingDown, match="stopped before it began"):
        await awaited()
    assert not runs.is_running("r")


async def test_everyone_who_waits_gets_the_outcome() -> None:
    live = LiveRuns().open("r")
    waiting = [asyncio.ensure_future(live.awaited()()) for _ in range(3)]

    live.settle(OUTCOME)

    assert await asyncio.gather(*waiting) == [OUTCOME] * 3


async def test_everyone_who_waits_gets_the_error() -> None:
    live = LiveRuns().open("r")

    live.settle(ModelFailed("no"))

    for _ in range(2):
        with pytest.raises(ModelFailed, match="no"):
            await live.awaited()()


async def test_a_reader_that_comes_late_gets_everything_and_an_end() -> None:
    live = LiveRuns().open("r")
    live.stream.publish("start", {})
    live.stream.publish("delta", {"text": "hi"})
    live.settle(OUTCOME)

    assert [event.id async for event in live.stream.events()] == [1, 2]
    assert [event.id async for event in live.stream.events(after=1)] == [2]
    assert [event.id async for event in live.stream.events(after=99)] == []
    assert live.stream.is_closed
