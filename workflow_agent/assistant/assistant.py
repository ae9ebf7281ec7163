"""The agent: its instructions, which tools a request offers, and what it records."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import WrapToolExecuteHandler
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from workflow_agent.assistant.claims import confirmed
from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.loop import AgentLoop
from workflow_agent.assistant.prompts import shapes
from workflow_agent.assistant.record import Evidence, Told, error_type_of, status_of_error
from workflow_agent.assistant.replay import arguments_of
from workflow_agent.assistant.tools import registry
from workflow_agent.assistant.window.layout import Modules, OfferByMode, PromptLayout, laid_out, marked, modes_sent
from workflow_agent.assistant.window.record import roster_notes
from workflow_agent.conversations.agents import Mode
from workflow_agent.conversations.call_history import CallStatus
from workflow_agent.conversations.calls import HOW_TO_READ, PROGRAM_TOOL, EndedCall, latest_calls
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

    Phases are what each adds to the instructions, own tools those of other packages, and own writing the names of those
    of them that change workflows. Whether requests keep their beginning is decided by `has_stable_prefix`.
    """
    guidance = phases or {}
    modules = Modules(prompts, shapes())
    tools = registry.workflow_tools(own_tools).tools
    offer = OfferByMode(
        {name: tool.tool_def for name, tool in tools.items()}, layout, registry.WRITING_TOOLS | own_writing
    )
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
        registry.called_directly,
        (confirmed,),
        capabilities=(RecordedCalls(offer, foreign),),
        way_to=lambda tool, _ctx: registry.HOW_TO_CALL if tool == registry.USE_TOOL else "",
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


ToolsByName = dict[str, ToolsetTool[Any]]


@dataclass
class OfferedTools(WrapperToolset[Any]):
    """Offers those of the wrapped tools that the mode and the agent of a run have.

    The wrapped tools are the same for every run; asking them at each request, as the framework does,
    takes a tenth of a turn.
    """

    offer: OfferByMode
    foreign: "ForeignTools | None" = None
    made: dict[int, ToolsByName] = field(default_factory=dict[int, ToolsByName], repr=False)
    """All tools, by how often one may be called again; those of one run serve the next."""

    async def get_tools(self, ctx: RunContext[Any]) -> ToolsByName:
        """Return the tools to offer now; the mode may have changed since the last request."""
        foreign = await self.foreign.offered(ctx, self.offer.definitions) if self.foreign else {}
        evidence: Evidence = ctx.deps.evidence
        count = evidence.counter.count
        others = sum(count(registry.definition_text(tool.tool_def)) for tool in foreign.values())
        evidence.section_tokens["tools"] = tokens_of_all(self.offer.sent(ctx.deps, ctx.model), count) + others
        made = self.made.get(ctx.max_retries)
        if made is None:
            tools = (await super().get_tools(ctx)).items()
            # What stands before the first difference is the same: those of all modes first, then those that write.
            in_order = sorted(
                tools, key=lambda one: 2 * (one[0] in registry.RARE_TOOLS) + (one[0] in self.offer.writing)
            )
            # As models get them: the framework takes the schema away each time it finds one.
            made = {name: replace(one, tool_def=replace(one.tool_def, return_schema=None)) for name, one in in_order}
            self.made[ctx.max_retries] = made
        names = self.offer.callable_names(ctx.deps, ctx.model)
        return {**{name: tool for name, tool in made.items() if name in names}, **foreign}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Return what a tool answers, our own or another server's."""
        if self.foreign is not None and name not in self.offer.definitions:
            return await self.foreign.call(tool, tool_args)
        return await super().call_tool(name, tool_args, ctx, tool)


@dataclass
class RecordedCalls(AbstractCapability[Any]):
    """Records each call in the evidence of the run it is in, so that it is right whatever way the call ends.

    It keeps nothing of a run, because runs share it.
    """

    offer: OfferByMode
    foreign: "ForeignTools | None" = None

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Time the call and record it, however it ends; one that the mode does not have is refused."""
        evidence: Evidence = ctx.deps.evidence
        evidence.called_at[call.tool_call_id] = started_at = evidence.now()
        # As the model wrote them: those of the handler are the tool's own objects.
        asked = arguments_of(call)
        started = time.perf_counter()

        def ended(status: CallStatus, **how: Any) -> None:
            elapsed = round((time.perf_counter() - started) * 1000, 3)
            evidence.durations_ms[call.tool_call_id] = elapsed
            evidence.calls.ended(
                EndedCall(call.tool_call_id, call.tool_name, asked, status, started_at, elapsed, **how)
            )

        try:
            self.offer.check(call.tool_name, ctx)
            if self.foreign is not None:
                self.foreign.check_change(tool_def, asked, self.offer, ctx)
            result = await handler(args)
        except BaseException as error:
            status = status_of_error(error)
            ended(status, error_type=error_type_of(error), error_message=str(error))
            if status != "cancelled":
                evidence.answered(call, "retried" if status == "retried" else "failed", str(error))
            raise
        ended("success", result=result)
        evidence.answered(call, "success", result)
        await evidence.keep()
        return result
