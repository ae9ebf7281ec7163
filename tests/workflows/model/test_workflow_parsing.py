import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.growth import assert_grows_linearly
from tests.support.workflows import workflows
from workflow_agent.errors import InvalidWorkflow, Problem
from workflow_agent.workflows.model.parser import json_pointer, parse_workflow, slug, transition_id, unique_id
from workflow_agent.workflows.model.triggers import cron_problem
from workflow_agent.workflows.model.workflow import Workflow, workflow_document


def document(**changed: Any) -> dict[str, Any]:
    return {
        "id": "wf_a",
        "name": "A",
        "steps": [{"id": "one", "name": "One"}, {"id": "two", "name": "Two", "type": "end"}],
        "transitions": [{"from": "one", "to": "two"}],
    } | changed


def problems(broken: Any) -> dict[str, str]:
    with pytest.raises(InvalidWorkflow) as refusal:
        parse_workflow(broken)
    return {problem.pointer: problem.message for problem in refusal.value.problems}


def test_what_is_left_out_gets_its_default() -> None:
    workflow = parse_workflow(document())

    assert workflow.start == "one"
    assert workflow.transitions[0].id == "one-two"
    assert workflow.steps[0].type == "action"
    assert workflow.version == 1


def test_transition_ids_that_are_made_do_not_collide() -> None:
    edges = [
        {"from": "one", "to": "two"},
        {"id": "one-two", "from": "one", "to": "two", "type": "error"},
        {"from": "one", "to": "two"},
    ]

    workflow = parse_workflow(document(transitions=edges))

    assert [edge.id for edge in workflow.transitions] == ["one-two_2", "one-two", "one-two_3"]


@given(workflows())
def test_a_document_parses_back_to_the_same_bytes(workflow: Workflow) -> None:
    written = json.dumps(workflow_document(workflow))

    assert json.dumps(workflow_document(parse_workflow(json.loads(written)))) == written


def test_a_step_always_names_its_type_and_the_top_level_has_its_lists() -> None:
    written = workflow_document(parse_workflow(document()))

    assert written["steps"][0] == {"id": "one", "name": "One", "type": "action"}
    assert [written[key] for key in ("aliases", "tags", "triggers", "automations", "description")] == [
        [],
        [],
        [],
        [],
        "",
    ]


def test_every_problem_is_named_at_once_with_its_place() -> None:
    found = problems(
        {
            "id": "A!",
            "steps": [
                {"id": "a", "name": " ", "type": "robot", "timeout": "PT", "colour": "red"},
                {"id": "a", "name": "B", "parent": "nowhere"},
            ],
            "transitions": [{"from": "a", "to": "gone"}],
            "automations": [{"id": "x", "on": {"event": "entered", "to": "gone"}, "effect": {"type": "email"}}],
            "start": "elsewhere",
            "triggers": [{"type": "schedule", "cron": "9"}, {"type": "smoke"}, {"type": "schedule"}],
        }
    )

    assert set(found) == {
        "/id",
        "/name",
        "/steps/0/name",
        "/steps/0/type",
        "/steps/0/timeout",
        "/steps/0/colour",
        "/steps/1/id",
        "/steps/1/parent",
        "/transitions/0/to",
        "/automations/0/on/to",
        "/start",
        "/triggers/0/cron",
        "/triggers/1",
        "/triggers/2",
    }
    assert "five: minute hour day month weekday" in found["/triggers/0/cron"]


def test_a_problem_lists_what_would_be_valid() -> None:
    with pytest.raises(InvalidWorkflow) as refusal:
        parse_workflow(document(transitions=[{"from": "one", "to": "three"}]))

    (problem,) = refusal.value.problems
    assert problem.as_dict() == {
        "pointer": "/transitions/0/to",
        "message": "there is no step 'three'",
        "valid": ["one", "two"],
    }


@pytest.mark.parametrize("broken", [None, [], "text", 7, {}, {"steps": 3}, {"steps": [None, 1], "transitions": {}}])
def test_what_is_no_workflow_is_refused(broken: Any) -> None:
    assert problems(broken)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


