from typing import Any

import pytest

from tests.support.flows import edges_of, flow
from workflow_agent.errors import EditRefused
from workflow_agent.workflows.edits.application import Applied, apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import MAX_STEPS, MAX_TRANSITIONS, Workflow, workflow_document


def apply(workflow: Workflow, op: str, **fields: Any) -> Applied:
    return apply_edits(workflow, parse_edits([{"op": op, **fields}]))


@pytest.fixture
def approval() -> Workflow:
    document = {
        "id": "wf_approval",
        "name": "Approval",
        "aliases": ["Sign-off", "OK", "sign-off"],
        "tags": ["finance"],
        "triggers": [{"type": "manual"}, {"type": "event", "event": "sent"}],
        "steps": [
            {"id": "ask", "name": "Ask"},
            {"id": "check", "name": "Check", "type": "human", "assignee": "ann", "timeout": "P1D"},
            {"id": "check_2", "name": "check"},
            {"id": "inner", "name": "Inner", "parent": "ask"},
        ],
        "transitions": [
            {"id": "go", "from": "ask", "to": "check", "label": "Go"},
            {"id": "fail", "from": "ask", "to": "check", "type": "error"},
        ],
        "automations": [{"id": "tell", "on": {"event": "entered", "to": "check"}, "effect": {"type": "email"}}],
    }
    return parse_workflow(document)


@pytest.mark.parametrize("ref", [pytest.param("inner", id="its id"), pytest.param(" INNER ", id="its name")])
def test_a_step_is_named_by(ref: str, approval: Workflow) -> None:
    after = apply(approval, "rename_step", step=ref, name="Z").workflow

    assert after.steps[3].name == "Z"


def test_an_id_comes_before_a_name(approval: Workflow) -> None:
    after = apply(approval, "rename_step", step="check", name="Z").workflow

    assert [step.name for step in after.steps] == ["Ask", "Z", "check", "Inner"]


def test_a_name_of_several_steps_is_refused_with_their_ids(approval: Workflow) -> None:
    with pytest.raises(EditRefused, match=r"2 steps are named 'CHECK'; use an id; valid here: check, check_2\."):
        apply(approval, "rename_step", step="CHECK", name="Z")


def test_a_refusal_says_which_edit_and_what_would_be_valid(approval: Workflow) -> None:
    fitting = {"op": "tag", "tag": "x"}

    with pytest.raises(EditRefused) as refused:
        apply_edits(approval, parse_edits([fitting, {"op": "set_timeout", "step": "z", "timeout": None}]))

    assert refused.value.details == {"index": 1, "op": "set_timeout"}
    assert refused.value.problems[0].as_dict() == {
        "pointer": "/edits/1",
        "message": "there is no step 'z'",
        "valid": ["ask", "check", "check_2", "inner"],
    }


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param({"op": "rename_step", "name": "Look"}, {"name": "Look"}, id="rename_step"),
        pytest.param({"op": "set_assignee", "assignee": "bob"}, {"assignee": "bob"}, id="set_assignee"),
        pytest.param({"op": "set_assignee", "assignee": None}, {"assignee": None}, id="set_assignee to none"),
        pytest.param({"op": "set_permission", "permission": "p"}, {"permission": "p"}, id="set_permission"),
        pytest.param({"op": "set_timeout", "timeout": "PT1H"}, {"timeout": "PT1H"}, id="set_timeout"),
        pytest.param(
            {"op": "set_retry", "retry": {"max_attempts": 5}},
            {"retry": {"max_attempts": 5, "backoff": "fixed"}},
            id="set_retry",
        ),
        pytest.param({"op": "set_form", "form": {"title": "T"}}, {"form": {"title": "T"}}, id="set_form"),
        pytest.param(
            {"op": "update_step", "set": {"with": {"b": 1, "a": 2}, "when": "x"}, "unset": ["assignee"]},
            {"with": {"b": 1, "a": 2}, "when": {"text": "x"}, "assignee": None},
            id="update_step",
        ),
        pytest.param(
            {"op": "update_step", "set": {"timeout": None, "type": "action"}},
            {"timeout": None, "type": "action"},
            id="update_step with null",
        ),
        pytest.param({"op": "update_step", "set": {"parent": "ask"}}, {"parent": "ask"}, id="into a scope"),
    ],
)
def test_only_the_named_fields_of_the_step_change(edit: Any, expected: Any, approval: Workflow) -> None:
    before = workflow_document(approval)

    after = workflow_document(apply_edits(approval, parse_edits([{**edit, "step": "check"}])).workflow)

    changed = before["steps"][1] | expected
    before["steps"][1] = {key: value for key, value in changed.items() if value is not None}
    assert after == before


def test_equal_for_python_is_not_the_same_on_disk(approval: Workflow) -> None:
    one = apply(approval, "update_step", step="ask", set={"with": {"n": 1}}).workflow

    true = apply(one, "update_step", step="ask", set={"with": {"n": True}})

    assert true.workflow.steps[0].with_["n"] is True
    assert apply_edits(true.workflow, true.inverse).workflow.steps[0].with_["n"] is not True


