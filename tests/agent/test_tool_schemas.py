"""What a model is told of tools: short, because every request carries it, and nothing that is not so."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from workflow_agent.assistant.tools.conversation import SwitchMode
from workflow_agent.assistant.tools.discovery import SearchWorkflows
from workflow_agent.assistant.tools.edit_calls import EditCall
from workflow_agent.assistant.tools.modification import EditWorkflow
from workflow_agent.assistant.tools.registry import workflow_tools
from workflow_agent.values.tokens import tokens_of
from workflow_agent.workflows.edits.operations import parse_edits

MOST_TOKENS = 4_350
"""Of all tools together."""
NULL: dict[str, Any] = {"type": "null"}


def definitions() -> dict[str, tuple[str, dict[str, Any]]]:
    made = {name: tool.tool_def for name, tool in workflow_tools().tools.items()}
    return {name: (one.description or "", one.parameters_json_schema) for name, one in made.items()}


def nullable(schema: Any) -> Iterator[str]:
    """Yield the names of the properties that are told to take null."""
    if isinstance(schema, dict):
        for name, one in schema.get("properties", {}).items():
            if NULL in one.get("anyOf", ()):
                yield name
        for one in schema.values():
            yield from nullable(one)


def test_all_tools_together_stay_within_their_tokens() -> None:
    told = [f"{name}{said}{json.dumps(schema)}" for name, (said, schema) in definitions().items()]

    assert sum(map(tokens_of, told)) <= MOST_TOKENS


def test_a_schema_says_nothing_that_its_tool_has_said() -> None:
    for name, (said, schema) in definitions().items():
        assert said, name
        assert {"title", "description"} & schema.keys() == set(), name
        assert not any("title" in one for one in schema.get("$defs", {}).values()), name


def test_null_is_told_only_where_it_clears_something() -> None:
    told = {name: set(nullable(schema)) for name, (_, schema) in definitions().items()}

    clearing = {"assignee", "timeout", "retry", "form", "permission", "automation"}
    assert {name: found for name, found in told.items() if found} == {"edit_workflow": clearing}


def properties(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each property of a schema, those inside others too, with its name."""
    for name, one in schema.get("properties", {}).items():
        yield name, one
    inside = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), schema.get("items")]
    for one in inside:
        if isinstance(one, dict):
            yield from properties(one)


def test_every_field_is_described() -> None:
    silent = {
        f"{tool}.{name}"
        for tool, (_, schema) in definitions().items()
        for name, one in properties(schema)
        if not one.get("description")
    }

    assert silent == set()


def test_every_free_object_tells_its_shape() -> None:
    _, editing = definitions()["edit_workflow"]
    _, creating = definitions()["create_workflow"]
    edit = editing["properties"]["edits"]["items"]["properties"]
    step = creating["properties"]["steps"]["items"]["properties"]

    for name in ("retry", "form", "join", "loop"):
        assert step[name]["description"].startswith("{"), name
    assert edit["automation"]["description"].startswith("{id, on: {event")
    for name in ("set", "trigger", "retry", "form"):
        assert "create_workflow" in edit[name]["description"]
    assert "{type: schedule, cron" in creating["properties"]["triggers"]["description"]
    assert step["timeout"] == {"type": "string", "description": "ISO 8601, like P2D"}


def test_the_examples_of_edits_are_valid_edits() -> None:
    described = definitions()["edit_workflow"][1]["properties"]["edits"]["description"]

    examples = json.loads(f"[{described.removeprefix('like ')}]")

    assert len(examples) == 2
    assert all(parse_edits(one) for one in examples)


def test_the_fields_of_a_new_step_are_told_once() -> None:
    told = json.dumps({name: schema for name, (_, schema) in definitions().items()})

    assert told.count('"escalate_to"') == 1


@pytest.mark.parametrize(
    "given",
    [
        pytest.param('[{"op": "tag", "tag": "finance"}]', id="a list as text"),
        pytest.param('{"op": "tag", "tag": "finance"}', id="one edit as text"),
        pytest.param({"op": "tag", "tag": "finance"}, id="one edit"),
    ],
)
def test_edits_are_read_however_they_are_wrapped(given: Any) -> None:
    read = EditWorkflow.model_validate({"workflow": "open", "edits": given})

    assert [one.as_edit() for one in read.edits] == [{"op": "tag", "tag": "finance"}]


def test_text_that_is_no_json_is_refused_with_what_to_give() -> None:
    with pytest.raises(ValidationError, match=r"is text that is no JSON.*Give a list of edits"):
        EditWorkflow.model_validate({"workflow": "open", "edits": "rename it"})


def test_a_switch_of_mode_needs_no_reason() -> None:
    assert SwitchMode.model_validate({"mode": "search"}).reason == ""


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param({"op": "set_timeout", "step": "review", "timeout": None}, id="null clears"),
        pytest.param({"op": "rename_step", "step": "review", "name": "Check", "label": None}, id="not told"),
    ],
)
def test_null_is_taken_all_the_same(edit: dict[str, Any]) -> None:
    assert EditCall.model_validate(edit).as_edit() == edit
    assert SearchWorkflows.model_validate({"query": "pay", "tag": None}).tag is None
