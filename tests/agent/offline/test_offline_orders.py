"""Orders in ordinary words, on the sample workflows: with a reason, in parts, on a condition, with slips."""

import json
from pathlib import Path

import pytest

from benchmarks.gold import claims_that_fail
from tests.support.chats import TENANT, ChatUnderTest, chat_with
from workflow_agent.agent.offline import drafting
from workflow_agent.agent.offline.model import OfflineModel
from workflow_agent.domain.workflow import Workflow
from workflow_agent.domain.workflow_parsing import parse_workflow
from workflow_agent.ports import Author, Change

SAMPLES = Path(__file__).parents[3] / "data" / "samples"


async def opened(name: str) -> tuple[ChatUnderTest, Workflow]:
    """Return a chat with a sample in its catalogue."""
    chat = chat_with(OfflineModel(drafting=drafting))
    workflow = parse_workflow(json.loads((SAMPLES / f"{name}.json").read_text("utf-8")) | {"id": "wf_one"})
    return chat, await chat.workflows.create(TENANT, workflow, Change(Author(), "created"))


async def failing(name: str, said: tuple[str, ...], claims: list[str], added: int | None) -> list[str]:
    """Return what does not hold of a sample after it was talked about."""
    chat, before = await opened(name)
    conversation_id = None
    for message in said:
        reply = await chat.say(message, workflow_id=before.id, conversation_id=conversation_id)
        conversation_id = reply.conversation_id
    return claims_that_fail(before, await chat.workflows.get(TENANT, before.id), claims, added)


@pytest.mark.parametrize(
    ("name", "said", "claims", "added"),
    [
        pytest.param("expense_approval", "nobody reads the finance review, get rid of it",
                     ["no step finance_review", "edge check_amount>pay"], -1, id="the reason in front"),
        pytest.param("expense_approval", "remove the finance review because it takes too long",
                     ["no step finance_review"], -1, id="the reason behind"),
        pytest.param("expense_approval", "two days are too short for the manager review, make it four",
                     ["timeout review P4D"], 0, id="so many of the same unit"),
        pytest.param("expense_approval", "the bank is slow these days: pay out gets 2 minutes",
                     ["timeout pay PT2M"], 0, id="a reason before a colon"),
        pytest.param("contract_signing", "add a tax check after the legal review, the tax team does it",
                     ["edge legal_review>?", "new assignee tax_team"], 1, id="who does it, behind"),
        pytest.param("expense_approval",
                     "get the team lead to look over the expense before the manager sees it",
                     ["edge submit>?", "edge ?>review", "new assignee team_lead"], 1,
                     id="a role of two words"),
        pytest.param("expense_approval", "after the manager approved it, an assistant should file a copy",
                     ["edge review>?", "edge ?>check_amount", "new assignee assistant"], 1,
                     id="by whose turn"),
        pytest.param("expense_approval", "have someone double check the bank details prior to pay out",
                     ["edge ?>pay", "new assignee -"], 1, id="someone is nobody in particular"),
        pytest.param("contract_signing", "between signed and archive contract, notify sales",
                     ["edge signed>?", "edge ?>archive", "no edge signed>archive"], 1, id="between in front"),
        pytest.param("contract_signing", "at the end the sales lead should thank the customer",
                     ["edge update_deal>?", "edge ?>active", "new assignee sales_lead"], 1, id="at the end"),
        pytest.param("nightly_etl", "if transform fails, tell the data lead",
                     ["edge transform>?", "edge ?>repair", "no edge transform>repair"], 1,
                     id="before what handles a failure"),
        pytest.param("employee_onboarding",
                     "make sure that someone from facilities prepares the desk before the orientation",
                     ["edge ?>orientation", "new assignee facilities"], 1, id="make sure"),
        pytest.param("access_request", "add a step after grant access: inform the employee",
                     ["edge grant>?", "edge ?>quarter"], 1, id="what it is behind a colon"),
        pytest.param("contract_signing", "insert a step 'Check the annexes' before legal review",
                     ["called Check the annexes", "edge draft>?"], 1, id="a name in quotes"),
        pytest.param("order_fulfilment", "pack order can take 3 days, and the trace parcel a week",
                     ["timeout pack P3D", "timeout trace P7D"], 0, id="the verb said once"),
    ],
)  # fmt: skip
async def test_an_order_may_come_with_its_reason_or_in_two_parts(
    name: str, said: str, claims: list[str], added: int
) -> None:
    assert await failing(name, (said,), claims, added) == []


