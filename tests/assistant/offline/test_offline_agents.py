"""What the offline model makes of agents and phases, over the whole chat."""

import pytest

from tests.support.chats import TENANT, chat_with
from workflow_agent.assistant.offline.model import OfflineModel


@pytest.mark.parametrize(
    ("said", "who", "told"),
    [
        ("who are you all?", ["assistant"], "`@designer`, `@finder`, `@editor` and `@analyst`"),
        ("hand this over to the editor", ["assistant", "editor"], "I am the editor now."),
        ("ask the finder and the analyst", ["assistant", "finder", "analyst"], "I am the analyst now."),
        ("@analyst where can the expense approval get stuck?", ["analyst"], "**Expense approval**"),
    ],
)
async def test_the_agents_are_asked_in_words(said: str, who: list[str], told: str) -> None:
    under_test = chat_with(OfflineModel())
    await under_test.add()

    outcome = await under_test.say(said)

    assert [reply.author for reply in (*outcome.others, outcome.reply)] == who
    assert told in outcome.reply.content


async def test_the_phase_is_changed_in_words() -> None:
    under_test = chat_with(OfflineModel())

    planned = await under_test.say("let's plan")
    refused = await under_test.say("let's reflect", conversation_id=planned.conversation_id)

    stored = await under_test.store.load(TENANT, planned.conversation_id)
    assert "phase **plan**" in planned.reply.content
    assert "allowed: execute, chat" in refused.reply.content
    assert stored.phase == "plan"


@pytest.mark.parametrize(
    "said", ["Ask the editor to approve the article, then publish it.", "ask the manager for approval first"]
)
async def test_people_in_a_description_are_no_agents(said: str) -> None:
    outcome = await chat_with(OfflineModel()).say(said)

    assert outcome.others == ()
    assert "hand_off" not in outcome.reply.tools_used
