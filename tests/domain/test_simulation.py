"""Playing cases: paths, times and costs that were worked out by hand."""

from typing import Any

import pytest

from tests.support.flows import flow
from workflow_agent.workflows.analysis.conditions import holds
from workflow_agent.workflows.analysis.simulation import Assumptions, simulate
from workflow_agent.workflows.model.workflow import Workflow

HOUR = 3_600.0
DECIDE: dict[str, Any] = {"type": "decision"}
END: dict[str, Any] = {"type": "end"}
FORK: dict[str, Any] = {"type": "fork"}
JOIN: dict[str, Any] = {"type": "join"}


def lasting(hours: float, **fields: Any) -> dict[str, Any]:
    return {"duration": f"PT{hours:g}H" if hours == int(hours) else f"PT{int(hours * 60)}M", **fields}


def process(*edges: str, **steps: dict[str, Any]) -> Workflow:
    return flow(*edges, start=edges[0].partition(">")[0], **steps)


ONE_HOUR, THREE_HOURS = lasting(1, assignee="x"), lasting(3, assignee="x")
CHAIN = process("a>b", "b>done", a=lasting(1), b=lasting(2), done=END)
PARALLEL = process("f>a", "f>b", "a>j", "b>j", "j>c", f=FORK, a=lasting(1), b=lasting(3), j=JOIN, c=lasting(1))
FIRST = process(
    "f>a",
    "f>b",
    "a>j",
    "b>j",
    "j>c",
    f=FORK,
    a=lasting(1),
    b=lasting(3),
    j={"type": "join", "join": {"mode": "any"}},
    c=lasting(1),
)
LOOP = process(
    "each>c", each={"type": "loop", "loop": {"max_iterations": 4}}, x=lasting(2, parent="each"), c=lasting(1)
)
ALL_AT_ONCE = process(
    "each>c",
    each={"type": "loop", "loop": {"over": ["a", "b", "c"], "parallel": 0}},
    x=lasting(2, parent="each"),
    c=lasting(1),
)
NESTED = process(
    "out>c",
    out={"type": "loop", "loop": {"max_iterations": 2}},
    inn={"type": "loop", "loop": {"max_iterations": 3}, "parent": "out"},
    x=lasting(1, parent="inn"),
    c=lasting(1),
)
SKIPPED = process("a>b", a=lasting(1), b=lasting(5, when={"text": "amount > 100"}))


GUARDED = process(
    "enter>d",
    "d>small [amount <= 1000]",
    "d>large [amount is more than 1,000]",
    "large>e",
    "e>pay [approved]",
    "e>enter (default)",
    "small>pay",
    enter=lasting(1, assignee="clerk"),
    d=DECIDE,
    small=lasting(0.5),
    large=lasting(4, assignee="boss"),
    e=DECIDE,
    pay=lasting(1),
)
LATE = process("a>b", "a>c (error)", a=lasting(5, timeout="PT2H"), b=lasting(1), c=lasting(3))


@pytest.mark.parametrize(
    ("workflow", "assumed", "path", "hours"),
    [
        pytest.param(CHAIN, {}, "a b done", 3, id="one after the other"),
        pytest.param(CHAIN, {"times": {"a": 9 * HOUR}}, "a b done", 11, id="a time that was given"),
        pytest.param(PARALLEL, {}, "f a b j c", 4, id="the slower branch counts"),
        pytest.param(PARALLEL, {"times": {"a": 5 * HOUR}}, "f a b j c", 6, id="the other branch is slower"),
        pytest.param(FIRST, {}, "f a b j c", 3, id="the first branch is enough, the other goes on"),
        pytest.param(LOOP, {}, "each x x x x c", 9, id="a loop"),
        pytest.param(LOOP, {"case": {"each": 2}}, "each x x c", 5, id="a loop as often as said"),
        pytest.param(ALL_AT_ONCE, {}, "each x x x c", 3, id="a loop all at once"),
        pytest.param(NESTED, {}, "out inn x x x inn x x x c", 7, id="a loop in a loop"),
        pytest.param(SKIPPED, {"case": {"amount": 50}}, "a b", 1, id="a step that is skipped"),
        pytest.param(SKIPPED, {"case": {"amount": 500}}, "a b", 6, id="a step that is not"),
        pytest.param(SKIPPED, {"case": {"b": "no"}}, "a b", 1, id="a step that is said to be skipped"),
        pytest.param(SKIPPED, {"case": {"b": "yes"}}, "a b", 6, id="a step that is said to be done"),
        pytest.param(
            GUARDED,
            {"case": {"amount": 1500, "e": ["enter", "pay"]}},
            "enter d large e enter d large e pay",
            11,
            id="a way for each time",
        ),
        pytest.param(GUARDED, {"case": {"amount": 900}}, "enter d small pay", 2.5, id="a small amount"),
        pytest.param(GUARDED, {"case": {"amount": 1500, "approved": True}}, "enter d large e pay", 6, id="a large one"),
        pytest.param(GUARDED, {"case": {"d": "small"}}, "enter d small pay", 2.5, id="a way that is named"),
        pytest.param(GUARDED, {"chances": {"d>small": 1.0}}, "enter d small pay", 2.5, id="a chance that is certain"),
        pytest.param(LATE, {}, "a c", 5, id="out of time after two hours"),
        pytest.param(LATE, {"times": {"a": HOUR}}, "a b", 2, id="in time"),
        pytest.param(LATE, {"chances": {"a>c": 1.0}, "times": {"a": HOUR}}, "a c", 4, id="a failure that is certain"),
        pytest.param(PARALLEL, {"staff": {}}, "f a b j c", 4, id="enough people"),
        pytest.param(
            process("f>a", "f>b", "a>j", "b>j", f=FORK, a=ONE_HOUR, b=THREE_HOURS, j=JOIN),
            {"staff": {"x": 1}},
            "f a b j",
            4,
            id="one person for both branches",
        ),
    ],
)
def test_a_case_takes_the_way_and_the_time_worked_out_by_hand(
    workflow: Workflow, assumed: dict[str, Any], path: str, hours: float
) -> None:
    played = simulate(workflow, Assumptions(**assumed))

    assert [one["step"] for one in played["path"]] == path.split()
    assert played["median_seconds"] == hours * HOUR
    assert played["outcome"] == "completed"


