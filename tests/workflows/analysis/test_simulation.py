"""Playing cases: paths, times and costs that were worked out by hand."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support.flows import flow
from workflow_agent.workflows.analysis.conditions import holds
from workflow_agent.workflows.analysis.simulation import Assumptions, simulate
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

HOUR = 3_600.0
DECIDE: dict[str, Any] = {"type": "decision"}
END: dict[str, Any] = {"type": "end"}
JOIN: dict[str, Any] = {"type": "join"}


def lasting(hours: float, **fields: Any) -> dict[str, Any]:
    return {"duration": f"PT{hours:g}H" if hours == int(hours) else f"PT{int(hours * 60)}M", **fields}


def process(*edges: str, **steps: dict[str, Any]) -> Workflow:
    return flow(*edges, start=edges[0].partition(">")[0], **steps)


CASES = tomllib.loads((Path(__file__).parent / "data" / "simulated_cases.toml").read_text("utf-8"))["case"]
SAMPLES = Path(__file__).parents[3] / "data" / "samples"
GUARDED = process(
    "enter>d",
    "d>small [amount <= 1000]",
    "d>large [amount is more than 1,000]",
    "large>e",
    "e>pay [approved]",
    "e>enter (default)",
    "small>pay",
    d=DECIDE,
    e=DECIDE,
)


@pytest.mark.parametrize("told", [pytest.param(one, id=one["name"]) for one in CASES])
def test_a_case_takes_the_way_and_the_time_worked_out_by_hand(told: dict[str, Any]) -> None:
    if "sample" in told:
        workflow = parse_workflow(json.loads((SAMPLES / f"{told['sample']}.json").read_text("utf-8")))
    else:
        workflow = process(*told["edges"], **told["steps"])
    times = {step: hours * HOUR for step, hours in told.get("times", {}).items()}

    played = simulate(workflow, Assumptions(case=told.get("case", {}), times=times, staff=told.get("staff", {})))

    assert [one["step"] for one in played["path"]] == told["path"].split()
    assert played["median_seconds"] == pytest.approx(told["hours"] * HOUR)
    assert played["outcome"] == told.get("outcome", "completed")
    assert told["calculation"]


@pytest.mark.parametrize("mode", [{"mode": "any"}, {"mode": "count", "count": 1}])
def test_what_comes_back_to_a_join_goes_on_again(mode: dict[str, Any]) -> None:
    edges = ("a>j", "b>j", "j>d", "d>j", "d>e")
    workflow = process("s>a", "s>b", *edges, s=DECIDE, j={"type": "join", "join": mode}, d=DECIDE, e=END)

    played = simulate(workflow, Assumptions(case={"s": "a"}, chances={"d>j": 0.5}, runs=200))

    assert played["ends"] == {"e": 200}


def test_rounds_that_do_nothing_are_no_deeper_the_more_they_are() -> None:
    workflow = process(
        "each>c", each={"type": "loop", "loop": {"over": "items"}}, x={"parent": "each", "when": {"text": "asked"}}
    )

    played = simulate(workflow, Assumptions(case={"items": 900, "asked": False}))

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

    played = simulate(workflow, Assumptions(runs=200))

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
