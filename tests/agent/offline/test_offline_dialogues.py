"""Whole conversations: follow-ups, questions back, offers taken up."""

from typing import Any

import pytest

from tests.support.offline_agent import Chat

CONTRACT = "wf_contract_signing"


async def said_in_turn(chat: Chat, *lines: str) -> Any:
    """Say the lines one after the other and return the last turn."""
    turn = None
    for line in lines:
        turn = await chat.say(line)
    return turn


@pytest.mark.parametrize(
    ("answer", "removed"),
    [
        pytest.param("the second one", "finance_review", id="by place"),
        pytest.param("2", "finance_review", id="by number"),
        pytest.param("legal", "legal_review", id="by a word"),
        pytest.param("I mean the finance review", "finance_review", id="by name"),
        pytest.param("finance_review", "finance_review", id="by id"),
        pytest.param("the last one", "finance_review", id="last"),
    ],
)
async def test_an_ambiguous_step_is_asked_about_and_the_answer_settles_it(answer: str, removed: str) -> None:
    chat = Chat(open_id=CONTRACT)

    asked = await chat.say("remove the review")
    done = await chat.say(answer)

    assert "edit_workflow" not in asked.tools
    assert "1. **Legal review** (`legal_review`)\n2. **Finance review** (`finance_review`)" in asked.text
    assert done.edits == [{"op": "remove_step", "step": removed}]


async def test_declining_leaves_everything_as_it_is() -> None:
    turn = await said_in_turn(Chat(open_id=CONTRACT), "remove the review", "no, leave it")

    assert turn.tools == []
    assert "leave it as it is" in turn.text


async def test_another_request_in_place_of_an_answer_is_taken_as_such() -> None:
    turn = await said_in_turn(
        Chat(open_id=CONTRACT), "remove the review", "rename draft contract to Write contract"
    )

    assert turn.edits == [{"op": "rename_step", "step": "draft", "name": "Write contract"}]


async def test_a_missing_place_is_asked_for_and_filled_in() -> None:
    chat = Chat(open_id=CONTRACT)

    asked = await chat.say("add a security review")
    done = await chat.say("before signing")

    assert asked.text.startswith("Where should “security review” go?")
    assert done.edits[0]["before"] == "sign"
    assert done.edits[0]["step"]["name"] == "Security review"


async def test_a_missing_step_is_asked_for_and_filled_in() -> None:
    chat = Chat(open_id=CONTRACT)

    asked = await chat.say("add a deadline of 2 days")
    done = await chat.say("the legal review")

    assert asked.text.startswith("Which step is that for?")
    assert done.edits == [{"op": "set_timeout", "step": "legal_review", "timeout": "P2D"}]


async def test_it_is_the_step_just_added() -> None:
    chat = Chat(open_id=CONTRACT)

    renamed = await said_in_turn(chat, "add a security review before signing", "rename it to Security check")
    timed = await chat.say("and give it two days")

    assert renamed.edits == [{"op": "rename_step", "step": "security_review", "name": "Security check"}]
    assert timed.edits == [{"op": "set_timeout", "step": "security_review", "timeout": "P2D"}]


async def test_it_is_the_workflow_when_no_step_was_spoken_of() -> None:
    turn = await said_in_turn(Chat(open_id=None), "what runs every Monday?", "rename it to Board report")

    assert turn.args("edit_workflow")["workflow"] == "wf_weekly_report"
    assert turn.edits == [{"op": "rename_workflow", "name": "Board report"}]


async def test_the_same_is_done_to_another_step() -> None:
    turn = await said_in_turn(
        Chat(open_id=CONTRACT), "give the legal review two days", "the same for the finance review"
    )

    assert turn.edits == [{"op": "set_timeout", "step": "finance_review", "timeout": "P2D"}]


async def test_the_other_one_is_asked_about_when_there_are_several() -> None:
    turn = await said_in_turn(
        Chat(open_id=CONTRACT), "give the legal review two days", "and for the other one"
    )

    assert "edit_workflow" not in turn.tools
    assert "could be several steps" in turn.text


async def test_nothing_is_repeated_when_nothing_was_changed() -> None:
    turn = await said_in_turn(Chat(open_id=CONTRACT), "explain it", "do the same for the finance review")

    assert "I see no change just before this" in turn.text


async def test_yes_makes_the_change_that_was_weighed() -> None:
    turn = await said_in_turn(Chat(), "should we add a legal review before paying?", "yes please")

    assert turn.edits[0]["before"] == "pay"
    assert "is now version 4" in turn.text


async def test_no_does_not() -> None:
    turn = await said_in_turn(Chat(), "should we add a legal review before paying?", "no thanks")

    assert turn.tools == []


async def test_yes_applies_the_fixes_that_were_offered() -> None:
    turn = await said_in_turn(Chat(), "what can go wrong?", "yes")

    assert turn.edits == [{"op": "add_error_path", "step": "pay"}]


async def test_a_number_picks_among_the_fixes() -> None:
    turn = await said_in_turn(Chat(open_id=CONTRACT), "where can it get stuck?", "fix number 2")

    assert turn.edits == [{"op": "set_timeout", "step": "announce", "timeout": "PT5M"}]


async def test_fixing_without_an_offer_makes_every_safe_fix() -> None:
    chat = Chat()

    turn = await chat.say("fix it")

    assert turn.tools[-1] == "fix_findings"
    assert turn.text.startswith("Done: I fixed")
    assert any(edge.type == "error" for edge in chat.store["wf_expense_approval"][-1].outgoing("pay"))


