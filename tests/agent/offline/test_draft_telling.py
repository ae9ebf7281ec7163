"""Work that is told without the word workflow is recognised; news, questions and wishes are not."""

import pytest

from tests.support.chats import TENANT, chat_with
from workflow_agent.agent.offline import drafting
from workflow_agent.agent.offline.drafting import tells_work
from workflow_agent.agent.offline.model import OfflineModel


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The librarian registers the book, labels it, and puts it on the shelf.", id="one role"),
        pytest.param("goods are inspected by the clerk and stored by the warehouse", id="passive"),
        pytest.param("picker picks the items, packer packs them, driver loads the van", id="no articles"),
        pytest.param(
            "The nurse takes blood. Meanwhile, the doctor reads the file. After that, the surgeon operates.",
            id="a comma after each lead",
        ),
        pytest.param("for each invoice the clerk checks the amount and books it", id="for each"),
        pytest.param("Every Monday the clerk opens the mail. The manager reads it.", id="sentences"),
    ],
)
def test_work_that_is_told_is_recognised(text: str) -> None:
    assert tells_work(text) == "surely"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("My manager approved the budget yesterday and finance paid it.", id="news"),
        pytest.param("The clerk opens the mail and the manager reads it?", id="question"),
        pytest.param("Update the leave process: HR confirms it, then IT books it", id="about a workflow"),
        pytest.param("tell me a joke, sing me a song and give me a coffee", id="asked of the assistant"),
        pytest.param("I'm tired today", id="small talk"),
        pytest.param("", id="nothing"),
    ],
)
def test_anything_else_is_not(text: str) -> None:
    assert tells_work(text) == ""


async def test_told_work_becomes_a_workflow_at_once() -> None:
    chat = chat_with(OfflineModel(drafting=drafting))

    said = await chat.say("The librarian registers the book, labels it, and puts it on the shelf.")

    (made,) = await chat.workflows.all(TENANT)
    assert [one.assignee for one in made.steps if one.type == "human"] == ["librarian"] * 3
    assert "Done: I created" in said.reply.content


async def test_work_that_may_be_meant_otherwise_is_offered_and_made_on_yes() -> None:
    chat = chat_with(OfflineModel(drafting=drafting))

    asked = await chat.say("close the books, reconcile the accounts, send the report to the CFO")
    nothing = await chat.workflows.all(TENANT)
    done = await chat.say("yes", conversation_id=asked.conversation_id)

    assert "Shall I make a workflow of it?" in asked.reply.content
    assert not nothing
    assert "Done: I created" in done.reply.content


async def test_told_work_is_only_offered_while_a_workflow_is_open() -> None:
    chat = chat_with(OfflineModel(drafting=drafting))
    opened = await chat.add()

    said = await chat.say("The clerk opens the mail and the manager reads it.", workflow_id=opened.id)

    assert await chat.workflows.all(TENANT) == [opened]
    assert "Shall I make a workflow of it?" in said.reply.content
