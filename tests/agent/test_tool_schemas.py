"""What a model is told of tools: short, because every request carries it, and nothing that is not so."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from workflow_agent.assistant.tools.discovery import SearchWorkflows
from workflow_agent.assistant.tools.edit_calls import EditCall
from workflow_agent.assistant.tools.registry import workflow_tools
from workflow_agent.values.tokens import tokens_of

MOST_TOKENS = 5_100
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


def test_a_field_keeps_its_description_and_its_kinds() -> None:
    _, schema = definitions()["edit_workflow"]

    step = schema["$defs"]["StepParts"]["properties"]
    timeout, when = step["timeout"], step["when"]
    assert timeout == {"type": "string", "description": "ISO 8601, like P2D"}
    assert when == {
        "anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": True}],
        "description": "skipped unless this holds",
    }


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
