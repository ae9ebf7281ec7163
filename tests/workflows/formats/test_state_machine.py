from typing import Any

import pytest

from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.state_machine import StateMachine
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

PURCHASE: dict[str, Any] = {
    "specId": "SPEC-12",
    "name": "Purchase request",
    "slug": "purchase-request",
    "owner": "finance",
    "states": [
        {"slug": "draft", "name": "Draft", "type": "initial"},
        {"slug": "in-review", "name": "In review", "type": "intermediate", "color": "#fff"},
        {"slug": "approved", "name": "Approved", "type": "final"},
        {"slug": "rejected", "name": "Rejected", "type": "final"},
    ],
    "actions": [
        {
            "slug": "submit",
            "name": "Hand it in",
            "from": "draft",
            "to": "in-review",
            "requiresForm": True,
            "permission": "request.submit",
            "form": {
                "title": "Request",
                "fields": [{"name": "amount", "type": "number", "required": True}, "reason", 3],
            },
        },
        {"slug": "approve", "from": "in-review", "to": "approved", "permission": {"slug": "request.approve"}},
        {"slug": "reject", "from": ["draft", "in-review"], "to": "rejected", "form": "reject-form"},
        {"slug": "reopen", "from": "rejected", "to": "draft", "requiresForm": True},
    ],
    "permissions": ["request.submit", {"slug": "request.approve", "roles": ["manager"]}],
    "automations": [
        {"when": "approved", "send": "email"},
        {"id": "tell", "on": {"event": "entered", "to": "in-review"}, "effect": {"type": "email"}},
    ],
}


def read(document: Any) -> Workflow:
    return StateMachine().read(document).workflow


def written(workflow: Workflow) -> dict[str, Any]:
    return read_text(StateMachine().write(workflow).text)


def test_states_become_steps_and_actions_transitions() -> None:
    workflow = read(PURCHASE)

    assert [(step.id, step.type) for step in workflow.steps] == [
        ("draft", "state"),
        ("in_review", "state"),
        ("approved", "end"),
        ("rejected", "state"),
    ]
    assert workflow.start == "draft"
    assert [(edge.from_, edge.to, edge.action, edge.permission) for edge in workflow.transitions] == [
        ("draft", "in_review", "submit", "request.submit"),
        ("in_review", "approved", "approve", "request.approve"),
        ("draft", "rejected", "reject", None),
        ("in_review", "rejected", "reject", None),
        ("rejected", "draft", "reopen", None),
    ]


def test_forms_are_read_as_far_as_they_say_their_fields() -> None:
    forms = [edge.form for edge in read(PURCHASE).transitions]

    assert forms[0] is not None
    assert [(field.key, field.type) for field in forms[0].fields] == [("amount", "number"), ("reason", "string")]
    assert forms[1] is None
    assert forms[2] is not None
    assert forms[2].title == "reject-form"
    assert forms[4] is not None


def test_an_automation_is_about_the_step_of_the_state_it_names() -> None:
    (automation,) = read(PURCHASE).automations

    assert automation.on.to == "in_review"


def test_the_document_comes_back_as_it_was() -> None:
    assert written(read(PURCHASE)) == PURCHASE


def test_a_changed_part_is_written_anew_and_the_rest_stays() -> None:
    edits = parse_edits(
        [
            {"op": "rename_step", "step": "in_review", "name": "Being checked"},
            {"op": "set_permission", "transition": "in_review-approved", "permission": "boss"},
        ]
    )

    document = written(apply_edits(read(PURCHASE), edits).workflow)

    assert document["states"][1] == {**PURCHASE["states"][1], "name": "Being checked"}
    assert document["actions"][1]["permission"] == "boss"
    assert document["actions"][2:] == PURCHASE["actions"][2:]


def test_an_action_from_several_states_is_split_where_one_of_its_ways_is_changed() -> None:
    edits = parse_edits([{"op": "disconnect", "transition": "draft-rejected"}])

    document = written(apply_edits(read(PURCHASE), edits).workflow)

    assert document["actions"][2] == {**PURCHASE["actions"][2], "from": "in-review"}


def test_another_start_makes_its_state_the_initial_one() -> None:
    edits = parse_edits([{"op": "set_start", "step": "rejected"}])
    moved = apply_edits(
        read({**PURCHASE, "states": [{**PURCHASE["states"][0], "type": "start"}, *PURCHASE["states"][1:]]}), edits
    ).workflow

    again = read(written(moved))

    assert again.start == "draft"
    assert written(moved)["states"][0]["type"] == "normal"


def test_two_slugs_that_make_the_same_id_stay_apart() -> None:
    states = [{"slug": "a-b", "name": "A", "type": "initial"}, {"slug": "a_b", "name": "B", "type": "normal"}]
    document = {**PURCHASE, "states": states, "actions": [], "automations": []}

    assert written(read(document)) == document


def test_a_lifecycle_of_our_own_is_written_without_loss_and_read_back() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_ticket",
            "name": "Ticket",
            "description": "From report to fix.",
            "steps": [
                {"id": "open", "name": "Open", "type": "state", "description": "Nobody works on it."},
                {"id": "done", "name": "Done", "type": "end"},
            ],
            "transitions": [{"from": "open", "to": "done", "action": "close", "form": {"fields": [{"key": "why"}]}}],
            "automations": [{"id": "a", "on": {"event": "entered", "to": "done"}, "effect": {"type": "email"}}],
        }
    )

    exported = StateMachine().write(workflow)

    assert exported.report.is_lossless
    again = read(read_text(exported.text))
    assert (again.steps, again.transitions, again.automations) == (
        workflow.steps,
        workflow.transitions,
        workflow.automations,
    )


@pytest.mark.parametrize(
    ("change", "pointer", "told"),
    [
        pytest.param({"states": []}, "/states", "at least 1 items", id="no states"),
        pytest.param({"states": [{"name": "A"}]}, "/states/0", "needs `slug`", id="state without slug"),
        pytest.param({"states": [{"slug": "a"}, {"slug": "a"}]}, "/states/1/slug", "another state", id="slug twice"),
        pytest.param(
            {"actions": [{"slug": "x", "from": "draft", "to": "moon"}]},
            "/actions/0/to",
            "no state 'moon'",
            id="unknown target",
        ),
        pytest.param(
            {"actions": [{"slug": "x", "from": ["draft", "mars"], "to": "draft"}]},
            "/actions/0/from",
            "no state 'mars'",
            id="unknown source",
        ),
        pytest.param(
            {"actions": [{"slug": "x", "from": 3, "to": "draft"}]},
            "/actions/0/from",
            "must be a list or text",
            id="source of another kind",
        ),
        pytest.param({"name": 7}, "/name", "must be text", id="name of another kind"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(change: dict[str, Any], pointer: str, told: str) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        read({**PURCHASE, **change})

    assert any(p.pointer == pointer and told in p.message for p in refused.value.problems), refused.value
