"""Descriptions as they are said, with few commas and with abbreviations."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "The manager approves the request, IT orders the laptop, IT sets it up. If the manager says no "
            "the employee is informed.",
            [
                "human Approve request @manager [approved]-> Order laptop [rejected]-> Inform employee",
                "human Order laptop @IT -> Set laptop up",
                "human Set laptop up @IT -> Done",
                "action Inform employee uses=notification.send -> Rejected",
            ],
            id="a no said later is the approver's",
        ),
        pytest.param(
            "The director approves the budget. If the director says yes finance pays the invoice. If the "
            "answer is no the requester is informed.",
            [
                "human Approve budget @director [approved]-> Pay invoice [rejected]-> Inform requester",
                "human Pay invoice @finance -> Done",
                "action Inform requester uses=notification.send -> Rejected",
            ],
            id="yes and no",
        ),
        pytest.param(
            "The clerk checks the order. If there is no invoice the clerk calls the supplier. Then finance "
            "pays the order.",
            [
                "human Check order @clerk -> There is no invoice?",
                "decision There is no invoice? [there is no invoice]-> Call supplier [else]-> Pay order",
                "human Call supplier @clerk -> Pay order",
                "human Pay order @finance -> Done",
            ],
            id="no of a thing is no answer",
        ),
        pytest.param(
            "I check whether we have it in stock. If not I order it, then I ship it and send the bill.",
            [
                "human Check whether we have in stock -> We have it in stock?",
                "decision We have it in stock? [else]-> Order [we have it in stock]-> Ship",
                "human Order -> Ship",
                "action Ship -> Send bill",
                "action Send bill -> Done",
            ],
            id="if not after a check",
        ),
        pytest.param(
            "The clerk checks if the form is complete. If not, he informs the customer and then closes "
            "the case.",
            [
                "human Check if form is complete @clerk -> Form is complete?",
                "decision Form is complete? [else]-> Inform customer [the form is complete]-> Done",
                "human Inform customer @clerk -> Close case",
                "human Close case @clerk -> Done",
            ],
            id="what the same person then does stays in the case",
        ),
        pytest.param(
            "The nurse checks whether the patient is insured. If so she books an appointment, if not she "
            "explains the costs.",
            [
                "human Check whether patient is insured @nurse -> Patient is insured?",
                (
                    "decision Patient is insured? [the patient is insured]-> Book appointment "
                    "[else]-> Explain costs"
                ),
                "human Book appointment @nurse -> Done",
                "human Explain costs @nurse -> Done",
            ],
            id="if so after a check",
        ),
        pytest.param(
            "The clerk checks the claim, i.e. the amount. If it is over 5000 Mr. Braun approves it. Dr. "
            "Meyer files approx. 5 copies. Form no. 5 is sent to the customer.",
            [
                "human Check claim, amount @clerk -> It is over 5000?",
                "decision It is over 5000? [it is over 5000]-> Approve claim [else]-> File approx 5 copies",
                "human Approve claim @Mr. Braun [approved]-> File approx 5 copies [rejected]-> Rejected",
                "human File approx 5 copies @Dr. Meyer -> Send Form number 5 to customer",
                "action Send Form number 5 to customer -> Done",
            ],
            id="abbreviations end no sentence",
        ),
        pytest.param(
            "HR posts the job. After two interviews HR makes an offer. After the second call support closes "
            "the case.",
            [
                "human Post job @HR -> Make offer",
                "human Make offer @HR -> Close case",
                "human Close case @support -> Done",
            ],
            id="what was counted is no part of who does it",
        ),
        pytest.param(
            "The bookkeeper exports the invoices, the accountant checks them and if anything is missing he "
            "asks the department, otherwise they get paid.",
            [
                "human Export invoices @bookkeeper -> Check invoices",
                "human Check invoices @accountant -> Anything is missing?",
                "decision Anything is missing? [anything is missing]-> Ask department [else]-> Pay invoices",
                "human Ask department @accountant -> Done",
                "action Pay invoices -> Done",
            ],
            id="what is owed gets paid",
        ),
        pytest.param(
            "Support answers the ticket. If the problem persists they call the developer. If all fits "
            "the manager stamps it.",
            [
                "human Answer ticket @support -> Problem persists?",
                "decision Problem persists? [the problem persists]-> Call developer [else]-> All fits?",
                "human Call developer @support -> All fits?",
                "decision All fits? [all fits]-> Stamp ticket [else]-> Done",
                "human Stamp ticket @manager -> Done",
            ],
            id="a verb that no table has",
        ),
        pytest.param(
            "The clerk checks the order. If the stock runs low purchasing orders more.",
            [
                "human Check order @clerk -> Stock runs low?",
                "decision Stock runs low? [the stock runs low]-> Order more [else]-> Done",
                "human Order more @purchasing -> Done",
            ],
            id="low is no part of who does it",
        ),
        pytest.param(
            "The manager reviews the offer. If he agrees sales sends it to the customer. If he disagrees "
            "sales closes the deal.",
            [
                "human Review offer @manager [he agrees]-> Send offer to customer [else]-> Close deal",
                "human Send offer to customer @sales -> Done",
                "human Close deal @sales -> Rejected",
            ],
            id="agrees and disagrees",
        ),
        pytest.param(
            "If the claim is over 5000 then Mr. Braun should approve instead of the clerk.",
            [
                (
                    "decision Claim is over 5000? [the claim is over 5000]-> Approve claim "
                    "[else]-> Approve claim (clerk)"
                ),
                "human Approve claim @Mr. Braun [rejected]-> Rejected [approved]-> Done",
                "human Approve claim (clerk) @clerk [rejected]-> Rejected [approved]-> Done",
            ],
            id="instead of somebody",
        ),
        pytest.param(
            "The inspector checks if the machine is safe and if not the mechanic repairs it.",
            [
                "human Check if machine is safe @inspector -> Machine is safe?",
                "decision Machine is safe? [else]-> Repair machine [the machine is safe]-> Done",
                "human Repair machine @mechanic -> Done",
            ],
            id="it is what was looked into",
        ),
        pytest.param(
            "When a new patient calls, the receptionist checks the card.",
            ["on patient.called", "human Check card @receptionist -> Done"],
            id="what a person is like begins no clause",
        ),
    ],
)
def test_the_graph_is_the_one_told(text: str, expected: list[str]) -> None:
    assert notation(text).split("\n") == expected