@pytest.mark.parametrize(
    ("name", "said", "claims", "added"),
    [
        pytest.param("contract_signing", "archive contract only if the contract is longer than 2 years",
                     ["branch ?>archive 2 years", "edge signed>?", "edge ?>update_deal",
                      "no edge signed>archive"], 1, id="only if"),
        pytest.param("contract_signing", "skip the legal review if the value is below 500",
                     ["branch ?>check_value 500", "edge ?>legal_review", "edge draft>?"], 1, id="skip"),
        pytest.param("expense_approval", "require the finance review only if it is more than 2,500 EUR",
                     ["branch check_amount>finance_review 2,500"], 0, id="another amount"),
        pytest.param("expense_approval", "raise the limit to 1,500",
                     ["branch check_amount>finance_review 1,500 EUR"], 0, id="the only amount there is"),
        pytest.param("nightly_etl",
                     "if there are more than 50 tables, let the data lead check the list before "
                     "for each table",
                     ["branch ?>? 50 tables", "edge list_tables>?", "edge ?>each_table",
                      "new assignee data_lead"],
                     2, id="a step in one case"),
        pytest.param("order_fulfilment",
                     "if the order goes abroad, print customs papers instead of book shipment",
                     ["branch ?>? abroad", "edge pack>?", "edge ?>book", "edge ?>delivery"], 2,
                     id="another step"),
        pytest.param("leave_request", "refused requests should go back to ask for leave",
                     ["edge decide>request", "no edge decide>declined"], 0, id="a case by another word"),
    ],
)  # fmt: skip
async def test_what_is_done_in_one_case_only_gets_its_decision(
    name: str, said: str, claims: list[str], added: int
) -> None:
    assert await failing(name, (said,), claims, added) == []


@pytest.mark.parametrize(
    ("name", "said", "claims", "added"),
    [
        pytest.param("contract_signing",
                     "merge archive contract and update deal into one step called wrap up",
                     ["called Wrap up", "edge signed>archive", "edge archive>active",
                      "no step update_deal"], -1,
                     id="merge"),
        pytest.param("contract_signing",
                     "split draft contract into write the contract and fill in the annexes",
                     ["name draft Write the contract", "called Fill in the annexes",
                      "edge ?>legal_review"], 1,
                     id="split"),
        pytest.param("expense_approval",
                     "split the finance review into check the receipts and check the budget",
                     ["edge check_amount>?", "edge ?>finance_review",
                      "name finance_review Check the budget"], 1,
                     id="split what decides"),
        pytest.param("contract_signing", "duplicate update deal", ["edge update_deal>?", "edge ?>active"], 1,
                     id="copy"),
        pytest.param("leave_request", "first book the days, then block the calendar",
                     ["edge book_days>block_calendar", "no step record", "no step recorded"], -2,
                     id="one after the other"),
        pytest.param("release_pipeline", "first the unit tests, then the security scan",
                     ["edge unit_tests>security_scan", "no edge test>security_scan",
                      "edge security_scan>tested",
                      "no edge unit_tests>tested", "edge test>unit_tests"], 0, id="of three side by side"),
        pytest.param("release_pipeline", "add a license check in parallel to the security scan",
                     ["edge test>license_check", "edge license_check>tested"], 1, id="one more side by side"),
        pytest.param("contract_signing", "archive contract and update deal are in the wrong order",
                     ["edge signed>update_deal", "edge update_deal>archive"], 0, id="wrong order"),
    ],
)  # fmt: skip
async def test_steps_are_merged_split_copied_and_put_in_order(
    name: str, said: str, claims: list[str], added: int
) -> None:
    assert await failing(name, (said,), claims, added) == []


