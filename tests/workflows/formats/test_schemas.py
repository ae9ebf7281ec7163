"""What a JSON Schema finds, in our words and at its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from workflow_agent.workflows.analysis import format_findings
from workflow_agent.workflows.formats import import_workflow
from workflow_agent.workflows.formats.lint import check_by, schema_check
from workflow_agent.workflows.formats.shapes import Place

STEP = {"type": "object", "properties": {"run": {"type": "string"}}, "required": ["run"], "additionalProperties": False}
CALL = {"type": "object", "properties": {"uses": {"type": "string"}}, "required": ["uses"]}


@pytest.mark.parametrize(
    ("schema", "document", "finding"),
    [
        ({"properties": {"a": {"type": "string"}}}, {"a": 1}, ("/a", "must be text, got a number")),
        ({"required": ["a"]}, {}, ("", "needs `a`")),
        ({"properties": {"a": {"enum": ["x", "y"]}}}, {"a": "z"}, ("/a", "is none of those that are known, 'z'")),
        ({"properties": {"a": {"pattern": "^x"}}}, {"a": "z"}, ("/a", "must be like ^x, got 'z'")),
        ({"properties": {"a": {"minItems": 2}}}, {"a": [1]}, ("/a", "must have at least 2 items, got 1")),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"b": 1}, ("/b", "there is no field 'b' here")),
        ({"oneOf": [{"type": "string"}, {"type": "number"}]}, [], ("", "must be text or a number, got a list")),
        ({"items": {"oneOf": [STEP, CALL]}}, [{"run": 1}], ("/0/run", "must be text, got a number")),
        ({"oneOf": [STEP, CALL]}, {"run": "x", "if": "y"}, ("/if", "there is no field 'if' here")),
    ],
)
def test_an_error_of_a_schema_is_told_in_our_words(
    schema: dict[str, Any], document: object, finding: tuple[str, str]
) -> None:
    place = Place([])

    check_by(schema)(document, place)

    assert [(one.pointer, one.message) for one in place.problems] == [finding]


def test_a_schema_that_is_not_installed_finds_nothing() -> None:
    assert schema_check("no-such-package-here", "schema.json") is None


def test_a_schema_in_yaml_is_asked_where_its_package_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "arazzo_generator/validator/arazzo_schema/1.0.1/arazzo-schema.yaml"
    for name, text in (
        (path, "properties: {workflows: {items: {properties: {summary: {maxLength: 3}}}}}\n"),
        ("arazzo_generator-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: arazzo-generator\nVersion: 1\n"),
        ("arazzo_generator-1.dist-info/RECORD", f"{path},,\n"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    schema_check.cache_clear()
    workflow = {"workflowId": "w", "summary": "long", "steps": [{"stepId": "s", "operationId": "o"}]}
    head = {"arazzo": "1.0.1", "info": {"title": "T", "version": "1"}}
    document = {**head, "sourceDescriptions": [{"name": "a", "url": "b"}], "workflows": [workflow]}

    (found,) = format_findings(import_workflow(json.dumps(document))[1].workflow)

    schema_check.cache_clear()
    assert (found.rule, found.evidence["pointer"]) == ("arazzo-schema", "/workflows/0/summary")
