from typing import Any

import pytest

from tests.support.flows import edges_of, flow
from workflow_agent.errors import EditRefused
from workflow_agent.workflows.edits.application import Applied, apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.steps import Condition
from workflow_agent.workflows.model.workflow import Workflow


def remove(workflow: Workflow, step: str, **more: Any) -> Applied:
    return apply_edits(workflow, parse_edits([{"op": "remove_step", "step": step, **more}]))


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        pytest.param(["a>x", "x>b"], ["a>b"], id="one before, one after"),
        pytest.param(
            ["a>x", "b>x", "x>c", "x>d"], ["a>c", "a>d", "b>c", "b>d"], id="each before is joined to each after"
        ),
        pytest.param(["a>x [yes]", "x>b"], ["a>b [yes]"], id="a condition before is kept"),
        pytest.param(["a>x", "x>b [yes]", "x>c [no]"], ["a>b [yes]", "a>c [no]"], id="conditions after are kept"),
        pytest.param(["a>x (default)", "x>b"], ["a>b (default)"], id="a default stays one"),
        pytest.param(
            ["a>x [paid]", "x>b [small]", "x>c [large]"],
            ["a>b [paid and small]", "a>c [paid and large]"],
            id="conditions on both sides are joined",
        ),
        pytest.param(["a>x [yes]", "x>b [yes]"], ["a>b [yes]"], id="the same condition is not repeated"),
        pytest.param(["a>x [yes]", "x>b (default)"], ["a>b [yes]"], id="a default under a condition needs it"),
        pytest.param(["a>x", "x>b", "a>b"], ["a>b"], id="no transition is made twice"),
        pytest.param(["a>x", "x>b", "a>b [yes]"], ["a>b", "a>b [yes]"], id="another condition is no repetition"),
        pytest.param(["a>x", "x>a"], [], id="no step is led to itself"),
        pytest.param(["a>x", "x>x", "x>b"], ["a>b"], id="its own loop goes"),
        pytest.param(
            ["a>x", "x>b", "x>oops (error)", "x>undo (compensation)", "x>log (data)", "tool>x (data)"],
            ["a>b"],
            id="its error paths and side ports go",
        ),
        pytest.param(
            ["a>x (error)", "x>b [retryable]", "x>c"],
            ["a>b [retryable] (error)", "a>c (error)"],
            id="what led to an error handler stays an error path",
        ),
        pytest.param(["a>x"], [], id="nothing after"),
        pytest.param(["x>b"], [], id="nothing before"),
    ],
)
def test_what_was_before_leads_to_what_was_after(edges: list[str], expected: list[str]) -> None:
    applied = remove(flow(*edges), "x")

    assert sorted(edges_of(applied.workflow)) == sorted(expected)


def test_transitions_keep_the_id_and_content_of_the_one_that_decides() -> None:
    workflow = flow("a>x", "x>b [yes]", "c>x [no]")

    after = remove(workflow, "x").workflow

    (decided, joined) = after.transitions
    assert decided == workflow.transitions[1].model_copy(update={"from_": "a"})
    assert joined == workflow.transitions[2].model_copy(update={"to": "b", "when": Condition(text="no and yes")})


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        pytest.param(["a>x", "x>b", "x>c"], [("b", "x-b"), ("c", "x-c")], id="those after, of several"),
        pytest.param(["a>x", "x>b"], [("b", "a-x")], id="the one before, of one"),
    ],
)
def test_of_choices_on_both_sides_are_kept(edges: list[str], expected: list[tuple[str, str]]) -> None:
    lifecycle = flow(*edges)
    choosing = [
        {"op": "update_transition", "transition": edge.id, "set": {"action": edge.id}} for edge in lifecycle.transitions
    ]
    lifecycle = apply_edits(lifecycle, parse_edits(choosing)).workflow

    after = remove(lifecycle, "x").workflow

    assert [(edge.to, edge.action) for edge in after.transitions] == expected


