"""The agent: its instructions, which tools a request offers, and what it records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.models.instrumented import InstrumentationSettings

from workflow_agent.assistant.claims import confirmed
from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.loop import AgentLoop
from workflow_agent.assistant.offered_tools import OfferedTools, RecordedCalls
from workflow_agent.assistant.record import Told
from workflow_agent.assistant.tools.listed import HOW_TO_CALL, USE_TOOL, called_directly
from workflow_agent.assistant.tools.registry import WRITING_TOOLS, workflow_tools
from workflow_agent.assistant.tools.shapes import shapes
from workflow_agent.assistant.window.layout import Modules, OfferByMode, PromptLayout, laid_out, marked, modes_sent
from workflow_agent.assistant.window.record import roster_notes
from workflow_agent.conversations.agents import Mode
from workflow_agent.conversations.calls import HOW_TO_READ, PROGRAM_TOOL, latest_calls
from workflow_agent.conversations.document import Phase
from workflow_agent.errors import WorkflowNotFound
from workflow_agent.values.tokens import tokens_of_all

if TYPE_CHECKING:
    from workflow_agent.assistant.foreign_tools import ForeignTools

TOOL_RETRIES = 3
"""How often a tool may ask the model to mend one call; more often means that it does not understand."""


@dataclass(frozen=True, slots=True)
class Assistant:
    """The agent, and how large the parts of its requests are that depend on the mode alone."""

    loop: AgentLoop[WorkflowContext]
    offer: OfferByMode
    modules: Modules
    phases: Mapping[Phase, str]
    foreign: "ForeignTools | None" = None
    """The tools of other MCP servers."""

    def overhead(self, deps: WorkflowContext, model: object, count: Callable[[str], int]) -> dict[str, int]:
        """Return the tokens of a run's prompt module, of its agent's tools and of its phase's guidance."""
        return {
            "prompt_module": sum(map(count, self.modules.of(modes_sent(deps, model)))),
            "phase": count(self.phases.get(deps.progress.phase, "")),
            "tools": tokens_of_all(self.offer.sent(deps, model), count),
        }


def build_assistant(
    prompts: Mapping[Mode, str],
    *,
    tool_timeout_seconds: float,
    phases: Mapping[Phase, str] | None = None,
    layout: PromptLayout = "auto",
    instrumentation: InstrumentationSettings | None = None,
    foreign: "ForeignTools | None" = None,
    own_tools: tuple[Callable[..., Any], ...] = (),
    own_writing: frozenset[str] = frozenset(),
) -> Assistant:
    """Return the assistant; its model, limits and dependencies come with each run.

    Args:
        prompts: The prompt module of each mode.
        tool_timeout_seconds: For one call.
        phases: What each phase adds to the instructions; nothing without it.
        layout: Whether requests keep their beginning; see `has_stable_prefix`.
        instrumentation: Where the framework reports its spans; nowhere without it.
        foreign: The tools of other MCP servers.
        own_tools: Tools of other packages.
        own_writing: The names of those that change workflows.
    """
    guidance = phases or {}
    modules = Modules(prompts, shapes())
    tools = workflow_tools(own_tools).tools
    offer = OfferByMode({name: tool.tool_def for name, tool in tools.items()}, layout, WRITING_TOOLS | own_writing)
    toolset = FunctionToolset(list(tools.values()), max_retries=TOOL_RETRIES, timeout=tool_timeout_seconds)

    async def instructions(ctx: RunContext[WorkflowContext]) -> str:
        deps = ctx.deps
        progress, conversation = deps.progress, deps.conversation
        in_phase = () if progress.phase == "chat" else (f"Phase: {progress.phase}",)
        facts = (f"Mode: {progress.mode.name}", *in_phase, *deps.notes)
        # Stable text first: providers price a repeated prefix at a fraction.
        return deps.evidence.told(
            Told("prompt_module", modules.told(progress.mode.name), is_lasting=True),
            Told("memory", roster_notes(deps.profile, deps.roster), is_lasting=True),
            Told("phase", guidance.get(progress.phase, ""), is_lasting=True),
            Told("memory", "\n".join(facts)),
            Told("workflow", await _open_workflow(deps)),
            Told("calls", "" if PROGRAM_TOOL in deps.idle_tools else HOW_TO_READ),
            Told("calls", latest_calls(conversation.calls, conversation.sealed_calls)),
        )

    def lay_out(ctx: RunContext[WorkflowContext], request: ModelRequestContext) -> ModelRequestContext:
        return marked(ctx, laid_out(offer, modules, ctx, request))

    loop = AgentLoop(
        "workflow_agent",
        OfferedTools(toolset, offer, foreign),
        instructions,
        lay_out,
        called_directly,
        (confirmed,),
        capabilities=(RecordedCalls(offer, foreign),),
        way_to=lambda tool, _ctx: HOW_TO_CALL if tool == USE_TOOL else "",
        tool_retries=TOOL_RETRIES,
        output_retries=1,
        instrumentation=instrumentation,
    )
    return Assistant(loop, offer, modules, guidance, foreign)


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
