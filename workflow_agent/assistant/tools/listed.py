"""Tools that are told in a line each and called by one: what few turns need weighs little in all (ADR-0098)."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.tools import ToolDefinition

from workflow_agent.assistant.tools.parameters import REFERENCE

USE_TOOL = "use_tool"
HOW_TO_CALL = f"`{USE_TOOL}` takes {{tool: a name, arguments: {{…}}}} as JSON"
_HEAD = f"Call one of these, or of the facts of this turn; ? may be left out; a workflow is {REFERENCE}:"
_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tool": {"type": "string", "description": "its name"},
        "arguments": {"type": "object", "description": "by name"},
    },
    "required": ["tool"],
}


def use_tool(lines: Iterable[str]) -> ToolDefinition:
    """Return the tool that calls those that these lines tell of."""
    return ToolDefinition(
        name=USE_TOOL, parameters_json_schema=_PARAMETERS, description="\n".join([_HEAD, *lines]), strict=False
    )


def line_of(tool: ToolDefinition) -> str:
    """Return what a tool is called with, and what it does, in a line."""
    schema = tool.parameters_json_schema
    needed: Collection[str] = schema.get("required", ())
    fields = cast("dict[str, dict[str, Any]]", schema.get("properties", {})).items()
    taken = ", ".join(f"{name}{'' if name in needed else '?'}{_told(field)}" for name, field in fields)
    return f"- {tool.name}: {taken}. {' '.join((tool.description or '').split())}"


def _told(field: dict[str, Any]) -> str:
    values = "|".join(field.get("enum", ()))
    said = field.get("description", "")
    told = ", ".join(filter(None, (values, "" if said == REFERENCE else said)))
    return f" ({told})" if told else ""


def definition_text(tool: ToolDefinition) -> str:
    """Return what a tool weighs in a request, as text."""
    schema = json.dumps(tool.parameters_json_schema, separators=(",", ":"), ensure_ascii=False)
    return f"{tool.name}{tool.description or ''}{schema}"


def called_directly(response: ModelResponse) -> ModelResponse:
    """Return a response in which each tool is called by its own name; a call that cannot be read stays as it is."""
    parts = [
        _direct(one) if isinstance(one, ToolCallPart) and one.tool_name == USE_TOOL else one for one in response.parts
    ]
    return replace(response, parts=parts)


def _direct(call: ToolCallPart) -> ToolCallPart:
    try:
        given = call.args_as_dict(raise_if_invalid=True)
        arguments: object = given.get("arguments") or {}
        arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, AssertionError):
        return call
    if not isinstance(name := given.get("tool"), str) or not isinstance(arguments, dict):
        return call
    beside = {key: value for key, value in given.items() if key not in ("tool", "arguments")}
    return replace(call, tool_name=name, args={**beside, **cast("dict[str, Any]", arguments)})


def called_by_one(messages: Sequence[ModelMessage], names: Collection[str]) -> list[ModelMessage]:
    """Return the messages with calls of these tools, and their results, as the model made and got them."""
    return [_message_by_one(one, names) for one in messages]


def _message_by_one(message: ModelMessage, names: Collection[str]) -> ModelMessage:
    parts: list[Any] = [_by_one(part, names) for part in message.parts]
    return message if parts == message.parts else replace(message, parts=parts)


def _by_one(part: Any, names: Collection[str]) -> Any:
    name = getattr(part, "tool_name", None)
    if name not in names:
        return part
    if part.part_kind == "tool-call":
        return replace(part, tool_name=USE_TOOL, args={"tool": name, "arguments": part.args_as_dict()})
    return replace(part, tool_name=USE_TOOL)
