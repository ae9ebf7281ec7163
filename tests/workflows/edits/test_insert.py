from typing import Any

import pytest

from tests.support.flows import edges_of, flow
from workflow_agent.errors import EditRefused
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.workflow import Workflow


def insert(workflow: Workflow, **place: Any) -> Workflow:
    step = {"id": "new", "name": "New"}
    return apply_edits(workflow, parse_edits([{"op": "insert_step", "step": step, **place}])).workflow


@pytest.mark.parametrize(
    ("edges", "place", "expected"),
    [
        pytest.param(["a>b"], {"before": "b"}, ["a>new", "new>b"], id="before a step: between it and what led to it"),
        pytest.param(
            ["a>c", "b>c", "c>d"],
            {"before": "c"},
            ["a>new", "b>new", "new>c", "c>d"],
            id="before a step with several ways in: on all of them",
        ),
        pytest.param(
            ["a>b [yes]", "a>c [no]"],
            {"before": "b"},
            ["a>new [yes]", "new>b", "a>c [no]"],
            id="before a step: the condition stays where the decision is made",
        ),
        pytest.param(
            ["a>b", "a>oops (error)", "b>oops (error)"],
            {"before": "oops"},
            ["a>b", "a>new (error)", "b>new (error)", "new>oops"],
            id="before an error handler: failures come to the new step",
        ),
        pytest.param(
            ["a>b", "b>b", "tool>b (data)"],
            {"before": "b"},
            ["a>new", "new>b", "b>b", "tool>b (data)"],
            id="before a step: its own loop and side ports stay",
        ),
        pytest.param(["a>b"], {"before": "a"}, ["a>b", "new>a"], id="before a step nothing leads to"),
        pytest.param(
            ["a>b", "a>oops (error)"],
            {"after": "a"},
            ["a>new", "new>b", "a>oops (error)"],
            id="after a step: the error path stays with the step",
        ),
        pytest.param(
            ["a>b", "a>c"],
            {"after": "a"},
            ["a>new", "new>b", "new>c"],
            id="after a step with several unconditional exits: before they part",
        ),
        pytest.param(["a>b"], {"after": "b"}, ["a>b", "b>new"], id="after the last step"),
        pytest.param(
            ["a>b [approved]", "a>c [rejected]"],
            {"after": "a"},
            ["a>new [approved]", "new>b", "a>c [rejected]"],
            id="after an approval: on the approving exit",
        ),
        pytest.param(
            ["a>c [Denied by the manager]", "a>b [approved]"],
            {"after": "a"},
            ["a>c [Denied by the manager]", "a>new [approved]", "new>b"],
            id="after an approval: on the approving exit even if it comes second",
        ),
        pytest.param(
            ["z>a", "a>z [changes requested]", "a>b [approved]"],
            {"after": "a"},
            ["z>a", "a>z [changes requested]", "a>new [approved]", "new>b"],
            id="after an approval: not on the exit that leads back",
        ),
        pytest.param(
            ["a>b [x > 1]", "a>c (default)"],
            {"after": "a"},
            ["a>new [x > 1]", "new>b", "a>c (default)"],
            id="after a decision: on its first exit",
        ),
        pytest.param(
            ["a>b", "a>c", "a>b [again]"],
            {"between": ["a", "b"]},
            ["a>new", "a>c", "a>new [again]", "new>b"],
            id="between two steps: on all transitions of theirs and no other",
        ),
        pytest.param(
            ["a>b [approved]", "a>c [rejected]"],
            {"between": ["a", "c"]},
            ["a>b [approved]", "a>new [rejected]", "new>c"],
            id="between an approval and where its rejection leads",
        ),
        pytest.param(
            ["a>b (error)"], {"between": ["a", "b"]}, ["a>new (error)", "new>b"], id="between: on an error path"
        ),
        pytest.param(
            ["a>b", "a>b (data)"],
            {"between": ["a", "b"]},
            ["a>new", "new>b", "a>b (data)"],
            id="between: a side port beside the flow stays",
        ),
        pytest.param(
            ["a>b (data)"],
            {"between": ["a", "b"]},
            ["a>new (data)", "new>b (data)"],
            id="between: on a side port if that is all there is",
        ),
    ],
)
def test_the_flow_leads_through_the_new_step(edges: list[str], place: Any, expected: list[str]) -> None:
    after = insert(flow(*edges), **place)

    assert edges_of(after) == expected


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        pytest.param({"before": "loop"}, ["a>new", "loop>x", "x>loop", "loop>b", "new>loop"], id="before it"),
        pytest.param({"after": "loop"}, ["a>loop", "loop>x", "x>loop", "loop>new", "new>b"], id="after it"),
    ],
)
def test_what_stays_within_a_loop_is_untouched_by_steps_around_it(place: Any, expected: list[str]) -> None:
    looping = flow("a>loop", "loop>x", "x>loop", "loop>b", loop={"type": "loop"}, x={"parent": "loop"})

    after = insert(looping, **place)

    assert sorted(edges_of(after)) == sorted(expected)


