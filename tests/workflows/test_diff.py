import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.flows import flow
from tests.support.workflows import workflows
from workflow_agent.workflows.diff import FieldChange, diff_workflows
from workflow_agent.workflows.diff.words import compare_workflows, describe_diff
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

_NOTIFY = {"id": "n", "on": {"event": "entered", "to": "b"}, "effect": {"type": "email"}}


def told(before: Workflow, after: Workflow) -> list[str]:
    return describe_diff(diff_workflows(before, after))


def edited(workflow: Workflow, *edits: dict[str, Any]) -> Workflow:
    return apply_edits(workflow, parse_edits(edits)).workflow


@pytest.mark.parametrize(
    ("edges", "edit", "expected"),
    [
        pytest.param(
            ["a>b"],
            {"op": "insert_step", "step": {"name": "Legal", "type": "human", "assignee": "ann"}, "before": "b"},
            ["Added step 'Legal' (human, ann) between 'A' and 'B'"],
            id="an inserted step: the transitions around it go without saying",
        ),
        pytest.param(
            ["a>b [yes]", "a>c [no]"],
            {"op": "insert_step", "step": {"name": "X"}, "between": ["a", "c"]},
            ["Added step 'X' (action) between 'A' and 'C'"],
            id="an inserted step: a condition that stays goes without saying",
        ),
        pytest.param(
            ["a>z", "b>z", "c>z", "d>z", "e>z"],
            {"op": "insert_step", "step": {"name": "X"}, "before": "z"},
            ["Added step 'X' (action) after 'A', 'B', 'C' and 2 more, before 'Z'"],
            id="an inserted step: a few of many neighbours",
        ),
        pytest.param(
            ["a>b"],
            {
                "op": "insert_step",
                "step": {
                    "name": "X",
                    "when": {"text": "it rains"},
                    "timeout": "P2D",
                    "escalate_to": "boss",
                    "retry": {"max_attempts": 4},
                },
                "before": "b",
            },
            [
                (
                    "Added step 'X' (action, only when 'it rains', within 2 days, escalated to 'boss', 4 attempts) "
                    "between 'A' and 'B'"
                )
            ],
            id="an inserted step: when, how long and how often is said",
        ),
        pytest.param(
            ["a>b"],
            {"op": "insert_step", "step": {"name": "X"}, "before": "a"},
            ["Added step 'X' (action) before 'A'", "The workflow now starts at 'X' instead of 'A'"],
            id="a new start",
        ),
        pytest.param(
            ["a>b"],
            {"op": "add_step", "step": {"name": "X", "parent": "a"}},
            ["Added step 'X' (action) inside 'A'"],
            id="a step in a scope",
        ),
        pytest.param(
            ["a>b"], {"op": "add_step", "step": {"name": "X"}}, ["Added step 'X' (action)"], id="a step alone"
        ),
        pytest.param(
            ["a>b", "b>c [yes]", "b>d (error)"],
            {"op": "remove_step", "step": "b", "mode": "cut"},
            ["Removed step 'B' (action)"],
            id="a removed step: its transitions go without saying",
        ),
        pytest.param(
            ["a>b", "b>c"],
            {"op": "remove_step", "step": "b"},
            ["Removed step 'B' (action)", "'A' now leads to 'C' instead of 'B'"],
            id="a removed step: what was joined is told",
        ),
        pytest.param(
            ["a>b"],
            {"op": "update_step", "step": "a", "set": {"name": "Z", "timeout": "P1D", "retry": {}}},
            ["Renamed step 'A' to 'Z'", "Changed step 'Z': retry set to 3 attempts; timeout set to 1 day"],
            id="a changed step",
        ),
        pytest.param(
            ["a>b"],
            {
                "op": "set_retry",
                "step": "a",
                "retry": {
                    "max_attempts": 5,
                    "interval": "PT1M30S",
                    "backoff": "exponential",
                    "factor": 2,
                    "max_interval": "PT1H",
                    "errors": ["busy"],
                },
            },
            [
                (
                    "Changed step 'A': retry set to 5 attempts, 1 minute and 30 seconds apart, "
                    "exponential backoff, factor 2, at most 1 hour apart, only for busy"
                )
            ],
            id="a retry in words",
        ),
        pytest.param(
            ["a>b"],
            {"op": "move_step", "step": "b", "position": 0},
            ["Listed the steps in another order"],
            id="an order of steps",
        ),
        pytest.param(
            ["a>b"],
            {"op": "connect", "from": "b", "to": "a", "when": {"expression": {"var": "x"}}},
            ["Connected 'B' to 'A' when {\"var\": \"x\"}"],
            id="a condition in a formal language",
        ),
        pytest.param(
            ["a>b [small]"],
            {"op": "update_transition", "transition": "a-b", "set": {"when": {"text": "below 5"}}},
            ["Changed the transition from 'A' to 'B': when changed from 'small' to 'below 5'"],
            id="another condition",
        ),
        pytest.param(
            ["a>b"],
            {"op": "connect", "from": "b", "to": "a", "action": "return"},
            ["Connected 'B' to 'A' by 'return'"],
            id="an action",
        ),
        pytest.param(
            ["a>b (error)"],
            {"op": "disconnect", "from": "a", "to": "b"},
            ["Disconnected 'A' from 'B' (on error)"],
            id="a removed transition",
        ),
        pytest.param(
            ["a>b"], {"op": "disconnect", "from": "a", "to": "b"}, ["Disconnected 'A' from 'B'"], id="a plain one"
        ),
        pytest.param(
            ["a>b", "b>c"],
            {"op": "update_transition", "transition": "b-c", "set": {"from": "a", "label": "L"}},
            [
                "What led from 'B' to 'C' now leads from 'A' to 'C'",
                "Changed the transition from 'A' to 'C': label set to 'L'",
            ],
            id="a changed transition",
        ),
        pytest.param(
            ["a>b"],
            {"op": "set_automation", "automation": _NOTIFY},
            ["Added automation 'n' (email on entered 'B')"],
            id="an automation",
        ),
        pytest.param(
            ["a>b"],
            {"op": "set_description", "description": "d" * 200},
            [f"The workflow's description set to '{'d' * 78}…"],
            id="a long value is cut",
        ),
        pytest.param(
            ["a>b"], {"op": "rename_workflow", "name": "Z"}, ["Renamed the workflow from 'Flow' to 'Z'"], id="the name"
        ),
        pytest.param(
            ["a>b"], {"op": "add_trigger", "trigger": {"type": "manual"}}, ["Added trigger (manually)"], id="a trigger"
        ),
        pytest.param(["a>b"], {"op": "tag", "tag": "x"}, ["Added tag 'x'"], id="a tag"),
        pytest.param(["a>b"], {"op": "set_start", "step": "a"}, [], id="nothing"),
    ],
)
def test_a_change_is_told(edges: list[str], edit: dict[str, Any], expected: list[str]) -> None:
    before = flow(*edges)

    lines = told(before, edited(before, edit))

    assert lines == expected


