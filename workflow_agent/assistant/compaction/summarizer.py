"""The summariser: sums up turns that leave the window, or says why it could not."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_ai import direct, exceptions
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    RetryInfo,
    ToolRetryCause,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.tools import ToolDefinition

from workflow_agent.assistant.compaction.checks import why_unusable
from workflow_agent.assistant.compaction.compaction import Summarised
from workflow_agent.assistant.compaction.evidence import MOST_UNSUPPORTED, Evidence, supported
from workflow_agent.assistant.compaction.text import ledger_text, summary_text
from workflow_agent.assistant.providers import price_of, usage_of
from workflow_agent.conversations.compactions import Ledger, Summary
from workflow_agent.conversations.document import AgentReply, Event, SystemEvent, UserMessage
from workflow_agent.values.tokens import RunCosts, Usage

Answer = TypeVar("Answer")
Spent = Callable[[Usage, Decimal | None], None]


@dataclass(frozen=True)
class Form(Generic[Answer]):
    """The form of an answer: a tool that the model is to call with it."""

    tool: ToolDefinition
    read: Callable[[dict[str, Any]], Answer]
    """Raises `ValidationError` where the arguments are no answer."""

    @classmethod
    def of(cls, name: str, kind: type[BaseModel], read: Callable[[dict[str, Any]], Answer]) -> "Form[Answer]":
        """Return the form with the fields of a model."""
        schema = kind.model_json_schema()
        schema.pop("title", None)
        about = schema.pop("description", None)
        return cls(ToolDefinition(name=name, parameters_json_schema=schema, description=about, kind="output"), read)

    def answer_in(self, response: ModelResponse) -> Answer:
        """Return the answer in a response.

        Raises:
            ToolRetryError: There is none; says to the model why.
        """
        calls = [call for call in response.tool_calls if call.tool_name == self.tool.name]
        if not calls:
            told = "Please include your response in a tool call."
            raise exceptions.ToolRetryError(RetryFeedbackPart(content=told, retry=RetryInfo(cause="no_output")))
        try:
            return self.read(calls[0].args_as_dict(raise_if_invalid=True))
        except ValidationError as error:
            wrong: object = error.errors(include_url=False, include_context=False)
        except (ValueError, AssertionError):
            wrong = "The arguments are no JSON object."
        name, call_id = calls[0].tool_name, calls[0].tool_call_id
        info = RetryInfo[ToolRetryCause](cause="validation_error")
        raise exceptions.ToolRetryError(ToolReturnPart(name, wrong, call_id, outcome="retried", retry=info))


@dataclass(frozen=True, slots=True)
class Aside:
    """Whom to ask beside the conversation, and how.

    It asks the model directly: an agent's run around one request takes ten times the request.
    """

    model: Model
    instructions: str
    spent: Spent
    """Takes what each response took, also where the answer is of no use."""
    timeout_seconds: float
    """For the answer, asking again included."""
    is_streamed: bool = True
    """As models are asked that answer the user; one that does nothing else need not be able to."""
    instrumentation: InstrumentationSettings | None = None
    """Where spans are taken; without it none are begun."""

    async def text(self, document: str) -> str:
        """Return a model's answer to one document, which is data, in its own words.

        Raises:
            AgentRunError, FallbackExceptionGroup, UserError: The model or its provider failed.
            TimeoutError: It took too long.
        """
        async with asyncio.timeout(self.timeout_seconds):
            response = await self._asked([_request(document)], ModelRequestParameters())
        if not response.text:
            raise exceptions.UnexpectedModelBehavior("The model gave no answer.")
        return response.text

    async def filled(self, document: str, form: Form[Answer], retries: int = 0) -> Answer:
        """Return a form that the model filled in, by calling the form's tool.

        Raises:
            AgentRunError, FallbackExceptionGroup, UserError: The model or its provider failed, or did not
                fill the form in however often it was asked.
            TimeoutError: It took too long.
        """
        parameters = ModelRequestParameters(output_mode="tool", output_tools=[form.tool], allow_text_output=False)
        messages: list[ModelMessage] = [_request(document)]
        async with asyncio.timeout(self.timeout_seconds):
            for _ in range(retries + 1):
                response = await self._asked(messages, parameters)
                try:
                    return form.answer_in(response)
                except exceptions.ToolRetryError as error:
                    told = ModelRequest(parts=[error.tool_retry], timestamp=datetime.now(UTC))
                    messages += [response, told]
        raise exceptions.UnexpectedModelBehavior(f"Exceeded maximum output retries ({retries})")

    async def _asked(self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> ModelResponse:
        parameters = replace(parameters, instruction_parts=[InstructionPart(content=self.instructions)])
        observed = self.instrumentation or False
        if not self.is_streamed:
            response = await direct.model_request(
                self.model, messages, model_request_parameters=parameters, instrument=observed
            )
            self._paid(response)
            return response
        async with direct.model_request_stream(
            self.model, messages, model_request_parameters=parameters, instrument=observed
        ) as streamed:
            try:
                async for _ in streamed:
                    pass
            finally:
                self._paid(streamed.get())
        return streamed.get()

    def _paid(self, response: ModelResponse) -> None:
        # One that never began is no request that anybody is charged for.
        if response.parts or response.usage.has_values():
            self.spent(usage_of(response), price_of(response))


def _request(document: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(document)], timestamp=datetime.now(UTC))


_CHARS_PER_TOKEN = 3
_SHARE_OF_WINDOW = 0.6
_LEAST_CHARS = 200
_SUMMARY = Form[Summary].of("final_result", Summary, Summary.model_validate)


@dataclass(frozen=True, slots=True)
class Material:
    """What is to be summed up."""

    earlier: Summary | None
    """The summary so far."""
    ledger: Ledger
    events: Sequence[Event]
    """Whole turns, oldest first."""


@dataclass(frozen=True, slots=True)
class Summarizer:
    """Makes summaries with a model of its own."""

    model: Model
    prompt: str
    timeout_seconds: float
    """For one summary, all its requests together."""
    window_tokens: int
    """What the model can read at once, where its profile does not say."""
    instrumentation: InstrumentationSettings | None = None

    async def summarise(self, material: Material, count: Callable[[str], int]) -> Summarised:
        """Return a summary that may stand for the turns, or why there is none."""
        read_at_once = self.model.context_window or self.window_tokens
        source = material_text(material, int(read_at_once * _SHARE_OF_WINDOW) * _CHARS_PER_TOKEN)
        costs, started = RunCosts(), time.perf_counter()

        def spent(usage: Usage, price: Decimal | None) -> None:
            nonlocal costs
            costs = costs.with_call("summarizer", usage, price)

        summary, fallback = await self._asked(source, spent)
        if summary is not None:
            fallback = why_unusable(summary, source, self.prompt, count)
        unsupported: tuple[str, ...] = ()
        if summary is not None and fallback is None:
            summary, unsupported, checked = supported(summary, evidence_of(material))
            if len(unsupported) > MOST_UNSUPPORTED * checked or not summary_text(summary).strip():
                fallback = f"{len(unsupported)} of its {checked} sentences are not in the turns"
        elapsed_ms = round((time.perf_counter() - started) * 1_000, 3)
        return Summarised(
            summary=summary if fallback is None else None,
            fallback=fallback,
            model=self.model.model_name,
            usage=costs.usage,
            cost=costs.cost,
            duration_ms=elapsed_ms,
            unsupported=unsupported,
        )

    async def _asked(self, source: str, spent: Spent) -> tuple[Summary | None, str | None]:
        observed = self.instrumentation
        aside = Aside(self.model, self.prompt, spent, self.timeout_seconds, is_streamed=False, instrumentation=observed)
        try:
            return await aside.filled(source, _SUMMARY, retries=1), None
        except TimeoutError:
            return None, f"no summary within {self.timeout_seconds:g} seconds"
        except (exceptions.AgentRunError, exceptions.FallbackExceptionGroup, exceptions.UserError) as error:
            return None, f"the summariser failed: {type(error).__name__}"


def evidence_of(material: Material) -> Evidence:
    """Return what a summary of the material may say."""
    earlier = summary_text(material.earlier) if material.earlier else ""
    return Evidence(f"{earlier}\n{ledger_text(material.ledger)}", material.events)


def material_text(material: Material, most_chars: int) -> str:
    """Return what is to be summed up as the model reads it: framed, and no longer than it can read.

    The longest messages give way first, visibly.
    """
    earlier = summary_text(material.earlier) if material.earlier else ""
    frames = [("summary_so_far", earlier or "none"), ("ledger", ledger_text(material.ledger))]
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
            return f"[turn {event.turn}] {event.author}: {event.content}" + (f"\n[did] {done}" if done else "")
        case SystemEvent():
            return f"[note] {event.content}"


def _clipped(line: str, most: int) -> str:
    half = most // 2
    return line if len(line) <= most else f"{line[:half]} [...] {line[len(line) - half :]}"


def _inside(text: str) -> str:
    """Return text that cannot close its frame."""
    return text.replace("</", "<\\/")
