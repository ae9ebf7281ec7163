"""A run as those who watch it see it: text as it comes, tool calls and their results."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from pydantic_ai.messages import (
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
)
from typing_extensions import override

from workflow_agent.agent.evidence import Evidence
from workflow_agent.agent.replay import arguments_of
from workflow_agent.agent.watched_requests import Watcher
from workflow_agent.chat.streams import RunStream
from workflow_agent.domain.conversation import WorkflowTouch
from workflow_agent.domain.handoffs import Handoff
from workflow_agent.domain.iterations import ToolResult
from workflow_agent.domain.transcript import may_become_echo, without_echo

_PARAGRAPH = "\n\n"


@dataclass(slots=True)
class Narration(Watcher):
    """Passes on what happens in an agent loop, and keeps what was said.

    What is said in several steps becomes paragraphs of one reply, so that the reply is exactly the
    text that was streamed, whitespace included.
    """

    stream: RunStream
    evidence: Evidence
    names: Collection[str] = ()
    """Of the agents: a model that sees `[name]:` before others' messages may write it before its own."""
    on_first_chunk: Callable[[float], None] = field(default=lambda _: None)
    """Learns after how many seconds the model began to answer, at each request."""
    _said: list[str] = field(default_factory=list[str])
    _held: str = ""
    """The beginning, while it may still be such a name."""

    @property
    def text(self) -> str:
        """Return everything that was said; call it when nothing more comes."""
        self._let_go(without_echo(self._held, self.names))
        return "".join(self._said)

    def add(self, text: str) -> None:
        """Say something in a paragraph of its own."""
        self._say(_PARAGRAPH + text if self._said or self._held else text)

    @override
    def began(self, seconds: float) -> None:
        self.on_first_chunk(seconds)

    @override
    def took(self, event: ModelResponseStreamEvent) -> None:
        match event:
            case PartStartEvent(part=TextPart(content=text)):
                self.add(text)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                self._say(text)
            case _:
                pass

    @override
    def asked(self, call: ToolCallPart) -> None:
        asked = {"id": call.tool_call_id, "name": call.tool_name, "args": arguments_of(call)}
        self.stream.publish("tool_call", asked)

    @override
    def answered(self, result: ToolResult) -> None:
        duration_ms = self.evidence.durations_ms.get(result.id)
        answered = {"id": result.id, "name": result.name, "outcome": result.outcome}
        self.stream.publish("tool_result", {**answered, "duration_ms": duration_ms})

    def _say(self, text: str) -> None:
        if self._said:
            self._let_go(text)
            return
        self._held += text
        begun = without_echo(self._held, self.names)
        if not may_become_echo(begun, self.names):
            self._let_go(begun)

    def _let_go(self, text: str) -> None:
        self._held = ""
        if text:
            self._said.append(text)
            self.stream.publish("delta", {"text": text})


def taken_over_note(confirmed: Handoff) -> str:
    """Return what an agent says first that does what another one offered and may not do."""
    return f"{confirmed.by} changes nothing, so {confirmed.to} takes this over."


def stopped_note(max_iterations: int, touched: Sequence[WorkflowTouch], answered: Sequence[str]) -> str:
    """Return what a run that used up its steps says: what it has done, and how to go on.

    Args:
        max_iterations: How many steps it had.
        touched: The workflows it dealt with.
        answered: The tools that gave an answer, one name for each time.
    """
    steps = "1 step" if max_iterations == 1 else f"{max_iterations} steps"
    done = _done_so_far(touched, answered)
    return f"I stopped after {steps}, the limit for one message. {done} Tell me how to go on."


def _done_so_far(touched: Sequence[WorkflowTouch], answered: Sequence[str]) -> str:
    changed = [touch for touch in touched if touch.change in ("created", "modified", "deleted")]
    if changed:
        listed = "; ".join(f"{touch.change} {touch.name!r} (version {touch.version})" for touch in changed)
        return f"Until then I {listed}."
    if not answered:
        return "No tool gave an answer, and no workflow was changed."
    times = Counter(answered)
    listed = ", ".join(name if count == 1 else f"{name} ({count} times)" for name, count in times.items())
    return f"No workflow was changed; these tools gave me answers: {listed}."