def test_what_is_gone_is_told_too() -> None:
    before = edited(
        flow("a>b"),
        {"op": "set_automation", "automation": _NOTIFY},
        {"op": "set_automation", "automation": {**_NOTIFY, "id": "m"}},
        {"op": "add_alias", "alias": "x"},
        {"op": "set_description", "description": "d"},
    )
    after = edited(
        before,
        {"op": "set_automation", "automation": None, "id": "n"},
        {"op": "set_automation", "automation": {**_NOTIFY, "id": "m", "effect": {"type": "call"}}},
        {"op": "remove_alias", "alias": "x"},
        {"op": "set_description", "description": ""},
    )

    assert told(before, after) == [
        "The workflow's description 'd' removed",
        "Removed automation 'n' (email on entered 'B')",
        """Changed automation 'm': effect changed from {"type": "email"} to {"type": "call"}""",
        "Removed alias 'x'",
    ]


def test_other_orders_are_told() -> None:
    before = parse_workflow(
        {
            **workflow_document(flow("a>b", "b>a")),
            "tags": ["x", "y"],
            "aliases": ["p", "q"],
            "triggers": [{"type": "manual"}, {"type": "webhook"}],
            "automations": [_NOTIFY, {**_NOTIFY, "id": "m"}],
        }
    )
    lists = ("transitions", "automations", "triggers", "aliases", "tags")

    after = before.model_copy(update={name: tuple(reversed(getattr(before, name))) for name in lists})

    assert told(before, after) == [f"Listed the {name} in another order" for name in lists]


