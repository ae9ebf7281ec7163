"""What a JSON Schema finds, in our words and at its place."""

from typing import Any

import pytest

from workflow_agent.workflows.formats.schemas import check_by, schema_check
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
