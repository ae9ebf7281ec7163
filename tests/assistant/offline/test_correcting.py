"""Messages that put right what was just done, or go on from it, and say only what is other than before."""

import pytest

from tests.assistant.offline.test_reading_orders import LOAN
from tests.support.chats import TENANT, chat_with
from tests.support.talking import Talk
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.assistant.offline.nlu.fragments import said_in

DEADLINE = "set the deadline of Decide on loan to 4 days"
CALL = 'add a step "Call customer" after Score customer'
WAIT = "add a wait of 2 days after Score customer"
LIMIT = "change the amount that goes to Prepare payment to 8000"


@pytest.fixture
async def talk() -> Talk:
    """Return a conversation about the loan request."""
    under_test = chat_with(OfflineModel())
    await under_test.add(LOAN)
    begun = Talk(under_test)
    await begun.say("show the loan request")
    return begun


async def version(talk: Talk) -> int:
    """Return the version of the loan request that is stored."""
    return (await talk.under_test.workflows.get(TENANT, LOAN.id)).version


@pytest.mark.parametrize(
    ("order", "then", "changes"),
    [
        # Another value of the same kind.
        (DEADLINE, "no, 3 days", ["'Decide on loan': timeout changed from 4 days to 3 days"]),
        (DEADLINE, "hm, make that five", ["timeout changed from 4 days to 5 days"]),
        (DEADLINE, "5, not 4", ["timeout changed from 4 days to 5 days"]),
        ("set the deadline of Pay out to 24 hours", "18 will do", ["timeout changed from 1 day to 18 hours"]),
        (DEADLINE, "could you make that 3 days instead?", ["timeout changed from 4 days to 3 days"]),
        (DEADLINE, "on second thought, six would be more sensible", ["timeout changed from 4 days to 6 days"]),
        (DEADLINE, "a week would be better", ["timeout changed from 4 days to 1 week"]),
        (
            DEADLINE,
            "4 is too little for them. 6",
            ["changed from 4 days to 6 days", "“4 is too little for them” for the"],
        ),
        ("retry Score customer 5 times", "sorry, 4", ["'Score customer': retry changed from 5 attempts to 4 attempts"]),
        ("retry Score customer 5 times", "4 attempts rather", ["changed from 5 attempts to 4 attempts"]),
        (LIMIT, "I meant 9000", ["changed from 'amount up to 8,000' to 'amount up to 9000'"]),
        (WAIT, "better three", ["Renamed step 'Wait 2 days' to 'Wait 3 days'", "changed from 2 days to 3 days"]),
        ('tag it "urgent"', 'no, "fast"', ["Added tag 'fast'", "Removed tag 'urgent'"]),
        ('add the alias "credit"', 'I wanted to write "credits"', ["Added alias 'credits'", "Removed alias 'credit'"]),
        ('rename Pay out to "Pay"', 'oops "Transfer"', ["Renamed step 'Pay' to 'Transfer'"]),
        ('rename Pay out to "Pay"', "call it Send the money instead", ["Renamed step 'Pay' to 'Send the money'"]),
        ('rename the workflow to "Loan"', 'hm "Loans" sounds better', ["from 'Loan' to 'Loans'"]),
        ("the auditor does Pay out", "no wait, the clerk", ["'Pay out': assignee changed from 'auditor' to 'clerk'"]),
        ("the auditor does Pay out", "not the auditor, the clerk", ["assignee changed from 'auditor' to 'clerk'"]),
        # Another place.
        (CALL, "no, before", ["'Apply for loan' now leads to 'Call customer'", "'Call customer' now leads to 'Score"]),
        (CALL, "put it before the payout instead", ["'Wait for withdrawal' now leads to 'Call customer'"]),
        (CALL, "sorry, I meant the decision", ["'Decide on loan' now leads to 'Call customer'"]),
        # More of the same step.
        (CALL, "the clerk does that one", ["'Call customer': assignee set to 'clerk'"]),
        (CALL, "and give her two days", ["'Call customer': timeout set to 2 days"]),
        (CALL, "10 minutes tops and the clerk does that", ["assignee set to 'clerk'; timeout set to 10 minutes"]),
        # Another step.
        (DEADLINE, "same for the payout", ["'Pay out': timeout set to 4 days"]),
        (DEADLINE, "the payout too please", ["'Pay out': timeout set to 4 days"]),
        ("the auditor does Pay out", "he decides on the loan as well", ["assignee changed from 'clerk' to 'auditor'"]),
        (DEADLINE, "sorry, I meant the scoring", ["'Score customer': timeout set to 4 days", "from 4 days to 2 days"]),
        (
            "the auditor does Pay out",
            "no, Print contract",
            ["'Pay out': assignee 'auditor' removed", "set to 'auditor'"],
        ),
        ("if Score customer is late by 2 days tell the auditor", "and Pay out too", ["escalate_to set to 'auditor'"]),
        ("remove Wait for withdrawal", "and print contract", ["Removed step 'Print contract'"]),
        # What is next.
        (CALL, 'then "Take a photo"', ["Added step 'Take a photo' (action) between 'Call customer'"]),
        (CALL, "and after that a review, done by the auditor", ["Added step 'Review' (human, auditor) between 'Call"]),
        (CALL, "followed by send the papers", ["Added step 'Send the papers' (action) between 'Call customer' and"]),
        (
            CALL,
            "not there between apply for loan and score customer",
            ["'Apply for loan' now leads to 'Call customer'"],
        ),
        # As it was, in words.
        ("the auditor does Decide on loan", "no keep the clerk", ["assignee changed from 'auditor' to 'clerk'"]),
        (DEADLINE, "make it 5, four is tight after a holiday", ["from 4 days to 5 days", "“four is tight after a"]),
        (DEADLINE, "no sory 3 weeks", ["timeout changed from 4 days to 3 weeks"]),
        # On what was asked about.
        ("how long does Decide on loan take?", "make it 3 days", ["timeout changed from 2 days to 3 days"]),
        ("how long does Decide on loan take?", "3 would be better", ["timeout changed from 2 days to 3 days"]),
        ("who does Decide on loan?", "ok, from now on Anna", ["assignee changed from 'clerk' to 'Anna'"]),
        ("how often is Score customer retried?", "5 please", ["retry changed from 3 attempts to 5 attempts"]),
    ],
)
async def test_what_is_other_is_changed_and_nothing_else(talk: Talk, order: str, then: str, changes: list[str]) -> None:
    await talk.say(order)
    before = await version(talk)

    reply = await talk.say(then)

    assert reply.content.startswith("Done: ")
    assert [one for one in changes if one not in reply.content] == []
    assert await version(talk) == before + 1


