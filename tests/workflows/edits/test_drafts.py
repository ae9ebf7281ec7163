from typing import Any

import pytest

from workflow_agent.errors import InvalidWorkflow
from workflow_agent.workflows.edits.drafts import parse_draft, workflow_from_draft, workflow_id_for
from workflow_agent.workflows.model.workflow import Workflow


def made(**draft: Any) -> Workflow:
    return workflow_from_draft(parse_draft({"name": "Trip", **draft}), "wf_trip")


def test_steps_get_ids_from_their_names_and_edges_find_them() -> None:
    workflow = made(
        steps=[{"name": "Ask for it"}, {"name": "Ask for it"}, {"id": "end", "name": "Done", "type": "end"}],
        transitions=[
            {"from": "ask_for_it", "to": "ask_for_it_2"},
            {"from": "ask_for_it_2", "to": "DONE", "when": "booked"},
        ],
    )

    assert [step.id for step in workflow.steps] == ["ask_for_it", "ask_for_it_2", "end"]
    assert [(edge.from_, edge.to) for edge in workflow.transitions] == [
        ("ask_for_it", "ask_for_it_2"),
        ("ask_for_it_2", "end"),
    ]
    assert workflow.transitions[1].when is not None
    assert workflow.transitions[1].when.text == "booked"
    assert workflow.start == "ask_for_it"


def test_the_start_may_be_named() -> None:
    workflow = made(steps=[{"name": "One"}, {"name": "Two"}], start="two")

    assert workflow.start == "two"


@pytest.mark.parametrize(
    ("transition", "told"),
    [
        pytest.param({"from": "One", "to": "Three"}, "'Three' is not the id or name of a step", id="unknown"),
        pytest.param({"from": "Same", "to": "One"}, "'Same' names several steps", id="ambiguous"),
    ],
)
def test_an_edge_to_what_is_not_certain_is_refused(transition: dict[str, str], told: str) -> None:
    steps = [{"name": "One"}, {"name": "Same"}, {"name": "Same", "id": "other"}]

    with pytest.raises(InvalidWorkflow, match=told) as refusal:
        made(steps=steps, transitions=[transition])

    assert refusal.value.problems[0].valid == ("one", "same", "other")


def test_a_draft_of_the_wrong_shape_names_every_problem() -> None:
    with pytest.raises(InvalidWorkflow) as refusal:
        parse_draft({"steps": [{"name": "One", "colour": "red"}]})

    assert {problem.pointer for problem in refusal.value.problems} == {"/name", "/steps/0/colour"}


def test_a_workflows_id_is_made_of_its_name() -> None:
    assert workflow_id_for("Expense approval") == "wf_expense_approval"
    assert workflow_id_for("Expense approval", ["wf_expense_approval"]) == "wf_expense_approval_2"
    assert workflow_id_for("審査") == "wf_workflow"