def test_repeated_tags_are_counted() -> None:
    before = flow("a>b").model_copy(update={"tags": ("x", "x", "y")})
    after = before.model_copy(update={"tags": ("x", "y", "y")})

    diff = diff_workflows(before, after)

    assert (diff.tags.added, diff.tags.removed) == (("y",), ("x",))


def test_version_and_times_are_no_difference() -> None:
    before = flow("a>b")

    assert describe_diff(diff_workflows(before, before.model_copy(update={"version": 2}))) == []


def test_equal_for_python_is_a_difference() -> None:
    before = edited(flow("a>b"), {"op": "update_step", "step": "a", "set": {"with": {"n": 1}}})
    after = edited(before, {"op": "update_step", "step": "a", "set": {"with": {"n": True}}})

    (change,) = diff_workflows(before, after).steps.changed

    assert change.fields == (FieldChange("with", {"n": 1}, {"n": True}),)


def test_the_data_say_what_changed() -> None:
    before = flow("a>b")
    after = edited(
        before,
        {"op": "insert_step", "step": {"id": "x", "name": "X"}, "before": "b"},
        {"op": "add_trigger", "trigger": {"type": "manual"}},
    )

    document = diff_workflows(before, after).as_dict()

    unchanged = {"added": [], "removed": [], "changed": [], "reordered": False}
    assert document == {
        "fields": {},
        "steps": {**unchanged, "added": [{"id": "x", "name": "X", "type": "action"}]},
        "transitions": {
            **unchanged,
            "added": [{"id": "x-b", "from": "x", "to": "b"}],
            "changed": [{"id": "a-b", "fields": {"to": {"before": "b", "after": "x"}}}],
        },
        "automations": unchanged,
        "triggers": {"added": [{"type": "manual"}], "removed": [], "reordered": False},
        "aliases": {"added": [], "removed": [], "reordered": False},
        "tags": {"added": [], "removed": [], "reordered": False},
    }


@given(before=workflows(max_steps=4), after=workflows(max_steps=4), data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_two_workflows_can_be_compared(before: Workflow, after: Workflow, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from((before, after)))

    diff = diff_workflows(before, other)

    same = {**workflow_document(before), "version": 1} == {**workflow_document(other), "version": 1}
    assert bool(describe_diff(diff)) is not same
    assert json.loads(json.dumps(diff.as_dict())) == diff.as_dict()


def test_two_workflows_are_compared_without_the_signs_of_a_language() -> None:
    first = flow("a>b", a={"with": {"to": "Ann's", "copy": True}, "timeout": "PT2H"})
    second = flow("a>b", a={"with": {"to": None}})

    told = compare_workflows(first, second).differences

    assert "'A': timeout is 2 hours in the first, not set in the second" in told
    assert """'A': with is {"to": "Ann's", "copy": true} in the first, {"to": null} in the second""" in told


def test_two_workflows_are_compared_by_what_starts_them() -> None:
    first = flow("a>b")
    second = edited(first, {"op": "add_trigger", "trigger": {"type": "event", "event": "order"}})

    (told_apart,) = compare_workflows(first, second).differences

    assert told_apart == "triggers is not set in the first, on order in the second"


def test_a_form_is_told_by_the_fields_that_came_went_and_changed() -> None:
    def form(*fields: dict[str, Any]) -> dict[str, Any]:
        return {"op": "set_form", "step": "a", "form": {"fields": list(fields)}}

    before = edited(flow("a>b"), form({"key": "sum", "label": "Sum"}, {"key": "why"}, {"key": "day"}))
    after = edited(before, form({"key": "sum", "label": "Sum", "type": "number"}, {"key": "day"}, {"key": "place"}))

    assert told(before, after) == [
        "Changed step 'A': form now asks for 'place'; form now leaves out 'why'; form now asks differently for 'Sum'"
    ]
