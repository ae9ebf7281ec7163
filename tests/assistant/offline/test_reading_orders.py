"""Which edits an order is read as, what of it is not used, and what is asked: a table of orders of one workflow."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from workflow_agent.assistant.offline.nlu.reading import planned, read_order
from workflow_agent.assistant.offline.plan import Asked, Plan
from workflow_agent.assistant.offline.references import Steps, StepUnclear
from workflow_agent.assistant.offline.skills.versions import read_undo
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

HERE = Path(__file__).parent
LOAN = parse_workflow(json.loads((HERE / "loan.json").read_text("utf-8")))
ORDERS: list[dict[str, Any]] = [
    json.loads(line) for line in (HERE / "orders.jsonl").read_text("utf-8").splitlines() if line
]


def read(said: str, *, last: str | None = None, workflow: Workflow = LOAN) -> tuple[Plan, str]:
    """Return the plan of a message with what is doubted of it, and what was asked instead."""
    empty, tokens = Plan(said, workflow, Steps(workflow, {}, last)), read_tokens(said)
    plan = planned(empty, read_order(empty, tokens), tokens)
    if isinstance(plan, StepUnclear):
        return empty, plan.phrase
    if isinstance(plan, Asked):
        return empty, plan.question
    return plan, ""


def is_done(plan: Plan) -> bool:
    """Say whether a plan is carried out without asking."""
    return bool(plan.edits) and not plan.unread and not plan.notes


def shape(edits: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return edits as texts in which two are the same that differ in how a new step is named alone."""
    texts: list[str] = []
    for edit in edits:
        one = dict(edit)
        for key in ("step", "with"):
            if isinstance(one.get(key), dict):
                one[key] = {
                    name: value for name, value in one[key].items() if name in ("assignee", "timeout", "duration")
                }
        texts.append(re.sub(r'"text": "(?:the|an?) ', '"text": "', json.dumps(one, sort_keys=True)))
    return sorted(texts)


OTHERWISE = {
    "the decision should take 3 days, not 7",
    "we need an auditor to check the contract? leave it. the decision gets 5 days",
    "if the loan is urgent skip the scoring",
    "remove the scoring. the moon is full.",
    "insert Score customer again after deciding",
    'replace printing the contract with "Send contract", by the clerk',
    'swap scoring with "Ask a friend"',
    "skip the waiting, we pay at once",
    "the decision has to be ready in one day, and rename Pay out to 'Transfer'",
    "remove Print contract, it is kept for companies",
    "remove Notify customer, we do not do this for small loans",
    "merge scoring and pay out",
    "put the decision in first place",
    "if paying fails tell the cashier",
    'An auditor signs the contract - add a step "Sign contract" before paying out',
    'add a state "On hold" between Decide on loan and Print contract',
    "assign the decision to the manager, it escalates to the lead",
    "rename scoring to Score from January",
}
"""Done in another way than the table says, or without asking where it asks, and well so."""
KNOWN = {"retry scoring 3 times, no deadline"}
"""Done wrongly. Who mends one takes it out."""
_DONE = 0.7
"""Share of the plain orders of the table that are done without asking."""


def test_what_is_done_without_asking_is_what_the_table_says() -> None:
    done = 0
    wrong: set[str] = set()
    plain = [row for row in ORDERS if row["edits"] and not row.keys() & {"unread", "asked", "weighed", "notes", "kept"}]
    for row in ORDERS:
        plan, _ = read(row["said"])
        if is_done(plan):
            done += row in plain
            same = shape(plan.edits) == shape(row["edits"]) and row in plain
            wrong |= {row["said"]} if not same and row["said"] not in OTHERWISE else set()

    assert wrong == KNOWN
    assert done >= _DONE * len(plain)


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

    assert not is_done(plan) or plan.edits == edits


def test_of_a_very_long_message_the_rest_is_named_as_not_used() -> None:
    plan, _ = read(", ".join(f'add "Check {number}" after scoring' for number in range(90)))

    assert 0 < len(plan.edits) < 90
    assert any("Check 89" in text for text in plan.unread)


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

    plan, _ = read("replace settle by hand with call the customer", workflow=workflow)

    assert [(edit["op"], edit["step"], edit["with"]["name"]) for edit in plan.edits] == [
        ("replace_step", "settle", "Call the customer")
    ]


def test_an_order_that_contradicts_the_one_before_it_is_named_as_not_used() -> None:
    plan, asked = read("Decide on loan gets 3 days, and no deadline for the decision any more")

    assert asked == ""
    assert plan.edits == [{"op": "set_timeout", "step": "decide", "timeout": "P3D"}]
    assert plan.unread == ["and no deadline for the decision any more"]
