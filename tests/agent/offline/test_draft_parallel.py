"""Parallel work: fork, branches, join."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            (
                "The applicant fills in name, email, phone number and start date. Both legal and finance must"
                " approve. If approved, send a welcome email to the applicant."
            ),
            [
                (
                    "human Fill in form @applicant "
                    "form=name:string,email:email,phone_number:string,start_date:date -> In parallel"
                ),
                "fork In parallel -> Approve (legal) -> Approve (finance)",
                "human Approve (legal) @legal -> Both done",
                "human Approve (finance) @finance -> Both done",
                "join Both done -> All approved?",
                ("decision All approved? [approved]-> Send welcome email to applicant [rejected]-> Rejected"),
                "action Send welcome email to applicant uses=email.send -> Done",
            ],
            id="applicant fills name email phone",
        ),
        pytest.param(
            (
                "New hire process: HR sends the contract. Once it is signed, IT creates the accounts and, at "
                "the same time, facilities prepares the desk. When both are done, the manager holds a welcome"
                " meeting."
            ),
            [
                "human Send contract @HR -> Wait until contract is signed",
                "event Wait until contract is signed -> In parallel",
                "fork In parallel -> Create accounts -> Prepare desk",
                "human Create accounts @IT -> Both done",
                "human Prepare desk @facilities -> Both done",
                "join Both done -> Hold welcome meeting",
                "human Hold welcome meeting @manager -> Done",
            ],
            id="new hire process hr sends",
        ),
        pytest.param(
            "while the chef cooks the meal, the waiter sets the table. then the waiter serves the meal",
            [
                "fork In parallel -> Cook meal -> Set table",
                "human Cook meal @chef -> Both done",
                "human Set table @waiter -> Both done",
                "join Both done -> Serve meal",
                "human Serve meal @waiter -> Done",
            ],
            id="while chef cooks meal waiter",
        ),
        pytest.param(
            (
                "After approval by the head of HR, the contract is printed and signed by both parties. "
                "Meanwhile IT orders a laptop."
            ),
            [
                (
                    "human Approval by head of HR @head of HR [approved]-> Print contract [rejected]-> "
                    "Rejected"
                ),
                "action Print contract -> In parallel",
                "fork In parallel -> Sign contract -> Order laptop",
                "human Sign contract @party -> Both done",
                "human Order laptop @IT -> Both done",
                "join Both done -> Done",
            ],
            id="after approval head hr contract",
        ),
        pytest.param(
            (
                "When the lead fills out the form (name, company, email), create a contact in HubSpot and, in"
                " parallel, notify sales on Slack. Sales calls the lead within 24 hours. If the lead is "
                "interested, sales sends an offer, otherwise archive the lead."
            ),
            [
                "on form.filled_out",
                "human Fill out form @lead form=name:string,company:string,email:email -> In parallel",
                "fork In parallel -> Create contact in HubSpot -> Notify sales on Slack",
                "action Create contact in HubSpot uses=hubspot.create -> Both done",
                "action Notify sales on Slack uses=slack.post -> Both done",
                "join Both done -> Call lead",
                "human Call lead @sales timeout=PT24H -> Lead is interested?",
                "decision Lead is interested? [the lead is interested]-> Send offer [else]-> Archive lead",
                "human Send offer @sales -> Done",
                "action Archive lead -> Done",
            ],
            id="lead fills out form name",
        ),
        pytest.param(
            (
                "Make a flow for visitor registration where the receptionist registers the visitor, prints a "
                "badge, and at the same time the host is notified by SMS. After the visit the receptionist "
                "collects the badge."
            ),
            [
                "fork In parallel -> Register visitor -> Notify host by SMS",
                "human Register visitor @receptionist -> Print badge",
                "human Print badge @receptionist -> Both done",
                "action Notify host by SMS uses=sms.send -> Both done",
                "join Both done -> Collect badge",
                "human Collect badge @receptionist -> Done",
            ],
            id="make flow for visitor registration",
        ),
        pytest.param(
            (
                "The build runs, then unit tests and integration tests run in parallel, then deploy to "
                "staging, wait for approval by the release manager, then deploy to production. If production "
                "deployment fails, roll back and notify the team on Slack."
            ),
            [
                "action Run build -> In parallel",
                "fork In parallel -> Run unit tests -> Run integration tests",
                "action Run unit tests -> Both done",
                "action Run integration tests -> Both done",
                "join Both done -> Deploy to staging",
                "action Deploy to staging -> Approval by release manager",
                (
                    "human Approval by release manager @release manager [approved]-> Deploy to production "
                    "[rejected]-> Rejected"
                ),
                "action Deploy to production [!production deployment fails]-> Roll back -> Done",
                "action Roll back -> Notify team on Slack",
                "action Notify team on Slack uses=slack.post -> Failed",
            ],
            id="build runs unit tests integration",
        ),
        pytest.param(
            (
                "When a developer pushes code, run the linter and the unit tests in parallel. If everything "
                "passes, build the image and deploy it to staging. QA tests it there. If QA approves, the "
                "release manager deploys to production, otherwise create a Jira ticket for the developer."
            ),
            [
                "on code.pushed",
                "fork In parallel -> Run linter -> Run unit tests",
                "action Run linter -> Both done",
                "action Run unit tests -> Both done",
                "join Both done -> Everything passes?",
                "decision Everything passes? [everything passes]-> Build image [else]-> Test image there",
                "action Build image -> Deploy image to staging",
                "action Deploy image to staging -> Test image there",
                (
                    "human Test image there @QA [QA approves]-> Deploy to production [else]-> Create Jira "
                    "ticket for developer"
                ),
                "human Deploy to production @release manager -> Done",
                "action Create Jira ticket for developer uses=jira.create_issue -> Rejected",
            ],
            id="developer pushes code run linter",
        ),
        pytest.param(
            (
                "A new starter joins. HR creates the contract. Meanwhile IT prepares the laptop. Once both "
                "are done the manager does an introduction."
            ),
            [
                "on starter.joined",
                "fork In parallel -> Create contract -> Prepare laptop",
                "human Create contract @HR -> Both done",
                "human Prepare laptop @IT -> Both done",
                "join Both done -> Do introduction",
                "human Do introduction @manager -> Done",
            ],
            id="new starter joins hr creates",
        ),
        pytest.param(
            "Meanwhile, nothing. The chef cooks. Simultaneously the waiter sets the table.",
            [
                "fork In parallel -> Cook -> Set table",
                "human Cook @chef -> Both done",
                "human Set table @waiter -> Both done",
                "join Both done -> Done",
            ],
            id="meanwhile nothing chef cooks simultaneously",
        ),
        pytest.param(
            "Legal, finance and marketing review the plan.",
            [
                (
                    "fork In parallel -> Review plan (legal) -> Review plan (finance) -> Review plan "
                    "(marketing)"
                ),
                "human Review plan (legal) @legal -> All done",
                "human Review plan (finance) @finance -> All done",
                "human Review plan (marketing) @marketing -> All done",
                "join All done -> Done",
            ],
            id="legal finance marketing review plan",
        ),
        pytest.param(
            (
                "When an employee asks for a course, the manager approves or declines it. If approved, HR "
                "books the course and finance pays the invoice at the same time. Otherwise tell the employee."
            ),
            [
                "on course.asked",
                "human Ask for course @employee -> Approve or decline",
                "human Approve or decline @manager [approved]-> In parallel [rejected]-> Tell employee",
                "fork In parallel -> Book course -> Pay invoice",
                "human Book course @HR -> Both done",
                "human Pay invoice @finance -> Both done",
                "join Both done -> Done",
                "action Tell employee uses=notification.send -> Rejected",
            ],
            id="parallel work under a condition",
        ),
        pytest.param(
            (
                "If the order is over 500 the CFO signs and legal checks at the same time, otherwise the "
                "manager signs. Then ship it."
            ),
            [
                "decision Order is over 500? [the order is over 500]-> In parallel [else]-> Sign (manager)",
                "fork In parallel -> Sign -> Check",
                "human Sign @CFO -> Both done",
                "human Check @legal -> Both done",
                "join Both done -> Ship order",
                "human Sign (manager) @manager -> Ship order",
                "action Ship order -> Done",
            ],
            id="parallel work on one side of a choice",
        ),
    ],
)
def test_the_graph_is_the_one_described(text: str, expected: list[str]) -> None:
    graph = notation(text)

    assert graph.split("\n") == expected