@pytest.mark.parametrize(
    ("parent", "message"),
    [
        pytest.param("inner", "step 'ask' would be inside itself", id="of its own scope"),
        pytest.param("ask", "step 'ask' would be inside itself", id="of itself"),
        pytest.param("z", "there is no step 'z' to be inside of", id="that is not there"),
    ],
)
def test_a_step_is_not_put_inside_a_scope(parent: str, message: str, approval: Workflow) -> None:
    with pytest.raises(EditRefused, match=message):
        apply(approval, "update_step", step="ask", set={"parent": parent})


@pytest.mark.parametrize(
    ("place", "listed"),
    [
        pytest.param({}, ["a", "b", "new"], id="last"),
        pytest.param({"after_in_list": "A"}, ["a", "new", "b"], id="after another"),
        pytest.param({"position": 0}, ["new", "a", "b"], id="first"),
    ],
)
def test_an_added_step_is_listed_and_nothing_leads_to_it(place: Any, listed: list[str]) -> None:
    after = apply(flow("a>b"), "add_step", step={"name": "New"}, **place).workflow

    assert [step.id for step in after.steps] == listed
    assert edges_of(after) == ["a>b"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({}, ["a>b", "b>a"], id="plain"),
        pytest.param({"when": "late"}, ["a>b", "b>a [late]"], id="under a condition"),
        pytest.param({"type": "error"}, ["a>b", "b>a (error)"], id="of another type"),
        pytest.param({"when": "late", "type": "error"}, ["a>b", "b>a [late] (error)"], id="both"),
        pytest.param({"position": 0}, ["b>a", "a>b"], id="first in the list"),
    ],
)
def test_connect_adds_a_transition(fields: Any, expected: list[str]) -> None:
    after = apply(flow("a>b"), "connect", **{"from": "B", "to": "a"}, **fields).workflow

    assert edges_of(after) == expected


def test_connect_keeps_every_field() -> None:
    content = {
        "label": "L",
        "action": "go",
        "permission": "p",
        "errors": ["E"],
        "form": {"title": "T"},
        "extensions": {"x": 1},
    }

    after = apply(flow("a>b"), "connect", **{"from": "a", "to": "b", **content}).workflow

    assert workflow_document(after)["transitions"][1] == {"id": "a-b_2", "from": "a", "to": "b", **content}


def test_a_transition_like_another_needs_an_id() -> None:
    workflow = flow("a>b")

    with pytest.raises(EditRefused, match="'a' leads to 'b' in this way already, by transition 'a-b'"):
        apply(workflow, "connect", **{"from": "a", "to": "b"})
    again = apply(workflow, "connect", **{"from": "a", "to": "b", "id": "again"}).workflow

    assert [edge.id for edge in again.transitions] == ["a-b", "again"]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        pytest.param({"transition": "fail"}, ["go"], id="by its id"),
        pytest.param({"from": "Ask", "to": "check"}, [], id="by its ends: all of them"),
    ],
)
def test_disconnect_removes_transitions(named: Any, expected: list[str], approval: Workflow) -> None:
    after = apply(approval, "disconnect", **named).workflow

    assert [edge.id for edge in after.transitions] == expected


def test_update_transition_changes_its_fields_and_ends(approval: Workflow) -> None:
    changes = {"set": {"from": "Inner", "to": "ask", "when": "x"}, "unset": ["label"]}

    after = apply(approval, "update_transition", transition="go", **changes).workflow

    assert workflow_document(after)["transitions"][0] == {
        "id": "go",
        "from": "inner",
        "to": "ask",
        "when": {"text": "x"},
    }


def test_the_permission_of_a_transition_is_set(approval: Workflow) -> None:
    after = apply(approval, "set_permission", transition="go", permission="p").workflow

    assert [edge.permission for edge in after.transitions] == ["p", None]


@pytest.mark.parametrize(
    ("op", "fields", "field", "expected"),
    [
        pytest.param("set_start", {"step": "Inner"}, "start", "inner", id="set_start"),
        pytest.param("rename_workflow", {"name": "Z"}, "name", "Z", id="rename_workflow"),
        pytest.param("set_description", {"description": "Z"}, "description", "Z", id="set_description"),
        pytest.param("add_alias", {"alias": "Z"}, "aliases", ("Sign-off", "OK", "sign-off", "Z"), id="add_alias"),
        pytest.param(
            "add_alias", {"alias": "ok"}, "aliases", ("Sign-off", "OK", "sign-off"), id="add_alias that is there"
        ),
        pytest.param("remove_alias", {"alias": "SIGN-OFF"}, "aliases", ("OK",), id="remove_alias everywhere"),
        pytest.param(
            "remove_alias",
            {"alias": "sign-off", "position": 2},
            "aliases",
            ("Sign-off", "OK"),
            id="remove_alias at a position",
        ),
        pytest.param("tag", {"tag": "new"}, "tags", ("finance", "new"), id="tag"),
        pytest.param("tag", {"tag": "Finance"}, "tags", ("finance",), id="tag that is there"),
        pytest.param("tag", {"tag": "new", "position": 0}, "tags", ("new", "finance"), id="tag at a position"),
        pytest.param("untag", {"tag": "FINANCE"}, "tags", (), id="untag"),
    ],
)
def test_the_workflow_itself_changes(op: str, fields: Any, field: str, expected: Any, approval: Workflow) -> None:
    after = apply(approval, op, **fields).workflow

    assert getattr(after, field) == expected
    assert after.model_copy(update={field: getattr(approval, field)}) == approval


