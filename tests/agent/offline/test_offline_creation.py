"""Descriptions become workflows; what is missing is asked for."""

import pytest

from tests.support.offline_agent import Chat

EXPENSE = (
    "When an employee submits an expense, the manager approves or rejects it. "
    "If approved, finance pays; otherwise the employee is told."
)


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(EXPENSE, id="a statement"),
        pytest.param(f"Please create a workflow: {EXPENSE}", id="an order with a colon"),
        pytest.param(f"I need a process for expenses. {EXPENSE}", id="a need, then the steps"),
        pytest.param(
            "could you build me a workflow where sales drafts an offer, then the manager approves it",
            id="asked",
        ),
        pytest.param("new workflow: draft -> review -> publish", id="arrows"),
        pytest.param(
            "Build this:\n1. sales drafts the offer\n2. the manager approves it\n3. sales sends it", id="list"
        ),
    ],
)
async def test_a_description_is_created_through_the_tool(said: str) -> None:
    turn = await Chat(open_id=None).say(said)

    assert "create_workflow" in turn.tools
    assert turn.text.startswith("Done: I created **")


async def test_the_reply_shows_steps_roles_and_branches() -> None:
    turn = await Chat(open_id=None).say(EXPENSE)

    assert ": manager → " in turn.text
    assert "if approved: " in turn.text
    assert "if rejected: " in turn.text


async def test_creation_switches_mode_where_it_has_to() -> None:
    turn = await Chat(open_id=None, mode="general").say(f"create a workflow: {EXPENSE}")

    assert turn.tools == ["switch_mode", "create_workflow"]
    assert turn.args("switch_mode")["mode"] == "creation"


async def test_a_name_without_steps_is_asked_about_and_then_built() -> None:
    chat = Chat(open_id=None)

    asked = await chat.say("make me a gizmo calibration process")
    done = await chat.say("the operator heats the gizmo, then the engineer measures it")

    assert asked.tools == []
    assert asked.text.startswith("Happy to build a gizmo calibration process. What are its steps")
    assert "create_workflow" in done.tools


async def test_the_new_workflow_is_the_one_at_hand() -> None:
    chat = Chat(open_id=None)
    await chat.say(EXPENSE)

    turn = await chat.say("give the manager two days")

    assert turn.edits[0]["timeout"] == "P2D"


async def test_a_creation_that_fails_claims_nothing() -> None:
    chat = Chat(open_id=None, failing={"create_workflow": "The name is taken."})

    turn = await chat.say(EXPENSE)

    assert "The name is taken." in turn.text
    assert "Done" not in turn.text


async def test_adding_a_step_is_not_creating_a_workflow() -> None:
    turn = await Chat(mode="creation").say("create a step called Archive after pay out")

    assert "create_workflow" not in turn.tools
    assert turn.edits[0]["op"] == "insert_step"


@pytest.mark.parametrize(
    "said",
    [
        "should we create a workflow for refunds?",
        "build a refund process?",
        "would it make sense to automate refunds?",
    ],
)
async def test_a_weighed_creation_is_offered_and_not_made(said: str) -> None:
    chat = Chat(open_id=None, mode="creation")

    turn = await chat.say(said)

    assert turn.tools == []
    assert turn.text.startswith("I can build")


async def test_yes_builds_what_was_weighed() -> None:
    chat = Chat(open_id=None)
    await chat.say("should we create a workflow: draft -> review -> publish?")

    turn = await chat.say("yes")

    assert "create_workflow" in turn.tools
