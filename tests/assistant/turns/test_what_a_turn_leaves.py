"""What a turn leaves in memory when it is over: nothing that only the garbage collector would find."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from pydantic_ai import RunContext

from tests.support.chats import TENANT, ChatUnderTest, chat_with
from tests.support.growth import alive, no_garbage_collected
from tests.support.scripted import Calls, Step, Waits, scripted
from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.requests import TurnRequest

ENOUGH = 4
READS = Calls([("get_workflow", {"workflow": "wf_expense_approval"})])
MISTAKEN = Calls([("get_workflow", {"workflow": "wf_unknown"})])


async def answered(under_test: ChatUnderTest) -> None:
    await under_test.say("what does the expense approval do?")


async def cancelled(under_test: ChatUnderTest) -> None:
    started = await under_test.chat.start(TENANT, TurnRequest("hello"))
    await asyncio.sleep(0)
    assert await under_test.chat.cancel(TENANT, started.run_id)


@pytest.mark.parametrize(
    ("steps", "turn"),
    [
        pytest.param(["Hello."], answered, id="an answer"),
        pytest.param([READS, READS, "It pays."], answered, id="tools called"),
        pytest.param([MISTAKEN, "There is none."], answered, id="a tool that could not"),
        pytest.param([Waits()], cancelled, id="cancelled"),
    ],
)
async def test_a_turn_holds_nothing_when_it_is_over(
    steps: list[Step], turn: Callable[[ChatUnderTest], Awaitable[None]]
) -> None:
    under_test = chat_with(scripted(*steps * ENOUGH)[0])
    await under_test.add()

    with no_garbage_collected():
        # Of earlier tests: what a failed one held is kept for its report.
        before = alive(RunContext), alive(WorkflowContext)
        for _ in range(ENOUGH):
            await turn(under_test)
        await asyncio.sleep(0)

        left = alive(RunContext), alive(WorkflowContext)

    assert left == before
