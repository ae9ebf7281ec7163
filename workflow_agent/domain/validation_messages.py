"""What pydantic finds wrong with a value, in words for whoever sent it."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.domain.workflow.terms import DURATION_PATTERN, ID_PATTERN, WORKFLOW_ID_PATTERN

_SHOWN_CHARS = 60
_SAID: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "is not a known field",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be a JSON object",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
}
_WITH_LIMITS: Mapping[str, str] = {
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "greater_than": "must be more than {gt}",
    "less_than": "must be less than {lt}",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "too_long": "must have at most {max_length} items",
    "too_short": "must have at least {min_length} items",
    "union_tag_invalid": "has {discriminator} '{tag}', which is none of {expected_tags}",
    "union_tag_not_found": "has no {discriminator}",
}
_PATTERNS: Mapping[str, str] = {
    DURATION_PATTERN: "is no length of time as ISO 8601 writes it, such as PT30M or P2D",
    ID_PATTERN: "is no id: 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit",
    WORKFLOW_ID_PATTERN: "is no workflow id: wf_ and 1 to 61 of a-z, 0-9, _ and -",
}
_WITHOUT_VALUE = {"missing", "extra_forbidden", "union_tag_invalid", "union_tag_not_found"}


def validation_message(item: Mapping[str, Any]) -> str:
    """Return what is wrong with a value, and the value itself where it is short enough to say."""
    message = _plain(item)
    given = item.get("input")
    if item["type"] in _WITHOUT_VALUE or not isinstance(given, str | int | float | bool):
        return message
    shown = repr(str(given)[:_SHOWN_CHARS])
    return message if shown in message else f"{message}, got {shown}"


def _plain(item: Mapping[str, Any]) -> str:
    kind, context = str(item["type"]), dict(item.get("ctx") or {})
    if kind == "string_pattern_mismatch":
        return _PATTERNS.get(context["pattern"], f"must match the pattern {context['pattern']}")
    if kind in ("string_too_short", "too_short") and context["min_length"] == 1:
        return "must not be empty"
    if kind in _WITH_LIMITS:
        if "tag" in context:
            context["tag"] = str(context["tag"])[:_SHOWN_CHARS]
        return _WITH_LIMITS[kind].format(**{key: str(value) for key, value in context.items()})
    return _SAID.get(kind) or str(item["msg"]).removeprefix("Value error, ")
