from itertools import pairwise
from typing import Any

import pytest

from tests.support.findings import found, process, steps_found
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow


def workflow(name: str, *called: str, steps: tuple[str, ...] = (), **more: Any) -> Workflow:
    """Return a workflow that runs others: `wf_a` is named `A`."""
    made = [
        {"id": f"run_{at}", "name": f"Run {one}", "type": "subworkflow", "workflow": one}
        for at, one in enumerate(called)
    ]
    made += [{"id": f"s{at}", "name": one} for at, one in enumerate(steps)]
    made = made or [{"id": "work", "name": f"Work of {name}"}]
    row = [{"from": one["id"], "to": other["id"]} for one, other in pairwise(made)]
    return parse_workflow({"id": f"wf_{name}", "name": name.upper(), "steps": made, "transitions": row, **more})


def test_unknown_subworkflow_is_missing() -> None:
    home = workflow("a", "wf_b", "wf_gone")

    assert steps_found("missing-subworkflow", home, [home, workflow("b")]) == [("run_1",)]


@pytest.mark.parametrize(
    "reference",
    [
        pytest.param("wf_b", id="by id"),
        pytest.param("b", id="by name"),
        pytest.param("Bee", id="by alias"),
        pytest.param("wf_a", id="itself"),
    ],
)
def test_known_subworkflow_is_found(reference: str) -> None:
    home = workflow("a", reference)

    assert steps_found("missing-subworkflow", home, [workflow("b", aliases=["bee"])]) == []


def test_without_a_portfolio_nothing_is_said_to_be_missing() -> None:
    assert steps_found("missing-subworkflow", workflow("a", "wf_gone")) == []


def test_subworkflow_step_must_name_its_workflow() -> None:
    home = parse_workflow({"id": "wf_a", "name": "A", "steps": [{"id": "run", "name": "Run", "type": "subworkflow"}]})

    assert steps_found("missing-subworkflow", home) == [("run",)]


def test_workflow_that_runs_itself_is_recursive_even_alone() -> None:
    finding = found("recursive-subworkflow", workflow("a", "A"))[0]

    assert finding.message == "'Run A' (run_0) runs this workflow again. Each run starts another one, without end."


def test_a_call_that_a_run_can_get_around_is_no_endless_recursion() -> None:
    home = process(
        "ask>again",
        "ask>done",
        ask={"type": "decision"},
        again={"type": "subworkflow", "workflow": "w"},
        done={"type": "end"},
    )

    assert found("recursive-subworkflow", home.model_copy(update={"name": "w"})) == []


def test_what_another_system_calls_may_be_there() -> None:
    home = workflow("a", "wf_gone", source={"format": "n8n"})

    assert found("missing-subworkflow", home, [home, workflow("b")]) == []


def test_recursion_through_others_names_the_way() -> None:
    home = workflow("a", "wf_x", "wf_b")
    others = [workflow("b", "wf_c", "wf_x"), workflow("c", "wf_a"), workflow("x", "wf_gone")]

    finding = found("recursive-subworkflow", home, [home, *others])[0]

    assert finding.steps == ("run_1",)
    assert finding.evidence == {"calls": ["wf_b", "wf_c", "wf_a"]}
    assert "by way of 'B' (wf_b) and 'C' (wf_c)" in finding.message


def test_calls_that_do_not_come_back_are_no_recursion() -> None:
    assert found("recursive-subworkflow", workflow("a", "wf_b"), [workflow("b", "wf_c"), workflow("c", "wf_b")]) == []


STEPS = ("Draft", "Review", "Sign", "File", "Tell", "Pay")


def test_workflow_with_nearly_the_same_steps_is_named() -> None:
    home = workflow("a", steps=STEPS)
    twin = workflow("b", steps=("draft", *STEPS[1:5], "Close", "Pay"))

    findings = found("near-duplicate", home, [home, twin])

    assert [finding.evidence for finding in findings] == [{"workflow": "wf_b", "similarity": 0.857}]


@pytest.mark.parametrize(
    ("own", "other"),
    [
        pytest.param(STEPS, ("Draft", "Review", "A", "B", "C", "D"), id="little in common"),
        pytest.param(STEPS, STEPS[:3], id="much smaller"),
        pytest.param(STEPS[:3], STEPS[:3], id="too small to tell"),
    ],
)
def test_different_workflow_is_no_duplicate(own: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert found("near-duplicate", workflow("a", steps=own), [workflow("b", steps=other)]) == []


def test_comparing_stops_when_it_would_take_long() -> None:
    large = tuple(f"Step {at}" for at in range(4_000))
    others = [workflow(f"o{at}", steps=large) for at in range(6)]

    findings = found("near-duplicate", workflow("a", steps=large), others)

    assert len(findings) == 5


def test_everything_that_depends_on_a_workflow_is_counted() -> None:
    home = workflow("a")
    caller, above = workflow("b", "a"), workflow("c", "wf_b", "wf_a")
    started = workflow("d", triggers=[{"type": "workflow", "workflow": "wf_a"}])

    finding = found("blast-radius", home, [home, caller, above, started, workflow("e")])[0]

    assert finding.evidence == {"workflows": ["wf_b", "wf_c", "wf_d"]}
    assert finding.message.startswith("'B' (wf_b), 'C' (wf_c) and 'D' (wf_d) depend on this workflow.")


def test_workflow_nobody_uses_has_no_blast_radius() -> None:
    assert found("blast-radius", workflow("a", "wf_b"), [workflow("b"), workflow("c", "wf_gone")]) == []


def test_workflows_in_one_document_call_one_another_by_name_and_can_be_started() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_x",
            "name": "X",
            "steps": [
                {"id": "buy", "name": "Buy", "type": "subworkflow", "workflow": "buy-pet"},
                {"id": "order", "name": "Order", "uses": "pets.order", "parent": "buy"},
                {"id": "gift", "name": "Gift", "type": "subworkflow", "workflow": "gift-pet"},
                {"id": "again", "name": "Again", "type": "subworkflow", "workflow": "buy-pet", "parent": "gift"},
            ],
        }
    )
    other = parse_workflow({"id": "wf_y", "name": "Y", "steps": [{"id": "a", "name": "A"}]})

    rules = {finding.rule for finding in analyze(workflow, portfolio=[other])}

    assert rules.isdisjoint({"missing-subworkflow", "unreachable-step"})
