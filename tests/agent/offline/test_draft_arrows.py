"""Chains of arrows, with labels and side-by-side parts."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "draft -> review -> publish",
            [
                "human Draft -> Review",
                "human Review -> Publish",
                "action Publish -> Done",
            ],
            id="draft review publish",
        ),
        pytest.param(
            "receive order > check stock > ship",
            [
                "event Receive order -> Check stock",
                "human Check stock -> Ship",
                "action Ship -> Done",
            ],
            id="receive order check stock ship",
        ),
        pytest.param(
            "patient arrives → nurse takes vitals → doctor examines patient → prescribe medicine",
            [
                "event Patient arrives -> Take vitals",
                "human Take vitals @nurse -> Examine patient",
                "human Examine patient @doctor -> Prescribe medicine",
                "human Prescribe medicine -> Done",
            ],
            id="patient arrives nurse takes vitals",
        ),
        pytest.param(
            """1) request comes in
2) triage
3) if critical -> page the on-call engineer, else -> put it in the backlog
4) fix
5) close""",
            [
                "event Request comes in -> Triage",
                "human Triage [critical]-> Page on-call engineer [else]-> Put in backlog",
                "action Page on-call engineer -> Fix",
                "human Put in backlog -> Fix",
                "human Fix -> Close",
                "action Close -> Done",
            ],
            id="request comes triage critical page",
        ),
        pytest.param(
            (
                "New feature: product owner writes the spec → designer makes mockups → developer implements "
                "it → QA tests it → if bugs are found back to the developer, otherwise release"
            ),
            [
                "human Write spec @product owner -> Make mockups",
                "human Make mockups @designer -> Implement spec",
                "human Implement spec @developer -> Test spec",
                "human Test spec @QA -> Bugs are found?",
                "decision Bugs are found? [bugs are found]-> Implement spec [else]-> Release",
                "action Release -> Done",
            ],
            id="new feature product owner writes",
        ),
        pytest.param(
            """draft -> review
review -> publish: approved
review -> draft: changes needed
publish -> archive""",
            [
                "human Draft -> Review",
                "human Review [approved]-> Publish [changes needed]-> Draft",
                "action Publish -> Archive",
                "action Archive -> Done",
            ],
            id="draft review review publish approved",
        ),
        pytest.param(
            "Leave: employee -> manager -> HR",
            [
                "human Employee @employee -> Manager",
                "human Manager @manager -> HR",
                "human HR @HR -> Done",
            ],
            id="leave employee manager hr",
        ),
        pytest.param(
            "goods received -> quality check -> if ok: put in stock, if not ok: return to supplier",
            [
                "action Goods received -> Quality check",
                "human Quality check [ok]-> Put in stock [else]-> Return to supplier",
                "human Put in stock -> Done",
                "action Return to supplier -> Rejected",
            ],
            id="goods received quality check ok",
        ),
        pytest.param(
            "a -> (b, c) -> d",
            [
                "action A -> In parallel",
                "fork In parallel -> B -> C",
                "action B -> Both done",
                "action C -> Both done",
                "join Both done -> D",
                "action D -> Done",
            ],
            id="b c d",
        ),
        pytest.param(
            """review? -> publish (yes)
review? -> archive (no)""",
            [
                "decision Review? [yes]-> Publish [no]-> Archive",
                "action Publish -> Done",
                "action Archive -> Done",
            ],
            id="review publish yes review archive",
        ),
        pytest.param(
            "submit -> manager approval",
            [
                "human Submit -> Manager approval",
                "human Manager approval @manager [rejected]-> Rejected [approved]-> Done",
            ],
            id="submit manager approval",
        ),
        pytest.param(
            "plan -> build -> test -> [failed] fix -> test",
            [
                "human Plan -> Build",
                "action Build -> Test",
                "human Test [failed]-> Fix [else]-> Done",
                "human Fix -> Test",
            ],
            id="plan build test failed fix",
        ),
        pytest.param(
            "review & sign -> file",
            [
                "fork In parallel -> Review -> Sign",
                "human Review -> Both done",
                "human Sign -> Both done",
                "join Both done -> File",
                "human File -> Done",
            ],
            id="review sign file",
        ),
    ],
)
def test_the_graph_is_the_one_described(text: str, expected: list[str]) -> None:
    graph = notation(text)

    assert graph.split("\n") == expected
