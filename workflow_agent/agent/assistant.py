"""The Pydantic AI agent: its instructions, which tools a request offers, and what it records."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import PrepareTools
from pydantic_ai.tools import ToolDefinition

from workflow_agent.agent.evidence import RecordEvidence
from workflow_agent.agent.tools import WRITING_TOOLS, workflow_tools
from workflow_agent.agent.workflow_context import READ_ONLY_MODES, WorkflowContext
from workflow_agent.domain.errors import WorkflowNotFound
from workflow_agent.domain.modes import Mode

TOOL_RETRIES = 3
"""How often a tool may ask the model to mend one call; more often means that it does not understand."""


@dataclass(frozen=True, slots=True)
class OfferByMode:
    """Decides which tools a request offers: those that write only where writing is what was asked for."""

    definition_chars: Mapping[str, int]

    def names(self, mode: Mode) -> frozenset[str]:
        """Return the names of the tools of a mode."""
        return frozenset(self.definition_chars) - (WRITING_TOOLS if mode in READ_ONLY_MODES else frozenset())

    def chars(self, mode: Mode) -> int:
        """Return how long the definitions of a mode's tools are."""
        return sum(self.definition_chars[name] for name in self.names(mode))

    async def __call__(
        self, ctx: RunContext[WorkflowContext], tool_defs: list[ToolDefinition]
    ) -> list[ToolDefinition]:
        """Return the definitions to offer now; the mode may have changed since the last request."""
        mode = ctx.deps.progress.mode.name
        ctx.deps.evidence.section_chars["tools"] = self.chars(mode)
        names = self.names(mode)
        return [tool for tool in tool_defs if tool.name in names]


def _definition_chars(tool: ToolDefinition) -> int:
    return len(tool.name) + len(tool.description or "") + len(json.dumps(tool.parameters_json_schema))


@dataclass(frozen=True, slots=True)
class Assistant:
    """The agent, and how long the parts of its requests are that depend on the mode alone."""

    agent: Agent[WorkflowContext, str]
    offer: OfferByMode
    prompts: Mapping[Mode, str]

    def overhead_chars(self, mode: Mode) -> int:
        """Return how long a mode's prompt module and tool definitions are together."""
        return len(self.prompts[mode]) + self.offer.chars(mode)


def build_assistant(prompts: Mapping[Mode, str], *, tool_timeout_seconds: float) -> Assistant:
    """Return the assistant; its model, limits and dependencies come with each run."""
    tools = workflow_tools()
    offer = OfferByMode({name: _definition_chars(tool.tool_def) for name, tool in tools.tools.items()})
    agent = Agent[WorkflowContext, str](
        None,
        name="workflow_agent",
        deps_type=WorkflowContext,
        output_type=str,
        toolsets=[tools],
        capabilities=[PrepareTools(offer), RecordEvidence()],
        retries={"tools": TOOL_RETRIES, "output": 1},
        tool_timeout=tool_timeout_seconds,
    )

    # Stable text first: providers price a repeated prefix at a fraction.
    @agent.instructions
    def prompt_module(ctx: RunContext[WorkflowContext]) -> str:
        return _section(ctx, "prompt_module", prompts[ctx.deps.progress.mode.name])

    @agent.instructions
    def run_facts(ctx: RunContext[WorkflowContext]) -> str:
        lines = [f"Mode: {ctx.deps.progress.mode.name}", *ctx.deps.notes]
        return _section(ctx, "memory", "\n".join(lines))

    @agent.instructions
    async def open_workflow(ctx: RunContext[WorkflowContext]) -> str:
        return _section(ctx, "workflow", await _open_workflow(ctx.deps))

    return Assistant(agent, offer, prompts)


def _section(ctx: RunContext[WorkflowContext], name: str, text: str) -> str:
    ctx.deps.evidence.section_chars[name] = len(text)
    return text


async def _open_workflow(deps: WorkflowContext) -> str:
    """Return the open workflow as it is now, which an edit in this very run may have changed."""
    workflow_id = deps.progress.open_workflow_id
    if workflow_id is None:
        return "Open workflow: none"
    try:
        workflow = await deps.workflows.get(deps.tenant, workflow_id)
    except WorkflowNotFound:
        return f"Open workflow: none ({workflow_id} was deleted)"
    outline = "\n".join(f"  {line}" for line in deps.outline(workflow).splitlines())
    return f'Open workflow: {workflow.id} "{workflow.name}" (version {workflow.version})\n{outline}'
