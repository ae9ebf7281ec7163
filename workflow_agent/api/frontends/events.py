"""A run's events as Pydantic AI's own, for the encoders that come with it."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

from pydantic_ai.messages import (
    AgentStreamEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
)

from workflow_agent.api.event_stream import Voices
from workflow_agent.assistant.streams import RunEvent, RunEvents
from workflow_agent.values.stored import JsonObject

_OUTCOMES = ("success", "failed", "denied", "interrupted")


class RunFailed(Exception):
    """The run ended with an error; its text is fit to be shown."""


async def native_events(stream: RunEvents, asked: Sequence[str]) -> AsyncIterator[AgentStreamEvent]:
    """Yield what an agent loop would, from a run's stream.

    Args:
        stream: The run's events.
        asked: The agents the message is for; where several answer, each says its name first.

    Raises:
        RunFailed: The run failed; encoders turn it into an error of their protocol.
    """
    parts = _Parts(Voices(asked))
    async for event in stream.events():
        if event.name == "error":
            raise RunFailed(str(event.data.get("detail", "The run failed.")))
        for native in parts.of(event):
            yield native


@dataclass(slots=True)
class _Parts:
    """The parts of the agent's messages as they begin and end; one is open at a time."""

    voices: Voices
    _index: int = -1
    _text: str = ""
    _is_open: bool = False
    _name: str = ""
    """What the agent that speaks says first."""
    _speaker: int = 0
    """How many agents have spoken with the one that does."""

    def of(self, event: RunEvent) -> Iterator[AgentStreamEvent]:
        """Yield the native events that one of ours stands for."""
        match event.name:
            case "start":
                yield from self._closed()
                self._speaker += 1
                self._name = self.voices.next(str(event.data["agent"])).lstrip()
            case "delta":
                yield from self._said(self._name + str(event.data["text"]))
                self._name = ""
            case "tool_call":
                yield from self._closed()
                yield from self._called(event.data)
            case "tool_result":
                yield FunctionToolResultEvent(part=_result(event.data, self._id(event.data)))
            case "complete":
                yield from self._closed()
            case _:
                return

    def _said(self, text: str) -> Iterator[AgentStreamEvent]:
        if not text:
            return
        self._text += text
        if self._is_open:
            yield PartDeltaEvent(index=self._index, delta=TextPartDelta(text))
            return
        self._is_open = True
        self._index += 1
        yield PartStartEvent(index=self._index, part=TextPart(text))

    def _closed(self) -> Iterator[AgentStreamEvent]:
        if self._is_open:
            yield PartEndEvent(index=self._index, part=TextPart(self._text))
        self._is_open, self._text = False, ""

    def _called(self, data: JsonObject) -> Iterator[AgentStreamEvent]:
        self._index += 1
        part = ToolCallPart(data["name"], data["args"], self._id(data))
        yield PartStartEvent(index=self._index, part=part)
        yield PartEndEvent(index=self._index, part=part)
        yield FunctionToolCallEvent(part=part)

    def _id(self, data: JsonObject) -> str:
        # Two models may count their calls alike, and clients put together what has one id.
        return str(data["id"]) if self._speaker <= 1 else f"{data['id']}_{self._speaker}"


def _result(data: JsonObject, call_id: str) -> ToolReturnPart:
    """Return a tool's result as far as a stream tells it: how it ended; the whole of it is in the turn."""
    told = {"outcome": data["outcome"], "duration_ms": data["duration_ms"]}
    outcome = data["outcome"] if data["outcome"] in _OUTCOMES else "failed"
    return ToolReturnPart(data["name"], told, call_id, outcome=outcome)