def test_conditions_in_a_formal_language_are_joined_in_words() -> None:
    workflow = flow("a>x [urgent]", "x>b [_]")
    guards = {"a-x": {"expression": "$.x > 1", "language": "jsonata"}, "x-b": {"expression": {"var": "y"}}}
    guarding = [
        {"op": "update_transition", "transition": transition, "set": {"when": guard}}
        for transition, guard in guards.items()
    ]
    workflow = apply_edits(workflow, parse_edits(guarding)).workflow

    after = remove(workflow, "x").workflow

    assert after.transitions[0].when == Condition(text='$.x > 1 and {"var": "y"}')


def test_the_permission_of_either_side_is_kept() -> None:
    workflow = flow("a>x", "x>b [yes]")
    guarded = parse_edits([{"op": "set_permission", "transition": "a-x", "permission": "boss"}])
    workflow = apply_edits(workflow, guarded).workflow

    after = remove(workflow, "x").workflow

    assert after.transitions[0].permission == "boss"


def test_cut_joins_nothing() -> None:
    applied = remove(flow("a>x", "x>b", "b>c"), "x", mode="cut")

    assert edges_of(applied.workflow) == ["b>c"]


@pytest.mark.parametrize(
    ("edges", "mode", "start"),
    [
        pytest.param(["x>b", "x>c", "a>c"], "reconnect", "b", id="to the first step after it"),
        pytest.param(["x>b", "x>c", "a>c"], "cut", "b", id="to the first step after it, cut too"),
        pytest.param(["a>x"], "reconnect", "a", id="to the first in the list if nothing is after it"),
    ],
)
def test_the_start_moves_on(edges: list[str], mode: str, start: str) -> None:
    applied = remove(flow(*edges, start="x"), "x", mode=mode)

    assert applied.workflow.start == start


@pytest.mark.parametrize(
    "edges",
    [
        pytest.param(["a>loop", "loop>x", "x>y", "y>loop", "loop>b"], id="where they are drawn"),
        pytest.param(["a>loop", "x>y", "loop>b"], id="where nothing is drawn"),
    ],
)
def test_the_steps_of_a_removed_scope_take_its_place(edges: list[str]) -> None:
    looping = flow(*edges, a={}, loop={"type": "loop"}, x={"parent": "loop"}, y={"parent": "loop"})

    after = remove(looping, "loop").workflow

    assert sorted(edges_of(after)) == ["a>x", "x>y", "y>b"]
    assert [step.parent for step in after.steps] == [None] * 4


def test_the_steps_of_a_removed_start_scope_are_the_start() -> None:
    scope = {"loop": {"type": "loop"}, "y": {"parent": "loop"}, "x": {"parent": "loop"}}
    looping = flow("x>y", "loop>b", b={}, **scope, start="loop")

    after = remove(looping, "loop").workflow

    assert after.start == "x"


def test_inner_scopes_move_to_the_scope_around() -> None:
    nested = flow(outer={}, inner={"parent": "outer"}, x={"parent": "inner"})

    after = remove(nested, "inner").workflow

    assert [(step.id, step.parent) for step in after.steps] == [("outer", None), ("x", "outer")]


def test_automations_that_react_to_it_go_and_are_reported() -> None:
    workflow = flow("a>x")
    reactions = [
        {"id": step, "on": {"event": "entered", "to": step}, "effect": {"type": "email"}} for step in ("a", "x")
    ]
    reacting = parse_edits([{"op": "set_automation", "automation": reaction} for reaction in reactions])
    workflow = apply_edits(workflow, reacting).workflow

    applied = remove(workflow, "x")

    assert [automation.id for automation in applied.workflow.automations] == ["a"]
    assert [gone["id"] for gone in applied.diff.automations.removed] == ["x"]


def test_the_only_step_is_not_removed() -> None:
    with pytest.raises(EditRefused, match="'a' is the only step, and a workflow needs one; replace it instead"):
        remove(flow(a={}), "a")
