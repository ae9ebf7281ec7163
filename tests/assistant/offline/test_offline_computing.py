"""The offline model computes over its own calls: it counts and formats with programs, in the sandbox."""

from collections.abc import AsyncIterator

import pytest

from tests.support.chats import chat_with
from tests.support.talking import Talk
from workflow_agent.assistant.offline.model import OfflineModel


@pytest.fixture
async def talk() -> AsyncIterator[Talk]:
    under_test = chat_with(OfflineModel(), timeout_seconds=60.0)
    await under_test.add()
    yield Talk(under_test)
    await under_test.sandbox.close()


async def test_it_counts_the_calls_that_failed(talk: Talk) -> None:
    await talk.say("find the workflow about expenses")

    reply = await talk.say("how many searches failed?")

    assert reply.content == "None of 1 searches failed."
    assert reply.tools_used == ("run_python",)


async def test_it_tells_which_tools_it_used(talk: Talk) -> None:
    await talk.say("list all workflows")

    reply = await talk.say("which tools did you use so far?")

    assert "`list_workflows` (1 time)" in reply.content


async def test_it_formats_the_last_result_as_a_table(talk: Talk) -> None:
    await talk.say("list all workflows")

    reply = await talk.say("format that last result as a table")

    assert "| id | name |" in reply.content
    assert "| wf_expense_approval | Expense approval |" in reply.content


async def test_without_a_result_there_is_no_table(talk: Talk) -> None:
    reply = await talk.say("show that result as a table")

    assert "no result yet" in reply.content
