"""What is judged against gold graphs is judged as a person would."""

from typing import Any

import pytest

from benchmarks.charts import bars, lines
from benchmarks.figures import Figure
from benchmarks.gold import claims_that_fail
from benchmarks.gold_graphs import judged
from tests.support.flows import flow
from workflow_agent.workflows.model.workflow import Workflow

ROW = {
    "text": "the clerk checks it, the boss signs it or sends it back",
    "steps": "c:clerk:check s:boss:sign",
    "edges": "c>s s>c",
}


def made(*edges: str, **steps: dict[str, Any]) -> Workflow:
    known: dict[str, dict[str, Any]] = {
        "check": {"type": "human", "assignee": "clerk"},
        "sign": {"type": "human", "assignee": "boss"},
        "ok": {"type": "decision"},
        "done": {"type": "end", "outcome": "ok"},
    }
    return flow(*edges, **known, **steps)


def test_the_gold_graph_is_exact_whatever_decisions_lie_between() -> None:
    judgement = judged(ROW, made("check>sign", "sign>ok", "ok>check [sent back]", "ok>done (default)"))

    assert judgement.is_exact


@pytest.mark.parametrize(
    ("edges", "steps"),
    [
        pytest.param(["check>sign", "sign>done"], {}, id="no way back"),
        pytest.param(["sign>check [back]", "check>sign", "sign>mail"], {"mail": {}}, id="a step more"),
        pytest.param(["check>sign", "sign>check"], {"sign": {"type": "human"}}, id="nobody signs"),
    ],
)
def test_anything_else_is_not(edges: list[str], steps: dict[str, dict[str, Any]]) -> None:
    known = made(*edges, **{name: one for name, one in steps.items() if name != "sign"})
    if "sign" in steps:
        changed = [one.model_copy(update={"assignee": None}) if one.id == "sign" else one for one in known.steps]
        known = known.model_copy(update={"steps": tuple(changed)})

    assert not judged(ROW, known).is_exact


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        pytest.param("branch check>count 500", True, id="a condition with the words"),
        pytest.param("branch check>count 600", False, id="other words"),
        pytest.param("branch check>? 500", False, id="no new step"),
        pytest.param("called Check", True, id="a name"),
        pytest.param("called Weigh", False, id="no such name"),
        pytest.param("no cron 0 4 * * *", True, id="no schedule"),
        pytest.param("retry check -", True, id="not tried again"),
        pytest.param("retry count -", False, id="tried again"),
    ],
)
def test_a_claim_about_conditions_names_or_retries_holds_or_fails(claim: str, holds: bool) -> None:
    counted = {"type": "action", "retry": {"max_attempts": 2}}
    known = made("check>count [above 500]", "count>done", count=counted)

    failed = claims_that_fail(known, known, [claim], 0)

    assert failed == ([] if holds else [claim])


def test_a_loop_is_entered_at_its_first_step_and_left_at_its_last() -> None:
    row = {
        "text": "for each item the clerk checks it, then the boss signs",
        "steps": "c:clerk:check s:boss:sign",
        "edges": "c>s",
        "also": ["each c", "timeout s P2D"],
    }
    each: dict[str, Any] = {"type": "loop", "loop": {"over": "item"}}
    boss: dict[str, Any] = {"type": "human", "assignee": "boss", "timeout": "P2D"}
    clerk: dict[str, Any] = {"type": "human", "assignee": "clerk"}

    looped = flow("each>sign", each=each, check=clerk | {"parent": "each"}, sign=boss)

    assert judged(row, looped).is_exact
    assert not judged(row, flow("check>sign", check=clerk, sign=boss)).is_exact
    assert not judged(row | {"also": ["timeout s P3D"]}, looped).is_exact


def test_nothing_is_to_be_made_of_what_describes_no_work() -> None:
    row = {"text": "what can you do?", "steps": "", "edges": ""}

    assert judged(row, None).is_exact
    assert not judged(row, made("check>sign")).is_exact


def test_no_workflow_has_nothing_of_it() -> None:
    assert judged(ROW, None).steps == 0


def test_claims_about_an_edit_hold_or_are_named() -> None:
    before = flow("a>b", a={"timeout": "P1D"})
    after = flow("a>audit", "audit>b", a={"timeout": "P2D"})

    failed = claims_that_fail(
        before, after, ["edge a>?", "no edge a>b", "timeout a P2D", "assignee b boss", "no step audit"], 2
    )

    assert failed == ["assignee b boss", "no step audit", "1 more steps, not 2"]


def test_a_question_must_leave_the_workflow_as_it_is() -> None:
    before = flow("a>b")

    assert claims_that_fail(before, before, ["unchanged"], 0) == []
    assert claims_that_fail(before, flow("a>b", a={"timeout": "P1D"}), ["unchanged"], 0) == ["unchanged"]


def test_a_step_that_no_claim_names_must_stay_as_it_is() -> None:
    before = flow("a>b")

    failed = claims_that_fail(before, flow("a>b", a={"timeout": "P1D"}), ["edge a>b"], 0)
    touched = claims_that_fail(before, flow("a>b", b={"timeout": "P1D"}), ["step a"], 0)

    assert failed == []
    assert touched == ["b changed"]


def test_what_is_undone_must_be_as_before() -> None:
    before = flow("a>b")

    assert claims_that_fail(before, before, ["restored"], 0) == []
    assert claims_that_fail(before, flow("a>b", "b>a"), ["restored"], 0) == ["restored"]


@pytest.mark.parametrize(
    ("figure", "holds"),
    [
        pytest.param(Figure("a", 1.5, "ms", most=1.4), False, id="above the most"),
        pytest.param(Figure("a", 61, "%", least=60), True, id="above the least"),
        pytest.param(Figure("a", 61, "%"), None, id="no target"),
    ],
)
def test_a_figure_says_whether_its_target_holds(figure: Figure, holds: bool | None) -> None:
    assert figure.holds is holds


def test_charts_quote_what_they_show() -> None:
    drawn = bars("a < b", {"x & y": 2.0}, "ms") + lines("t", {"<one>": [1, 2]}, "ms", "turns")

    assert "x &amp; y" in drawn
    assert "<one>" not in drawn
