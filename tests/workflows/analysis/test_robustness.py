"""What holds for every rule on every workflow: no crash, bounded time, fixes that apply."""

import gc
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from tests.support.findings import change_by_fix, fixed, key
from tests.support.workflows import workflows
from tests.workflows.model.test_samples import SAMPLES, read
from workflow_agent.workflows.analysis import RULES, analyze
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.steps import STEP_TYPES
from workflow_agent.workflows.model.workflow import Workflow

pytestmark = pytest.mark.slow

STEPS = 5_000
MAX_SECONDS = 0.3 if sys.gettrace() is None else 2.0
"""Three times the 0.1 s a rule may take: the machine may be slow, and measuring coverage slows it down."""


def document(steps: list[dict[str, Any]], edges: list[tuple[int, int, dict[str, Any]]]) -> Workflow:
    named = [{"id": f"s{at}", "name": f"Step {at}", **step} for at, step in enumerate(steps)]
    drawn = [{"id": f"t{at}", "from": f"s{a}", "to": f"s{b}", **more} for at, (a, b, more) in enumerate(edges)]
    return parse_workflow({"id": "wf_large", "name": "Large", "steps": named, "transitions": drawn})


def chain(**step: Any) -> Workflow:
    return document([step] * 2_000, [(at, at + 1, {}) for at in range(1_999)])


def tangle(steps: int, edges: int, **scopes: float) -> Workflow:
    """Return a random graph in which everything occurs that a rule looks at."""
    chance = random.Random(7)
    kinds = [{"type": kind} for kind in STEP_TYPES]
    extras: list[dict[str, Any]] = [
        {},
        {"uses": "payments.transfer", "name": "Pay"},
        {"uses": "crm.get", "writes": ["x"]},
        {"reads": ["x"]},
        {"duration": "P1D"},
        {"writes": ["y", "z"], "reads": ["z"]},
        {"name": "Approve"},
    ]
    ways: list[dict[str, Any]] = [
        {},
        {},
        {},
        {"type": "error"},
        {"type": "data"},
        {"type": "compensation"},
        {"type": "default"},
        {"type": "condition", "when": {"text": "amount > 5"}},
        {"when": {"text": "approved"}},
    ]
    made = [chance.choice(kinds) | chance.choice(extras) for _ in range(steps)]
    for at in range(1, steps):
        if chance.random() < scopes.get("nested", 0):
            made[at] = made[at] | {"parent": f"s{chance.randrange(at)}"}
    ends = ((chance.randrange(steps), chance.randrange(steps)) for _ in range(edges))
    return document(made, [(a, b, chance.choice(ways)) for a, b in ends])


def branches(count: int) -> Workflow:
    """Return a fork whose branches each choose, which makes very many positions."""
    steps: list[dict[str, Any]] = [{"type": "fork"}, {"type": "join"}]
    edges: list[tuple[int, int, dict[str, Any]]] = []
    for at in range(2, 2 + 3 * count, 3):
        steps += [{"type": "decision"}, {}, {}]
        edges += [(0, at, {}), (at, at + 1, {}), (at, at + 2, {}), (at + 1, 1, {}), (at + 2, 1, {})]
    return document(steps, edges)


def nested() -> Workflow:
    return document([{"type": "loop", **({"parent": f"s{at - 1}"} if at else {})} for at in range(2_000)], [])


LARGE = [
    pytest.param(chain, id="a chain"),
    pytest.param(lambda: chain(type="human", name="Approve"), id="a chain of approvals"),
    pytest.param(lambda: chain(uses="payments.transfer", name="Pay"), id="a chain of payments"),
    pytest.param(lambda: chain(uses="crm.get", writes=["x"]), id="a chain of fetches"),
    pytest.param(lambda: tangle(STEPS, 20_000), id="a tangle"),
    pytest.param(lambda: tangle(2_000, 3_000, nested=0.3), id="a tangle of scopes"),
    pytest.param(lambda: tangle(500, 900), id="a tangle small enough to play"),
    pytest.param(lambda: branches(60), id="branches with choices"),
    pytest.param(lambda: document([{}] * 2_000, []), id="no transitions"),
    pytest.param(nested, id="scopes inside scopes"),
]


@pytest.mark.parametrize("made", LARGE)
def test_no_rule_takes_long(made: Callable[[], Workflow]) -> None:
    workflow = made()
    graph = FlowGraph(workflow, [workflow])
    list(RULES["call-without-timeout"].findings(graph))  # reaches for most of what the rules share
    gc.collect()

    taken = {rule.id: seconds_taken(rule.id, graph) for rule in RULES.values()}

    assert {rule: seconds for rule, seconds in taken.items() if seconds > MAX_SECONDS} == {}


def seconds_taken(rule: str, graph: FlowGraph) -> float:
    """Return the CPU time of a rule: the machine may be busy with something else."""
    before = time.process_time()
    list(RULES[rule].findings(graph))
    return time.process_time() - before


@settings(max_examples=80, deadline=None)
@given(workflows())
def test_any_workflow_can_be_analysed(workflow: Workflow) -> None:
    findings = analyze(workflow, portfolio=[workflow])

    for finding in findings:
        assert finding.message
        assert set(finding.steps) <= {step.id for step in workflow.steps}
        assert set(finding.transitions) <= {edge.id for edge in workflow.transitions}


@settings(max_examples=40, deadline=None)
@given(workflows())
def test_every_fix_can_be_applied_and_removes_its_finding(workflow: Workflow) -> None:
    for finding in analyze(workflow):
        if finding.fix:
            assert key(finding) not in {key(one) for one in analyze(fixed(workflow, finding))}


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in SAMPLES])
def test_fixes_of_the_samples_add_no_finding(path: Any) -> None:
    workflow = read(path)

    added = [change_by_fix(workflow, finding)[1] for finding in analyze(workflow) if finding.fix]

    assert added == [set()] * len(added)


def test_most_severe_comes_first() -> None:
    severities = [finding.severity for finding in analyze(tangle(60, 90))]

    assert {"error", "warning", "info"} <= set(severities)
    assert severities == sorted(severities, key=("error", "warning", "info").index)


def test_healthy_process_has_no_finding() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_expense_approval",
            "name": "Expense approval",
            "steps": [
                {"id": "submit", "name": "Submit expense", "type": "human", "assignee": "employee"},
                {"id": "review", "name": "Manager review", "type": "human", "assignee": "manager", "timeout": "P2D"},
                {"id": "pay", "name": "Pay out", "uses": "payments.transfer", "timeout": "PT1M", "idempotent": True},
                {"id": "paid", "name": "Paid", "type": "end", "outcome": "ok"},
                {"id": "rejected", "name": "Rejected", "type": "end", "outcome": "rejected"},
            ],
            "transitions": [
                {"from": "submit", "to": "review"},
                {"from": "review", "to": "pay", "type": "condition", "when": {"text": "approved"}},
                {"from": "review", "to": "rejected", "type": "condition", "when": {"text": "rejected"}},
                {"from": "pay", "to": "paid"},
                {"from": "pay", "to": "review", "type": "error"},
            ],
        }
    )

    assert analyze(workflow) == ()
