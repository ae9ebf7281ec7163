"""The summariser: sums up turns that leave the window, or says why it could not."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import Agent, RunContext, UsageLimits
from pydantic_ai.capabilities import AbstractCapability, Instrumentation
from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup, UserError
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.models.instrumented import InstrumentationSettings

from workflow_agent.agent.spending import price_of, usage_of
from workflow_agent.domain.compacting import Summarised, ledger_text, summary_text, why_unusable
from workflow_agent.domain.compaction import Ledger, Summary
from workflow_agent.domain.conversation import AgentReply, Event, SystemEvent, UserMessage
from workflow_agent.domain.costs import RunCosts

_CHARS_PER_TOKEN = 3
_SHARE_OF_WINDOW = 0.6
_LEAST_CHARS = 200
_MOST_REQUESTS = 2


@dataclass(frozen=True, slots=True)
class Material:
    """What is to be summed up."""

    earlier: Summary | None
    """The summary so far."""
    ledger: Ledger
    events: Sequence[Event]
    """Whole turns, oldest first."""


@dataclass
class _Meter(AbstractCapability[Any]):
    """Adds up what the requests of one call took, whatever way it ends."""

    costs: RunCosts = field(default_factory=RunCosts)

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Add a response."""
        del ctx, request_context
        self.costs = self.costs.with_summarizer(usage_of(response), price_of(response))
        return response


@dataclass(frozen=True, slots=True)
class Summarizer:
    """Makes summaries with a model of its own.

    Args:
        agent: Returns a `Summary`.
        model: Who is asked.
        prompt: What it is told to do.
        timeout_seconds: For one summary, all its requests together.
        window_tokens: What the model can read at once.
    """

    agent: Agent[None, Summary]
    model: Model
    prompt: str
    timeout_seconds: float
    window_tokens: int

    async def summarise(self, material: Material, count: Callable[[str], int]) -> Summarised:
        """Return a summary that may stand for the turns, or why there is none.

        Args:
            material: What to sum up.
            count: Counts tokens.
        """
        source = material_text(material, int(self.window_tokens * _SHARE_OF_WINDOW) * _CHARS_PER_TOKEN)
        meter, started = _Meter(), time.perf_counter()
        summary, fallback = await self._asked(source, meter)
        if summary is not None:
            fallback = why_unusable(summary, source, self.prompt, count)
        elapsed_ms = round((time.perf_counter() - started) * 1_000, 3)
        return Summarised(
            summary=summary if fallback is None else None, fallback=fallback, model=self.model.model_name,
            usage=meter.costs.usage, cost=meter.costs.cost, duration_ms=elapsed_ms,
        )  # fmt: skip

    async def _asked(self, source: str, meter: _Meter) -> tuple[Summary | None, str | None]:
        limits = UsageLimits(request_limit=_MOST_REQUESTS)
        try:
            async with asyncio.timeout(self.timeout_seconds):
                result = await self.agent.run(
                    source, model=self.model, capabilities=[meter], usage_limits=limits
                )
        except TimeoutError:
            return None, f"no summary within {self.timeout_seconds:g} seconds"
        except (AgentRunError, FallbackExceptionGroup, UserError) as error:
            return None, f"the summariser failed: {type(error).__name__}"
        return result.output, None


def build_summarizer(
    model: Model,
    prompt: str,
    *,
    timeout_seconds: float,
    window_tokens: int,
    instrumentation: InstrumentationSettings | None = None,
) -> Summarizer:
    """Return the summariser.

    Args:
        model: Who is asked.
        prompt: What it is told to do.
        timeout_seconds: For one summary.
        window_tokens: What the model can read at once, where its profile does not say.
        instrumentation: Where the framework reports its spans; nowhere without it.
    """
    agent = Agent(
        model,
        name="summarizer",
        output_type=Summary,
        instructions=prompt,
        retries={"output": 1},
        capabilities=[Instrumentation(settings=instrumentation)] if instrumentation else [],
    )
    return Summarizer(agent, model, prompt, timeout_seconds, model.context_window or window_tokens)


def material_text(material: Material, most_chars: int) -> str:
    """Return what is to be summed up as the model reads it: framed, and no longer than it can read.

    The longest messages give way first, visibly.
    """
    earlier = summary_text(material.earlier) if material.earlier else ""
    frames = [
        ("summary_so_far", earlier or "none"),
        ("ledger", ledger_text(material.ledger)),
    ]
    head = "\n".join(f"<{name}>\n{_inside(text)}\n</{name}>" for name, text in frames)
    lines = [_line(event) for event in material.events]
    longest = max(map(len, lines), default=0)
    while sum(min(len(line), longest) for line in lines) > most_chars - len(head) and longest > _LEAST_CHARS:
        longest = longest * 3 // 4
    told = "\n".join(_inside(_clipped(line, longest)) for line in lines)
    return f"{head}\n<turns>\n{told}\n</turns>"


def _line(event: Event) -> str:
    match event:
        case UserMessage():
            speaker = f"{event.author}, from outside" if event.is_external else "user"
            return f"[turn {event.turn}] {speaker}: {event.content}"
        case AgentReply():
            done = "; ".join(f"{one.change} {one.id} ({one.name})" for one in event.workflows_touched)
            return f"[turn {event.turn}] {event.author}: {event.content}" + (
                f"\n[did] {done}" if done else ""
            )
        case SystemEvent():
            return f"[note] {event.content}"


def _clipped(line: str, most: int) -> str:
    half = most // 2
    return line if len(line) <= most else f"{line[:half]} [...] {line[len(line) - half :]}"


def _inside(text: str) -> str:
    """Return text that cannot close its frame."""
    return text.replace("</", "<\\/")
