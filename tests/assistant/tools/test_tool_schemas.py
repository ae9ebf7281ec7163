"""What a model is told of tools: short, because every request carries it, and nothing that is not so."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast, get_args

import pytest
from pydantic import ValidationError

from workflow_agent.assistant.prompts import CREATED, shapes
from workflow_agent.assistant.tools.conversation import SwitchMode
from workflow_agent.assistant.tools.creation import CreateWorkflow, Edge
from workflow_agent.assistant.tools.discovery import SearchWorkflows
from workflow_agent.assistant.tools.edit_calls import EXAMPLES, FURTHER_EXAMPLES, OPERATIONS_HELP, EditCall, StepParts
from workflow_agent.assistant.tools.modification import EditWorkflow
from workflow_agent.assistant.tools.parameters import Parameters
from workflow_agent.assistant.tools.registry import LISTED_TOOLS, line_of, workflow_tools
from workflow_agent.values.tokens import tokens_of
from workflow_agent.workflows.edits.drafts import parse_draft, workflow_from_draft
from workflow_agent.workflows.edits.operations import Edit, parse_edits

MOST_TOKENS = 2_600
"""Of all tools together."""
NULL: dict[str, Any] = {"type": "null"}


def definitions() -> dict[str, tuple[str, dict[str, Any]]]:
    made = {name: tool.tool_def for name, tool in workflow_tools().tools.items()}
    return {name: (one.description or "", one.parameters_json_schema) for name, one in made.items()}


def nullable(schema: Any) -> Iterator[str]:
    """Yield the names of the properties that are told to take null."""
    if isinstance(schema, dict):
        own = cast("dict[str, Any]", schema)
        for name, one in own.get("properties", {}).items():
            if NULL in one.get("anyOf", ()):
                yield name
        for one in own.values():
            yield from nullable(one)


def test_all_tools_together_stay_within_their_tokens() -> None:
    told = [f"{name}{said}{json.dumps(schema)}" for name, (said, schema) in definitions().items()]

    assert sum(map(tokens_of, told)) <= MOST_TOKENS


def test_a_schema_says_nothing_that_its_tool_has_said() -> None:
    for name, (said, schema) in definitions().items():
        assert said, name
        assert {"title", "description"} & schema.keys() == set(), name
        assert not any("title" in one for one in schema.get("$defs", {}).values()), name


def test_the_line_of_a_listed_tool_names_what_it_cannot_do_without() -> None:
    tools = {name: tool.tool_def for name, tool in workflow_tools().tools.items() if name in LISTED_TOOLS}

    assert tools.keys() == LISTED_TOOLS
    for name, one in tools.items():
        schema = one.parameters_json_schema
        taken = line_of(one).removeprefix(f"- {name}: ")
        for argument in schema["properties"]:
            mark = "" if argument in schema.get("required", ()) else "?"
            assert re.search(rf"(?:^|, ){argument}{re.escape(mark)}(?=[ ,.])", taken), (name, argument)


def test_null_is_told_of_no_argument() -> None:
    assert {name for name, (_, schema) in definitions().items() if set(nullable(schema))} == set()


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


SHAPES = {line[2:].partition(": ")[0]: line for line in shapes().splitlines() if line.startswith("- ")}


@pytest.mark.parametrize(
    ("shape", "line"), [(StepParts, "**Step**"), (Edge, "**Transition**"), (EditCall, "**Fields of edits**")]
)
def test_every_field_of_what_is_written_is_told_with_the_modules_that_write(shape: type[Parameters], line: str) -> None:
    names = {field.alias or name for name, field in shape.model_fields.items()} - {"op"}

    assert {name for name in names if f"`{name}` " not in SHAPES[line]} == set()
    assert all(field.description for field in shape.model_fields.values())


def test_free_objects_tell_their_shapes() -> None:
    for told in ("`retry` {max_attempts", "`form` {fields", "`join` {mode", "`loop` {over", "`timeout` ISO 8601"):
        assert told in SHAPES["**Step**"]
    assert "`automation` {id, on: {event" in SHAPES["**Fields of edits**"]
    assert "{type: schedule, cron" in SHAPES["**Trigger**"]
    assert "null clears `assignee`, `timeout`, `retry`, `form`, `permission`, `automation`" in shapes()


def test_every_operation_is_told() -> None:
    operations = {one.__name__ for one in get_args(get_args(Edit)[0])}

    assert len(operations) == OPERATIONS_HELP.count("(")


def test_the_examples_of_what_is_written_are_valid() -> None:
    examples = json.loads(f"[{EXAMPLES}, {FURTHER_EXAMPLES}]")
    created = CreateWorkflow.model_validate_json(CREATED)
    given = created.model_dump(mode="json", by_alias=True, exclude_unset=True)

    assert len(examples) == 3
    assert all(parse_edits(one) for one in examples)
    assert len(workflow_from_draft(parse_draft(given), "wf_refund").steps) == 5


def test_shapes_are_in_no_tool() -> None:
    told = json.dumps({name: schema for name, (_, schema) in definitions().items()})

    assert told.count("escalate_to") == 0
    assert shapes().count("`escalate_to`") == 1


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