async def test_it_may_be_put_right_again_and_again(talk: Talk) -> None:
    for said in (
        CALL,
        "the clerk does that",
        "no wait, the auditor",
        "sorry, after the decision",
        'oh and call it "Phone"',
    ):
        assert (await talk.say(said)).content.startswith("Done: "), said

    stored = await talk.under_test.workflows.get(TENANT, LOAN.id)
    step = stored.step("call_customer")
    assert step is not None
    assert (step.name, step.assignee, [edge.from_ for edge in stored.incoming(step.id)]) == (
        "Phone",
        "auditor",
        ["decide"],
    )


async def test_what_was_to_be_shown_first_is_shown_again_with_what_is_put_right(talk: Talk) -> None:
    shown = await talk.say("show me first: set the deadline of Decide on loan to 4 days")
    assert shown.content.endswith("Shall I do it?")

    reply = await talk.say("no, 3 days")

    assert "timeout changed from 2 days to 3 days" in reply.content
    assert reply.content.endswith("Shall I do it?")
    assert (await talk.say("yes")).content.startswith("Done: ")


async def test_what_was_to_be_shown_first_stays_so_however_often_it_is_put_right(talk: Talk) -> None:
    for said in ("show me first: set the deadline of Decide on loan to 4 days", "no, 3 days", "no, 5"):
        reply = await talk.say(said)
        assert reply.content.endswith("Shall I do it?"), said

    assert "from 2 days to 5 days" in reply.content
    assert await version(talk) == 1


async def test_what_was_undone_is_not_put_right(talk: Talk) -> None:
    for said in (DEADLINE, "undo", "the auditor does Pay out"):
        await talk.say(said)

    reply = await talk.say("no, 3 days")

    assert "Decide on loan" not in reply.content


async def test_a_name_of_a_step_alone_removes_nothing(talk: Talk) -> None:
    reply = await talk.say("then the scoring")

    assert await version(talk) == 1
    assert not reply.content.startswith("Done")


