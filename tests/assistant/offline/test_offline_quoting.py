"""What the offline model answers from: documents that were attached, and never the raw result of a tool."""

import pytest

from tests.support.chats import chat_with
from tests.support.talking import Talk
from workflow_agent.assistant.attachments import NewAttachment
from workflow_agent.assistant.offline.model import OfflineModel

POLICY = NewAttachment(
    title="Vendor policy.md",
    content="# Vendor policy\n\nNo review may take longer than 5 days.\n\nFinance approves every vendor.\n",
)
BOTH = "where can it get stuck, and does that fit the vendor policy?"


@pytest.fixture
async def talk() -> Talk:
    """Return a conversation in which the results of tools have left the window, and one workflow is open."""
    under_test = chat_with(OfflineModel())
    await under_test.add()
    started = Talk(under_test)
    await started.say("show the expense approval")
    await started.say("where can it get stuck?")
    await started.say("create a workflow called Vendor A: purchasing enters the vendor, finance approves it")
    for _ in range(4):
        await started.say("hello")
    return started


async def asked_with_policy(talk: Talk, message: str) -> str:
    """Return the reply to a message that the policy came along with."""
    outcome = await talk.under_test.say(message, conversation_id=talk.conversation_id, attachments=(POLICY,))
    return outcome.reply.content


@pytest.mark.parametrize(
    "said", [BOTH, "what does the vendor policy say about reviews?", "does it fit the policy I attached?"]
)
async def test_a_question_about_a_document_is_answered_from_it_alone(talk: Talk, said: str) -> None:
    reply = await asked_with_policy(talk, said)

    assert "From “Vendor policy.md”:" in reply
    assert "No review may take longer than 5 days." in reply
    assert "{" not in reply
    assert '":' not in reply, "a result of a tool is not quoted"
    assert "get_workflow" not in reply


async def test_what_is_asked_beside_the_document_is_answered_too(talk: Talk) -> None:
    reply = await asked_with_policy(talk, BOTH)

    assert reply.startswith("In **Vendor A** (version 1)")
    assert "the result of" not in reply


async def test_a_yes_takes_up_what_was_offered_beside_the_document(talk: Talk) -> None:
    offered = await asked_with_policy(talk, BOTH)

    reply = (await talk.say("yes")).content

    assert "Shall I" in offered
    assert reply.startswith("Done: **Vendor A** is now version 2.")


@pytest.mark.parametrize(
    "said", ["what did the analysis find earlier?", "what did your search say earlier about the expense review?"]
)
async def test_a_result_that_is_asked_for_is_told_and_not_quoted_raw(talk: Talk, said: str) -> None:
    reply = (await talk.say(said)).content

    assert "{" not in reply
    assert '":' not in reply


@pytest.mark.parametrize(
    "source", ["as the policy I attached says", "according to the vendor policy", "as the attached policy requires"]
)
async def test_an_order_that_names_a_document_is_an_order(talk: Talk, source: str) -> None:
    reply = await asked_with_policy(talk, f"set the timeout of approve to 5 days, {source}")

    assert reply.startswith("Done: **Vendor A** is now version 2.")
    assert "timeout set to 5 days" in reply
