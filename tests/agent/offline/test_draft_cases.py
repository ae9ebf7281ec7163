"""Conditions said as part of the work, as labels and as short questions."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            (
                "The assistant checks the form. Incomplete forms are returned to the sender. "
                "Complete ones go to the clerk, who files them."
            ),
            [
                "human Check form @assistant -> It is incomplete?",
                ("decision It is incomplete? [it is incomplete]-> Return forms to sender [else]-> File form"),
                "action Return forms to sender -> Done",
                "human File form @clerk -> Done",
            ],
            id="kinds that exclude each other",
        ),
        pytest.param(
            (
                "The manager approves or declines the request. Approved requests are paid by "
                "finance, rejected ones are archived."
            ),
            [
                (
                    "human Approve or decline request @manager [approved]-> Pay requests [rejected]-> "
                    "Archive request"
                ),
                "human Pay requests @finance -> Done",
                "action Archive request -> Rejected",
            ],
            id="verdicts in front of nouns",
        ),
        pytest.param(
            (
                "The employee hands in a request, the manager approves or declines it, and approved"
                " ones are entered into payroll by HR. Declined ones go back to the employee."
            ),
            [
                "human Hand in request @employee -> Approve or decline request",
                (
                    "human Approve or decline request @manager [approved]-> Enter request into payroll "
                    "[rejected]-> Hand in request"
                ),
                "human Enter request into payroll @HR -> Done",
            ],
            id="a verdict sends back",
        ),
        pytest.param(
            (
                "The buyer collects offers. Offers exceeding EUR 10,000 must be signed by the CFO. "
                "Then the order is sent."
            ),
            [
                "human Collect offers @buyer -> Exceeding EUR 10,000?",
                "decision Exceeding EUR 10,000? [exceeding EUR 10,000]-> Sign offers [else]-> Send order",
                "human Sign offers @CFO -> Send order",
                "action Send order -> Done",
            ],
            id="more than an amount",
        ),
        pytest.param(
            (
                "The broker reads the claim. Claims under 500 euros are paid at once. For anything "
                "above that, an adjuster visits the customer."
            ),
            [
                "human Read claim @broker -> Under 500 euros?",
                (
                    "decision Under 500 euros? [under 500 euros]-> Pay claims [anything above that]-> "
                    "Visit customer [else]-> Done"
                ),
                "action Pay claims -> Done",
                "human Visit customer @adjuster -> Done",
            ],
            id="for anything above",
        ),
        pytest.param(
            (
                "The cashier opens the drawer. For refunds over 100 dollars the store manager types"
                " a code. Then the cashier counts the money."
            ),
            [
                "human Open drawer @cashier -> Refunds over 100 dollars?",
                (
                    "decision Refunds over 100 dollars? [refunds over 100 dollars]-> Type code [else]->"
                    " Count money"
                ),
                "human Type code @store manager -> Count money",
                "human Count money @cashier -> Done",
            ],
            id="for some of them",
        ),
        pytest.param(
            ("The agent sorts the tickets: urgent ones go to the engineer, the rest is answered by support."),
            [
                "human Sort tickets @agent -> It is urgent?",
                "decision It is urgent? [it is urgent]-> Handle tickets [else]-> Answer tickets",
                "human Handle tickets @engineer -> Done",
                "human Answer tickets @support -> Done",
            ],
            id="the rest",
        ),
        pytest.param(
            (
                "The driver rings the bell. Nobody home? Leave a note and try again. Someone home? "
                "Hand over the parcel."
            ),
            [
                "human Ring bell @driver -> Nobody home?",
                "decision Nobody home? [Nobody home]-> Leave note [else]-> Hand over parcel",
                "action Leave note -> Ring bell",
                "human Hand over parcel -> Done",
            ],
            id="short questions",
        ),
        pytest.param(
            (
                "The nurse answers the call. Is it an emergency? Yes: the paramedic helps. No: she "
                "writes it down."
            ),
            [
                "human Answer call @nurse -> Is it an emergency?",
                "decision Is it an emergency? [Yes]-> Help [else]-> Write call down",
                "human Help @paramedic -> Done",
                "human Write call down @nurse -> Done",
            ],
            id="a question answered yes and no",
        ),
        pytest.param(
            "Sales checks the stock. No stock: purchasing reorders it. In stock: the warehouse packs it.",
            [
                "human Check stock @sales -> No stock?",
                "decision No stock? [No stock]-> Reorder stock [else]-> Pack stock",
                "human Reorder stock @purchasing -> Done",
                "human Pack stock @warehouse -> Done",
            ],
            id="labels",
        ),
        pytest.param(
            (
                "The clerk checks the score. If the score is good, a contract is printed. If it's "
                "bad, a letter is sent. In all other cases the manager decides."
            ),
            [
                (
                    "human Check score @clerk [the score is good]-> Print contract [it is bad]-> Send "
                    "letter [else]-> Decide"
                ),
                "action Print contract -> Done",
                "action Send letter -> Rejected",
                "human Decide @manager -> Done",
            ],
            id="a third case after good and bad",
        ),
    ],
)
def test_some_of_the_things_are_a_case(text: str, expected: list[str]) -> None:
    assert notation(text).splitlines() == expected
