import json
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.edits import edit_documents
from tests.support.workflows import workflows
from workflow_agent.errors import EditRefused
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.diff.words import describe_diff
from workflow_agent.workflows.edits.application import Applied, apply_edits
from workflow_agent.workflows.edits.operations import OPERATIONS, Edit, edit_document, parse_edits
from workflow_agent.workflows.model.parser import parse_workflow, structural_problems
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

pytestmark = pytest.mark.slow

_HEADER_OPS = {"add_trigger", "remove_trigger", "rename_workflow", "set_description", "add_alias",
               "remove_alias", "tag", "untag"}  # fmt: skip
_HEADER_KEYS = ("name", "description", "aliases", "tags", "triggers")
_FIXED_KEYS = ("id", "version", "source", "extensions", "created_at", "updated_at")


def as_bytes(workflow: Workflow) -> bytes:
    return json.dumps(workflow_document(workflow)).encode()


def applied_or_none(workflow: Workflow, edits: Iterable[Edit]) -> Applied | None:
    try:
        return apply_edits(workflow, tuple(edits))
    except EditRefused:
        return None


@pytest.mark.parametrize("op", OPERATIONS)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_an_edit_leaves_a_valid_workflow_that_its_inverse_takes_back(op: str, data: st.DataObject) -> None:
    assert_kept_promises(data, op)


@pytest.mark.parametrize(
    "op", ["insert_step", "remove_step", "move_step", "replace_step", "wrap_in_approval", "parallelize"]
)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_an_edit_of_the_flow_leaves_what_it_does_not_name(op: str, data: st.DataObject) -> None:
    assert_kept_promises(data, op)


def assert_kept_promises(data: st.DataObject, op: str) -> None:
    workflow = data.draw(workflows())
    before = as_bytes(workflow)
    (edit,) = parse_edits([data.draw(edit_documents(workflow, [op]))])

    applied = applied_or_none(workflow, [edit])

    assert as_bytes(workflow) == before
    if applied is not None:
        document = workflow_document(applied.workflow)
        assert structural_problems(document) == []
        assert as_bytes(parse_workflow(document)) == as_bytes(applied.workflow)
        assert_only_what_is_named_changed(workflow, applied, edit)
        written = [edit_document(one) for one in applied.inverse]
        assert parse_edits(written) == applied.inverse
        back = apply_edits(applied.workflow, parse_edits(json.loads(json.dumps(written))))
        assert as_bytes(back.workflow) == before
        assert bool(describe_diff(applied.diff)) is (as_bytes(applied.workflow) != before)
        json.dumps(applied.diff.as_dict())


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_list_of_edits_is_each_edit_in_turn_and_is_taken_back_as_one(data: st.DataObject) -> None:
    workflow = here = data.draw(workflows())
    fitting: list[Edit] = []
    for _ in range(data.draw(st.integers(2, 5))):
        (edit,) = parse_edits([data.draw(edit_documents(here))])
        if (applied := applied_or_none(here, [edit])) is not None:
            fitting.append(edit)
            here = applied.workflow

    together = apply_edits(workflow, fitting)

    assert as_bytes(together.workflow) == as_bytes(here)
    assert as_bytes(apply_edits(together.workflow, together.inverse).workflow) == as_bytes(workflow)


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_a_list_with_one_edit_that_does_not_fit_changes_nothing(data: st.DataObject) -> None:
    workflow = data.draw(workflows())
    before = as_bytes(workflow)
    (first,) = parse_edits([data.draw(edit_documents(workflow))])
    fitting = [first] if applied_or_none(workflow, [first]) else []
    (misfit,) = parse_edits([{"op": "set_start", "step": "no such step"}])

    with pytest.raises(EditRefused) as refused:
        apply_edits(workflow, [*fitting, misfit])

    assert (refused.value.details["index"], refused.value.details["op"]) == (len(fitting), "set_start")
    assert as_bytes(workflow) == before


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_no_transition_that_an_inserted_step_replaces_remains(data: st.DataObject) -> None:
    workflow = data.draw(workflows())
    ids = [step.id for step in workflow.steps]
    edge = data.draw(st.sampled_from(workflow.transitions)) if workflow.transitions else None
    places = [{"before": data.draw(st.sampled_from(ids))}]
    if edge is not None and edge.type != "data":
        places.append({"between": [edge.from_, edge.to]})
    where = data.draw(st.sampled_from(places))
    inserted = parse_edits([{"op": "insert_step", "step": {"id": "new", "name": "New"}, **where}])

    after = apply_edits(workflow, inserted).workflow

    first, second = where.get("between", (None, where.get("before")))
    bypassing = [
        edge
        for edge in after.transitions
        if edge.to == second and edge.type != "data" and edge.from_ != "new" and first in (None, edge.from_)
    ]
    assert all(first is None and is_within(after, edge.from_, str(second)) for edge in bypassing)
    assert [edge.to for edge in after.outgoing("new")] == [second]


def is_within(workflow: Workflow, step_id: str, scope_id: str) -> bool:
    step = workflow.step(step_id)
    while step is not None and step.id != scope_id:
        step = workflow.step(step.parent) if step.parent else None
    return step is not None


def assert_only_what_is_named_changed(before: Workflow, applied: Applied, edit: Edit) -> None:
    """Check with the documents alone that nothing changed that the edit does not name or touch."""
    old, new = workflow_document(before), workflow_document(applied.workflow)
    named = named_steps(before, edit_document(edit))
    ours = {step["id"] for step in old["steps"] if step["id"] in named or step.get("parent") in named}
    assert untouched(old, new, "steps", ours)
    assert untouched(old, new, "transitions", named_transitions(old, edit, named))
    reacting = [a["id"] for a in old["automations"] if named & {a["on"].get("from"), a["on"].get("to")}]
    assert untouched(old, new, "automations", {*reacting, *automation_ids(edit)})
    assert [old.get(key) for key in _FIXED_KEYS] == [new.get(key) for key in _FIXED_KEYS]
    if edit.op not in _HEADER_OPS:
        assert [old[key] for key in _HEADER_KEYS] == [new[key] for key in _HEADER_KEYS]


def untouched(old: JsonObject, new: JsonObject, key: str, touched: set[str]) -> bool:
    """Return whether all other parts are there, byte-identical and in order."""
    expected = [json.dumps(part) for part in old[key] if part["id"] not in touched]
    known = {part["id"] for part in old[key]}
    found = [json.dumps(part) for part in new[key] if part["id"] in known - touched]
    return expected == found


def named_steps(workflow: Workflow, document: JsonObject) -> set[str]:
    texts = {json.dumps(text) for text in strings_in({**document, "with": None, "set": None, "step": None})}
    texts |= {json.dumps(document.get("step"))}
    return {
        step.id
        for step in workflow.steps
        if json.dumps(step.id) in texts or json.dumps(step.name) in texts or json.dumps(step.name.casefold()) in texts
    }


def strings_in(document: JsonObject) -> Iterable[str]:
    for value in document.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, str))


def named_transitions(old: JsonObject, edit: Edit, named: set[str]) -> set[str]:
    """Return the transitions an edit may touch: the one it names, or those at the steps it names."""
    if getattr(edit, "transition", None) is not None:
        return {edit.transition}
    if edit.op in ("insert_step", "remove_step", "move_step", "replace_step", "wrap_in_approval", "parallelize"):
        return {edge["id"] for edge in old["transitions"] if named & {edge["from"], edge["to"]}}
    return set()


def automation_ids(edit: Edit) -> set[str]:
    automation = getattr(edit, "automation", None)
    return {str(getattr(edit, "id", None)), automation.id if automation else ""}