@pytest.mark.parametrize(
    ("name", "said", "claims"),
    [
        pytest.param("nightly_etl", "start it at 5 in the morning instead of at 2",
                     ["cron 0 5 * * *", "no cron 0 2 * * *"], id="another time"),
        pytest.param("content_publishing",
                     "fridays instead of mondays", ["cron 0 9 * * 5"], id="another day"),
        pytest.param("access_request",
                     "nobody should start it by hand", ["no trigger manual"], id="not by hand"),
        pytest.param("order_fulfilment", "allow people to start it manually",
                     ["trigger manual", "trigger event"], id="by hand, too"),
        pytest.param("leave_request", "description: days off, with pay or without",
                     ["description days off, with pay or without"], id="description"),
        pytest.param("nightly_etl", "run it twice a day, at 3 and at 15",
                     ["cron 0 3,15 * * *"], id="two times"),
        pytest.param("nightly_etl", "it should only run on weekdays",
                     ["cron 0 2 * * 1-5", "no cron 0 2 * * *"], id="only then, at the same time"),
        pytest.param("contract_signing", "legal review, CFO approval: 2 days each",
                     ["timeout legal_review P2D", "timeout cfo_approval P2D"], id="each"),
        pytest.param("contract_signing", "legal review must be done in 2 days or it goes to the board",
                     ["timeout legal_review P2D", "escalate legal_review board"], id="or it goes to"),
        pytest.param("contract_signing", "give legal review to the paralegal and drop its deadline",
                     ["timeout legal_review -", "assignee legal_review paralegal"], id="its deadline"),
        pytest.param("content_publishing", "the designer needs a week, not 5 days",
                     ["timeout design P7D"], id="how long until now"),
        pytest.param("access_request",
                     "assign manager approval to the team lead and security approval to the CISO",
                     ["assignee manager_approval team_lead", "assignee security_approval ciso"], id="and to"),
        pytest.param("order_fulfilment", "charge the card only after packing",
                     ["edge reserve>pack", "edge pack>charge", "edge charge>book", "no edge charge>pack"],
                     id="only after"),
        pytest.param("leave_request", "HR decides on leave, not the manager",
                     ["assignee decide hr"], id="not they"),
        pytest.param("contract_signing", "legal review can only be done by the general counsel",
                     ["assignee legal_review general_counsel"], id="only by"),
        pytest.param("customer_refund", "approve refund: escalate to CFO after 4 hours",
                     ["timeout approve PT4H", "escalate approve cfo"], id="escalate behind a colon"),
        pytest.param("contract_signing", "connect archive contract directly to contract active",
                     ["edge archive>active"], id="directly"),
        pytest.param("contract_signing", "when wait for signature times out, go to not signed",
                     ["edge await_signature>lapsed", "edge signed>archive"],
                     id="a time that is over"),
        pytest.param("lead_qualification", "after judge lead comes look up company",
                     ["edge judge>enrich", "edge enrich>contact", "edge save>score"], id="comes after"),
        pytest.param("employee_onboarding", "let it also start every first of the month",
                     ["cron 0 9 1 * *", "trigger event"], id="also starts"),
        pytest.param("contract_signing", "gib Legal review zwei Tage", ["timeout legal_review P2D"],
                     id="a deadline in German"),
        pytest.param("contract_signing", "weise CFO approval dem Vorstand zu",
                     ["assignee cfo_approval vorstand"], id="an owner in German"),
        pytest.param("contract_signing", "verschiebe Update deal vor Archive contract",
                     ["edge signed>update_deal", "edge update_deal>archive"], id="moved in German"),
        pytest.param("expense_approval", "submit expense -> file expense", ["name submit File expense"],
                     id="a new name behind an arrow"),
        pytest.param("expense_approval",
                     "submit expense is now done by the assistant, and manager review by the team lead",
                     ["assignee submit assistant", "assignee review team_lead"], id="the verb left out"),
        pytest.param("expense_approval", "pay out fails too often, so try it five times", ["retry pay 5"],
                     id="a failure as the reason"),
        pytest.param("expense_approval", "if nobody looks at the manager review for 3 days, tell the CFO",
                     ["timeout review P3D", "escalate review cfo"], id="nobody looks"),
        pytest.param("invoice_payment", "if the invoice isn't approved in 2 days, escalate to the CFO",
                     ["timeout approve P2D", "escalate approve cfo"], id="not done in time"),
        pytest.param("invoice_payment", "the tolerance is 5 %, not 2 %", ["branch check_match>approve 5 %"],
                     id="a rate"),
        pytest.param("invoice_payment", "clarify difference shouldn't take longer than 2 days",
                     ["timeout clarify P2D"], id="no longer than"),
        pytest.param("release_pipeline", "don't publish the image before the smoke tests passed",
                     ["edge tested>deploy_staging", "edge smoke_tests>publish", "edge publish>approve",
                      "no edge publish>deploy_staging"], id="not before"),
        pytest.param("leave_request", "title: Time off", ["title Time off"], id="title"),
        pytest.param("leave_request", "decide on leave has to be decided within 36 hours",
                     ["timeout decide PT36H"], id="within, and no new name"),
        pytest.param("leave_request",
                     "halve the deadline of decide on leave", ["timeout decide PT36H"], id="half"),
        pytest.param("expense_approval", "overdue finance reviews go to the board",
                     ["escalate finance_review board"], id="overdue"),
        pytest.param("order_fulfilment", "if charge card fails try again 4 times before you give up",
                     ["retry charge 4"], id="retry"),
        pytest.param("customer_refund",
                     "everything the support agent does should be done by the service desk",
                     ["assignee record service_desk", "assignee find_order service_desk",
                      "assignee call_customer service_desk"], id="all that somebody does"),
        pytest.param("customer_refund", "replace support agent by service desk everywhere",
                     ["assignee record service_desk", "assignee find_order service_desk",
                      "assignee call_customer service_desk"], id="everywhere"),
        pytest.param("contract_signing", "make update deal a manual step done by sales operations",
                     ["assignee update_deal sales_operations"], id="by hand"),
        pytest.param("contract_signing", "from next week on the paralegal does the legal review",
                     ["assignee legal_review paralegal"], id="from then on"),
        pytest.param("contract_signing",
                     "the annual 'Draft contract' isn't called draft contract, it's 'Prepare'",
                     ["name draft Prepare"], id="what it was called"),
        pytest.param("contract_signing", "renmae leagl review to contract check",
                     ["name legal_review Contract check"], id="slips"),
    ],
)  # fmt: skip
async def test_a_setting_is_changed_in_ordinary_words(name: str, said: str, claims: list[str]) -> None:
    assert await failing(name, (said,), claims, 0) == []


