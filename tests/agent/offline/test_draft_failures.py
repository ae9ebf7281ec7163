"""What happens when a step fails or nobody answers, and retries."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            (
                "The customer places an order. The payment is charged with Stripe. If the payment fails, try "
                "three times, then notify the customer and cancel the order. Otherwise the warehouse packs "
                "the order and ships it."
            ),
            [
                "human Place order @customer -> Charge payment with Stripe",
                (
                    "action Charge payment with Stripe uses=stripe.charge retry=3 [!the payment fails]-> "
                    "Notify customer -> Pack order"
                ),
                "action Notify customer uses=notification.send -> Cancel order",
                "action Cancel order -> Failed",
                "human Pack order @warehouse -> Ship order",
                "human Ship order @warehouse -> Done",
            ],
            id="customer places order payment charged",
        ),
        pytest.param(
            (
                "When a pull request is opened, run the tests. If the tests fail, notify the developer. "
                "Otherwise a reviewer approves or asks for changes. If approved, merge it and deploy to "
                "production."
            ),
            [
                "on pull_request.opened",
                "action Run tests [!the tests fail]-> Notify developer -> Approve",
                "action Notify developer uses=notification.send -> Failed",
                "human Approve @reviewer [approved]-> Merge pull request [changes needed]-> Rejected",
                "action Merge pull request -> Deploy to production",
                "action Deploy to production -> Done",
            ],
            id="pull request opened run tests",
        ),
        pytest.param(
            (
                "When the temperature exceeds 80 degrees, alert the operator on Slack #ops; the operator "
                "acknowledges within 15 minutes, otherwise page the supervisor."
            ),
            [
                "on temperature.exceeded",
                "action Alert operator on Slack #ops uses=slack.post -> Acknowledge",
                "human Acknowledge @operator timeout=PT15M [!not done in time]-> Page supervisor -> Done",
                "action Page supervisor -> Timed out",
            ],
            id="temperature exceeds degrees alert operator",
        ),
        pytest.param(
            (
                'Please set up a process called "Night backup": every night at 2am back up the database, '
                "upload the backup to S3, and if the upload fails retry 3 times every 10 minutes and then "
                "alert the admin on Slack."
            ),
            [
                "at 0 2 * * *",
                "action Back up database -> Upload backup to S3",
                (
                    "action Upload backup to S3 uses=s3.upload retry=3 [!the upload fails]-> Alert admin on "
                    "Slack -> Done"
                ),
                "action Alert admin on Slack uses=slack.post -> Failed",
            ],
            id="please set up process called",
        ),
        pytest.param(
            (
                "each weekday at 7:30 download the sales report from Salesforce, transform the data and load "
                "it into the warehouse. If anything fails send an email to the data team."
            ),
            [
                "at 30 7 * * 1-5",
                "action Download sales report from Salesforce uses=salesforce.update -> Transform data",
                "action Transform data -> Load data into warehouse",
                "action Load data into warehouse [!anything fails]-> Send email to data team -> Done",
                "action Send email to data team uses=email.send -> Failed",
            ],
            id="each weekday at download sales",
        ),
        pytest.param(
            "Wait for the customer's reply. If there is no reply after 5 days, close the ticket.",
            [
                (
                    "event Wait for customer's reply timeout=P5D [!there is no reply after 5 days]-> Close "
                    "ticket -> Done"
                ),
                "action Close ticket -> Timed out",
            ],
            id="wait for customer s reply",
        ),
        pytest.param(
            (
                "Every night export the orders to CSV, upload the file to S3 and email the report to "
                "finance@acme.com. If the upload fails, try again 3 times and then alert operations."
            ),
            [
                "at 0 22 * * *",
                "action Export orders to CSV -> Upload file to S3",
                (
                    "action Upload file to S3 uses=s3.upload retry=3 -> Email report to finance@acme.com "
                    "[!the upload fails]-> Alert operations"
                ),
                "action Email report to finance@acme.com uses=email.send -> Done",
                "action Alert operations uses=notification.send -> Failed",
            ],
            id="every night export orders csv",
        ),
        pytest.param(
            "Charge the card. If it fails, retry three times. Then ship the order.",
            [
                "action Charge card retry=3 -> Ship order",
                "action Ship order -> Done",
            ],
            id="charge card fails retry three",
        ),
        pytest.param(
            "Charge the card. If that fails, notify finance and continue. Then ship the order.",
            [
                "action Charge card [!that fails]-> Notify finance -> Ship order",
                "action Notify finance uses=notification.send -> Ship order",
                "action Ship order -> Done",
            ],
            id="charge card that fails notify",
        ),
        pytest.param(
            ("The agent answers the ticket. The agent has 4 hours. If there is no answer, close the ticket."),
            [
                "human Answer ticket @agent timeout=PT4H [!there is no answer]-> Close ticket -> Done",
                "action Close ticket -> Timed out",
            ],
            id="agent answers ticket agent has",
        ),
    ],
)
def test_the_graph_is_the_one_described(text: str, expected: list[str]) -> None:
    graph = notation(text)

    assert graph.split("\n") == expected