@pytest.mark.parametrize(
    ("op", "fields", "types"),
    [
        pytest.param("add_trigger", {"trigger": {"type": "webhook"}}, ["manual", "event", "webhook"], id="added"),
        pytest.param("remove_trigger", {"index": 0}, ["event"], id="removed by its index"),
        pytest.param(
            "remove_trigger", {"trigger": {"type": "event", "event": "sent"}}, ["manual"], id="removed in full"
        ),
    ],
)
def test_triggers_are(op: str, fields: Any, types: list[str], approval: Workflow) -> None:
    after = apply(approval, op, **fields).workflow

    assert [trigger.type for trigger in after.triggers] == types


def test_automations_are_added_replaced_and_removed(approval: Workflow) -> None:
    call = {"id": "call", "on": {"event": "left", "from": "ask"}, "effect": {"type": "call"}}
    edits = [
        {"op": "set_automation", "automation": call},
        {"op": "set_automation", "automation": {**call, "id": "tell"}},
        {"op": "set_automation", "automation": None, "id": "call"},
    ]

    after = apply_edits(approval, parse_edits(edits)).workflow

    assert workflow_document(after)["automations"] == [{**call, "id": "tell"}]


_CALL = {"id": "call", "on": {"event": "left", "from": "z"}, "effect": {"type": "call"}}


@pytest.mark.parametrize(
    ("op", "fields", "message"),
    [
        pytest.param("add_step", {"step": {"name": "X"}, "position": 9}, "position 9 is beyond the end", id="far"),
        pytest.param("connect", {"from": "ask", "to": "z"}, "there is no step 'z'", id="to no step"),
        pytest.param(
            "connect",
            {"from": "ask", "to": "ask", "id": "go"},
            "there is a transition 'go' already",
            id="by an id that is taken",
        ),
        pytest.param(
            "disconnect", {"transition": "z"}, r"no transition 'z'; valid here: go, fail\.", id="no transition"
        ),
        pytest.param(
            "disconnect",
            {"from": "ask", "to": "inner"},
            r"no transition leads from 'ask' to 'inner'; valid here: check\.",
            id="nothing between",
        ),
        pytest.param("add_trigger", {"trigger": {"type": "manual"}}, "starts manually already", id="trigger twice"),
        pytest.param(
            "remove_trigger",
            {"index": 2},
            r"there is no trigger 2; valid here: 0 \(manually\), 1 \(on sent\)\.",
            id="no trigger there",
        ),
        pytest.param(
            "remove_trigger",
            {"trigger": {"type": "event", "event": "z"}},
            "the workflow does not start on z",
            id="no such trigger",
        ),
        pytest.param(
            "set_automation",
            {"automation": None, "id": "z"},
            r"there is no automation 'z'; valid here: tell\.",
            id="no automation",
        ),
        pytest.param(
            "set_automation", {"automation": _CALL}, "there is no step 'z' to react to", id="reaction to no step"
        ),
        pytest.param("remove_alias", {"alias": "z"}, "no alias 'z'; valid here: Sign-off, OK, sign-off", id="no alias"),
        pytest.param("untag", {"tag": "finance", "position": 1}, "no tag 'finance' at position 1", id="no tag there"),
    ],
)
def test_what_does_not_fit_is_refused(op: str, fields: Any, message: str, approval: Workflow) -> None:
    with pytest.raises(EditRefused, match=message):
        apply(approval, op, **fields)


def test_a_workflow_does_not_outgrow_its_steps() -> None:
    steps = tuple(Step(id=f"s{at}", name="S") for at in range(MAX_STEPS))
    full = flow(s0={}).model_copy(update={"steps": steps})

    with pytest.raises(EditRefused, match="the workflow has 5000 steps, and it cannot have more"):
        apply(full, "add_step", step={"name": "One too many"})


def test_a_workflow_does_not_outgrow_its_transitions() -> None:
    (edge,) = flow("a>b").transitions
    edges: tuple[Transition, ...] = tuple(edge.model_copy(update={"id": f"e{at}"}) for at in range(MAX_TRANSITIONS))
    full = flow("a>b").model_copy(update={"transitions": edges})

    with pytest.raises(EditRefused, match="more than 20000 transitions"):
        apply(full, "connect", **{"from": "b", "to": "a"})