async def test_a_yes_with_another_value_is_done_with_that(talk: Talk) -> None:
    await talk.say("show me first: set the deadline of Decide on loan to 4 days")

    reply = await talk.say("yes, but 3 days")

    assert reply.content.startswith("Done: ")
    assert "timeout changed from 2 days to 3 days" in reply.content
    assert await version(talk) == 2


async def test_what_was_shown_in_doubt_is_done_with_what_is_said_of_it(talk: Talk) -> None:
    shown = await talk.say(f"{CALL} on Fridays")
    assert shown.content.endswith("Shall I do it?")

    reply = await talk.say("the clerk does that, before the decision")

    assert reply.content.startswith("Done: ")
    assert "Added step 'Call customer' (human, clerk, only when 'on Fridays') between 'Score" in reply.content


async def test_what_was_only_asked_about_is_shown_with_what_is_said_of_it(talk: Talk) -> None:
    await talk.say('shouldn\'t there be a step "Call customer" after the scoring?')

    reply = await talk.say("the clerk does that")

    assert "Added step 'Call customer' (human, clerk)" in reply.content
    assert reply.content.endswith("Nothing is changed yet. Shall I do it?")


@pytest.mark.parametrize(
    ("order", "then"),
    [
        (DEADLINE, "3 days?"),
        (DEADLINE, "ok good, thanks"),
        (DEADLINE, "4 days, nice"),
        (DEADLINE, "no, the moon"),
        (CALL, "before or after?"),
        (CALL, "the clerk is on holiday"),
        ("who does Decide on loan?", "Anna would know"),
        (CALL, 'then "Take a photo", at the gate'),
        (CALL, "then the next step"),
        (CALL, "and also after the decision"),
        (CALL, "before I go, thanks"),
        ("the auditor does Pay out", "the clerk should not do it"),
        ("the auditor does Pay out", "the clerk was fine"),
        ("the auditor does Pay out", "the clerk will be happy"),
        ("the auditor does Pay out", "thanks Sarah"),
        ("remove Print contract", "the payout is good too"),
        (DEADLINE, "wait, the scoring"),
        (DEADLINE, "I need 10 minutes"),
        (DEADLINE, "is 3 days better"),
        (DEADLINE, "maybe 3 days"),
        (DEADLINE, "before that it was 1 day"),
        ("retry Score customer 5 times", "thanks a million"),
        (DEADLINE, "2 days is a lot"),
        (DEADLINE, "that took 3 hours"),
        (DEADLINE, "that makes 2 changes"),
        ("remove Print contract", "no, keep it"),
        ("set the deadline of Decide on loan to 2 hours and of Pay out to 3 hours", "and the scoring too"),
        ("the auditor does Pay out", "and the clerk too"),
        (CALL, "and print contract as well"),
        (CALL, "then the auditor"),
        ("is there a loop in it?", "4 attempts"),
        ("is there a loop in it?", "3 days"),
        ("hello", "3 days"),
    ],
)
async def test_what_is_more_or_other_than_a_value_changes_nothing(talk: Talk, order: str, then: str) -> None:
    await talk.say(order)
    before = await version(talk)

    reply = await talk.say(then)

    assert await version(talk) == before
    assert not reply.content.startswith("Done")


async def test_a_judged_value_is_told_to_be_a_remark(talk: Talk) -> None:
    await talk.say(DEADLINE)

    reply = await talk.say("4 days is a lot")

    assert reply.content.startswith("I took “4 days is a lot” for a remark; nothing was changed.")


async def test_a_no_to_what_is_done_already_says_that_it_stays(talk: Talk) -> None:
    await talk.say("remove Print contract")

    reply = await talk.say("no, keep it")

    assert reply.content == 'Fine, nothing more was changed. The change before stays; say "undo" if it should go.'


async def test_take_that_back_names_no_step(talk: Talk) -> None:
    await talk.say(DEADLINE)

    reply = await talk.say("hm, take that back please")

    assert "back to how it was in version 1" in reply.content


@pytest.mark.parametrize(
    "said", ["", "why 3 days?", "3 days, 4 days", "the clerk, the auditor", "it was the clerk who said so", "no " * 30]
)
def test_a_message_that_says_more_or_nothing_is_none_of_these(said: str) -> None:
    assert said_in(said) is None
