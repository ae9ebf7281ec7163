"""What an order does to the workflow that is open, through the real chat: done, shown first, or refused."""

from typing import Any

import pytest

from tests.support.chats import TENANT, chat_with
from tests.support.talking import Talk
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

pytestmark = pytest.mark.untraced

LOAN: dict[str, Any] = {
    "id": "wf_loan",
    "name": "Loan request",
    "start": "apply",
    "version": 1,
    "steps": [
        {"id": "apply", "name": "Apply for loan", "type": "human", "assignee": "customer"},
        {"id": "score", "name": "Score customer", "type": "action", "uses": "bureau.score"},
        {"id": "decide", "name": "Decide on loan", "type": "human", "assignee": "clerk", "timeout": "P2D"},
        {"id": "pay", "name": "Pay out", "type": "action", "uses": "bank.transfer"},
        {"id": "paid", "name": "Paid", "type": "end", "outcome": "ok"},
        {"id": "refused", "name": "Refused", "type": "end", "outcome": "rejected"},
    ],
    "transitions": [
        {"id": "t1", "from": "apply", "to": "score"},
        {"id": "t2", "from": "score", "to": "decide"},
        {"id": "t3", "from": "decide", "to": "pay", "type": "condition", "when": {"text": "amount up to 5,000"}},
        {"id": "t4", "from": "decide", "to": "refused", "type": "condition", "when": {"text": "rejected"}},
        {"id": "t5", "from": "pay", "to": "paid"},
    ],
}


@pytest.fixture
async def talk() -> Talk:
    under_test = chat_with(OfflineModel())
    await under_test.add(parse_workflow(LOAN))
    started = Talk(under_test)
    await started.say("show the loan request")
    return started


async def loan(talk: Talk) -> Workflow:
    return await talk.under_test.workflows.get(TENANT, "wf_loan")


def ways(workflow: Workflow) -> set[tuple[str, str]]:
    return {(edge.from_, edge.to) for edge in workflow.transitions}


@pytest.mark.parametrize(
    ("said", "gone", "come"),
    [
        (
            "add a fraud check after scoring",
            {("score", "decide")},
            {("score", "fraud_check"), ("fraud_check", "decide")},
        ),
        (
            "before paying out, call the customer",
            {("decide", "pay")},
            {("decide", "call_the_customer"), ("call_the_customer", "pay")},
        ),
        ("legal has to check the contract before we decide", {("score", "decide")}, {("check_the_contract", "decide")}),
        ("pls remove the scoring", {("apply", "score"), ("score", "decide")}, {("apply", "decide")}),
        ("the decision should come before the scoring", {("apply", "score")}, {("apply", "decide")}),
        ("wait two days between applying and scoring", {("apply", "score")}, {("apply", "wait_two_days")}),
        ("connect pay out to score customer if the transfer bounces", set[tuple[str, str]](), {("pay", "score")}),
        (
            "the deputy confirms before the decision",
            {("score", "decide")},
            {("score", "deputy_approval"), ("deputy_approval", "decide")},
        ),
        ("I'd like the team to be informed after paying out", {("pay", "paid")}, {("pay", "inform_the_team")}),
        ("last step: ask for feedback", {("pay", "paid")}, {("pay", "ask_for_feedback")}),
    ],
)
async def test_the_graph_becomes_what_was_ordered(
    talk: Talk, said: str, gone: set[tuple[str, str]], come: set[tuple[str, str]]
) -> None:
    before = ways(await loan(talk))

    reply = await talk.say(said)

    after = ways(await loan(talk))
    assert reply.content.startswith("Done: "), reply.content
    assert gone <= before - after
    assert come <= after


