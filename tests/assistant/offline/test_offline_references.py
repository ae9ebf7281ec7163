"""That the offline model understands people who refer to what was dealt with before."""

import pytest

from tests.support.chats import chat_with
from tests.support.talking import Talk
from workflow_agent.assistant.offline.model import OfflineModel


@pytest.fixture
async def talk() -> Talk:
    started = Talk(chat_with(OfflineModel()))
    await started.say("create a workflow called Lead intake: sales enters the lead, the manager reviews it")
    await started.say("create a workflow called Quote letter: sales writes a quote, then finance sends it")
    return started


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("show the other one", "Lead intake"),
        ("show the first one we made", "Lead intake"),
        ("show the previous one", "Lead intake"),
        ("show the one I just made", "Quote letter"),
        ("draw the lead thing", "Lead intake"),
        ("what can go wrong in the one before that?", "Lead intake"),
    ],
)
async def test_words_for_what_was_dealt_with_are_understood(talk: Talk, message: str, name: str) -> None:
    reply = await talk.say(message)

    assert f"**{name}**" in reply.content
    assert {touch.name for touch in reply.workflows_touched} == {name}


async def test_what_may_be_several_is_asked_about(talk: Talk) -> None:
    await talk.say("create a workflow called Refund: support checks the case, then finance pays")

    reply = await talk.say("show the other one")

    assert "Which one do you mean?" in reply.content
    assert reply.workflows_touched == ()


async def test_a_nickname_is_kept_beside_the_name_and_works_in_the_next_conversation(talk: Talk) -> None:
    named = await talk.say("let's call it the Monday thing from now on")
    later = Talk(talk.under_test)

    reply = await later.say("show the Monday thing")

    assert "Its own name stays" in named.content
    assert {touch.change for touch in named.workflows_touched} == {"viewed"}
    assert "**Quote letter**" in reply.content


async def test_it_means_nothing_of_another_conversation(talk: Talk) -> None:
    reply = await Talk(talk.under_test).say("show it")

    assert "Which workflow do you mean?" in reply.content


async def test_a_new_name_may_begin_with_a_nickname_of_the_workflow(talk: Talk) -> None:
    await talk.say('call this "Thanks" for short')

    reply = await talk.say("rename it to Thanks of the month")

    assert "to 'Thanks of the month'" in reply.content


async def test_whether_one_can_go_back_is_a_question(talk: Talk) -> None:
    reply = await talk.say("can we go back to writing once it is sent?")

    assert "is now version" not in reply.content