@pytest.mark.parametrize(
    ("place", "scope"),
    [
        pytest.param({"before": "x"}, "loop", id="before a step in a loop: in the loop"),
        pytest.param({"after": "x"}, "loop", id="after a step in a loop: in the loop"),
        pytest.param({"between": ["loop", "x"]}, "loop", id="on the way into a loop: in the loop"),
        pytest.param({"between": ["x", "loop"]}, "loop", id="on the way back to the loop: in the loop"),
        pytest.param({"between": ["loop", "b"]}, None, id="on the way out of a loop: outside"),
        pytest.param({"before": "loop"}, None, id="before a loop: outside"),
    ],
)
def test_the_new_step_is_in_the_scope_of_its_neighbour(place: Any, scope: str | None) -> None:
    looping = flow("loop>x", "x>loop", "loop>b", loop={"type": "loop"}, x={"parent": "loop"})

    new = insert(looping, **place).step("new")

    assert new is not None
    assert new.parent == scope


def test_before_the_start_the_new_step_is_the_start() -> None:
    after = insert(flow("a>b"), before="a")

    assert after.start == "new"


@pytest.mark.parametrize(
    ("place", "listed"),
    [
        pytest.param({"before": "b"}, ["a", "new", "b", "c"], id="before"),
        pytest.param({"after": "b"}, ["a", "b", "new", "c"], id="after"),
        pytest.param({"between": ["a", "c"]}, ["a", "b", "new", "c"], id="between: before the second"),
        pytest.param({"between": ["c", "a"]}, ["a", "b", "c", "new"], id="on a way back: after the first"),
    ],
)
def test_the_new_step_is_listed_beside_its_neighbour(place: Any, listed: list[str]) -> None:
    after = insert(flow("a>b", "b>c", "a>c", "c>a"), **place)

    assert [step.id for step in after.steps] == listed


def test_an_id_made_from_a_name_is_one_that_no_step_has() -> None:
    edit = {"op": "insert_step", "step": {"name": "Legal review!"}, "before": "b"}
    edits = parse_edits([edit, edit])

    after = apply_edits(flow("a>b"), edits).workflow

    assert [step.id for step in after.steps] == ["a", "legal_review", "legal_review_2", "b"]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        pytest.param(
            {"step": {"name": "New"}, "after": "done"},
            "nothing comes after 'done', which is an end; place the step before it",
            id="after an end",
        ),
        pytest.param(
            {"step": {"name": "New", "type": "end"}, "before": "done"},
            "'done' would come after the end step 'new'",
            id="an end before a step",
        ),
        pytest.param(
            {"step": {"name": "New", "type": "end"}, "after": "a"},
            "'done' would come after the end step 'new'",
            id="an end after a step that leads on",
        ),
        pytest.param(
            {"step": {"name": "New"}, "between": ["a", "a"]},
            r"no transition leads from 'a' to 'a'; valid here: done\.",
            id="between steps that nothing joins",
        ),
        pytest.param(
            {"step": {"name": "New"}, "before": "nobody"},
            r"there is no step 'nobody'; valid here: a, done\.",
            id="beside no step",
        ),
        pytest.param(
            {"step": {"name": "New", "id": "a"}, "before": "done"},
            "there is a step 'a' already; give another id, or none",
            id="with an id that is taken",
        ),
        pytest.param(
            {"step": {"name": "New", "parent": "nobody"}, "before": "done"},
            r"there is no step 'nobody' to be inside of; valid here: a, done\.",
            id="inside no step",
        ),
    ],
)
def test_a_step_that_has_no_place_is_refused(edit: Any, message: str) -> None:
    ending = flow("a>done", done={"type": "end"}, start="a")
    ending = ending.model_copy(update={"steps": tuple(reversed(ending.steps))})

    with pytest.raises(EditRefused, match=rf"Edit 0 \(insert_step\) was refused: {message}"):
        apply_edits(ending, parse_edits([{"op": "insert_step", **edit}]))
