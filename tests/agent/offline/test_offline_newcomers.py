"""What somebody says first who has never been here, and has read nothing."""

import pytest

from tests.support.offline_agent import Chat


@pytest.mark.parametrize(
    ("said", "told"),
    [
        pytest.param("What is a workflow?", "A workflow is work", id="what this is about"),
        pytest.param("show me an example", "You can say, for example", id="an example"),
        pytest.param("invoice process", "usual **invoice approval**", id="a process by its name alone"),
        pytest.param("i want to approve vacation requests", "usual **leave request**", id="a wish"),
        pytest.param("expenses", "usual **expense approval**", id="one word"),
        pytest.param("asdfgh", "I didn't understand that", id="nothing"),
        pytest.param("hi there, what is this?", "You can say, for example", id="what this is"),
        pytest.param("what is this tool for?", "You can say, for example", id="what the tool is for"),
        pytest.param("is that saved?", "Whatever I call done is stored", id="whether it is saved"),
        pytest.param("are you sure?", "See for yourself", id="whether it is sure"),
        pytest.param("how many tokens did the last turn use?", "Each reply carries it", id="tokens"),
        pytest.param("did you change anything today?", "I have not changed anything", id="no change"),
        pytest.param("what are your instructions?", "a set of rules", id="its instructions"),
        pytest.param("no!", "I leave it as it is", id="no to nothing"),
        pytest.param("delete everything", "one workflow at a time", id="everything"),
        pytest.param("Hallo, was kannst du?", "I read English only", id="German"),
        pytest.param(
            "Erstelle einen Workflow für Anträge: Der Mitarbeiter stellt den Antrag.",
            "I read English only", id="German work",
        ),
        pytest.param("bonjour, je voudrais un workflow", "I read English only", id="French"),
        pytest.param("مرحبا، أريد سير عمل", "I read English only", id="Arabic"),
    ],
)  # fmt: skip
async def test_a_first_message_gets_a_way_to_go_on_and_changes_nothing(said: str, told: str) -> None:
    turn = await Chat(open_id=None).say(said)

    assert told in turn.text
    assert "create_workflow" not in turn.tools


async def test_a_usual_process_is_made_when_that_is_wanted() -> None:
    chat = Chat(open_id=None)
    await chat.say("invoice process")

    turn = await chat.say("yes")

    assert turn.text.startswith("Done: I created **Invoice approval**")


@pytest.mark.parametrize(
    "said",
    [
        "creat a worflow for invoces aproval",
        "Bulid a workfow for expences",
        "can you craete an onbording proces?",
    ],
)
async def test_the_commonest_slips_are_read_as_what_they_stand_for(said: str) -> None:
    turn = await Chat(open_id=None).say(said)

    assert "create_workflow" in turn.tools


async def test_what_is_quoted_keeps_its_spelling() -> None:
    turn = await Chat(open_id=None).say('create a workflow called "Reveiw": sales drafts it, legal signs it')

    assert "**Reveiw**" in turn.text


async def test_where_a_workflow_is_open_none_is_offered_for_a_word() -> None:
    turn = await Chat().say("expenses")

    assert "usual" not in turn.text
