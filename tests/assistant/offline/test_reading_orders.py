"""Which edits an order is read as, what of it is not used, and what is asked: a table of orders of one workflow."""

import json
from pathlib import Path
from typing import Any

import pytest

from workflow_agent.assistant.offline.orders import plan_orders
from workflow_agent.assistant.offline.plan import Asked, Plan
from workflow_agent.assistant.offline.references import Steps, StepUnclear
from workflow_agent.assistant.offline.skills.versions import read_undo
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.workflows.model.parser import parse_workflow

HERE = Path(__file__).parent
LOAN = parse_workflow(json.loads((HERE / "loan.json").read_text("utf-8")))
ORDERS: list[dict[str, Any]] = [
    json.loads(line) for line in (HERE / "orders.jsonl").read_text("utf-8").splitlines() if line
]


def read(said: str, *, last: str | None = None) -> tuple[Plan, str]:
    """Return the plan of a message, and what was asked instead."""
    plan = Plan(said, LOAN, Steps(LOAN, {}, last))
    try:
        plan_orders(plan, read_tokens(said))
    except StepUnclear as unclear:
        return plan, unclear.phrase
    except Asked as asked:
        return plan, asked.question
    return plan, ""


@pytest.mark.parametrize("row", ORDERS, ids=[row["said"] for row in ORDERS])
def test_an_order_is_read_as_its_edits_and_what_is_left_is_named(row: dict[str, Any]) -> None:
    plan, asked = read(row["said"])

    assert plan.edits == row["edits"]
    assert plan.unread == row.get("unread", [])
    assert plan.notes == row.get("notes", [])
    assert plan.kept == row.get("kept", [])
    assert plan.weighed == row.get("weighed", False)
    assert asked == row.get("asked", "")


@pytest.mark.parametrize(
    ("said", "edits"),
    [
        ("it may take an hour", [{"op": "set_timeout", "step": "score", "timeout": "PT1H"}]),
        ("within two weeks", [{"op": "set_timeout", "step": "score", "timeout": "P2W"}]),
        ("no, make that after", [{"op": "move_step", "step": "score", "after": "decide"}]),
        ("make it the bank", [{"op": "set_assignee", "step": "score", "assignee": "bank"}]),
        ('actually call it "Ask the bureau"', [{"op": "rename_step", "step": "score", "name": "Ask the bureau"}]),
        ("delete it", [{"op": "remove_step", "step": "score"}]),
    ],
)
def test_it_is_the_step_spoken_of_last(said: str, edits: list[dict[str, Any]]) -> None:
    plan, _ = read(said, last="score")

    assert plan.edits == edits


def test_of_a_very_long_message_the_rest_is_named_as_not_used() -> None:
    plan, _ = read(", ".join(f'add "Check {number}" after scoring' for number in range(90)))

    assert 0 < len(plan.edits) < 90
    assert "Check 89" in plan.unread[0]


@pytest.mark.parametrize(
    ("said", "kind", "number"),
    [
        ("oh no. undo that!", "undo", None),
        ("please restore what I just removed", "undo", None),
        ("no wait, put that back", "undo", None),
        ("the way it was before was better", "undo", None),
        ("never mind, scrap that change", "undo", None),
        ("return to the earlier state", "undo", None),
        ("on second thought redo it", "redo", None),
        ("i want it as it was at the start", "restore_first", None),
        ("go back to version 3", "restore", "3"),
    ],
)
def test_changes_are_taken_back_in_many_words(said: str, kind: str, number: str | None) -> None:
    undoing = read_undo(said)

    assert undoing is not None
    assert (undoing.kind, undoing.slots.get("n")) == (kind, number)


@pytest.mark.parametrize(
    "said",
    [
        "delete the review",
        "put the review back before pay out",
        "make it 3 days",
        "no",
        "drop that step",
        'bring "Pay out" back',
    ],
)
def test_an_order_about_a_step_takes_nothing_back(said: str) -> None:
    assert read_undo(said) is None


def test_a_word_inside_the_name_of_a_step_parts_nothing() -> None:
    step = LOAN.steps[0].model_copy(update={"id": "settle", "name": "Settle by hand", "type": "human"})
    workflow = LOAN.model_copy(update={"steps": (*LOAN.steps, step)})
    plan = Plan("replace settle by hand with call the customer", workflow, Steps(workflow, {}, None))

    plan_orders(plan, read_tokens(plan.text))

    assert [(edit["op"], edit["step"], edit["with"]["name"]) for edit in plan.edits] == [
        ("replace_step", "settle", "Call customer")
    ]
