"""What leads a clause in, and what somebody or something does by itself."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "To close the month, accounting reconciles the bank and the controller signs the report.",
            [
                "human Reconcile bank @accounting -> Sign report",
                "human Sign report @controller -> Done",
            ],
            id="a purpose in front",
        ),
        pytest.param(
            "The lead checks it. After approval procurement places the order.",
            [
                "human Check @lead -> Place order",
                "human Place order @procurement -> Done",
            ],
            id="a noun and a department",
        ),
        pytest.param(
            (
                "The plumber looks at the pipe. If the pipe is broken he replaces it, and in either"
                " case he writes a bill."
            ),
            [
                "human Look at pipe @plumber -> Pipe is broken?",
                "decision Pipe is broken? [the pipe is broken]-> Replace pipe [else]-> Write bill",
                "human Replace pipe @plumber -> Write bill",
                "human Write bill @plumber -> Done",
            ],
            id="the thing a condition is about",
        ),
        pytest.param(
            (
                "The risk officer scores the vendors, and those above 7 are visited by the "
                "compliance team. The rest stay as they are. Then the board meets."
            ),
            [
                "human Score vendors @risk officer -> Above 7?",
                "decision Above 7? [above 7]-> Visit [else]-> Meet",
                "human Visit @compliance -> Meet",
                "human Meet @board -> Done",
            ],
            id="those above a limit, and the rest",
        ),
        pytest.param(
            "The engineer writes a short report. The student can apply until June. Then the dean decides.",
            [
                "human Write short report @engineer -> Apply",
                "human Apply @student -> Decide",
                "human Decide @dean -> Done",
            ],
            id="short is no other name, and a date no loop",
        ),
        pytest.param(
            (
                "The controller reviews everything and, unless she finds errors, signs the report. "
                "Then the clerk files it."
            ),
            [
                ("human Review everything @controller [else]-> Sign report [she finds errors]-> File report"),
                "human Sign report @controller -> File report",
                "human File report @clerk -> Done",
            ],
            id="unless in front of its own verb",
        ),
        pytest.param(
            "The clerk opens the box, xeroxes the letter and signs it.",
            [
                "human Open box @clerk -> Xerox letter",
                "human Xerox letter @clerk -> Sign box",
                "human Sign box @clerk -> Done",
            ],
            id="a verb nobody knows",
        ),
        pytest.param(
            (
                "The developer pushes code. Lint, unit tests and type check run in parallel; then "
                "the image is built."
            ),
            [
                "human Push code @developer -> In parallel",
                "fork In parallel -> Run Lint -> Run unit tests -> Run type check",
                "action Run Lint -> All done",
                "action Run unit tests -> All done",
                "action Run type check -> All done",
                "join All done -> Build image",
                "action Build image -> Done",
            ],
            id="checks that run",
        ),
        pytest.param(
            "The chair averages the scores; above 80 points: the grant is paid; below: a letter is sent.",
            [
                "human Average scores @chair -> Above 80 points?",
                "decision Above 80 points? [above 80 points]-> Pay grant [else]-> Send letter",
                "action Pay grant -> Done",
                "action Send letter -> Done",
            ],
            id="above and below",
        ),
        pytest.param(
            (
                "On the last day of the month: close the books, reconcile the bank accounts, send "
                "the report to the CFO"
            ),
            [
                "action Close books -> Reconcile bank accounts",
                "action Reconcile bank accounts -> Send report to CFO",
                "action Send report to CFO -> Done",
            ],
            id="a date and a colon",
        ),
        pytest.param(
            "The customer is called by sales to find out what he needs. Then the clerk prepares an offer.",
            [
                "human Call customer to find out what he needs @sales -> Prepare offer",
                "human Prepare offer @clerk -> Done",
            ],
            id="called by somebody is no name",
        ),
        pytest.param(
            (
                "The developer opens a change, two reviewers approve, the checks must be green, "
                "then it is merged."
            ),
            [
                "human Open change @developer -> Approve",
                "human Approve @reviewer [approved]-> Merge change [rejected]-> Rejected",
                "action Merge change -> Done",
            ],
            id="what must hold is no step",
        ),
        pytest.param(
            (
                "The clerk checks the order. An incomplete order is sent back to the customer. "
                "Otherwise it is entered in the system."
            ),
            [
                "human Check order @clerk -> It is incomplete?",
                (
                    "decision It is incomplete? [it is incomplete]-> Revise order [else]-> Enter order "
                    "in system"
                ),
                "human Revise order @customer -> Check order",
                "human Enter order in system -> Done",
            ],
            id="one of a kind",
        ),
        pytest.param(
            (
                "HR calls the applicant. After interview manager says yes or no. Yes: HR writes a "
                "contract. No: HR writes a letter."
            ),
            [
                "human Call applicant @HR -> Say yes or no",
                "human Say yes or no @manager [approved]-> Write contract [rejected]-> Write letter",
                "human Write contract @HR -> Done",
                "human Write letter @HR -> Rejected",
            ],
            id="after a bare noun",
        ),
        pytest.param(
            "The patient is admitted. Blood is drawn. Results come back. Then the doctor decides.",
            [
                "human Admit patient -> Draw blood",
                "human Draw blood -> Wait until Results come back",
                "event Wait until Results come back -> Decide",
                "human Decide @doctor -> Done",
            ],
            id="results that come back",
        ),
    ],
)
def test_a_lead_loses_no_step(text: str, expected: list[str]) -> None:
    assert notation(text).splitlines() == expected
