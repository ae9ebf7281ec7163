"""The tools of the assistant: all there are, how those told in a line each are called, and which a run can use."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

from pydantic_ai import FunctionToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.tools import ToolDefinition

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools import (
    analysis,
    conversation,
    creation,
    discovery,
    earlier_turns,
    history,
    modification,
)
from workflow_agent.assistant.tools.parameters import REFERENCE, brief_schema
from workflow_agent.conversations.agents import ROSTER, AgentProfile, Roster
from workflow_agent.conversations.calls import PROGRAM_TOOL
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.transitions import PHASES

WRITING_TOOLS = frozenset({
    "create_workflow", "copy_workflow", "import_workflow", "edit_workflow", "undo_change", "fix_findings",
    "delete_workflow", "apply_preview",
})  # fmt: skip
"""What changes a workflow; every other tool only reads."""
LISTED_TOOLS = frozenset({
    "list_workflows", "analyze_workflow", "validate_workflow", "simulate_workflow", "draw_diagram", "export_workflow",
    "compare_versions", "compare_workflows", "list_changes", "recall", "search_history", "get_turn", "personal_memory",
    "copy_workflow", "import_workflow", "undo_change", "fix_findings", "delete_workflow",
})  # fmt: skip
"""Told in a line each, and called by one tool."""
_MODULES = (discovery, creation, modification, analysis, history, conversation, earlier_turns)
_TOOLS = (*(tool for module in _MODULES for tool in module.TOOLS), conversation.personal_memory)
SWITCH_MODE = conversation.switch_mode.__name__
"""Not for agents that always work in the same mode."""
TOOL_NAMES = frozenset(tool.__name__ for tool in _TOOLS)


@cache
def workflow_tools(own: tuple[Callable[..., Any], ...] = ()) -> FunctionToolset[WorkflowContext]:
    """Return the toolset with every tool, also of other packages; which of them a request offers is decided by mode.

    Always the same one: it describes functions, and making their schemas takes longer than many a turn.
    """
    toolset = FunctionToolset[WorkflowContext]()
    for tool in (*_TOOLS, *own):
        toolset.add_function(tool, takes_ctx=True, require_parameter_descriptions=False, strict=False)
        function = toolset.tools[tool.__name__].function_schema
        function.json_schema = brief_schema(function.json_schema)
        # What the parameters are together is what the tool's own description says.
        function.json_schema.pop("description", None)
    return toolset


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
    with_parts = ((one, [_by_one(part, names) for part in one.parts]) for one in messages)
    return [one if parts == one.parts else replace(one, parts=parts) for one, parts in with_parts]


def _by_one(part: Any, names: Collection[str]) -> Any:
    name = getattr(part, "tool_name", None)
    if name not in names:
        return part
    if part.part_kind == "tool-call":
        return replace(part, tool_name=USE_TOOL, args={"tool": name, "arguments": part.args_as_dict()})
    return replace(part, tool_name=USE_TOOL)


RARE_TOOLS = frozenset({"hand_off", "change_phase", PROGRAM_TOOL})
"""Offered when they can be of use, in the facts of a turn."""
_OF_PHASES = re.compile(
    rf"\b(?:phases?|brainstorming|planning|executing|execution|verify|verifying|reflect|chatting|"
    rf"{'|'.join(PHASES)})\b",
    re.IGNORECASE,
)
_OF_AGENTS = re.compile(r"\b(?:agents?|hand(?:ing)?[ -]?(?:off|over|this|it)|colleagues?)\b", re.IGNORECASE)

_OF_CALLS = re.compile(
    r"\b(?:calls?|called|tools?|results?|records?|how (?:many|much|often|long)|counts?|counted|sum|total|average|"
    r"comput\w*|calculat\w*|statistics?|table|python|programs?|scripts?|(?:long|slow|fast)est)\b",
    re.IGNORECASE,
)


def idle_tools(conversation: Conversation, message: str, agent: AgentProfile, roster: Roster) -> frozenset[str]:
    """Return the names of tools that can do nothing for a message; a request goes without them."""
    is_in_phases = conversation.phase != "chat" or bool(conversation.phase_transitions)
    latest = conversation.last_reply()
    has_records = bool(conversation.sealed_calls) or any(one.speaker == "agent" for one in conversation.calls)
    goes_on = latest is not None and PROGRAM_TOOL in latest.tools_used
    is_of_use = {
        "hand_off": _may_hand_off(conversation, message, agent, roster),
        "change_phase": is_in_phases or _OF_PHASES.search(message),
        PROGRAM_TOOL: has_records and (goes_on or _OF_CALLS.search(message)),
    }
    return frozenset(name for name, hit in is_of_use.items() if not hit)


def _may_hand_off(conversation: Conversation, message: str, agent: AgentProfile, roster: Roster) -> bool:
    """Say whether another agent may have something that this one has not, or was spoken of.

    What the built-in agents have, the one that works in every mode has by switching.
    """
    others = frozenset(roster) - {agent.name}
    if not others:
        return False
    if agent.mode is not None or dict(roster) != dict(ROSTER) or len(conversation.agent_states) > 1:
        return True
    spoken_of = re.findall(r"\w+", message.casefold())
    return not others.isdisjoint(spoken_of) or _OF_AGENTS.search(message) is not None
