from typing import Any

import pytest

from tests.support.findings import change_by_fix, found, key, process, steps_found
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

END: dict[str, Any] = {"type": "end"}
REJECTED: dict[str, Any] = {"type": "end", "outcome": "rejected"}
APPROVE: dict[str, Any] = {"type": "human", "name": "Manager approval", "assignee": "manager", "timeout": "P2D"}
REVIEW: dict[str, Any] = {**APPROVE, "name": "Look at it"}
SUBMIT: dict[str, Any] = {"type": "human", "name": "Submit", "assignee": "employee"}
STATE: dict[str, Any] = {"type": "state"}


def without(step: dict[str, Any], *fields: str) -> dict[str, Any]:
    return {name: value for name, value in step.items() if name not in fields}


def lifecycle(*transitions: dict[str, Any]) -> Workflow:
    ids = dict.fromkeys(end for edge in transitions for end in (edge["from"], edge["to"]))
    steps = [{"id": one, "name": one.capitalize(), **STATE} for one in ids]
    return parse_workflow({"id": "wf_life", "name": "Life", "steps": steps, "transitions": list(transitions)})


def timed_out(workflow: Workflow) -> Workflow:
    told = {"id": "late", "on": {"event": "timeout", "from": "ok"}, "effect": {"type": "email"}}
    return parse_workflow({**workflow.model_dump(mode="json", by_alias=True), "automations": [told]})


BOTH = ("ok>done [approved]", "ok>no [rejected]")
HEALTHY = process("submit>ok", *BOTH, submit=SUBMIT, ok=APPROVE, done=END, no=REJECTED)
OPEN_ACTION = lifecycle(
    {"from": "draft", "to": "review", "action": "submit", "permission": "write"},
    {"from": "review", "to": "done", "action": "approve"},
    {"from": "review", "to": "draft", "action": "reject", "permission": "approve"},
)

FIRES = [
    pytest.param(
        "approval-without-reject-path", process("ok>done", ok=APPROVE, done=END), [("ok",)], id="called an approval"
    ),
    pytest.param(
        "approval-without-reject-path",
        process("ok>done [approved]", ok=REVIEW, done=END),
        [("ok",)],
        id="left when approved",
    ),
    pytest.param(
        "approval-without-reject-path",
        process("ok>ask", "ask>done [approved]", ok=REVIEW, ask={"type": "decision"}, done=END),
        [("ok",)],
        id="asked right after",
    ),
    pytest.param("approval-without-reject-path", process("a>ok", ok=APPROVE), [("ok",)], id="the last step"),
    pytest.param(
        "approval-without-reject-path",
        process("ok>done", ok={**APPROVE, "name": "Sign-off by legal"}, done=END),
        [("ok",)],
        id="a sign-off",
    ),
    pytest.param(
        "approval-without-reject-path",
        process("ok>done", ok={**APPROVE, "name": "Freigabe durch Einkauf"}, done=END),
        [("ok",)],
        id="in German",
    ),
    pytest.param(
        "approval-without-reject-path",
        lifecycle({"from": "a", "to": "b", "action": "approve"}),
        [("a",)],
        id="a state that can only be approved",
    ),
    pytest.param(
        "approval-without-deadline",
        process(*BOTH, ok=without(APPROVE, "timeout"), done=END, no=REJECTED),
        [("ok",)],
        id="no deadline",
    ),
    pytest.param(
        "self-approval",
        process("submit>ok", *BOTH, submit=SUBMIT, ok={**APPROVE, "assignee": "Employee "}),
        [("submit", "ok")],
        id="the same role",
    ),
    pytest.param(
        "self-approval",
        process("submit>x", "x>ok", *BOTH, "no>submit", submit=SUBMIT, ok={**APPROVE, "assignee": "employee"}),
        [("submit", "ok")],
        id="with a step between and rework",
    ),
    pytest.param(
        "approval-by-anyone", process(*BOTH, ok=without(APPROVE, "assignee")), [("ok",)], id="nobody in particular"
    ),
    pytest.param("unguarded-action", OPEN_ACTION, [("review", "done")], id="one open action among protected ones"),
]