@pytest.mark.parametrize(
    ("said", "step", "field", "value"),
    [
        ("the decision gets 5 days", "decide", "timeout", "P5D"),
        ("decide on loan: 1 week", "decide", "timeout", "P1W"),
        ("extend the deadline of the decision by a day", "decide", "timeout", "P3D"),
        ("no deadline for the decision any more", "decide", "timeout", None),
        ("the decision is made by the branch manager from now on", "decide", "assignee", "branch manager"),
        ("make risk responsible for deciding", "decide", "assignee", "risk"),
        ('call the scoring "Ask the bureau"', "score", "name", "Ask the bureau"),
        ("if nobody decides in time, tell the director", "decide", "escalate_to", "director"),
        ("not the clerk but the director decides on the loan", "decide", "assignee", "director"),
        ("the director for decide on loan", "decide", "assignee", "director"),
        ("we want accounting to handle paying out", "pay", "assignee", "accounting"),
        ("the loan is decided by the director", "decide", "assignee", "director"),
    ],
)
async def test_a_field_gets_the_value_that_was_said(
    talk: Talk, said: str, step: str, field: str, value: str | None
) -> None:
    reply = await talk.say(said)

    found = (await loan(talk)).step(step)
    assert getattr(found, field) == value, reply.content


@pytest.mark.parametrize("name", ["One", "Next step", "It"])
async def test_a_step_is_known_by_its_whole_name_whatever_words_that_has(talk: Talk, name: str) -> None:
    await talk.say(f'call the scoring "{name}"')

    await talk.say(f'add a step called "Check 10" after {name}')

    assert ("score", "check_10") in ways(await loan(talk))


async def test_a_threshold_is_changed_where_it_stands(talk: Talk) -> None:
    await talk.say("raise the limit from 5,000 to 8000")

    conditions = [edge.when.text for edge in (await loan(talk)).transitions if edge.when]
    assert conditions == ["amount up to 8,000", "rejected"]


@pytest.mark.parametrize(
    "said",
    [
        "delete the scoring and keep the scoring",
        "add a turbo flux to the thing of the week",
        "remove everything except pay out",
        "why not put pay out first?",
        "should we drop the scoring?",
        "is there a loop in it?",
        "thanks a lot!!",
        "please don't remove the scoring",
        "the moon is made of green cheese",
        "the clerk pays out every Friday",
    ],
)
async def test_what_is_no_clear_order_changes_nothing(talk: Talk, said: str) -> None:
    reply = await talk.say(said)

    assert (await loan(talk)).version == 1
    assert not reply.content.startswith("Done"), reply.content
    assert [one.id for one in await talk.under_test.workflows.all(TENANT)] == ["wf_loan"]


async def test_words_that_were_not_read_are_named_and_a_yes_does_the_rest(talk: Talk) -> None:
    shown = await talk.say("remove Score customer zwybble")

    assert "I did not use: “zwybble" in shown.content
    assert (await loan(talk)).version == 1

    await talk.say("yes")

    assert (await loan(talk)).step("score") is None


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("remove Score customer, wait, no", "take it back"),
        ("add a call with the auditor after the decision on the first day", "changed"),
    ],
)
async def test_what_is_not_sure_is_shown_and_asked_before_it_is_done(talk: Talk, said: str, told: str) -> None:
    reply = await talk.say(said)

    assert (await loan(talk)).version == 1, reply.content
    assert not reply.content.startswith("Done"), reply.content
    assert told in reply.content


async def test_what_is_likely_is_done_and_told(talk: Talk) -> None:
    reply = await talk.say("score customer at most 2 times")

    assert (await loan(talk)).version == 2, reply.content
    assert "tried again" in reply.content


@pytest.mark.parametrize(
    ("said", "wrong"),
    [("below 100 the manager approves", "over"), ("anything under 100 needs approval by the manager", "over")],
)
async def test_what_holds_below_an_amount_never_comes_to_hold_above_it(talk: Talk, said: str, wrong: str) -> None:
    reply = await talk.say(said)

    told = [one.when.text or "" for one in (*(await loan(talk)).transitions, *(await loan(talk)).steps) if one.when]
    assert not any(f"{wrong} 100" in text for text in told)
    assert f"{wrong} 100" not in reply.content


async def test_a_name_given_while_a_change_waits_does_not_rename_the_workflow(talk: Talk) -> None:
    await talk.say("what if we drop the scoring?")

    await talk.say("then rename it to Summary")

    assert (await loan(talk)).name == "Loan request"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("who decides?", "clerk"),
        ("what comes after scoring?", "Decide on loan"),
        ("how long does the decision have?", "2 days"),
        ("is there a loop in it?", "No: nothing"),
        ("what happens if it is rejected?", "Refused"),
        ("can it be paid without a decision?", "No: every way"),
        ("which steps have a deadline?", "Decide on loan"),
        ("what if the amount is 3,000?", "Pay out"),
    ],
)
async def test_a_question_is_answered_from_the_graph(talk: Talk, asked: str, told: str) -> None:
    reply = await talk.say(asked)

    assert told in reply.content
    assert (await loan(talk)).version == 1


