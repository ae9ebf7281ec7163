"""A model that reads one workflow and then answers, for the service and for the bare agent alike."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

TOOL = "get_workflow"
WORKFLOW = "wf_expense_approval"
MESSAGE = "What does the expense approval do?"
ARGUMENTS = json.dumps({"workflow": WORKFLOW})
DELTAS = ("It has six steps: ", "the manager approves, ", "finance pays, ", "and the employee is told.")
PLAN = json.dumps({"artifacts": [], "reasoning": "The question is about the workflow alone."})


@dataclass
class ReadingModel:
    """Calls the tool once for each message, then answers in a few pieces."""

    seconds: float = 0.0
    """How long each request takes beside the processor's time."""
    pieces: Sequence[str] = DELTAS
    reads: bool = True
    """Whether it reads the workflow before it answers."""
    noted: Callable[[list[ModelMessage], AgentInfo], None] = field(default=lambda *_: None)
    """Sees every request."""

    def model(self) -> FunctionModel:
        """Return it as a model, streamed or not."""
        return FunctionModel(self._whole, stream_function=self._streamed, model_name="reading")

    async def _waited(self, messages: list[ModelMessage], info: AgentInfo) -> None:
        self.noted(messages, info)
        if self.seconds:
            await asyncio.sleep(self.seconds)

    async def _whole(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if info.output_tools:
            return ModelResponse([ToolCallPart(*_structured(messages, info))])
        await self._waited(messages, info)
        if not self.reads or _has_read(messages):
            return ModelResponse([TextPart("".join(self.pieces))])
        return ModelResponse([ToolCallPart(TOOL, ARGUMENTS, f"call_{len(messages)}")])

    async def _streamed(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        if info.output_tools:
            yield {0: DeltaToolCall(*_structured(messages, info), tool_call_id="call_structured")}
            return
        await self._waited(messages, info)
        if self.reads and not _has_read(messages):
            yield {0: DeltaToolCall(TOOL, ARGUMENTS, tool_call_id=f"call_{len(messages)}")}
            return
        for piece in self.pieces:
            yield piece


def _structured(messages: list[ModelMessage], info: AgentInfo) -> tuple[str, str]:
    """Return the name and the arguments of the output tool that is asked for: of a plan, or of a summary."""
    wanted = info.output_tools[0]
    is_plan = "artifacts" in wanted.parameters_json_schema.get("properties", {})
    return wanted.name, PLAN if is_plan else json.dumps({"text": _summary_of(messages)})


def _summary_of(messages: list[ModelMessage]) -> str:
    """Return the latest reply of the turns that are summed up: what they do not say would not be used."""
    told = "\n".join(str(part.content) for part in messages[-1].parts if isinstance(part, UserPromptPart))
    return told.partition("</turns>")[0].strip().splitlines()[-1].partition(": ")[2]


def _has_read(messages: list[ModelMessage]) -> bool:
    return messages[-1].parts[-1].part_kind == "tool-return"
