from typing import Any

import pytest

from tests.support.flows import edges_of, flow
from workflow_agent.errors import EditRefused
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.workflow import Workflow


def apply(workflow: Workflow, op: str, **fields: Any) -> Workflow:
    return apply_edits(workflow, parse_edits([{"op": op, **fields}])).workflow


def test_an_approval_stands_before_the_step_and_says_where_each_outcome_leads() -> None:
    after = apply(flow("a>pay", "b>pay", "pay>c"), "wrap_in_approval", step="pay", assignee="cfo")

    assert edges_of(after) == [
        "a>approve_pay",
        "b>approve_pay",
        "pay>c",
        "approve_pay>pay [approved]",
        "approve_pay>rejected [rejected]",
    ]
    approval, rejected = after.step("approve_pay"), after.step("rejected")
    assert approval is not None
    assert rejected is not None
    assert (approval.name, approval.type, approval.assignee) == ("Approve Pay", "human", "cfo")
    assert (rejected.name, rejected.type, rejected.outcome) == ("Rejected", "end", "rejected")
    assert [edge.action for edge in after.outgoing("approve_pay")] == ["approve", "reject"]


def test_an_approval_of_the_start_is_the_start() -> None:
    after = apply(flow("a>b"), "wrap_in_approval", step="a", assignee="cfo", name="Go ahead?")

    assert after.start == "go_ahead"


@pytest.mark.parametrize(
    ("steps", "fields", "target"),
    [
        pytest.param({}, {"on_reject": "a"}, "a", id="where it is told to"),
        pytest.param({"no": {"type": "end", "outcome": "rejected"}}, {}, "no", id="to the end with that outcome"),
        pytest.param({"no": {"type": "end", "name": "Rejected"}}, {}, "no", id="to the end of that name"),
        pytest.param({"no": {"outcome": "rejected"}}, {}, "rejected", id="to a new end, not to what is no end"),
        pytest.param(
            {"no": {"type": "end", "outcome": "rejected", "parent": "a"}},
            {},
            "rejected",
            id="to a new end, not to one of another scope",
        ),
    ],
)
def test_a_rejection_leads(steps: dict[str, Any], fields: dict[str, str], target: str) -> None:
    workflow = flow("a>pay", a={}, pay={}, **steps)

    after = apply(workflow, "wrap_in_approval", step="pay", assignee="cfo", **fields)

    assert f"approve_pay>{target} [rejected]" in edges_of(after)


def test_a_rejection_cannot_lead_to_what_is_to_be_approved() -> None:
    with pytest.raises(EditRefused, match=r"a rejection cannot lead to 'b', .*; valid here: a\."):
        apply(flow("a>b"), "wrap_in_approval", step="b", assignee="cfo", on_reject="B")


def test_a_failure_leads_to_a_new_end() -> None:
    after = apply(flow("a>b"), "add_error_path", step="a")

    assert edges_of(after) == ["a>b", "a>failed (error)"]
    assert after.steps[-1].outcome == "failed"


def test_a_failure_leads_where_it_is_told_to() -> None:
    after = apply(flow("a>b"), "add_error_path", step="b", to="a")

    assert edges_of(after) == ["a>b", "b>a (error)"]


def test_an_error_path_beside_one_for_some_errors_only_is_added() -> None:
    workflow = flow("a>b", "a>c (error)")
    workflow = apply(workflow, "update_transition", transition="a-c", set={"errors": ["Timeout"]})

    after = apply(workflow, "add_error_path", step="a", to="b")

    assert edges_of(after) == ["a>b", "a>c (error)", "a>b (error)"]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        pytest.param("a", r"every failure of 'a' leads to 'c' already; .*; valid here: a-c\.", id="a second one"),
        pytest.param("b", "'b' is an end; nothing in it can fail", id="of an end"),
    ],
)
def test_an_error_path_is_refused(step: str, message: str) -> None:
    workflow = flow("a>b", "a>c (error)", a={}, b={"type": "end"})

    with pytest.raises(EditRefused, match=message):
        apply(workflow, "add_error_path", step=step)


def test_steps_in_a_row_run_between_a_fork_and_a_join() -> None:
    workflow = flow("a>b", "b>c", "c>d", "d>e", "d>f", "c>oops (error)")

    after = apply(workflow, "parallelize", steps=["D", "b", "c"])

    assert edges_of(after) == [
        "a>split_before_b",
        "b>join_after_d",
        "c>join_after_d",
        "join_after_d>e",
        "join_after_d>f",
        "c>oops (error)",
        "split_before_b>b",
        "split_before_b>c",
        "split_before_b>d",
        "d>join_after_d",
    ]
    assert [(s.id, s.type) for s in after.steps if s.type != "action"] == [
        ("split_before_b", "fork"),
        ("join_after_d", "join"),
    ]


def test_the_fork_of_the_start_is_the_start() -> None:
    after = apply(flow("a>b"), "parallelize", steps=["a", "b"])

    assert after.start == "split_before_a"
    assert after.outgoing("join_after_b") == ()


@pytest.mark.parametrize(
    ("edges", "steps", "named", "message"),
    [
        pytest.param(["a>b", "b>c"], {}, ["a", "c"], "they do only so far: a", id="with a step between"),
        pytest.param(["a>b [yes]", "b>c"], {}, ["a", "b"], "do not follow one another", id="with a condition"),
        pytest.param(["a>b", "b>c [yes]"], {}, ["a", "b"], "do not follow one another", id="that end in a decision"),
        pytest.param(["a>b", "x>b"], {}, ["a", "b"], "they do only so far: a", id="entered from elsewhere"),
        pytest.param(["a>b", "a>c"], {}, ["a", "b"], "they do only so far: a", id="left in between"),
        pytest.param(["a>b", "b>a"], {}, ["a", "b"], "they run in a circle", id="in a circle"),
        pytest.param(
            ["a>b"], {"a": {}, "b": {"parent": "a"}}, ["a", "b"], "do not follow one another", id="in two scopes"
        ),
        pytest.param(["a>b"], {}, ["a", "a"], "a step is named twice", id="named twice"),
        pytest.param(
            ["a>b"],
            {"b": {"type": "end"}},
            ["a", "b"],
            r"'b' is of type 'end', which cannot run in parallel; valid here: action, human",
            id="that are no work",
        ),
        pytest.param(
            ["a>b"],
            {"a": {"writes": ["total"]}, "b": {"reads": ["total"]}},
            ["a", "b"],
            "'b' needs total, which 'a' writes before it",
            id="that need one another",
        ),
    ],
)
def test_steps_are_not_run_in_parallel(edges: list[str], steps: Any, named: list[str], message: str) -> None:
    with pytest.raises(EditRefused, match=message):
        apply(flow(*edges, **steps), "parallelize", steps=named)
