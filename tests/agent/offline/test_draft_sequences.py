"""One step after the other: roles, passives, services, forms."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            (
                "Every Monday at 9 the analyst prepares the sales report, then the director reviews it and "
                "finally it is sent to the team by email"
            ),
            [
                "at 0 9 * * 1",
                "human Prepare sales report @analyst -> Review sales report",
                "human Review sales report @director -> Send sales report to team by email",
                "action Send sales report to team by email uses=email.send -> Done",
            ],
            id="every monday at analyst prepares",
        ),
        pytest.param(
            "The veterinarian signs the certificate and the receptionist hands it to the owner.",
            [
                "human Sign certificate @veterinarian -> Hand certificate to owner",
                "human Hand certificate to owner @receptionist -> Done",
            ],
            id="veterinarian signs certificate receptionist hands",
        ),
        pytest.param(
            (
                "A workflow that sends an email to the customer, creates a Jira ticket and posts to Slack "
                "whenever a new order comes in"
            ),
            [
                "on order.received",
                "action Send email to customer uses=email.send -> Create Jira ticket",
                "action Create Jira ticket uses=jira.create_issue -> Post to Slack",
                "action Post to Slack uses=slack.post -> Done",
            ],
            id="workflow that sends email customer",
        ),
        pytest.param(
            (
                "The nurse asks the patient for consent. The patient signs the form. Before the surgery "
                "starts, the surgeon checks the checklist."
            ),
            [
                "human Ask patient for consent @nurse -> Sign form",
                "human Sign form @patient -> Check checklist",
                "human Check checklist @surgeon -> Start surgery",
                "action Start surgery -> Done",
            ],
            id="nurse asks patient for consent",
        ),
        pytest.param(
            (
                "the farmer harvests the apples, the apples are washed and sorted, bad apples are thrown "
                "away, and good apples are packed and shipped to the supermarket"
            ),
            [
                "human Harvest apples @farmer -> Wash apples",
                "human Wash apples -> Sort apples",
                "human Sort apples [it is bad]-> Throw apples away [else]-> Pack apples",
                "human Throw apples away -> Rejected",
                "human Pack apples -> Ship apples to supermarket",
                "action Ship apples to supermarket -> Done",
            ],
            id="farmer harvests apples apples are",
        ),
        pytest.param(
            (
                "the process ends when the customer signs. before that, the salesman makes an offer and the "
                "customer negotiates the price"
            ),
            [
                "on customer.signed",
                "human Make offer @salesman -> Negotiate price",
                "human Negotiate price @customer -> Done",
            ],
            id="process ends customer signs before",
        ),
        pytest.param(
            "After the customer pays, the shop sends the invoice, and the warehouse sends the package.",
            [
                "on customer.paid",
                "human Send invoice @shop -> Send package",
                "human Send package @warehouse -> Done",
            ],
            id="after customer pays shop sends",
        ),
        pytest.param(
            (
                "Create a workflow for expense approvals with these steps: submit expense, manager review, "
                "finance payment"
            ),
            [
                "human Submit expense -> Manager review",
                "human Manager review @manager -> Finance payment",
                "human Finance payment @finance -> Done",
            ],
            id="create workflow for expense approvals",
        ),
        pytest.param(
            "Each Friday at 17:00: export the timesheets, email them to payroll, archive",
            [
                "at 0 17 * * 5",
                "action Export timesheets -> Email timesheets to payroll",
                "action Email timesheets to payroll uses=email.send -> Archive",
                "action Archive -> Done",
            ],
            id="each friday at export timesheets",
        ),
        pytest.param(
            (
                "The chemist takes a sample. The lab analyses the sample. Depending on the result, the batch "
                "is released or destroyed."
            ),
            [
                "human Take sample @chemist -> Analyse sample",
                "human Analyse sample @lab -> Release or destroy batch",
                "action Release or destroy batch -> Done",
            ],
            id="chemist takes sample lab analyses",
        ),
        pytest.param(
            (
                "For each new supplier: collect the documents, compliance checks them, finance enters the "
                "bank details, and the supplier is activated."
            ),
            [
                "human Collect documents -> Check documents",
                "human Check documents @compliance -> Enter bank details",
                "human Enter bank details @finance form=bank_details:text -> Activate supplier",
                "action Activate supplier -> Done",
            ],
            id="for each new supplier collect",
        ),
        pytest.param(
            "The application is sent to the loan officer. He checks the income and signs the contract.",
            [
                "human Check income @loan officer -> Sign contract",
                "human Sign contract @loan officer -> Done",
            ],
            id="application sent loan officer he",
        ),
        pytest.param(
            "There is a check by QA, then a release.",
            [
                "human Check by QA @QA -> Release",
                "action Release -> Done",
            ],
            id="there check qa release",
        ),
        pytest.param(
            "Have legal review the contract, let the CFO sign it, and get IT to archive it.",
            [
                "human Review contract @legal -> Sign contract",
                "human Sign contract @CFO -> Archive contract",
                "human Archive contract @IT -> Done",
            ],
            id="have legal review contract let",
        ),
        pytest.param(
            "The text is checked by an unknown wizzle and sent by email.",
            [
                "human Check text @unknown wizzle -> Send text by email",
                "action Send text by email uses=email.send -> Done",
            ],
            id="text checked unknown wizzle sent",
        ),
        pytest.param(
            "If a customer complains, support calls him and then closes the case.",
            [
                "on customer.complained",
                "human Call customer @support -> Close case",
                "human Close case @support -> Done",
            ],
            id="customer complains support calls him",
        ),
        pytest.param(
            """Start the "Supplier check" process.
Then finance pays.""",
            [
                "subworkflow Run Supplier check workflow=Supplier check -> Pay",
                "human Pay @finance -> Done",
            ],
            id="start supplier check process finance",
        ),
        pytest.param(
            "The intern shall be trained by the mentor. The mentor is responsible for signing the report.",
            [
                "human Train intern @mentor -> Sign report",
                "human Sign report @mentor -> Done",
            ],
            id="intern shall be trained mentor",
        ),
    ],
)
def test_the_graph_is_the_one_described(text: str, expected: list[str]) -> None:
    graph = notation(text)

    assert graph.split("\n") == expected
