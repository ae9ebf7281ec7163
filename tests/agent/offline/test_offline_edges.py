"""The rarer turns of a conversation: weighed changes of every kind, places, names that fit twice."""

from typing import Any

import pytest

from tests.support.offline_agent import Chat
from tests.support.offline_documents import CONTRACT, EXPENSE, LEAFLET, REPORT, workflows


@pytest.mark.parametrize(
    ("weighed", "told"),
    [
        ("should we rename the review to Check?", "Rename **Manager review** to **Check**"),
        ("should we move pay out before the review?", "Move **Pay out** before **Manager review**"),
        (
            "should we add a tax check between submit and the review?",
            "between **Submit expense** and **Manager review**",
        ),
        ("should we give the review 3 days?", "Give **Manager review** a deadline of 3 days"),
        ("should we remove the deadline from the review?", "Remove the deadline of **Manager review**"),
        ("should we assign the review to finance?", "Assign **Manager review** to finance"),
        ("should we unassign the review?", "Leave **Manager review** without an owner"),
        (
            "should we connect pay out to rejected if it bounces?",
            "Connect **Pay out** to **Rejected** if it bounces",
        ),
        ("should we disconnect the review from rejected?", "Disconnect **Manager review** from **Rejected**"),
        ("should we replace the review with a vote?", "Replace **Manager review** with **Vote**"),
        (
            "should we require the director's approval before pay out?",
            "Have director approve before **Pay out**",
        ),
        (
            "should we do submit and pay out at the same time?",
            "Do **Submit expense** and **Pay out** at the same time",
        ),
        ("should we add error handling to pay out?", "Give **Pay out** a way out when it fails"),
        ("should we tag it with travel?", "Tag: travel"),
    ],
)
async def test_a_weighed_change_is_told_in_words(weighed: str, told: str) -> None:
    turn = await Chat().say(weighed)

    assert told in turn.text


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ("add a final tally as the last step", {"before": "paid"}),
        ("add an intake as the first step", {"before": "submit"}),
        ("add a tally as step 4", {"before": "paid"}),
        ("add a tally as step 2", {"before": "review"}),
        ("finish with a tally", {"before": "paid"}),
        ("before pay out, somebody should count the money", {"before": "pay"}),
    ],
)
async def test_places_can_be_said_by_number(said: str, where: dict[str, Any]) -> None:
    turn = await Chat().say(said)

    (edit,) = turn.edits
    assert edit | where == edit


async def test_the_end_of_a_workflow_without_end_steps_is_after_its_last() -> None:
    turn = await Chat(open_id="wf_weekly_report").say("add a toast at the end")

    assert turn.edits[0]["after"] == "mail"


async def test_which_end_is_asked_when_there_are_several_happy_ones() -> None:
    ends = [*EXPENSE["steps"], {"id": "kept", "name": "Kept", "type": "end", "outcome": "ok"}]
    chat = Chat(store=workflows(EXPENSE | {"steps": ends}))

    turn = await chat.say("add a toast at the end")

    assert "'the end' could be several steps" in turn.text


@pytest.mark.parametrize(
    "said",
    [
        "swap submit and pay out",
        "add a retry limit",
        "when it is dark, go to paid",
        "swap the review and the review",
    ],
)
async def test_what_cannot_be_told_is_asked(said: str) -> None:
    turn = await Chat().say(said)

    assert "edit_workflow" not in turn.tools
    assert "Manager review" in turn.text


async def test_the_answer_completes_a_connection() -> None:
    chat = Chat()
    await chat.say("when it is dark, go to paid")

    turn = await chat.say("the manager review")

    assert (turn.edits[0]["from"], turn.edits[0]["to"]) == ("review", "paid")


async def test_two_workflows_that_fit_are_asked_about() -> None:
    twins = [CONTRACT, CONTRACT | {"id": "wf_contract_two", "name": "Contract keeping"}, REPORT]
    chat = Chat(store=workflows(*twins), open_id=None)

    asked = await chat.say("explain the contract one")
    shown = await chat.say("keeping")

    assert asked.text.startswith("Several workflows fit 'contract'")
    assert shown.args("get_workflow") == {"workflow": "wf_contract_two"}


