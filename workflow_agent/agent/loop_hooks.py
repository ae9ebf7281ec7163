"""What happens around each model request and each tool call of a run: its layout, and its record."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import WrapToolExecuteHandler
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset

from workflow_agent.agent.call_recorder import error_type_of, status_of_error
from workflow_agent.agent.evidence import Evidence
from workflow_agent.agent.layout import OfferByMode, laid_out
from workflow_agent.agent.offered_tools import OfferedTools, ToolsByName
from workflow_agent.agent.prompt_caching import marked
from workflow_agent.agent.replay import arguments_of
from workflow_agent.agent.watched_requests import WatchedModel, Watcher
from workflow_agent.domain.call_history import CallStatus
from workflow_agent.domain.call_records import EndedCall
from workflow_agent.domain.iterations import Outcome


@dataclass
class LoopHooks(AbstractCapability[Any]):
    """Fills the evidence of the run it is in, so that it is right whatever way the run ends.

    It keeps nothing of a run, because runs share it. There is one for everything, because the framework
    copies the run's context for each capability at each hook.
    """

    offer: OfferByMode
    _made: dict[int, ToolsByName] = field(default_factory=dict[int, ToolsByName], init=False, repr=False)

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> OfferedTools:
        """Return the tools of the agent, of which each request offers some."""
        return OfferedTools(toolset, self.offer, self._made)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Close the iteration whose results this request carries, lay the request out, let it be watched."""
        evidence: Evidence = ctx.deps.evidence
        watcher: Watcher | None = ctx.deps.watcher
        before = evidence.turn.current_iteration
        results = evidence.requesting(request_context)
        never_began = [result for result in results if result.id not in evidence.results]
        # What ran was kept when it ended.
        if evidence.turn.current_iteration != before and (never_began or not results):
            await evidence.keep_step(evidence.turn.iterations[-2], evidence.calls.records.values())
        laid = marked(ctx, laid_out(self.offer, ctx, request_context))
        if watcher is not None:
            for result in never_began:
                watcher.answered(result)
            laid.model = WatchedModel(laid.model, watcher)
        return laid

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Add what the model said."""
        del request_context
        evidence: Evidence = ctx.deps.evidence
        evidence.responded(response)
        await evidence.keep_step(evidence.turn.iterations[-1], evidence.calls.records.values())
        watcher: Watcher | None = ctx.deps.watcher
        if watcher is not None:
            for part in response.parts:
                if isinstance(part, ToolCallPart):
                    watcher.asked(part)
        return response

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
        del tool_def
        evidence: Evidence = ctx.deps.evidence
        watcher: Watcher | None = ctx.deps.watcher
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

        def answered(outcome: Outcome, content: Any) -> None:
            came_to = evidence.answered(call, outcome, content)
            if watcher is not None:
                watcher.answered(came_to)

        try:
            self.offer.check(call.tool_name, ctx)
            result = await handler(args)
        except BaseException as error:
            status = status_of_error(error)
            ended(status, error_type=error_type_of(error), error_message=str(error))
            if (outcome := _OUTCOMES.get(status)) is not None:
                answered(outcome, str(error))
            raise
        ended("success", result=result)
        answered("success", result)
        await evidence.keep()
        return result


_OUTCOMES: Mapping[CallStatus, Outcome] = {"retried": "retried", "error": "failed"}
