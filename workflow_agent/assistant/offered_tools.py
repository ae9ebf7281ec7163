"""The tools as runs have them: which a request offers, and the record of each call."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import WrapToolExecuteHandler
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from workflow_agent.assistant.record import Evidence, error_type_of, status_of_error
from workflow_agent.assistant.replay import arguments_of
from workflow_agent.assistant.tools.listed import definition_text
from workflow_agent.assistant.tools.usefulness import RARE_TOOLS
from workflow_agent.assistant.window.layout import OfferByMode
from workflow_agent.conversations.call_history import CallStatus
from workflow_agent.conversations.calls import EndedCall
from workflow_agent.conversations.iterations import Outcome
from workflow_agent.values.tokens import tokens_of_all

if TYPE_CHECKING:
    from workflow_agent.assistant.foreign_tools import ForeignTools

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
        others = sum(count(definition_text(tool.tool_def)) for tool in foreign.values())
        evidence.section_tokens["tools"] = tokens_of_all(self.offer.sent(ctx.deps, ctx.model), count) + others
        made = self.made.get(ctx.max_retries)
        if made is None:
            tools = (await super().get_tools(ctx)).items()
            # What stands before the first difference is the same: those of all modes first, then those that write.
            in_order = sorted(tools, key=lambda one: 2 * (one[0] in RARE_TOOLS) + (one[0] in self.offer.writing))
            made = {name: _without_return_schema(tool) for name, tool in in_order}
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


def _without_return_schema(tool: ToolsetTool[Any]) -> ToolsetTool[Any]:
    """Return a tool as models get it: the framework takes the schema away each time it finds one."""
    return replace(tool, tool_def=replace(tool.tool_def, return_schema=None))


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
            if (outcome := _OUTCOMES.get(status)) is not None:
                evidence.answered(call, outcome, str(error))
            raise
        ended("success", result=result)
        evidence.answered(call, "success", result)
        await evidence.keep()
        return result


_OUTCOMES: Mapping[CallStatus, Outcome] = {"retried": "retried", "error": "failed"}
