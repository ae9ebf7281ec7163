"""Numbered, bulleted and titled lists."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            """1. HR prepares the contract
2. The candidate signs the contract within 3 days
3. In parallel, IT sets up the laptop and facilities prepares the desk
4. The manager welcomes the new employee""",
            [
                "human Prepare contract @HR -> Sign contract",
                "human Sign contract @candidate timeout=P3D -> In parallel",
                "fork In parallel -> Set up laptop -> Prepare desk",
                "human Set up laptop @IT -> Both done",
                "human Prepare desk @facilities -> Both done",
                "join Both done -> Welcome new employee",
                "human Welcome new employee @manager -> Done",
            ],
            id="hr prepares contract candidate signs",
        ),
        pytest.param(
            """Steps:
- Draft (author)
- Legal review
- Approval by the CFO
- Publish""",
            [
                "human Draft @author -> Legal review",
                "human Legal review @legal -> Approval by CFO",
                "human Approval by CFO @CFO [approved]-> Publish [rejected]-> Rejected",
                "action Publish -> Done",
            ],
            id="steps draft author legal review",
        ),
        pytest.param(
            """Draft: the author writes the text
Review: legal and marketing review it in parallel
Approval: the director approves
Publish: post it on the website""",
            [
                "human Draft @author -> In parallel",
                "fork In parallel -> Review text (legal) -> Review text (marketing)",
                "human Review text (legal) @legal -> Both done",
                "human Review text (marketing) @marketing -> Both done",
                "join Both done -> Approval",
                "human Approval @director [approved]-> Publish [rejected]-> Rejected",
                "action Publish -> Done",
            ],
            id="draft author writes text review",
        ),
        pytest.param(
            """Steps:
- Draft (author)
- Legal review (2 days)
- Finance: pay the invoice
- Publish""",
            [
                "human Draft @author -> Legal review",
                "human Legal review @legal timeout=P2D -> Pay invoice",
                "human Pay invoice @finance -> Publish",
                "action Publish -> Done",
            ],
            id="steps draft author legal review",
        ),
        pytest.param(
            """Step 1: Receive application
Step 2: HR checks documents
Step 3: if documents are incomplete, ask the applicant for the missing documents and go back to step 2
Step 4: Interview by hiring manager
Step 5: Decision (hiring manager)""",
            [
                "action Receive application -> Check documents",
                "human Check documents @HR -> Documents are incomplete?",
                (
                    "decision Documents are incomplete? [documents are incomplete]-> Ask applicant for "
                    "missing documents [else]-> Interview by hiring manager"
                ),
                "human Ask applicant for missing documents -> Check documents",
                "human Interview by hiring manager @hiring manager -> Decision by hiring manager",
                "human Decision by hiring manager @hiring manager -> Done",
            ],
            id="step receive application step hr",
        ),
        pytest.param(
            """1. Draft
2. Review
3. If not ok, return to step 1
4. Publish; the process ends""",
            [
                "human Draft -> Review",
                "human Review [not ok]-> Draft [else]-> Publish",
                "action Publish -> Done",
            ],
            id="draft review not ok return",
        ),
        pytest.param(
            """In parallel:
- legal reviews the contract
- finance checks the budget
Then sign.""",
            [
                "fork In parallel -> Review contract -> Check budget",
                "human Review contract @legal -> Both done",
                "human Check budget @finance -> Both done",
                "join Both done -> Sign",
                "human Sign -> Done",
            ],
            id="parallel legal reviews contract finance",
        ),
        pytest.param(
            """1. In parallel:
   - legal reviews the contract
   - finance checks the budget
2. The CEO signs""",
            [
                "fork In parallel -> Review contract -> Check budget",
                "human Review contract @legal -> Both done",
                "human Check budget @finance -> Both done",
                "join Both done -> Sign",
                "human Sign @CEO -> Done",
            ],
            id="parallel legal reviews contract finance",
        ),
    ],
)
def test_the_graph_is_the_one_described(text: str, expected: list[str]) -> None:
    graph = notation(text)

    assert graph.split("\n") == expected
