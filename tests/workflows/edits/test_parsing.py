from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.edits import edit_documents
from tests.support.workflows import workflows
from workflow_agent.errors import InvalidInput
from workflow_agent.workflows.edits import StepChanges, TransitionChanges
from workflow_agent.workflows.edits.application import _ON_THE_GRAPH, _ON_THE_HEADER
from workflow_agent.workflows.edits.operations import OPERATIONS, edit_document, parse_edits
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition


def test_every_problem_of_every_edit_is_told_with_its_place() -> None:
    edits = [
        {"op": "tag"},
        {"op": "tag", "tag": "fine"},
        {"op": "update_step", "step": "a", "set": {"retry": {"max_attempts": 0}, "nme": "x"}},
        {"op": "add_trigger", "trigger": {"type": "schedule"}},
    ]

    with pytest.raises(InvalidInput) as refused:
        parse_edits(edits)

    assert [problem.pointer for problem in refused.value.problems] == [
        "/edits/0/tag",
        "/edits/2/set/retry/max_attempts",
        "/edits/2/set/nme",
        "/edits/3/trigger",
    ]
    assert "/edits/0/tag: is missing" in refused.value.message


def test_an_unknown_operation_is_told_all_there_are() -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_edits([{"op": "explode"}])

    assert refused.value.problems[0].valid == OPERATIONS


def test_many_problems_are_told_shortly() -> None:
    with pytest.raises(InvalidInput, match=r"\(and 3 more\)") as refused:
        parse_edits([{"op": "tag"}] * 8)

    assert len(refused.value.problems) == 8


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        pytest.param(
            {"op": "insert_step", "step": {"name": "X"}},
            "needs exactly one of `before`, `after` and `between`, got none",
            id="insert_step nowhere",
        ),
        pytest.param(
            {"op": "insert_step", "step": {"name": "X"}, "before": "a", "after": "b"},
            r"got \['before', 'after'\]",
            id="insert_step in two places",
        ),
        pytest.param(
            {"op": "move_step", "step": "a", "before": "b", "position": 1},
            r"got \['before', 'position'\]",
            id="move_step to two places",
        ),
        pytest.param(
            {"op": "add_step", "step": {"name": "X"}, "after_in_list": "a", "position": 1},
            "at most one of `after_in_list` and `position`",
            id="add_step in two places",
        ),
        pytest.param({"op": "update_step", "step": "a"}, "names nothing to change", id="update_step of nothing"),
        pytest.param(
            {"op": "update_step", "step": "a", "set": {"uses": "x"}, "unset": ["uses"]},
            "both sets and unsets uses",
            id="update_step both ways",
        ),
        pytest.param(
            {"op": "update_step", "step": "a", "unset": ["name"]},
            "cannot be unset; what can: with, type, .*, got 'name'",
            id="update_step without a name",
        ),
        pytest.param(
            {"op": "update_step", "step": "a", "set": {"id": "b"}}, "is not a known field", id="update_step of the id"
        ),
        pytest.param(
            {"op": "update_transition", "transition": "t", "unset": ["from"]},
            "cannot be unset",
            id="update_transition without an end",
        ),
        pytest.param({"op": "disconnect", "from": "a"}, "either `transition`, or `from` and `to`", id="half"),
        pytest.param(
            {"op": "disconnect", "from": "a", "to": "b", "transition": "t"},
            "either `transition`, or `from` and `to`",
            id="disconnect named twice",
        ),
        pytest.param(
            {"op": "set_permission", "permission": None},
            "exactly one of `step` and `transition`",
            id="set_permission of nothing",
        ),
        pytest.param({"op": "remove_trigger"}, "exactly one of `index` and `trigger`", id="remove_trigger of nothing"),
        pytest.param(
            {"op": "set_automation", "automation": None},
            "needs the `id` of the automation to remove",
            id="set_automation of nothing",
        ),
        pytest.param(
            {
                "op": "set_automation",
                "id": "x",
                "automation": {"id": "y", "on": {"event": "left"}, "effect": {"type": "call"}},
            },
            "'x' is not the automation's own id 'y'",
            id="set_automation of another id",
        ),
        pytest.param({"op": "parallelize", "steps": ["a"]}, "at least 2 items", id="parallelize one"),
        pytest.param("explode", "must be a JSON object", id="no object"),
    ],
)
def test_an_edit_that_says_too_little_or_too_much_is_refused(edit: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse_edits([edit])


def test_what_is_no_list_is_refused() -> None:
    with pytest.raises(InvalidInput, match="must be a list of edits, got dict") as refused:
        parse_edits({"op": "tag", "tag": "x"})

    assert refused.value.problems[0].pointer == "/edits"


def test_no_edits_are_a_list_of_edits() -> None:
    assert parse_edits([]) == ()


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_an_edit_written_and_read_is_the_same(data: st.DataObject) -> None:
    edits = parse_edits([data.draw(edit_documents(data.draw(workflows(max_steps=3))))])

    assert parse_edits([edit_document(edit) for edit in edits]) == edits


def test_a_step_can_be_changed_in_every_field_but_its_id() -> None:
    fields = {field.alias or name for name, field in Step.model_fields.items()}

    assert set(StepChanges.__annotations__) == fields - {"id"}


def test_a_transition_can_be_changed_in_every_field_but_its_id() -> None:
    fields = {field.alias or name for name, field in Transition.model_fields.items()}

    assert set(TransitionChanges.__annotations__) == fields - {"id"}


def test_every_operation_can_be_applied() -> None:
    assert sorted([*_ON_THE_GRAPH, *_ON_THE_HEADER]) == sorted(OPERATIONS)
