"""What a run leaves behind: its iterations, its calls and the size of what it sent.

One capability fills it from the agent loop, so that it is right whatever way a run ends.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import WrapToolExecuteHandler
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import ToolDefinition

from workflow_agent.agent.replay import feedback_in, results_in, said_by
from workflow_agent.domain import iterations
from workflow_agent.domain.call_history import CallRecord, OutcomeSummary, json_safe
from workflow_agent.domain.conversation import Usage
from workflow_agent.domain.iterations import Iteration, IterationToolCall, Message, TurnContext

_STATUS = {"success": "success", "failed": "error", "retried": "retried", "interrupted": "interrupted"}


@dataclass(slots=True)
class Evidence:
    """The record of one run, growing as it goes."""

    turn: TurnContext
    now: Callable[[], datetime]
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    model: str = ""
    section_chars: dict[str, int] = field(default_factory=dict[str, int])
    """Characters of each part of the latest request, by section."""
    durations_ms: dict[str, float] = field(default_factory=dict[str, float])
    called_at: dict[str, datetime] = field(default_factory=dict[str, datetime])
    """When each tool call began; one that was refused before it began is not here."""

    def responded(self, response: ModelResponse) -> None:
        """Note what the model said, and what the provider charged for it."""
        text, calls = said_by(response)
        self.turn = iterations.add_assistant_message(self.turn, text, calls, at=self.now())
        self.model = response.model_name or self.model
        self.usage = self.usage.plus(
            Usage(
                requests=1,
                input_tokens=response.usage.input_tokens,
                output_tokens=response.usage.output_tokens,
                cache_read_tokens=response.usage.cache_read_tokens,
                cache_write_tokens=response.usage.cache_write_tokens,
            )
        )

        self._spend(response)

    def _spend(self, response: ModelResponse) -> None:
        """Add what the response cost, where its provider's prices are known."""
        try:
            self.cost_usd = (self.cost_usd or 0.0) + float(response.cost().total_price)
        except (LookupError, ValueError, AssertionError):
            # Not an error: self-hosted and offline models have no price, which the reply says as null.
            return

    def requesting(self, request: ModelRequestContext) -> None:
        """Note what a request carries: first the instructions, later the results that end an iteration."""
        if not self.model:
            self._first_request(request)
        results = results_in(request.messages)
        feedback = feedback_in(request.messages)
        if results or feedback:
            self.turn = iterations.add_tool_results(
                self.turn, results, durations_ms=self.durations_ms, at=self.now()
            )
        self.section_chars["run"] = sum(_chars(one) for one in self.turn.iterations)

    def _first_request(self, request: ModelRequestContext) -> None:
        parts = request.model_request_parameters.instruction_parts or []
        told = "\n\n".join(part.content for part in parts)
        first = self.turn.iterations[0]
        system = Message(role="system", content=told)
        with_system = first.model_copy(update={"messages": (system, *first.messages)})
        self.turn = self.turn.model_copy(update={"iterations": (with_system,)})
        self.model = request.model.model_name

    def closed(self) -> tuple[Iteration, ...]:
        """Return every iteration, completed, as the run leaves them."""
        self.turn = iterations.close(self.turn, at=self.now())
        return self.turn.iterations

    def tools_used(self) -> tuple[str, ...]:
        """Return the names of the tools that were called, in order of first use."""
        return tuple(dict.fromkeys(call.name for one in self.turn.iterations for call in one.tool_calls))

    def call_records(self, parent_call_id: str) -> tuple[CallRecord, ...]:
        """Return one record for each tool call of the closed run."""
        return tuple(
            _record(one, call, self.called_at.get(call.id, one.started_at), parent_call_id)
            for one in self.turn.iterations
            for call in one.tool_calls
        )


def _chars(iteration: Iteration) -> int:
    said = sum(len(message.content) for message in iteration.messages if message.role == "assistant")
    asked = sum(len(call.name) + len(str(call.args)) for m in iteration.messages for call in m.tool_calls)
    return said + asked + sum(len(str(result.content)) for m in iteration.messages for result in m.results)


def _record(iteration: Iteration, call: IterationToolCall, at: datetime, parent_call_id: str) -> CallRecord:
    asked = {made.id: made.args for message in iteration.messages for made in message.tool_calls}
    result = next((r for m in iteration.messages for r in m.results if r.id == call.id), None)
    outcome = call.outcome or "interrupted"
    ok = outcome == "success"
    return CallRecord(
        call_id=call.id,
        timestamp=at,
        speaker="agent",
        method_name=call.name,
        kwargs=json_safe(asked.get(call.id, {})),
        outcome_summary=OutcomeSummary(
            status=_STATUS[outcome],  # pyright: ignore[reportArgumentType] - the table's values are its literals
            ok=ok,
            error_type=None if ok else outcome,
            retriable=outcome == "retried",
            value_class=type(result.content).__name__ if ok and result else None,
        ),
        parent_call_id=parent_call_id,
        depth=1,
        duration_ms=call.duration_ms,
        error_message=None if ok or result is None else json_safe(str(result.content)),
    )


@dataclass
class RecordEvidence(AbstractCapability[Any]):
    """Fills the evidence of the run it is in; keeps nothing itself, because runs share it."""

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Close the iteration whose results this request carries."""
        ctx.deps.evidence.requesting(request_context)
        return request_context

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Add what the model said."""
        del request_context
        ctx.deps.evidence.responded(response)
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
        """Time the call, however it ends."""
        del tool_def
        ctx.deps.evidence.called_at[call.tool_call_id] = ctx.deps.evidence.now()
        started = time.perf_counter()
        try:
            return await handler(args)
        finally:
            elapsed = (time.perf_counter() - started) * 1000
            ctx.deps.evidence.durations_ms[call.tool_call_id] = round(elapsed, 3)
