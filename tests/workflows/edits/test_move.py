from typing import Any

import pytest

from tests.support.flows import edges_of, flow
from workflow_agent.errors import EditRefused
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.workflow import Workflow


def move(workflow: Workflow, step: str, **place: Any) -> Workflow:
    return apply_edits(workflow, parse_edits([{"op": "move_step", "step": step, **place}])).workflow


@pytest.mark.parametrize(
    ("edges", "place", "expected"),
    [
        pytest.param(["a>x", "x>b", "b>c"], {"after": "b"}, ["a>b", "b>x", "x>c"], id="forward, after"),
        pytest.param(["a>x", "x>b", "b>c"], {"before": "c"}, ["a>b", "b>x", "x>c"], id="forward, before"),
        pytest.param(["a>b", "b>x", "x>c"], {"before": "b"}, ["a>x", "x>b", "b>c"], id="back"),
        pytest.param(["a>x", "x>b"], {"between": ["a", "b"]}, ["a>x", "x>b"], id="to where it is"),
        pytest.param(["a>b", "b>x"], {"before": "b"}, ["a>x", "x>b"], id="from the end"),
        pytest.param(["a>x", "x>b"], {"after": "b"}, ["a>b", "b>x"], id="to the end"),
        pytest.param(["a>b"], {"between": ["a", "b"]}, ["a>x", "x>b"], id="from nowhere"),
        pytest.param(
            ["a>b", "b>c", "x>c"], {"before": "c"}, ["a>b", "b>x", "x>c"], id="before what it leads to already"
        ),
        pytest.param(
            ["a>x", "x>oops (error)", "x>b", "b>c"],
            {"after": "b"},
            ["a>b", "b>x", "x>c", "x>oops (error)"],
            id="its error path goes with it",
        ),
        pytest.param(
            ["a>x", "x>b [approved]", "x>end [rejected]", "b>c"],
            {"after": "b"},
            ["a>b", "b>x", "x>c [approved]", "x>end [rejected]"],
            id="its outcomes go with it",
        ),
        pytest.param(
            ["a>x", "x>b [approved]", "x>end [rejected]", "b>c"],
            {"before": "c"},
            ["a>b", "b>x", "x>c [approved]", "x>end [rejected]"],
            id="its outcomes go with it, before another",
        ),
        pytest.param(
            ["a>x", "x>b [approved]", "x>end [rejected]", "b>c", "b>d"],
            {"after": "b"},
            ["a>b", "b>x", "x>c [approved]", "x>d [approved]", "x>end [rejected]"],
            id="its main outcome leads to all that came after",
        ),
        pytest.param(["a>x", "x>b [approved]"], {"after": "b"}, ["a>b", "b>x"], id="its main outcome ends at the end"),
        pytest.param(
            ["a>x", "x>b", "x>c", "c>d"], {"before": "d"}, ["a>b", "a>c", "c>x", "x>d"], id="away from a split"
        ),
        pytest.param(
            ["a>x", "x>x [again]", "x>b", "b>c"],
            {"after": "b"},
            ["a>b", "b>x", "x>c", "x>x [again]"],
            id="its own loop goes with it",
        ),
        pytest.param(["x>a", "a>x"], {"after": "a"}, ["a>x"], id="out of a circle"),
    ],
)
def test_the_flow_closes_behind_and_leads_through_it(edges: list[str], place: Any, expected: list[str]) -> None:
    workflow = flow(*edges, a={}, x={})

    assert sorted(edges_of(move(workflow, "x", **place))) == sorted(expected)


def test_its_scope_goes_with_it() -> None:
    looping = flow("a>x", "x>y", "y>x", "x>b", "b>c", x={"type": "loop"}, y={"parent": "x"}, start="a")

    after = move(looping, "x", after="b")

    assert sorted(edges_of(after)) == ["a>b", "b>x", "x>c", "x>y", "y>x"]


def test_the_way_out_of_its_scope_stays() -> None:
    looping = flow("a>x", "y>b", "x>b", "c>b", x={"type": "loop"}, y={"parent": "x"}, start="a")

    after = move(looping, "x", before="b")

    assert sorted(edges_of(after)) == ["a>x", "c>x", "x>b", "y>b"]