@pytest.mark.parametrize(
    ("name", "said", "claims"),
    [
        pytest.param("contract_signing", ("what happens after the legal review?", "give it 4 days"),
                     ["timeout legal_review P4D"], id="the step of a list"),
        pytest.param("expense_approval", ("who does the finance review?", "change that to the controller"),
                     ["assignee finance_review controller"], id="the answer to who"),
        pytest.param("contract_signing", ("what is the deadline of the legal review?", "too long, 2 days"),
                     ["timeout legal_review P2D"], id="too long"),
        pytest.param("expense_approval",
                     ("what happens after the finance review?", "change that to the board"),
                     ["unchanged"], id="that is nobody"),
    ],
)  # fmt: skip
async def test_an_order_goes_on_from_the_turn_before(
    name: str, said: tuple[str, ...], claims: list[str]
) -> None:
    assert await failing(name, said, claims, 0) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("expense_approval", "the finance review is pointless", id="only a remark"),
        pytest.param("expense_approval",
                     "nobody reads the finance review, and it takes ages", id="two remarks"),
        pytest.param("expense_approval",
                     "is the finance review pointless, so that we could drop it?", id="a question"),
        pytest.param("expense_approval", "don't drop the finance review, it is useful", id="not to be done"),
        pytest.param("customer_refund", "raise the limit to 100", id="two amounts"),
        pytest.param("employee_onboarding", "HR lead instead of HR for orientation",
                     id="no event of its own"),
        pytest.param("order_fulfilment",
                     "the warehouse lead decides when something is damaged, not the warehouse",
                     id="not what starts it"),
        pytest.param("order_fulfilment", "we forgot the invoice: send it after the card was charged",
                     id="no step is sent"),
        pytest.param("invoice_payment",
                     "we want the clerk to check the bank details before the payment goes out",
                     id="several payments"),
        pytest.param("expense_approval", "make it 3", id="three of what"),
        pytest.param("expense_approval", "hmm, maybe we should drop the finance review", id="thinking aloud"),
        pytest.param("expense_approval", "the manager review takes two days", id="how it is"),
        pytest.param("expense_approval", "the finance review used to be done by the CFO", id="how it was"),
        pytest.param("expense_approval", "Anna said: remove the finance review", id="what somebody said"),
        pytest.param("contract_signing",
                     "what if archive contract only ran if the deal is large?", id="what if"),
        pytest.param("employee_onboarding", "before the first day the office manager should prepare the desk",
                     id="two steps fit"),
    ],
)  # fmt: skip
async def test_nothing_changes_where_nothing_clear_is_ordered(name: str, said: str) -> None:
    assert await failing(name, (said,), ["unchanged"], 0) == []


async def test_a_setting_that_was_not_spoken_of_stays() -> None:
    chat, before = await opened("release_pipeline")

    reply = await chat.say("retry integration tests 4x", workflow_id=before.id)

    known = before.step("integration_tests")
    now = (await chat.workflows.get(TENANT, before.id)).step("integration_tests")
    assert known is not None
    assert known.retry is not None
    assert now == known.model_copy(update={"retry": known.retry.model_copy(update={"max_attempts": 4})})
    assert "to 4 attempts, 30 seconds apart, exponential backoff" in reply.reply.content


async def test_a_new_step_is_called_what_somebody_does() -> None:
    chat, before = await opened("contract_signing")
    said = "if the deal is above 500, the CFO also has to approve it before archive contract"

    reply = await chat.say(said, workflow_id=before.id)

    assert "Added step 'CFO approval' (human, CFO)" in reply.reply.content


async def test_what_it_would_look_like_is_shown_and_not_made() -> None:
    chat, before = await opened("expense_approval")
    said = "preview only: what would it look like without the finance review"

    shown = await chat.say(said, workflow_id=before.id)

    assert "Finance review" in shown.reply.content
    assert "Shall I do it?" in shown.reply.content
    assert (await chat.workflows.get(TENANT, before.id)).version == before.version


async def test_a_role_is_written_as_the_workflow_writes_it() -> None:
    chat, before = await opened("expense_approval")

    reply = await chat.say("overdue finance reviews go to the department head", workflow_id=before.id)

    assert "escalate_to changed from 'cfo' to 'department_head'" in reply.reply.content