async def test_what_a_question_does_not_read_is_not_denied(talk: Talk) -> None:
    reply = await talk.say("does the zorb ever flonk the quibble?")

    assert reply.content.startswith(("I see no step", "I did not understand", "Do you mean", "Which step"))


@pytest.mark.parametrize("piece", ["and ", "add a step x before y and ", "if x then y, ", '"', "a -> ", "- do it\n"])
async def test_a_long_message_is_told_to_be_too_long_and_changes_nothing(talk: Talk, piece: str) -> None:
    reply = await talk.say((piece * 32_000)[:31_999] + "x")

    assert (await loan(talk)).version == 1
    assert not reply.content.startswith("Done: **Loan"), reply.content


@pytest.mark.parametrize("said", ["the decision should be approved by the CFO", "scoring has to be audited by HR"])
async def test_who_does_something_else_with_a_step_is_not_made_its_owner(said: str, talk: Talk) -> None:
    before = await loan(talk)

    await talk.say(said)

    after = await loan(talk)
    assert [step.assignee for step in after.steps if step.id in {"score", "decide"}] == [None, "clerk"]
    assert {step.id for step in before.steps} <= {step.id for step in after.steps}


async def test_who_is_to_do_a_step_becomes_its_owner(talk: Talk) -> None:
    await talk.say("the decision should be handled by the CFO")

    assert next(step.assignee for step in (await loan(talk)).steps if step.id == "decide") == "CFO"


async def test_what_is_told_beside_an_order_is_taken_for_its_reason_and_the_reply_says_so(talk: Talk) -> None:
    reply = await talk.say("delete the payout, we are not allowed to pay")

    assert (await loan(talk)).step("pay") is None
    assert "I took “we are not allowed to pay” for the reason, and not for an order." in reply.content


@pytest.mark.parametrize(
    "said",
    [
        "delete the payout, the scoring is done by finance instead",
        "delete the payout, and if the amount is over 500 the director decides",
        "delete the payout, finance should be told",
    ],
)
async def test_what_may_be_an_order_is_no_reason(talk: Talk, said: str) -> None:
    reply = await talk.say(said)

    assert "for the reason" not in reply.content


async def test_two_changes_are_taken_back_together_after_a_yes(talk: Talk) -> None:
    before = ways(await loan(talk))
    await talk.say("add a fraud check after scoring")
    await talk.say("add a credit check after scoring")

    asked = await talk.say("undo both of these please")
    await talk.say("yes")

    assert "goes back 2 versions" in asked.content
    assert ways(await loan(talk)) == before


@pytest.mark.parametrize("said", ['hey, could you call this workflow "Credit request"? thx'])
async def test_an_order_that_asks_politely_is_no_question(talk: Talk, said: str) -> None:
    reply = await talk.say(said)

    assert "question" not in reply.content
    assert "Credit request" in reply.content


async def test_a_step_that_is_named_by_other_work_is_asked_about_before_it_goes(talk: Talk) -> None:
    reply = await talk.say("remove the step Weigh customer")

    assert (await loan(talk)).step("score") is not None
    assert not reply.content.startswith("Done"), reply.content


async def test_somebody_is_told_by_let_know(talk: Talk) -> None:
    await talk.say("let the clerk know before paying out")

    assert ("notify_the_clerk", "pay") in ways(await loan(talk)) or ("notify_clerk", "pay") in ways(await loan(talk))


async def test_a_question_that_asks_for_a_change_is_answered_with_that_change(talk: Talk) -> None:
    shown = await talk.say("could the decision on the loan be a max of 5 days?")

    assert "You ask, and I am not sure that you want it done" in shown.content
    assert (await loan(talk)).version == 1

    await talk.say("yes")

    decide = (await loan(talk)).step("decide")
    assert decide is not None
    assert decide.timeout == "P5D"


async def test_what_a_new_start_cuts_off_is_told_beside_the_change(talk: Talk) -> None:
    reply = await talk.say("start with scoring")

    assert (await loan(talk)).start == "score"
    assert "“Apply for loan” would never be reached" in reply.content
