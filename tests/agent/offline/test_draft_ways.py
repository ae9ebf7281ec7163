"""Ways that part, pass a step by, or come back to it; and who "they" are."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            (
                "The help desk reads the request. Depending on its type, it goes to billing or "
                "sales. Billing sends an invoice copy and sales makes an offer. In the end the "
                "customer gets a survey."
            ),
            [
                "human Read request @help desk -> Type?",
                (
                    "decision Type? [it is for billing]-> Send invoice copy [it is for sales]-> Make "
                    "offer [else]-> Get survey"
                ),
                "human Send invoice copy @billing -> Get survey",
                "human Make offer @sales -> Get survey",
                "human Get survey @customer -> Done",
            ],
            id="depending on, told afterwards",
        ),
        pytest.param(
            (
                "The clerk reads the request. Depending on the amount, either the manager signs it "
                "or the director signs it. Then finance pays it."
            ),
            [
                "human Read request @clerk -> Amount?",
                (
                    "decision Amount? [it is for manager]-> Sign request [it is for director]-> Sign "
                    "request (director) [else]-> Pay request"
                ),
                "human Sign request @manager -> Pay request",
                "human Sign request (director) @director -> Pay request",
                "human Pay request @finance -> Done",
            ],
            id="depending on, told at once",
        ),
        pytest.param(
            (
                "The nurse registers the patient and takes a history. For returning patients the "
                "history is skipped. The doctor then examines the patient."
            ),
            [
                "human Register patient @nurse -> Returning patients?",
                ("decision Returning patients? [else]-> Take history [returning patients]-> Examine patient"),
                "human Take history @nurse -> Examine patient",
                "human Examine patient @doctor -> Done",
            ],
            id="a step is skipped",
        ),
        pytest.param(
            "The clerk wraps the box. If it is a gift, he adds a card before shipping it.",
            [
                "human Wrap box @clerk -> It is a gift?",
                "decision It is a gift? [it is a gift]-> Add card [else]-> Ship card",
                "human Add card @clerk -> Ship card",
                "action Ship card -> Done",
            ],
            id="before ends a case",
        ),
        pytest.param(
            (
                "The picker scans the pallet and stores it. If it is damaged, he photographs it "
                "before storing it."
            ),
            [
                "human Scan pallet @picker -> It is damaged?",
                "decision It is damaged? [it is damaged]-> Photograph pallet [else]-> Store pallet",
                "human Photograph pallet @picker -> Store pallet",
                "human Store pallet @picker -> Done",
            ],
            id="before a step that was told",
        ),
        pytest.param(
            (
                "The writer drafts it. The lawyer checks it. If it is not correct the writer "
                "corrects it until it is. Then the boss signs it."
            ),
            [
                "human Draft @writer -> Check",
                "human Check @lawyer [it is not correct]-> Correct [else]-> Sign",
                "human Correct @writer -> Check",
                "human Sign @boss -> Done",
            ],
            id="until it is",
        ),
        pytest.param(
            (
                "The engineer opens a change. The reviewer approves it or asks for changes. If "
                "changes are requested, the engineer revises it and the reviewer looks at it again."
                " If approved, it is deployed."
            ),
            [
                "human Open change @engineer -> Approve change",
                (
                    "human Approve change @reviewer [changes needed]-> Revise change [approved]-> "
                    "Deploy change"
                ),
                "human Revise change @engineer -> Approve change",
                "action Deploy change -> Done",
            ],
            id="looks at it again",
        ),
        pytest.param(
            (
                "The script charges the card. If the charge fails, support is notified. If it "
                "succeeds, the receipt is emailed."
            ),
            [
                "action Charge card [!the charge fails]-> Notify support -> Email receipt",
                "action Notify support uses=notification.send -> Failed",
                "action Email receipt uses=email.send -> Done",
            ],
            id="success after a failure",
        ),
        pytest.param(
            (
                "After the leaflet is drafted by the writer, both the lawyer and the doctor check "
                "it. Then the editor prints it."
            ),
            [
                "human Draft leaflet @writer -> In parallel",
                "fork In parallel -> Check leaflet (lawyer) -> Check leaflet (doctor)",
                "human Check leaflet (lawyer) @lawyer -> Both done",
                "human Check leaflet (doctor) @doctor -> Both done",
                "join Both done -> Print leaflet",
                "human Print leaflet @editor -> Done",
            ],
            id="both, and done by somebody",
        ),
        pytest.param(
            (
                "The shop calls them. The customer orders a cake, the daughter calls them to "
                "confirm it, they pay half up front, then the baker bakes the cake."
            ),
            [
                "human Call @shop -> Order cake",
                "human Order cake @customer -> Call customer to confirm cake",
                "human Call customer to confirm cake @daughter -> Pay half up front",
                "human Pay half up front @customer -> Bake cake",
                "human Bake cake @baker -> Done",
            ],
            id="they are who was called",
        ),
        pytest.param(
            "The clerk checks the budget. It is then up to the board to decide.",
            [
                "human Check budget @clerk -> Decide",
                "human Decide @board -> Done",
            ],
            id="up to somebody",
        ),
        pytest.param(
            (
                "The help desk answers the ticket. If there is no answer after 4 hours, it is "
                "escalated to second level. In the end the boss closes it."
            ),
            [
                "human Answer ticket @help desk timeout=PT4H escalate_to=second level -> Close ticket",
                "human Close ticket @boss -> Done",
            ],
            id="escalated to somebody unknown",
        ),
        pytest.param(
            "The brewer brews the beer. It needs to rest for 2 weeks. Then the brewer bottles it.",
            [
                "human Brew beer @brewer -> Wait 2 weeks",
                "wait Wait 2 weeks duration=P2W -> Bottle beer",
                "human Bottle beer @brewer -> Done",
            ],
            id="things take their time",
        ),
        pytest.param(
            (
                "The clerk checks the file. If it is there, it is sent over to the court. If not, "
                "he looks for it."
            ),
            [
                "human Check file @clerk -> It is there?",
                "decision It is there? [it is there]-> Send file over to court [else]-> Look for file",
                "action Send file over to court -> Done",
                "human Look for file @clerk -> Done",
            ],
            id="over is no end",
        ),
    ],
)
def test_each_way_is_the_one_told(text: str, expected: list[str]) -> None:
    assert notation(text).splitlines() == expected
