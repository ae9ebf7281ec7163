"""The tools of the assistant, one module for each thing they are about."""

from collections.abc import Callable
from functools import cache
from typing import Any

from pydantic_ai import FunctionToolset

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools import (
    analysis,
    conversation,
    creation,
    discovery,
    earlier_turns,
    history,
    modification,
    personal,
    portability,
    programs,
)
from workflow_agent.assistant.tools import comparison as comparing
from workflow_agent.assistant.tools.parameters import brief_schema

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
_MODULES = (
    discovery, creation, portability, modification, analysis, comparing, history, programs,
    conversation, earlier_turns, personal,
)  # fmt: skip
SWITCH_MODE = conversation.switch_mode.__name__
"""Not for agents that always work in the same mode."""
TOOL_NAMES = frozenset(tool.__name__ for module in _MODULES for tool in module.TOOLS)


@cache
def workflow_tools(own: tuple[Callable[..., Any], ...] = ()) -> FunctionToolset[WorkflowContext]:
    """Return the toolset with every tool; which of them a request offers is decided by mode.

    Always the same one: it describes functions, and making their schemas takes longer than many a turn.

    Args:
        own: Tools of other packages.
    """
    toolset = FunctionToolset[WorkflowContext]()
    for tool in (*(tool for module in _MODULES for tool in module.TOOLS), *own):
        toolset.add_function(tool, takes_ctx=True, require_parameter_descriptions=False, strict=False)
        function = toolset.tools[tool.__name__].function_schema
        function.json_schema = brief_schema(function.json_schema)
        # What the parameters are together is what the tool's own description says.
        function.json_schema.pop("description", None)
    return toolset
