"""What a run leaves behind: its iterations, its calls and the size of what it sent."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_core import to_json

from workflow_agent.agent.call_recorder import CallRecorder
from workflow_agent.agent.models import OFFLINE
from workflow_agent.agent.replay import feedback_in, results_in, said_by, session_of
from workflow_agent.agent.spending import price_of, usage_of
from workflow_agent.domain import iterations
from workflow_agent.domain.call_history import CallRecord, CallStatus
from workflow_agent.domain.call_records import ended_calls
from workflow_agent.domain.compaction import Compaction
from workflow_agent.domain.costs import RunCosts
from workflow_agent.domain.counting import TokenCounter
from workflow_agent.domain.iterations import Iteration, Message, Outcome, ToolResult, TurnContext

BETWEEN_PARTS = "\n\n"
"""Between the parts of the instructions."""
StepKept = Callable[[Iteration, Iterable[CallRecord]], Awaitable[None]]
"""Keeps an iteration as it stands, and the records so far, should the process die."""


class Told(NamedTuple):
    """A part of the instructions."""

    section: str
    text: str
    is_lasting: bool = False
    """Whether it comes again in other turns just so."""


def joined(parts: Iterable[Told]) -> str:
    """Return the parts of the instructions as the model reads them."""
    return BETWEEN_PARTS.join(part.text for part in parts)


@dataclass(slots=True)
class Evidence:
    """The record of one run, growing as it goes."""

    turn: TurnContext
    now: Callable[[], datetime]
    calls: CallRecorder
    keep_step: StepKept
    costs: RunCosts = field(default_factory=RunCosts)
    model: str = ""
    instructions: tuple[Told, ...] = ()
    """The parts of the first request's instructions, the stable ones first."""
    counter: TokenCounter = field(default_factory=TokenCounter)
    """How the run's model counts, once it is chosen."""
    section_tokens: dict[str, int] = field(default_factory=dict[str, int])
    """Tokens of each part of the latest request, by section."""
    reported_tokens: int | None = None
    """What the provider counted for that request; None where there is no provider, or it did not say."""
    durations_ms: dict[str, float] = field(default_factory=dict[str, float])
    results: dict[str, ToolResult] = field(default_factory=dict[str, ToolResult])
    """What calls came to, by their ids, also where no request tells the model of it any more."""
    called_at: dict[str, datetime] = field(default_factory=dict[str, datetime])
    """When each tool call began; one that was refused before it began is not here."""

    _keeping: asyncio.Lock = field(default_factory=asyncio.Lock)

    def responded(self, response: ModelResponse) -> None:
        """Note what the model said, and what the provider charged for it."""
        text, calls = said_by(response)
        self.turn = iterations.add_assistant_message(
            self.turn, text, calls, session_id=session_of(response), at=self.now()
        )
        self.model = response.model_name or self.model
        self.costs = self.costs.with_primary(usage_of(response), price_of(response))
        is_counted = response.provider_name not in (None, OFFLINE)
        self.reported_tokens = (response.usage.input_tokens or None) if is_counted else None

    def answered(self, call: ToolCallPart, outcome: Outcome, content: Any) -> ToolResult:
        """Note what a call came to, before the model is told, and return it."""
        result = ToolResult(id=call.tool_call_id, name=call.tool_name, outcome=outcome, content=content)
        self.results[call.tool_call_id] = result
        return result

    def summarised(self, compaction: Compaction) -> None:
        """Note what a compaction took that had to be made before this run could go on."""
        spent = compaction.cost.total_usd
        price = None if spent is None else Decimal(str(spent))
        self.costs = self.costs.with_summarizer(compaction.usage, price)

    def told(self, *parts: Told) -> str:
        """Note the parts of a request's instructions; return them as the model reads them."""
        for section in dict.fromkeys(part.section for part in parts):
            self.measured(section, *(part.text for part in parts if part.section == section))
        said = tuple(part for part in parts if part.text)
        if not self.model:
            self.instructions = said
        return joined(said)

    def measured(self, section: str, *texts: str) -> None:
        """Note how large a part of the request is that is being made."""
        self.section_tokens[section] = sum(map(self.counter.count, texts))

    def requesting(self, request: ModelRequestContext) -> tuple[ToolResult, ...]:
        """Note what a request carries: first the instructions, later the results that end an iteration.

        Returns:
            Those results, of calls that were refused too.
        """
        if not self.model:
            self._first_request(request)
        results = results_in(request.messages)
        feedback = feedback_in(request.messages)
        if results or feedback:
            self.turn = iterations.add_tool_results(
                self.turn, results, durations_ms=self.durations_ms, at=self.now()
            )
            self._record(self.turn.iterations[-2])
        self.measured("run", *(text for one in self.turn.iterations for text in _texts(one)))
        return results

    def _first_request(self, request: ModelRequestContext) -> None:
        first = self.turn.iterations[0]
        system = Message(role="system", content=joined(self.instructions))
        with_system = first.model_copy(update={"messages": (system, *first.messages)})
        self.turn = self.turn.model_copy(update={"iterations": (with_system,)})
        self.model = request.model.model_name

    def closed(self, *, interrupted_as: CallStatus = "interrupted") -> tuple[Iteration, ...]:
        """Return every iteration, completed, as the run leaves them; each call is on record then.

        Args:
            interrupted_as: How the records name the end of calls that were still open.
        """
        self.turn = self._as_it_stands()
        for iteration in self.turn.iterations:
            self._record(iteration, interrupted_as)
        return self.turn.iterations

    async def keep(self) -> None:
        """Keep the latest iteration as it would be left if the process died now."""
        async with self._keeping:
            await self.keep_step(self._as_it_stands().iterations[-1], self.calls.records.values())

    def _as_it_stands(self) -> TurnContext:
        return iterations.close(
            self.turn, results=self.results, durations_ms=self.durations_ms, at=self.now()
        )

    def tools_used(self) -> tuple[str, ...]:
        """Return the names of the tools that were called, in order of first use."""
        return tuple(dict.fromkeys(call.name for one in self.turn.iterations for call in one.tool_calls))

    def tools_that_answered(self) -> tuple[str, ...]:
        """Return the name of the tool for each call that succeeded, in the order they ended."""
        return tuple(result.name for result in self.results.values() if result.outcome == "success")

    def call_records(self) -> tuple[CallRecord, ...]:
        """Return one record for each call of the closed run, in the order they began."""
        return tuple(sorted(self.calls.records.values(), key=lambda record: record.timestamp))

    def _record(self, iteration: Iteration, interrupted_as: CallStatus = "interrupted") -> None:
        """Record the calls that ended without being run, or otherwise than it seemed where they ran."""
        for call in ended_calls(iteration, interrupted_as):
            if self.calls.status_of(call.id) != call.status:
                self.calls.ended(replace(call, started_at=self.called_at.get(call.id, call.started_at)))


def texts_of(message: Message) -> Iterator[str]:
    """Yield what a message of the loop holds as text, as it weighs in the window."""
    yield message.content
    for call in message.tool_calls:
        yield f"{call.name} {_as_sent(call.args)}"
    for result in message.results:
        yield result.content if isinstance(result.content, str) else _as_sent(result.content)


def _as_sent(content: Any) -> str:
    """Return a value as the framework writes it into a request."""
    return to_json(content, inf_nan_mode="null", serialize_unknown=True).decode()


def _texts(iteration: Iteration) -> Iterator[str]:
    """Yield what the loop itself added; the instructions and the message are counted by themselves."""
    spoken = (message for message in iteration.messages if message.role in ("assistant", "tool"))
    return (text for message in spoken for text in texts_of(message))