def test_it_enters_the_scope_of_its_new_neighbour() -> None:
    looping = flow("a>x", "x>loop", "loop>y", a={}, loop={"type": "loop"}, y={"parent": "loop"})

    after = move(looping, "x", before="y")

    moved = after.step("x")
    assert moved is not None
    assert moved.parent == "loop"
    assert sorted(edges_of(after)) == ["a>loop", "loop>x", "x>y"]


@pytest.mark.parametrize(
    ("edges", "start", "place", "expected"),
    [
        pytest.param(["x>a", "a>b"], "x", {"after": "a"}, "a", id="the next step becomes the start"),
        pytest.param(["a>x", "x>b"], "a", {"before": "a"}, "x", id="before the start it becomes the start"),
        pytest.param(["x>a", "a>b"], "x", {"before": "a"}, "x", id="before its next step it stays the start"),
        pytest.param(["a>b"], "x", {"after": "b"}, "a", id="out of the flow: the first other step"),
    ],
)
def test_the_start_is_what_comes_first(edges: list[str], start: str, place: Any, expected: str) -> None:
    after = move(flow(*edges, a={}, x={}, start=start), "x", **place)

    assert after.start == expected


def test_position_only_lists_it_elsewhere() -> None:
    workflow = flow("a>b", "b>c")

    after = move(workflow, "c", position=0)

    assert [step.id for step in after.steps] == ["c", "a", "b"]
    assert after.transitions == workflow.transitions


@pytest.mark.parametrize(
    ("place", "message"),
    [
        pytest.param({"after": "x"}, r"'x' cannot be placed by 'x', .*; valid here: a, b\.", id="by itself"),
        pytest.param({"before": "Y"}, r"'x' cannot be placed by 'Y', .*; valid here: a, b\.", id="inside itself"),
        pytest.param({"between": ["b", "a"]}, "no transition leads from 'b' to 'a'", id="where nothing leads"),
        pytest.param({"position": 4}, "position 4 is not in the list, which has 4 steps", id="beyond the list"),
    ],
)
def test_a_step_is_not_moved_where_it_cannot_be(place: Any, message: str) -> None:
    looping = flow("a>x", "x>b", a={}, x={"type": "loop"}, y={"parent": "x"})

    with pytest.raises(EditRefused, match=rf"Edit 0 \(move_step\) was refused: {message}"):
        move(looping, "x", **place)


def replace(workflow: Workflow, step: str, draft: Any) -> Workflow:
    return apply_edits(workflow, parse_edits([{"op": "replace_step", "step": step, "with": draft}])).workflow


def test_whatever_referred_to_a_replaced_step_refers_to_the_new_one() -> None:
    workflow = flow("x>x", "x>b", x={"type": "loop", "parent": None}, y={"parent": "x"})
    react = {"id": "r", "on": {"event": "entered", "to": "x", "from": "b"}, "effect": {"type": "email"}}
    workflow = apply_edits(workflow, parse_edits([{"op": "set_automation", "automation": react}])).workflow

    after = replace(workflow, "x", {"name": "For each", "type": "loop"})

    assert [(step.id, step.parent) for step in after.steps] == [("for_each", None), ("y", "for_each"), ("b", None)]
    assert edges_of(after) == ["for_each>for_each", "for_each>b"]
    assert [edge.id for edge in after.transitions] == ["x-x", "x-b"]
    assert (after.automations[0].on.from_, after.automations[0].on.to) == ("b", "for_each")
    assert after.start == "for_each"


def test_a_replacement_is_in_the_same_scope_and_has_nothing_else_of_the_old_step() -> None:
    workflow = flow(loop={}, x={"parent": "loop", "assignee": "ann", "form": {"title": "T"}})

    after = replace(workflow, "x", {"id": "z", "name": "Z", "uses": "z.run"})

    assert after.steps[1].model_dump(exclude_defaults=True, by_alias=True) == {
        "id": "z",
        "name": "Z",
        "parent": "loop",
        "uses": "z.run",
    }


def test_a_replacement_of_the_same_name_keeps_the_id() -> None:
    after = replace(flow("a>b"), "b", {"name": "B", "type": "human"})

    assert [(step.id, step.type) for step in after.steps] == [("a", "action"), ("b", "human")]


def test_a_replacement_does_not_take_the_id_of_another_step() -> None:
    with pytest.raises(EditRefused, match="there is a step 'a' already; give another id, or none"):
        replace(flow("a>b"), "b", {"id": "a", "name": "A"})