async def test_yes_to_nothing_is_questioned() -> None:
    turn = await said_in_turn(Chat(), "hi", "yes")

    assert turn.tools == []


async def test_the_hits_of_a_search_are_opened_by_place() -> None:
    turn = await said_in_turn(Chat(open_id=None), "what do we have for finance?", "open the second one")

    assert turn.args("get_workflow") == {"workflow": CONTRACT}


async def test_yes_opens_the_only_hit() -> None:
    turn = await said_in_turn(Chat(open_id=None), "which of ours talk to Slack?", "yes")

    assert turn.args("get_workflow") == {"workflow": CONTRACT}


async def test_a_follow_up_is_about_what_was_shown_last() -> None:
    turn = await said_in_turn(Chat(), "explain the contract signing", "and remove the second one")

    assert turn.args("edit_workflow")["workflow"] == CONTRACT
    assert turn.edits == [{"op": "remove_step", "step": "legal_review"}]


async def test_a_workflow_opened_since_goes_before_what_was_shown_last() -> None:
    chat = Chat()
    await chat.say("explain the contract signing")
    chat.open_id = "wf_weekly_report"

    turn = await chat.say("explain it")

    assert turn.args("get_workflow") == {"workflow": "wf_weekly_report"}


async def test_which_workflow_is_asked_and_the_answer_carries_the_request_on() -> None:
    chat = Chat(open_id=None)

    asked = await chat.say("add a legal review before signing")
    done = await chat.say("contract signing")

    assert asked.text.startswith("Which workflow do you mean?")
    assert done.args("edit_workflow")["workflow"] == CONTRACT


async def test_undo_returns_to_the_version_before() -> None:
    chat = Chat()

    await chat.say("remove the manager review")
    turn = await chat.say("undo that")

    assert turn.args("undo_change") == {"workflow": "wf_expense_approval"}
    assert "back to how it was in version 3 (now version 5)" in turn.text


@pytest.mark.parametrize(
    "said",
    [
        "go back to version 3",
        "restore version 3",
        "undo everything back to version 3",
        "revert it to version 3",
    ],
)
async def test_a_version_is_restored_by_number(said: str) -> None:
    turn = await said_in_turn(Chat(), "remove the manager review", said)

    assert turn.args("undo_change") == {"workflow": "wf_expense_approval", "to_version": 3}


async def test_an_undo_that_fails_claims_nothing() -> None:
    turn = await Chat().say("undo that")

    assert "it didn't work" in turn.text
    assert "Nothing was changed" in turn.text


async def test_a_follow_up_question_goes_on_from_the_last_step() -> None:
    turn = await said_in_turn(Chat(), "what happens after submit?", "and after that?")

    assert "if approved" in turn.text


async def test_the_last_step_spoken_of_is_forgotten_after_another_topic() -> None:
    turn = await said_in_turn(
        Chat(), "add a legal check before pay out", "list all workflows", "rename it to Payback"
    )

    assert turn.edits == [{"op": "rename_workflow", "name": "Payback"}]


async def test_two_fixes_that_do_not_go_together_are_not_lost() -> None:
    chat = Chat(open_id=CONTRACT)
    await chat.say("where can it get stuck?")
    chat.failing["edit_workflow"] = "Edit 1 (set_timeout) was refused: no."

    turn = await chat.say("yes")

    assert turn.tools.count("edit_workflow") == 2
    assert "it didn't work: no." in turn.text


async def test_a_conversation_about_the_conversation() -> None:
    chat = Chat()

    await said_in_turn(chat, "explain it", "add a legal check before pay out")
    first = await chat.say("what did I ask first?")
    so_far = await chat.say("what have we done so far?")
    before = await chat.say("what was my last question?")
    third = await chat.say("what happened in turn 2?")
    found = await chat.say("did we talk about legal?")

    assert first.text == "The first thing you asked was: “explain it”"
    assert "“add a legal check before pay out” I changed **Expense approval**." in so_far.text
    assert "“what have we done so far?”" in before.text
    assert "“add a legal check before pay out”" in third.text
    assert "Turn 2, you: “add a legal check before pay out”" in found.text


async def test_the_beginning_is_told_from_the_messages_where_no_tool_is_offered() -> None:
    chat = Chat(withheld=frozenset({"get_turn", "search_history"}))

    turn = await said_in_turn(chat, "explain it", "what did I ask first?")

    assert "you began with: “explain it”" in turn.text


async def test_turns_out_of_sight_are_told_by_how_it_began() -> None:
    chat = Chat()
    await said_in_turn(chat, "explain it", "list all workflows")
    del chat.history[:4]

    turn = await chat.say("what have we done so far?")

    assert turn.text.startswith("So far:\n\n- It began with: “explain it”")


async def test_what_was_said_last_is_repeated() -> None:
    turn = await said_in_turn(Chat(), "hi", "what did you just say?")

    assert "Hello!" in turn.text


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        pytest.param("what did I ask first?", "This is the first thing", id="first"),
        pytest.param("what was my last question?", "it is your first message", id="last"),
        pytest.param("what have we done so far?", "this is your first message", id="so far"),
        pytest.param("did we talk about refunds?", "I find nothing about 'refunds'", id="recall"),
        pytest.param("what happened in turn 9?", "There is no turn 9", id="nth"),
    ],
)
async def test_an_empty_conversation_has_nothing_to_tell(asked: str, told: str) -> None:
    turn = await Chat().say(asked)

    assert told in turn.text
