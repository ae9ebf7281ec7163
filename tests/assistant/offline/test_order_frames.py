"""Orders in many frames: what is done without asking is what was ordered, whatever the step is called in them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.assistant.offline.test_reading_orders import is_done, read
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

pytestmark = pytest.mark.untraced

DATA = Path(__file__).parents[3] / "benchmarks" / "data" / "offline_workflows_3.json"
WORKFLOWS = {
    name: parse_workflow(one.get("document", one)) for name, one in json.loads(DATA.read_text("utf-8")).items()
}
CALLED = {
    ("vet", "examine"): ("Examine animal", "the examination"),
    ("vet", "blood"): ("Analyse blood", "the blood analysis"),
    ("vet", "invoice"): ("the invoice", "issuing the invoice"),
    ("ticket", "diagnose"): ("Diagnose problem", "diagnosing the problem"),
    ("ticket", "survey"): ("Send survey", "the survey"),
    ("ticket", "verify"): ("the verification", "verifying the fix"),
    ("lease", "contract"): ("Draw up contract", "drawing up the contract"),
    ("lease", "keys"): ("handing over the keys", "the key handover"),
    ("grant", "formal"): ("Formal check", "the formal check"),
    ("grant", "transfer"): ("Transfer money", "the money transfer"),
}
"""Steps, and what people call them."""
FRAMES = {
    "deadline": (
        "{step} must be done within 3 days",
        "{step} may take 3 days at most",
        "set a deadline of 3 days for {step}",
        "deadline for {step}: 3 days",
        "{step} is due in 3 days",
        "{step} should not take longer than 3 days",
        "limit {step} to 3 days",
        "for {step} we allow 3 days",
        "put a 3-day limit on {step}",
        "we want {step} done in three days",
        "{step} - 3 days max",
    ),
    "owner": (
        "{step} should be done by the auditor",
        "assign {step} to the auditor",
        "the auditor takes over {step}",
        "make the auditor responsible for {step}",
        "{step} is the auditor's job",
        "let the auditor do {step}",
        "hand {step} to the auditor",
        "put the auditor on {step}",
        "{step}: auditor",
        "from now on the auditor handles {step}",
        "it is the auditor who does {step}",
    ),
    "retry": (
        "retry {step} 5 times",
        "{step} should be tried up to 5 times",
        "5 attempts for {step}",
        "allow 5 attempts at {step}",
        "if {step} fails, try it again up to 5 times",
        "set the retries of {step} to 5",
    ),
    "remove": (
        "remove {step}",
        "get rid of {step}",
        "we don't need {step} any more",
        "{step} can go",
        "take out {step}",
        "{step} is superfluous",
        "leave out {step}",
        "we can do without {step}",
        "there is no need for {step}",
    ),
    "rename": (
        "rename {step} to Alpha Beta",
        "call {step} Alpha Beta",
        "{step} should be called Alpha Beta",
        "change the name of {step} to Alpha Beta",
        'please name {step} "Alpha Beta"',
    ),
    "describe": (
        'describe {step} as "x y z"',
        'the description of {step} should be "x y z"',
        'add a note to {step}: "x y z"',
    ),
    "after": (
        "add a step Count stock after {step}",
        "after {step} we count the stock",
        "count the stock after {step}",
        "once {step} is done, count the stock",
        "{step} should be followed by Count stock",
        "there should be a step Count stock after {step}",
        "after {step}, someone has to count the stock",
        "as soon as {step} is finished the stock is counted",
        "directly after {step} comes Count stock",
        "add Count stock (after {step})",
    ),
    "before": (
        "add a step Count stock before {step}",
        "before {step} we count the stock",
        "insert Count stock ahead of {step}",
        "{step} should be preceded by Count stock",
        "we need Count stock prior to {step}",
        "the stock must be counted before {step}",
        "squeeze in Count stock just before {step}",
    ),
    "overdue": ("when {step} is overdue the auditor gets it", "escalate {step} to the auditor when it is late"),
}
LEAST = {"before": 0.8, "deadline": 0.8, "retry": 0.8, "overdue": 0.1, "remove": 0.6}
"""So many are done without asking, where it is not most: a step that has no deadline is asked for one, and one with
several outcomes is not removed unasked, because they would be those of the step before it."""


def done(workflow: Workflow, said: str) -> list[JsonObject]:
    """Return the edits that an order is done by without asking; none where it is asked about."""
    plan, _ = read(said, workflow=workflow)
    return plan.edits if is_done(plan) else []


def is_meant(kind: str, workflow: Workflow, step: str, edits: list[JsonObject]) -> bool:
    """Say whether edits are what an order of a kind wants of a step."""
    first = edits[0]
    if kind in ("after", "before"):
        beside = {
            "after": [edge.to for edge in workflow.outgoing(step)],
            "before": [edge.from_ for edge in workflow.incoming(step)],
        }[kind]
        other = "before" if kind == "after" else "after"
        placed = first.get(kind) == step or [first.get(other)] == beside
        new = first.get("step")
        name = str(cast("JsonObject", new)["name"]).lower() if isinstance(new, dict) else ""
        words = {"count", "stock"} <= set(name.split())
        return len(edits) == 1 and first["op"] == "insert_step" and placed and words
    if kind == "remove":
        gone = [edit["step"] for edit in edits if edit["op"] == "remove_step"]
        return gone == [step] and all(edit["op"] in ("remove_step", "disconnect") for edit in edits)
    wanted = {
        "deadline": ("set_timeout", "timeout", "P3D"),
        "owner": ("set_assignee", "assignee", "auditor"),
        "retry": ("set_retry", "retry", {"max_attempts": 5}),
        "rename": ("rename_step", "name", "Alpha Beta"),
        "describe": ("update_step", "set", {"description": "x y z"}),
        "overdue": ("update_step", "set", {"escalate_to": "auditor"}),
    }[kind]
    operation, field, value = wanted
    told = first.get(field)
    same = told == value or (isinstance(told, dict) and isinstance(value, dict) and value.items() <= told.items())
    return len(edits) == 1 and (first["op"], first.get("step")) == (operation, step) and same


def said_of(kind: str) -> Iterator[tuple[Workflow, str, str]]:
    """Yield a workflow, a step's id, and an order about it."""
    for (name, step), called in CALLED.items():
        for one in called:
            for frame in FRAMES[kind]:
                text = frame.format(step=one)
                yield WORKFLOWS[name], step, text[:1].upper() + text[1:]


@pytest.mark.parametrize("kind", FRAMES)
def test_what_is_done_without_asking_is_what_was_ordered(kind: str) -> None:
    found = [(workflow, step, text, done(workflow, text)) for workflow, step, text in list(said_of(kind))[::2]]
    acted = [one for one in found if one[3]]

    assert [(text, edits) for workflow, step, text, edits in acted if not is_meant(kind, workflow, step, edits)] == []
    assert len(acted) >= LEAST.get(kind, 0.85) * len(found)