@pytest.mark.parametrize(
    ("workflow", "assumed", "outcome"),
    [
        pytest.param(GUARDED, {}, "asks", id="an amount nobody told"),
        pytest.param(process("a>b", "a>c", a=DECIDE), {}, "asks", id="a choice without words"),
        pytest.param(process("a>b", a={"type": "loop"}, x={"parent": "a"}), {}, "asks", id="an open loop"),
        pytest.param(process("a>b", a=lasting(5, timeout="PT2H")), {}, "timed out", id="no way out"),
        pytest.param(
            process("d>a", "d>b", "a>j", "b>j", d=DECIDE, j=JOIN), {"case": {"d": "a"}}, "waits", id="a join starves"
        ),
        pytest.param(process("a>b", "b>a", "b>c", b=DECIDE), {"case": {"b": ["a"]}}, "asks", id="a way for one time"),
        pytest.param(process("a>b", "b>a", "b>c", b=DECIDE), {"case": {"b": "a"}}, "too many steps", id="x"),
    ],
)
def test_what_cannot_go_on_says_why(workflow: Workflow, assumed: dict[str, Any], outcome: str) -> None:
    played = simulate(workflow, Assumptions(**assumed))

    assert played["outcome"] == outcome
    assert bool(played["questions"]) == (outcome == "asks")


def test_a_path_tells_by_which_transition_the_case_came() -> None:
    played = simulate(GUARDED, Assumptions(case={"d": "small"}))

    assert [one["by"] for one in played["path"]] == [None, "enter-d", "d-small", "small-pay"]


def test_many_cases_tell_where_they_wait_and_what_they_cost() -> None:
    workflow = process("a>b", a=lasting(0.1, assignee="clerk"), b=lasting(1, assignee="boss"))
    assumed = Assumptions(staff={"clerk": 5, "boss": 1}, per_day=40, runs=200, seed=7, hourly_costs={"boss": 100.0})

    played = simulate(workflow, assumed)

    assert played == simulate(workflow, assumed)
    assert (played["outcomes"], played["is_complete"]) == ({"completed": 200}, True)
    assert played["bottleneck"]["step"] == "b"
    assert played["roles"]["boss"]["busy_share"] > 0.9
    assert played["mean_cost"] == pytest.approx(100.0)
    assert played["p90_seconds"] > played["median_seconds"] > 1.1 * HOUR


def test_chances_are_met_over_many_cases_and_by_seed() -> None:
    workflow = process("d>a", "d>b", d=DECIDE, a=lasting(1), b=lasting(3))

    ends = [simulate(workflow, Assumptions(chances={"d>a": 0.7}, runs=1_000, seed=seed))["paths"] for seed in (1, 2)]

    assert 650 < ends[0][0]["runs"] < 750
    assert ends[0] != ends[1]


def test_a_workflow_that_never_ends_is_stopped() -> None:
    workflow = process("f>f2", "f2>f", "f>x", "x>f", f={}, f2={}, x={})

    played = simulate(workflow, Assumptions(runs=1_000))

    assert played["outcomes"].get("completed") is None


@pytest.mark.parametrize(
    ("said", "case", "expected"),
    [
        ("amount > 1000", {"amount": 1500}, True),
        ("the amount is over 1,000", {"Amount": 1000}, False),
        ("$.order.amount >= 10 and approved", {"amount": 10, "approved": False}, False),
        ("amount < 5 or urgent", {"amount": 9, "urgent": True}, True),
        ("not approved", {"approved": False}, True),
        ("if the manager approves", {"approved": True}, None),
        ("status == 'open'", {"status": "Open"}, True),
        ("status is open", {"status": "closed"}, False),
        ("is complete", {"is_complete": True}, True),
        ("amount > 5 and it rains", {"amount": 9}, None),
        ("amount > 5 and it rains", {"amount": 1}, False),
        ("x" * 500, {}, None),
    ],
)
def test_a_condition_holds_or_not_or_cannot_be_told(said: str, case: dict[str, Any], expected: bool | None) -> None:
    assert holds(said, case) is expected
