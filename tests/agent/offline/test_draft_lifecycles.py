"""Lifecycles: states, and the actions that lead from one to the next."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "A ticket goes from new to triaged to in progress to done, and can be reopened.",
            [
                "state New [triage]-> Triaged",
                "state Triaged [start]-> In progress",
                "state In progress [complete]-> Done",
                "state Done [reopen]-> In progress",
            ],
            id="ticket goes from new triaged",
        ),
        pytest.param(
            (
                "states: open, in progress, resolved, closed; from open to in progress by assign; from in "
                "progress to resolved by resolve; from resolved to closed by confirm; from resolved back to "
                "in progress by reopen"
            ),
            [
                "state Open [assign]-> In progress",
                "state In progress [resolve]-> Resolved",
                "state Resolved [confirm]-> Closed [reopen]-> In progress",
                "state Closed",
            ],
            id="states open progress resolved closed",
        ),
        pytest.param(
            (
                "A bug report goes through the statuses: new, confirmed, in progress, fixed, verified. It can"
                " be rejected from new. Verified bugs can be reopened."
            ),
            [
                "state New [confirm]-> Confirmed [reject]-> Rejected",
                "state Confirmed [start]-> In progress",
                "state In progress [fix]-> Fixed",
                "state Fixed [verify]-> Verified",
                "state Verified [reopen]-> In progress",
                "state Rejected",
            ],
            id="bug report goes through statuses",
        ),
        pytest.param(
            (
                "States are draft, in review, published and archived. The author submits a draft for review. "
                "From in review to published by approve, from in review to draft by reject, from published to"
                " archived by archive."
            ),
            [
                "state Draft [submit]-> In review",
                "state In review [approve]-> Published [reject]-> Draft",
                "state Published [archive]-> Archived",
                "state Archived",
            ],
            id="states are draft review published",
        ),
        pytest.param(
            "an order can be new, paid, shipped, delivered or cancelled",
            [
                "state New [pay]-> Paid [cancel]-> Cancelled",
                "state Paid [ship]-> Shipped [cancel]-> Cancelled",
                "state Shipped [deliver]-> Delivered [cancel]-> Cancelled",
                "state Delivered",
                "state Cancelled",
            ],
            id="order can be new paid",
        ),
        pytest.param(
            (
                "Create a lifecycle for invoices: draft, sent, paid, overdue. Draft goes to sent when it is "
                "emailed, sent goes to paid when payment arrives, sent goes to overdue after 30 days, overdue"
                " goes to paid when payment arrives."
            ),
            [
                "state Draft [email]-> Sent",
                "state Sent [pay]-> Paid [overdue]-> Overdue",
                "state Paid",
                "state Overdue [pay]-> Paid",
            ],
            id="create lifecycle for invoices draft",
        ),
    ],
)
def test_the_graph_is_the_one_described(text: str, expected: list[str]) -> None:
    graph = notation(text)

    assert graph.split("\n") == expected