SILENT = [
    pytest.param("approval-without-reject-path", HEALTHY, id="approved or rejected"),
    pytest.param(
        "approval-without-reject-path",
        process("ok>ask", "ask>a [approved]", "ask>b (default)", ok=APPROVE, ask={"type": "decision"}),
        id="a decision right after",
    ),
    pytest.param(
        "approval-without-reject-path",
        process("ok>done", ok={**APPROVE, "name": "Request approval"}, done=END),
        id="asking for an approval",
    ),
    pytest.param(
        "approval-without-reject-path",
        process("ok>done", ok={**APPROVE, "name": "Approved order arrives"}, done=END),
        id="what is approved already",
    ),
    pytest.param(
        "approval-without-reject-path",
        process("ok>done", ok={"name": "Approval mail", "uses": "email.send"}, done=END),
        id="not a person's step",
    ),
    pytest.param("approval-without-reject-path", OPEN_ACTION, id="a state that can be rejected"),
    pytest.param("approval-without-deadline", HEALTHY, id="a deadline"),
    pytest.param(
        "approval-without-deadline",
        process(*BOTH, ok={**without(APPROVE, "timeout"), "escalate_to": "ceo"}),
        id="an escalation",
    ),
    pytest.param(
        "approval-without-deadline",
        timed_out(process(*BOTH, ok=without(APPROVE, "timeout"))),
        id="an automation when it takes too long",
    ),
    pytest.param("approval-without-deadline", process("a>b", a=SUBMIT), id="ordinary manual work"),
    pytest.param("self-approval", HEALTHY, id="another role"),
    pytest.param(
        "self-approval",
        process("first>ok", "first>no", *BOTH, first={**APPROVE, "name": "First approval"}, ok=APPROVE),
        id="one role approves in two steps",
    ),
    pytest.param(
        "self-approval",
        process(
            "a>submit [x]", "a>ok [y]", "submit>ok", *BOTH, a={}, submit={**SUBMIT, "assignee": "manager"}, ok=APPROVE
        ),
        id="not on every way",
    ),
    pytest.param("approval-by-anyone", HEALTHY, id="an assignee"),
    pytest.param(
        "approval-by-anyone",
        process(*BOTH, ok={**without(APPROVE, "assignee"), "permission": "approve"}),
        id="a permission",
    ),
    pytest.param(
        "unguarded-action",
        lifecycle({"from": "a", "to": "b", "action": "approve"}),
        id="a lifecycle without permissions",
    ),
    pytest.param("unguarded-action", HEALTHY, id="not a lifecycle"),
]

FIXABLE = [
    pytest.param(
        "approval-without-reject-path", process("ok>done", ok=APPROVE, done=END), id="made, with an end for it"
    ),
    pytest.param(
        "approval-without-reject-path",
        process("ok>done [approved]", ok=APPROVE, done=END, no=REJECTED),
        id="to the end for refusals",
    ),
    pytest.param(
        "approval-without-deadline",
        process(*BOTH, ok=without(APPROVE, "timeout"), done=END, no=REJECTED),
        id="a deadline",
    ),
]


@pytest.mark.parametrize(("rule", "workflow", "steps"), FIRES)
def test_rule_names_the_steps_concerned(rule: str, workflow: Workflow, steps: list[tuple[str, ...]]) -> None:
    assert steps_found(rule, workflow) == steps


@pytest.mark.parametrize(("rule", "workflow"), SILENT)
def test_rule_is_silent_on_healthy_workflows(rule: str, workflow: Workflow) -> None:
    assert steps_found(rule, workflow) == []


@pytest.mark.parametrize(("rule", "workflow"), FIXABLE)
def test_fix_removes_its_finding_and_adds_none(rule: str, workflow: Workflow) -> None:
    finding = found(rule, workflow)[0]

    removed, added = change_by_fix(workflow, finding)

    assert key(finding) in removed
    assert added == set()


def test_reject_path_makes_the_way_on_conditional() -> None:
    finding = found("approval-without-reject-path", process("ok>done", ok=APPROVE, done=END))[0]

    assert finding.fix == (
        {"op": "add_step", "step": {"id": "rejected", "name": "Rejected", "type": "end", "outcome": "rejected"}},
        {
            "op": "update_transition",
            "transition": "ok-done",
            "set": {"type": "condition", "when": {"text": "approved"}},
        },
        {"op": "connect", "from": "ok", "to": "rejected", "type": "condition", "when": {"text": "rejected"}},
    )


def test_where_a_refusal_goes_in_a_lifecycle_is_not_guessed() -> None:
    finding = found("approval-without-reject-path", lifecycle({"from": "a", "to": "b", "action": "approve"}))[0]

    assert finding.fix == ()


def test_requester_is_not_looked_for_without_end() -> None:
    chain = [f"n{at}>n{at + 1}" for at in range(80)]
    workflow = process("submit>n0", *chain, "n80>ok", *BOTH, submit=SUBMIT, ok={**APPROVE, "assignee": "employee"})

    assert steps_found("self-approval", workflow) == []
