"""A run as those who watch it see it: text as it comes, tool calls and their results."""

from dataclasses import dataclass, field

from pydantic_ai.messages import (
    AgentStreamEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolReturnPart,
)
from pydantic_ai.run import AgentRunResultEvent

from workflow_agent.agent.evidence import Evidence
from workflow_agent.chat.streams import RunStream

_PARAGRAPH = "\n\n"


@dataclass(slots=True)
class Narration:
    """Passes the events of an agent loop on, and keeps what was said.

    What is said in several steps becomes paragraphs of one reply, so that the reply is exactly the
    text that was streamed, whitespace included.
    """

    stream: RunStream
    evidence: Evidence
    _said: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        """Return everything said so far."""
        return "".join(self._said)

    def add(self, text: str) -> None:
        """Say something in a paragraph of its own."""
        self._say(_PARAGRAPH + text if self._said else text)

    def take(self, event: AgentStreamEvent | AgentRunResultEvent[str]) -> None:
        """Pass one event on; those that nobody watches for are left out."""
        match event:
            case PartStartEvent(part=TextPart(content=text)):
                self.add(text)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                self._say(text)
            case FunctionToolCallEvent(part=call):
                asked = {"id": call.tool_call_id, "name": call.tool_name, "args": call.args_as_dict()}
                self.stream.publish("tool_call", asked)
            case FunctionToolResultEvent(part=ToolReturnPart() as result):
                duration_ms = self.evidence.durations_ms.get(result.tool_call_id)
                answered = {"id": result.tool_call_id, "name": result.tool_name, "outcome": result.outcome}
                self.stream.publish("tool_result", {**answered, "duration_ms": duration_ms})
            case _:
                pass

    def _say(self, text: str) -> None:
        if text:
            self._said.append(text)
            self.stream.publish("delta", {"text": text})
