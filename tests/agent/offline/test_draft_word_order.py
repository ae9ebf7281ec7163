"""Sentences in an unusual order, lists in sentences and sentences that are lists."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "The gardener mows the lawn. Should the mower fail, the owner is told.",
            [
                "human Mow lawn @gardener [!the mower fail]-> Tell owner -> Done",
                "action Tell owner uses=notification.send -> Failed",
            ],
            id="should in front",
        ),
        pytest.param(
            (
                "The plumber measures the leak, and only if it is bigger than 2 cm does the crew "
                "fix it. Then the owner pays."
            ),
            [
                "human Measure leak @plumber -> It is bigger than 2 cm?",
                "decision It is bigger than 2 cm? [it is bigger than 2 cm]-> Fix leak [else]-> Pay",
                "human Fix leak @crew -> Pay",
                "human Pay @owner -> Done",
            ],
            id="does the crew",
        ),
        pytest.param(
            "The buyer shall, within two days, check the price and sign the order.",
            [
                "human Check price @buyer timeout=P2D -> Sign order",
                "human Sign order @buyer -> Done",
            ],
            id="a limit behind a modal",
        ),
        pytest.param(
            "The coach runs a fitness test, which takes about an hour, and writes a plan.",
            [
                "human Run fitness test @coach -> Write plan",
                "human Write plan @coach -> Done",
            ],
            id="a remark with which",
        ),
        pytest.param(
            (
                "The vendor uploads a bill, the bookkeeper compares it with the order. When the "
                "sums do not match, it goes back to the vendor. When they do, the cashier pays it."
            ),
            [
                "human Upload bill @vendor -> Compare bill with order",
                "human Compare bill with order @bookkeeper -> Sums do not match?",
                "decision Sums do not match? [the sums do not match]-> Upload bill [else]-> Pay bill",
                "human Pay bill @cashier -> Done",
            ],
            id="when they do",
        ),
        pytest.param(
            (
                "Claims are looked at by the lead. This rule holds for all offices. Then finance "
                "pays the claim."
            ),
            [
                "human Look at claims @lead -> Pay claim",
                "human Pay claim @finance -> Done",
            ],
            id="a rule is no step",
        ),
        pytest.param(
            (
                "The lawyer proposes a plan to the client, who reads it and, if happy, tells the "
                "judge. Then the judge decides."
            ),
            [
                "human Propose plan to client @lawyer -> Read plan",
                "human Read plan @client [happy]-> Tell judge [else]-> Rejected",
                "human Tell judge @client -> Decide",
                "human Decide @judge -> Done",
            ],
            id="if happy",
        ),
        pytest.param(
            "commit to main -> run linter -> build -> deploy to test\nif build fails -> notify the author",
            [
                "action Commit to main -> Run linter",
                "action Run linter -> Build",
                "action Build -> Deploy to test [!build fails]-> Notify author",
                "action Deploy to test -> Done",
                "action Notify author uses=notification.send -> Failed",
            ],
            id="a second line of arrows",
        ),
        pytest.param(
            "The hotline records the complaint. It is forwarded to the department and answered by letter.",
            [
                "human Record complaint @hotline -> Forward complaint to department",
                "action Forward complaint to department -> Answer complaint by letter",
                "human Answer complaint by letter -> Done",
            ],
            id="forwarded to somebody",
        ),
        pytest.param(
            "Request, review by team lead, approval by finance, payment.",
            [
                "human Request -> Review by team lead",
                "human Review by team lead @team lead -> Approval by finance",
                "human Approval by finance @finance [approved]-> Payment [rejected]-> Rejected",
                "action Payment -> Done",
            ],
            id="steps between commas",
        ),
        pytest.param(
            (
                "Hiring:\n- HR posts the job\n- For each candidate:\n  - HR calls the candidate\n  - "
                "The team meets the candidate\n- The boss makes an offer"
            ),
            [
                "human Post job @HR -> For each candidate",
                "loop For each candidate -> Make offer",
                "human Call candidate @HR -> Meet candidate",
                "human Meet candidate @team",
                "human Make offer @boss -> Done",
            ],
            id="items under for each",
        ),
        pytest.param(
            (
                "The clerk prints the label. On the pickup day they pay the rest. The day before "
                "the appointment a reminder text goes out. Two hours before departure the gate "
                "opens."
            ),
            [
                "human Print label @clerk -> Pay rest",
                "human Pay rest @clerk -> Send reminder text",
                "action Send reminder text uses=sms.send -> Open gate",
                "action Open gate -> Done",
            ],
            id="times in front of clauses",
        ),
        pytest.param(
            (
                "The mechanic checks the car. Owner says ok → mechanic repairs it. Owner says no → "
                "the car is handed back."
            ),
            [
                "human Check car @mechanic -> Owner says ok?",
                "decision Owner says ok? [Owner says ok]-> Repair car [else]-> Hand car back",
                "human Repair car @mechanic -> Done",
                "human Hand car back -> Rejected",
            ],
            id="what somebody says",
        ),
        pytest.param(
            (
                "Compliance checks the supplier. Only if all are fine is the supplier activated. "
                "Then the buyer orders."
            ),
            [
                "human Check supplier @compliance [all are fine]-> Activate supplier [else]-> Rejected",
                "action Activate supplier -> Order",
                "human Order @buyer -> Done",
            ],
            id="only if, and the verb in front",
        ),
        pytest.param(
            ("The order is sent to the warehouse, where it is picked and packed. Then the carrier loads it."),
            [
                "action Send order to warehouse -> Pick order",
                "human Pick order -> Pack order",
                "human Pack order -> Load order",
                "human Load order @carrier -> Done",
            ],
            id="where tells what follows",
        ),
        pytest.param(
            "The boss writes an offer, which has to be signed by the director. Then it is sent out.",
            [
                "human Write offer @boss -> Sign offer",
                "human Sign offer @director -> Send offer out",
                "action Send offer out -> Done",
            ],
            id="which has to be",
        ),
        pytest.param(
            "The clerk counts the till. If the till is empty, the boss is called.",
            [
                "human Count till @clerk -> Till is empty?",
                "decision Till is empty? [the till is empty]-> Call boss [else]-> Done",
                "action Call boss -> Done",
            ],
            id="a till",
        ),
        pytest.param(
            "Samples arrive at the lab. The receptionist logs them.",
            [
                "on samples.arrived",
                "human Log Samples @receptionist -> Done",
            ],
            id="things that arrive",
        ),
        pytest.param(
            "The guard checks the camera. False alarm -> he resets it. Real alarm -> he calls the police.",
            [
                "human Check camera @guard -> It is false alarm?",
                (
                    "decision It is false alarm? [it is false alarm]-> Reset camera [it is real "
                    "alarm]-> Call police [else]-> Done"
                ),
                "human Reset camera @guard -> Done",
                "human Call police @guard -> Done",
            ],
            id="two labels of one thing",
        ),
        pytest.param(
            (
                "The city checks the lamp. Theirs: an electrician repairs it. Not theirs: the power"
                " company is told."
            ),
            [
                "human Check lamp @city -> It is theirs?",
                "decision It is theirs? [it is theirs]-> Repair lamp [else]-> Tell power company",
                "human Repair lamp @electrician -> Done",
                "action Tell power company uses=notification.send -> Done",
            ],
            id="a label and its opposite",
        ),
    ],
)
def test_the_order_of_the_words_does_not_matter(text: str, expected: list[str]) -> None:
    assert notation(text).splitlines() == expected
