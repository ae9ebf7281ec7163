"""Runs that another process works on: joined, followed and stopped as if they were here."""

import asyncio

import pytest
from pydantic_ai.exceptions import ModelHTTPError

from tests.support.chats import TENANT, ChatUnderTest, FakeOwners, FakeProcesses, chat_with
from tests.support.scripted import Step, Waits, scripted
from workflow_agent.assistant.requests import RunEvent, RunEvents, StartedTurn, TurnRequest
from workflow_agent.assistant.turns.narration import error_data, error_of
from workflow_agent.conversations.document import Conversation
from workflow_agent.errors import (
    ContextOverflow,
    EditRefused,
    InvalidInput,
    ModelFailed,
    RunNotFound,
    ShuttingDown,
    StaleRun,
    WorkflowAgentError,
)


async def two(*steps: Step, others: FakeProcesses | None = None) -> tuple[ChatUnderTest, ChatUnderTest]:
    """Return a chat whose model follows a script, and one in another process on the same data."""
    there = chat_with(scripted(*steps)[0], owners=FakeOwners(owner="there"))
    known = others or FakeProcesses()
    known.runs["there"] = there.chat.worker.live
    here = chat_with(scripted()[0], store=there.store, owners=FakeOwners(owner="here"), others=known)
    at = there.chat.worker.now()
    await there.store.create(Conversation(id="talk", tenant=TENANT, created_at=at, updated_at=at))
    return there, here


REQUEST = TurnRequest("hi", conversation_id="talk", key="k")


async def begun(there: ChatUnderTest, waiting: Waits) -> StartedTurn:
    started = await there.chat.start(TENANT, REQUEST)
    await waiting.begun.wait()
    return started


async def collected(stream: RunEvents | None, after: int = 0) -> list[RunEvent]:
    assert stream is not None
    return [event async for event in stream.events(after)]


async def test_a_run_of_another_process_is_joined() -> None:
    waiting = Waits(text="Done.")
    there, here = await two(waiting)
    first = await begun(there, waiting)

    joined = await here.chat.start(TENANT, REQUEST)
    following = asyncio.create_task(collected(joined.stream))
    waiting.let.set()

    outcome, told = await joined.outcome(), await following
    assert (outcome.run_id, outcome.reply.content) == (first.run_id, "Done.")
    assert told == await collected(first.stream)
    assert await collected(await here.chat.stream(TENANT, first.run_id), after=2) == told[2:]


async def test_a_run_of_another_process_fails_here_as_it_does_there() -> None:
    waiting = Waits()
    there, here = await two(waiting, ModelHTTPError(500, "m"))
    first = await begun(there, waiting)
    joined = await here.chat.start(TENANT, REQUEST)

    await there.chat.cancel(TENANT, first.run_id)

    with pytest.raises(StaleRun, match="was cancelled"):
        await joined.outcome()


async def test_a_run_is_stopped_in_the_process_that_works_on_it() -> None:
    waiting = Waits()
    there, here = await two(waiting)
    first = await begun(there, waiting)

    run = await here.chat.cancel(TENANT, first.run_id)

    assert run.status == "cancelled"
    assert there.chat.worker.live.running() == []


async def test_a_run_whose_process_does_not_answer_is_stopped_in_the_file() -> None:
    waiting = Waits()
    there, here = await two(waiting)
    first = await begun(there, waiting)
    here.chat.joining.elsewhere.others.runs.clear()

    run = await here.chat.cancel(TENANT, first.run_id)
    waiting.let.set()

    assert run.status == "cancelled"
    with pytest.raises(StaleRun):
        await first.outcome()


async def test_without_an_answer_the_outcome_is_read_from_the_file() -> None:
    waiting = Waits(text="Done.")
    there, here = await two(waiting)
    await begun(there, waiting)
    here.chat.joining.elsewhere.others.runs.clear()

    joined = await here.chat.start(TENANT, REQUEST)
    waiting.let.set()

    assert joined.stream is None
    assert (await joined.outcome()).reply.content == "Done."


async def test_whoever_waits_for_the_file_is_told_when_the_own_process_stops() -> None:
    waiting = Waits()
    there, here = await two(waiting)
    first = await begun(there, waiting)
    here.chat.joining.elsewhere.others.runs.clear()
    joined = await here.chat.start(TENANT, REQUEST)
    outcome = asyncio.create_task(joined.outcome())
    await asyncio.sleep(0)

    await here.chat.shut_down(1.0)

    with pytest.raises(ShuttingDown, match=r"that followed run .* is stopping"):
        await outcome
    await there.chat.cancel(TENANT, first.run_id)


async def test_a_process_that_ends_first_ends_the_stream_with_an_error() -> None:
    waiting = Waits()
    there, here = await two(waiting, others=FakeProcesses(dies_after=2))
    first = await begun(there, waiting)
    here.chat.joining.elsewhere.others.dies_after = 2

    [start, mode, last] = await collected(here.chat.joining.elsewhere.stream("there", first.run_id))

    assert (start.name, mode.name) == ("start", "mode")
    assert (last.id, last.name, last.data["code"]) == (3, "error", "shutting_down")
    await there.chat.cancel(TENANT, first.run_id)


async def test_a_run_that_its_process_forgot_has_no_stream() -> None:
    there, here = await two("Done.")
    first = await there.chat.start(TENANT, REQUEST)
    await first.outcome()
    here.chat.joining.elsewhere.others.runs["there"] = chat_with(scripted()[0]).chat.worker.live

    with pytest.raises(RunNotFound, match="not kept any more"):
        await here.chat.stream(TENANT, first.run_id)


async def test_a_run_that_is_about_to_begin_is_waited_for() -> None:
    waiting = Waits()
    there, here = await two(waiting)
    first = await begun(there, waiting)
    others = here.chat.joining.elsewhere.others
    late = others.runs["there"]
    others.runs["there"] = chat_with(scripted()[0]).chat.worker.live

    looking = asyncio.create_task(here.chat.stream(TENANT, first.run_id))
    await asyncio.sleep(0)
    others.runs["there"] = late

    assert await looking is not None
    await there.chat.cancel(TENANT, first.run_id)


async def test_what_is_asked_of_nobodys_run_is_answered_with_no() -> None:
    _, here = await two()
    elsewhere = here.chat.joining.elsewhere

    assert not await elsewhere.has("there", "run_talk_1_x")
    assert not await elsewhere.cancel("there", "run_talk_1_x")
    assert not await elsewhere.cancel("nobody", "run_talk_1_x")
    assert await collected(elsewhere.stream("there", "run_talk_1_x")) == []


@pytest.mark.parametrize(
    "error",
    [
        ModelFailed("no", run_id="r", retriable=True),
        ShuttingDown("later"),
        ContextOverflow("too long", excess_tokens=3),
        InvalidInput("what?"),
    ],
)
def test_an_error_that_is_told_is_the_same_error(error: WorkflowAgentError) -> None:
    again = error_of(error_data(error))

    assert (type(again), again.message, again.details) == (type(error), error.message, error.details)


def test_an_error_of_a_kind_that_cannot_be_made_again_keeps_its_words() -> None:
    again = error_of(error_data(EditRefused("no", index=0, op="x")))

    assert type(again) is WorkflowAgentError
    assert "refused" in again.message
