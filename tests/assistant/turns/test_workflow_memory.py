"""That what was dealt with reaches the prompt and the tools, in later turns and in other conversations."""

import logging
from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.chats import APPROVAL, TENANT, ChatUnderTest, chat_with
from tests.support.in_memory import InMemoryWorkflowMemory
from tests.support.scripted import Calls, Script, Step, scripted
from workflow_agent.conversations.document import WorkflowReference
from workflow_agent.conversations.memory.references import HEADING
from workflow_agent.errors import StorageFailed

LEAVE = APPROVAL.model_copy(update={"id": "wf_leave", "name": "Leave request"})


def get(words: str) -> Calls:
    return Calls([("get_workflow", {"workflow": words})])


async def chatting(*steps: Step, memory: Any = None) -> tuple[ChatUnderTest, Script]:
    model, script = scripted(*steps)
    chat = chat_with(model, memory=memory)
    await chat.add()
    await chat.add(LEAVE)
    return chat, script


def results(script: Script, request: int = -1) -> str:
    return str(script.requests[request][0][-1].parts[0].content)


async def test_the_prompt_names_what_another_conversation_dealt_with() -> None:
    chat, script = await chatting(get("wf_leave"), "There.", "Hello.")
    await chat.say("show the leave request")

    reply = await chat.say("hello again")

    told = script.instructions().partition(HEADING)[2]
    assert '- wf_leave "Leave request": viewed 2026-11-21' in told
    assert reply.reply.context["breakdown"]["memory"] > len(told) // 8


async def test_another_user_is_not_told() -> None:
    chat, script = await chatting(get("wf_leave"), "There.", "Hello.")
    await chat.say("show the leave request", author="anna")

    await chat.say("hello", author="ben")

    assert "wf_leave" not in script.instructions()


async def test_tools_take_the_words_of_the_user() -> None:
    chat, script = await chatting(get("wf_expense_approval"), get("wf_leave"), "Both.", get("the other one"), "There.")
    first = await chat.say("show both")

    await chat.say("show the other one", conversation_id=first.conversation_id)

    assert "wf_expense_approval" in results(script)


async def test_words_that_may_mean_several_are_given_back_with_the_candidates() -> None:
    third = APPROVAL.model_copy(update={"id": "wf_third", "name": "Third"})
    chat, script = await chatting(
        get("wf_expense_approval"), "1", get("wf_leave"), "2", get("wf_third"), "3", get("the other one"), "?"
    )
    await chat.add(third)
    first = await chat.say("show the approval")
    for message in ("show the leave request", "show the third", "and the other one"):
        await chat.say(message, conversation_id=first.conversation_id)

    assert "wf_leave" in results(script)
    assert "wf_expense_approval" in results(script)
    assert "ask the user" in results(script)


async def test_a_name_that_a_user_gives_is_known_in_the_next_conversation() -> None:
    chat, script = await chatting(get("wf_leave"), "There.", "I will.", get("the Monday thing"), "There.")
    first = await chat.say("show the leave request")
    named = await chat.say("let's call it the Monday thing from now on", conversation_id=first.conversation_id)

    await chat.say("open the Monday thing")

    conversation = await chat.store.load(TENANT, named.conversation_id)
    assert conversation.workflow_refs[-1].aliases[0] == "the Monday thing"
    assert 'called "the Monday thing"' in script.instructions()
    assert "wf_leave" in results(script)


async def test_a_search_finds_what_the_user_calls_so_in_another_conversation() -> None:
    asked = Calls([("search_workflows", {"query": "heliotrope thing"})])
    chat, script = await chatting(get("wf_leave"), "Fine.", asked, "There.", asked, "Not there.")
    await chat.say('From now on call it "the heliotrope thing"', workflow_id="wf_leave")

    await chat.say("find the heliotrope thing")
    known = results(script)
    await chat.say("find the heliotrope thing", author="somebody else")

    assert "'id': 'wf_leave'" in known
    assert "'strategies': ['alias']" in known
    assert "'hits': []" in results(script)


async def test_the_old_name_of_a_renamed_workflow_is_still_found() -> None:
    rename = {"workflow": "wf_leave", "edits": [{"op": "rename_workflow", "name": "Holiday planning"}]}
    chat, script = await chatting(Calls([("edit_workflow", rename)]), "Done.", get("leave request"), "There.")
    await chat.say("rename the leave request to Holiday planning", mode="modification")

    await chat.say("show the leave request")

    assert "Holiday planning" in results(script)


class BrokenMemory(InMemoryWorkflowMemory):
    """A memory whose disk refuses."""

    async def recall(self, tenant: str, user: str) -> Sequence[WorkflowReference]:
        raise StorageFailed("The disk refuses.")

    async def remember(self, tenant: str, user: str, references: Sequence[WorkflowReference]) -> None:
        raise StorageFailed("The disk refuses.")


async def test_a_memory_that_fails_is_logged_and_loses_no_turn(caplog: pytest.LogCaptureFixture) -> None:
    chat, _ = await chatting(get("wf_leave"), "There.", memory=BrokenMemory())

    with caplog.at_level(logging.ERROR):
        reply = await chat.say("show the leave request")

    assert reply.reply.content == "There."
    assert [one.message for one in caplog.records] == ["workflow memory not read", "workflow memory not stored"]