async def test_two_steps_of_one_name_are_told_apart_by_id() -> None:
    steps = [{"id": "a", "name": "Check"}, {"id": "b", "name": "Check"}]
    chat = Chat(store=workflows({"id": "wf_w", "name": "W", "steps": steps}), open_id="wf_w")

    asked = await chat.say("remove check")
    done = await chat.say("b")

    assert "1. **Check** (`a`)\n2. **Check** (`b`)" in asked.text
    assert done.edits == [{"op": "remove_step", "step": "b"}]


async def test_an_unknown_workflow_is_named_and_the_close_ones_listed() -> None:
    turn = await Chat().say("open the zebra workflow")

    assert "I found no workflow for 'zebra'" in turn.text


@pytest.mark.parametrize("position", ["the first one", "number 1", "the last one"])
async def test_a_listed_workflow_is_meant_by_its_place(position: str) -> None:
    chat = Chat(open_id=None)
    await chat.say("list everything tagged reporting")

    turn = await chat.say(f"show {position}")

    assert turn.args("get_workflow") == {"workflow": "wf_weekly_report"}


async def test_a_question_without_any_workflow_at_hand_asks_which() -> None:
    chat = Chat(open_id=None)

    asked = await chat.say("who approves the finance review?")
    told = await chat.say("contract signing")

    assert asked.tools == ["search_workflows"] or asked.tools[-1] == "get_workflow"
    assert "finance" in told.text or "finance" in asked.text


async def test_a_workflow_met_earlier_is_the_one_at_hand_when_none_is_open() -> None:
    turn = await Chat(open_id=None, known=["wf_weekly_report"]).say("explain it")

    assert turn.args("get_workflow") == {"workflow": "wf_weekly_report"}


async def test_a_question_of_no_known_kind_gets_what_the_document_says_nearest_to_it() -> None:
    turn = await Chat(mode="analysis").say("could the review be skipped?")

    assert "I can't answer that directly" in turn.text
    assert "**Manager review** (`review`)" in turn.text


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("how many branches does it have?", "has 1 branch"),
        ("which steps retry?", "**Mail** (`mail`) is tried up to 3 times"),
        ("what happens after mail?", "on error → **Draft** (`draft`)"),
        ("what happens after print?", "Nothing: **Print** (`print`) is where it ends"),
        ("what about draft?", "done by writer"),
        ("which fields are there?", "has a form with fields"),
        ("what tags does it have?", "no tags; no other names"),
        ("which steps are external calls?", "**Mail** (`mail`)"),
        ("what are the end steps?", "has no ends"),
        ("what is the second step?", "**Check** (`check`)"),
        ("what are the deadlines?", "may take 2 days at most"),
        ("what if print fails?", "it is not retried, and there is no error path"),
        ("who is involved?", "1 role is involved"),
        ("what does the plumber do?", "'plumber' has no step"),
    ],
)
async def test_odd_documents_are_answered_too(asked: str, told: str) -> None:
    turn = await Chat(store=workflows(LEAFLET), open_id="wf_leaflet").say(asked)

    assert told in turn.text


async def test_a_change_that_changes_nothing_says_so() -> None:
    turn = await Chat().say("tag it with finance")

    assert "There was nothing to change" in turn.text


async def test_what_is_left_after_fixing_is_told_with_why() -> None:
    turn = await Chat(store=workflows(LEAFLET), open_id="wf_leaflet").say("fix everything")

    assert turn.tools[-1] == "fix_findings"
    assert "I left it: it has no fix that is certain to be right" in turn.text


async def test_nothing_to_fix_is_told() -> None:
    clean = {
        "id": "wf_c",
        "name": "C",
        "steps": [
            {"id": "a", "name": "A", "type": "wait", "duration": "P1D"},
            {"id": "b", "name": "B", "type": "end", "outcome": "ok"},
        ],
        "transitions": [{"from": "a", "to": "b"}],
    }

    turn = await Chat(store=workflows(clean), open_id="wf_c").say("fix it")

    assert "found nothing wrong" in turn.text


async def test_a_creation_with_findings_offers_the_fix() -> None:
    chat = Chat(open_id=None)
    turn = await chat.say(
        "new workflow: when an order arrives, charge the card via Stripe, then email the customer"
    )

    assert turn.text.startswith("Done: I created")
