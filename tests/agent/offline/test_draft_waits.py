"""Waits, deadlines and escalations."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            (
                "When a support ticket is created, the agent has 48 hours to answer. If nobody answers within"
                " two days, escalate to the team lead. Then close the ticket."
            ),
            [
                "on support_ticket.created",
                "human Answer @agent timeout=PT48H escalate_to=team lead -> Close ticket",
                "action Close ticket -> Done",
            ],
            id="support ticket created agent has",
        ),
        pytest.param(
            (
                "The report is reviewed by legal and then signed by the CEO. Wait two days. After that, "
                "archive it."
            ),
            [
                "human Review report @legal -> Sign report",
                "human Sign report @CEO -> Wait two days",
                "wait Wait two days duration=P2D -> Archive report",
                "action Archive report -> Done",
            ],
            id="report reviewed legal signed ceo",
        ),
        pytest.param(
            (
                "The clerk scans the invoice, enters the amount and date, and forwards it to the controller "
                "for approval. If the controller rejects it, it goes back to the clerk. Otherwise finance "
                "pays within 14 days."
            ),
            [
                "human Scan invoice @clerk -> Enter amount and date",
                "human Enter amount and date @clerk form=amount:number,date:date -> Approve invoice",
                "human Approve invoice @controller [rejected]-> Enter amount and date [approved]-> Pay",
                "human Pay @finance timeout=P14D -> Done",
            ],
            id="clerk scans invoice enters amount",
        ),
        pytest.param(
            (
                "Every first of the month at 8am, generate the invoices, send them to the customers by email,"
                " and wait 14 days. If a customer has not paid, send a reminder. If he still has not paid "
                "after 7 days, escalate to the legal team."
            ),
            [
                "at 0 8 1 * *",
                "action Generate invoices -> Send invoices to customers by email",
                "action Send invoices to customers by email uses=email.send -> Wait 14 days",
                "wait Wait 14 days duration=P14D -> A customer has not paid?",
                (
                    "decision A customer has not paid? [a customer has not paid]-> Send reminder [else]-> "
                    "Wait 7 days"
                ),
                "action Send reminder -> Wait 7 days",
                "wait Wait 7 days duration=P7D -> He still has not paid?",
                ("decision He still has not paid? [he still has not paid]-> Handle escalation [else]-> Done"),
                "human Handle escalation @legal -> Done",
            ],
            id="every first month at am",
        ),
        pytest.param(
            (
                "Ask the manager to approve the budget. If he doesn't answer within 3 days, escalate to the "
                "director. If the budget is approved, procurement orders the equipment. If not, inform the "
                "requester."
            ),
            [
                (
                    "human Approve budget @manager timeout=P3D escalate_to=director [approved]-> Order "
                    "equipment [rejected]-> Inform requester"
                ),
                "human Order equipment @procurement -> Done",
                "action Inform requester uses=notification.send -> Rejected",
            ],
            id="ask manager approve budget he",
        ),
        pytest.param(
            "Remind the customer every day until they pay. Then close the case.",
            [
                "action Remind customer uses=notification.send -> Wait for an answer",
                "wait Wait for an answer duration=P1D -> They pay?",
                "decision They pay? [else]-> Remind customer [they pay]-> Close case",
                "action Close case -> Done",
            ],
            id="remind customer every day until",
        ),
        pytest.param(
            (
                "It starts when a customer calls. The agent logs the call. The agent either solves the "
                "problem or forwards it to second level support. Second level support solves the problem "
                "within 4 hours."
            ),
            [
                "on customer.called",
                "human Log call @agent -> Solve or forward problem",
                "human Solve or forward problem @agent -> Solve problem",
                "human Solve problem @Second level support timeout=PT4H -> Done",
            ],
            id="starts customer calls agent logs",
        ),
        pytest.param(
            "the baker mixes flour and water, lets the dough rest for 2 hours, and bakes the bread",
            [
                "human Mix flour and water @baker -> Let dough rest",
                "wait Let dough rest duration=PT2H -> Bake bread",
                "human Bake bread @baker -> Done",
            ],
            id="baker mixes flour water lets",
        ),
        pytest.param(
            (
                "The manager has two days to approve the request; if he does not respond in time it escalates"
                " to the director"
            ),
            [
                (
                    "human Approve request @manager timeout=P2D escalate_to=director [rejected]-> Rejected "
                    "[approved]-> Done"
                ),
            ],
            id="manager has two days approve",
        ),
        pytest.param(
            (
                "I want to track library loans: the librarian registers the loan, after 14 days the reader is"
                " reminded, and if the book is not returned after 7 more days the librarian charges a fee"
            ),
            [
                "human Register loan @librarian -> Wait 14 days",
                "wait Wait 14 days duration=P14D -> Remind reader",
                "action Remind reader uses=notification.send -> Wait 7 more days",
                "wait Wait 7 more days duration=P7D -> Book is not returned?",
                "decision Book is not returned? [the book is not returned]-> Charge fee [else]-> Done",
                "human Charge fee @librarian -> Done",
            ],
            id="i want track library loans",
        ),
        pytest.param(
            (
                "Every quarter the CFO prepares the budget forecast, the department heads comment on it "
                "within one week, and then the CEO approves or rejects it. If he rejects it, the CFO revises "
                "it. If he approves it, it is published on SharePoint."
            ),
            [
                "at 0 9 1 1,4,7,10 *",
                "human Prepare budget forecast @CFO -> Comment on budget forecast",
                (
                    "human Comment on budget forecast @department head timeout=P1W -> Approve or reject "
                    "budget forecast"
                ),
                (
                    "human Approve or reject budget forecast @CEO [rejected]-> Revise budget forecast "
                    "[approved]-> Publish budget forecast on SharePoint"
                ),
                "human Revise budget forecast @CFO -> Approve or reject budget forecast",
                "action Publish budget forecast on SharePoint uses=sharepoint.upload -> Done",
            ],
            id="every quarter cfo prepares budget",
        ),
        pytest.param(
            (
                "when someone reports an outage the on-call engineer investigates it and informs the status "
                "page every 30 minutes until it is resolved, afterwards the team writes a postmortem"
            ),
            [
                "on outage.reported",
                "human Investigate @on-call engineer -> Inform status page",
                "human Inform status page @on-call engineer -> Wait for an answer",
                "wait Wait for an answer duration=PT30M -> It is resolved?",
                "decision It is resolved? [else]-> Inform status page [it is resolved]-> Write postmortem",
                "human Write postmortem @team -> Done",
            ],
            id="someone reports outage on call",
        ),
        pytest.param(
            ("the supervisor has to approve overtime within 24 hours otherwise it is automatically rejected"),
            [
                "human Approve overtime @supervisor timeout=PT24H [rejected]-> Rejected [approved]-> Done",
            ],
            id="supervisor has approve overtime within",
        ),
        pytest.param(
            "The invoice goes to accounting. It is paid within 30 days.",
            [
                "human Handle invoice @accounting -> Pay invoice",
                "action Pay invoice timeout=P30D -> Done",
            ],
            id="invoice goes accounting paid within",
        ),
        pytest.param(
            (
                "wait until the goods arrive, then wait 2 days. 3 days later send a reminder. After one week "
                "close it."
            ),
            [
                "event Wait until goods arrive -> Wait 2 days",
                "wait Wait 2 days duration=P2D -> Wait 3 days",
                "wait Wait 3 days duration=P3D -> Send reminder",
                "action Send reminder -> Wait one week",
                "wait Wait one week duration=P1W -> Close reminder",
                "action Close reminder -> Done",
            ],
            id="wait until goods arrive wait",
        ),
    ],
)
def test_the_graph_is_the_one_described(text: str, expected: list[str]) -> None:
    graph = notation(text)

    assert graph.split("\n") == expected
