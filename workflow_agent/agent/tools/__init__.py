"""The tools of the assistant, one module for each thing they are about."""

from pydantic_ai import FunctionToolset

from workflow_agent.agent.tools import analysis, conversation, creation, discovery, history, modification
from workflow_agent.agent.workflow_context import WorkflowContext

WRITING_TOOLS = frozenset({"create_workflow", "edit_workflow", "undo_change"})
"""What changes a workflow; every other tool only reads."""


def workflow_tools() -> FunctionToolset[WorkflowContext]:
    """Return a toolset with every tool; which of them a request offers is decided by mode."""
    toolset = FunctionToolset[WorkflowContext]()
    for module in (discovery, creation, modification, analysis, history, conversation):
        for tool in module.TOOLS:
            toolset.add_function(tool, takes_ctx=True, require_parameter_descriptions=False)
    return toolset
