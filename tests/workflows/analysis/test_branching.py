from typing import Any

import pytest

from tests.support.findings import found, process, steps_found
from workflow_agent.workflows.analysis.conditions import read_guard
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Source, Workflow

ASK: dict[str, Any] = {"type": "decision"}
END: dict[str, Any] = {"type": "end"}


def choice(*conditions: str, default: bool = False) -> Workflow:
    """Return a decision with a way for each condition, and one for all other cases."""
    ways = [f"ask>s{at} [{said}]" for at, said in enumerate(conditions)]
    return process(*ways, *(["ask>other (default)"] if default else []), ask=ASK)


def condition(text: str) -> Transition:
    return Transition.model_validate({"id": "t", "from": "a", "to": "b", "when": {"text": text}})


@pytest.mark.parametrize(
    ("conditions", "missing"),
    [
        pytest.param(("amount > 100", "amount < 100"), "'amount' is exactly 100", id="the bound itself"),
        pytest.param(("amount > 100", "amount <= 50"), "'amount' is between 50 and 100", id="a gap"),
        pytest.param(("amount >= 0", "amount > 100"), "'amount' is less than 0", id="below"),
        pytest.param(("amount > 0", "amount > 100"), "'amount' is at most 0", id="at the bound and below"),
        pytest.param(("amount <= 9", "amount < 5"), "'amount' is more than 9", id="above"),
        pytest.param(("amount < 9", "amount < 5"), "'amount' is at least 9", id="at the bound and above"),
        pytest.param(
            ("amount is over 1,000", "amount is under 500"), "'amount' is between 500 and 1000", id="in words"
        ),
        pytest.param(("tier == 'gold'", "tier == 'free'"), "'tier' is none of 'gold', 'free'", id="some words"),
    ],
)
def test_uncovered_case_is_named(conditions: tuple[str, ...], missing: str) -> None:
    finding = found("incomplete-guards", choice(*conditions))[0]

    assert finding.steps == ("ask",)
    assert finding.evidence["uncovered"] == missing
    assert missing in finding.message


def test_only_condition_may_fail_to_hold() -> None:
    findings = found("incomplete-guards", process("ask>a [paid]", "a>done", ask=ASK, done=END))

    assert [finding.evidence["uncovered"] for finding in findings] == ["'paid' does not hold"]


@pytest.mark.parametrize(
    "workflow",
    [
        pytest.param(choice("amount > 100", "amount < 100", default=True), id="a default"),
        pytest.param(choice("amount > 100", "amount <= 100"), id="complementary numbers"),
        pytest.param(choice("x < 5", "x >= 5 ", "x > 3"), id="overlapping numbers"),
        pytest.param(choice("ok == 'true'", "ok == 'false'"), id="true and false"),
        pytest.param(choice("approved", "rejected"), id="words of people"),
        pytest.param(choice("a > 1", "b <= 1"), id="different things compared"),
        pytest.param(choice("a != 1", "a == 1"), id="not equal"),
        pytest.param(choice("a > 1 and b < 2", "a <= 1"), id="more than one comparison"),
        pytest.param(choice("x" * 300, "a > 1"), id="long text"),
        pytest.param(
            process("ask>a [paid]", ask=ASK).model_copy(update={"source": Source(format="n8n")}),
            id="a filter of a format without ends",
        ),
        pytest.param(
            process("ok>a [approved]", "a>done", ok={"type": "human", "name": "Approve"}, done=END),
            id="an approval has a rule of its own",
        ),
        pytest.param(process("s>a [paid]", s={"type": "state"}, a={"type": "state"}), id="a state can wait"),
    ],
)
def test_conditions_that_may_cover_everything_are_believed(workflow: Workflow) -> None:
    assert steps_found("incomplete-guards", workflow) == []


@pytest.mark.parametrize(
    ("conditions", "overlapping"),
    [
        pytest.param(("x > 5", "x > 3"), [("ask-s0", "ask-s1")], id="one range in another"),
        pytest.param(("x >= 5", "x <= 5"), [("ask-s0", "ask-s1")], id="a shared bound"),
        pytest.param(("tier == 'a'", "tier == 'a'"), [("ask-s0", "ask-s1")], id="the same word"),
        pytest.param(("Paid", "paid"), [("ask-s0", "ask-s1")], id="the same text"),
        pytest.param(("x > 5", "x <= 5"), [], id="complementary"),
        pytest.param(("x >= 5", "x < 5"), [], id="complementary the other way round"),
        pytest.param(("x > 5", "x < 5"), [], id="a gap between"),
        pytest.param(("tier == 'a'", "tier == 'b'"), [], id="different words"),
        pytest.param(("tier == 'a'", "tier > 3"), [], id="a word and a number"),
        pytest.param(("paid", "open"), [], id="different texts"),
    ],
)
def test_overlapping_conditions_are_paired(conditions: tuple[str, ...], overlapping: list[tuple[str, str]]) -> None:
    findings = found("overlapping-guards", choice(*conditions))

    assert [finding.transitions for finding in findings] == overlapping


def test_two_conditions_for_the_same_way_do_not_overlap() -> None:
    assert found("overlapping-guards", process("ask>a [x > 1]", "ask>a [x > 2]", "ask>b (default)", ask=ASK)) == []


@pytest.mark.parametrize(
    ("text", "subject", "bounds"),
    [
        pytest.param("amount > 100", "amount", (100, float("inf")), id="plain"),
        pytest.param("${ order.total <= 9.5 }", "order.total", (float("-inf"), 9.5), id="an expression"),
        pytest.param("Total is at least 10", "total", (10, float("inf")), id="at least"),
        pytest.param("total exceeds 10", "total", (10, float("inf")), id="exceeds"),
        pytest.param("total is less than or equal to 10", "total", (float("-inf"), 10), id="or equal"),
        pytest.param("count equals 3", "count", (3, 3), id="equals"),
        pytest.param("count is 3", "count", (3, 3), id="is"),
    ],
)
def test_guard_is_read(text: str, subject: str, bounds: tuple[float, float]) -> None:
    guard = read_guard(condition(text))

    assert guard is not None
    assert guard.interval is not None
    assert (guard.subject, (guard.interval.low, guard.interval.high)) == (subject, bounds)


@pytest.mark.parametrize("text", ["recovered today", "over 5", "a is b", "tier > 'gold'", "5 > 3"])
def test_guard_that_is_not_plain_is_not_guessed(text: str) -> None:
    assert read_guard(condition(text)) is None


def test_transition_without_condition_has_no_guard() -> None:
    assert read_guard(Transition.model_validate({"id": "t", "from": "a", "to": "b"})) is None


def test_structured_expression_is_not_a_guard() -> None:
    structured = {"id": "t", "from": "a", "to": "b", "when": {"expression": {"Variable": "$.x"}}}

    assert read_guard(Transition.model_validate(structured)) is None