FIELDS = ("id", "name", "start", "steps", "transitions", "automations", "triggers", "extensions")


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON)))
def test_any_document_parses_or_is_refused(broken: dict[str, Any]) -> None:
    refused: tuple[Problem, ...] = ()
    try:
        parse_workflow(broken)
    except InvalidWorkflow as refusal:
        refused = refusal.problems

    assert all(problem.message for problem in refused)


def test_a_step_cannot_be_inside_itself() -> None:
    steps = [
        {"id": "a", "name": "A", "parent": "b"},
        {"id": "b", "name": "B", "parent": "a"},
        {"id": "c", "name": "C", "parent": "a"},
    ]

    assert problems(document(steps=steps, transitions=[])) == {
        "/steps/0/parent": "step 'a' is inside itself",
        "/steps/1/parent": "step 'b' is inside itself",
    }


def test_the_message_counts_what_it_does_not_list() -> None:
    steps = [{"id": f"s{n}", "name": " "} for n in range(8)]

    with pytest.raises(InvalidWorkflow, match=r"\(and 3 more\)"):
        parse_workflow(document(steps=steps, transitions=[]))


@pytest.mark.parametrize("cron", ["0 9 * * 1", "*/5 * * * *", "0 0 1,15 jan-mar mon-fri", "59 23 31 12 7"])
def test_a_cron_of_five_fields_is_valid(cron: str) -> None:
    assert cron_problem(cron) is None


@pytest.mark.parametrize(
    ("cron", "told"),
    [
        ("0 9 * *", "has 4 fields"),
        ("60 9 * * *", "'60' is not valid in field 1"),
        ("0 9 0 * *", "field 3"),
        ("0 9 * 13 *", "field 4"),
        ("*/0 * * * *", "field 1"),
        ("0 9 * * fun", "field 5"),
        ("0 9 1- * *", "field 3"),
    ],
)
def test_a_cron_that_cannot_be_says_why(cron: str, told: str) -> None:
    assert told in str(cron_problem(cron))


@pytest.mark.parametrize("duration", ["P2D", "PT15M", "P1Y2M3W4DT5H6M7.5S"])
def test_a_duration_is_iso_8601(duration: str) -> None:
    workflow = parse_workflow(document(steps=[{"id": "a", "name": "A", "timeout": duration}], transitions=[]))

    assert workflow.steps[0].timeout == duration


@pytest.mark.parametrize("duration", ["P", "PT", "P1DT", "2 days", "PT5", "P-1D"])
def test_what_is_no_duration_is_refused(duration: str) -> None:
    steps = [{"id": "a", "name": "A", "timeout": duration}]

    assert set(problems(document(steps=steps, transitions=[]))) == {"/steps/0/timeout"}


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Manager review", "manager_review"),
        ("Prüfung & Freigabe!", "prufung_freigabe"),
        ("  don't -- panic  ", "dont_panic"),
        ("審査", "step"),
        ("x" * 100, "x" * 48),
    ],
)
def test_a_slug_is_made_of_the_words(text: str, made: str) -> None:
    assert slug(text) == made


def test_an_id_that_is_taken_gets_a_number() -> None:
    assert unique_id("a", []) == "a"
    assert unique_id("a", ["a", "a_2"]) == "a_3"


def test_a_made_transition_id_fits_its_pattern() -> None:
    assert len(transition_id("a" * 64, "b" * 64)) <= 64


def test_a_pointer_escapes_what_rfc_6901_reserves() -> None:
    assert json_pointer(["a/b", 0, "~"]) == "/a~1b/0/~0"


def test_neighbours_of_a_step_are_found() -> None:
    workflow = parse_workflow(document())

    assert workflow.step("two") == workflow.steps[1]
    assert workflow.step("three") is None
    assert workflow.outgoing("one") == workflow.transitions == workflow.incoming("two")


@pytest.mark.untraced
def test_scopes_inside_scopes_are_read_in_time_with_their_number() -> None:
    def nested(size: int) -> dict[str, Any]:
        steps = [{"id": f"s{at}", "name": "Repeat", "type": "loop", "parent": f"s{at - 1}"} for at in range(1, size)]
        return document(steps=[{"id": "s0", "name": "Repeat", "type": "loop"}, *steps], transitions=[])

    assert_grows_linearly(nested, parse_workflow, 4_000)
