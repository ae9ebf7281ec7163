"""A run's events as OpenAI's typed events of a response."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from fastapi import Request

from workflow_agent.api.openai.response_object import (
    answer_id,
    output_item,
    output_text,
    response_object,
)
from workflow_agent.api.openai_errors import openai_error
from workflow_agent.api.streaming import problem_of
from workflow_agent.chat import RunEvent
from workflow_agent.domain.conversation import Conversation, Usage
from workflow_agent.domain.runs import Run

Typed = tuple[str, dict[str, Any]]


@dataclass(slots=True)
class ResponseEvents:
    """Writes events with gapless sequence numbers, the same each time the run's stream is read.

    Args:
        conversation: As it was when the message was accepted.
        run: What makes the response.
        request: Who asks.
        after: The sequence number of the last event that arrived; -1 for none.
    """

    conversation: Conversation
    run: Run
    request: Request
    after: int = -1
    _sequence: int = 0
    _text: str = ""
    _is_open: bool = False

    def render(self, event: RunEvent) -> bytes:
        """Return what an event of the run is on the wire."""
        return b"".join(self._numbered(kind, data) for kind, data in self._told(event))

    def _numbered(self, kind: str, data: dict[str, Any]) -> bytes:
        number, self._sequence = self._sequence, self._sequence + 1
        if number <= self.after:
            return b""
        whole = {"type": kind, "sequence_number": number, **data}
        return b"event: %s\ndata: %s\n\n" % (kind.encode(), orjson.dumps(whole))

    def _told(self, event: RunEvent) -> Iterator[Typed]:
        match event.name:
            case "start":
                begun = {"response": self._response("in_progress", [])}
                yield "response.created", begun
                yield "response.in_progress", begun
            case "delta":
                yield from self._opening()
                self._text += event.data["text"]
                yield (
                    "response.output_text.delta",
                    {**self._place(), "delta": event.data["text"], "logprobs": []},
                )
            case "complete":
                yield from self._completing(event.data)
            case "error":
                error = openai_error(problem_of(event.data, self.request.scope))["error"]
                failed = self._response("failed", [])
                failed["error"] = {"code": "server_error", "message": error["message"]}
                yield "error", {"code": error["code"], "message": error["message"], "param": error["param"]}
                yield "response.failed", {"response": failed}
            case _:
                return

    def _opening(self) -> Iterator[Typed]:
        if self._is_open:
            return
        self._is_open = True
        item = output_item(answer_id(self.run), None)
        yield "response.output_item.added", {"output_index": 0, "item": item}
        yield "response.content_part.added", {**self._place(), "part": output_text("")}

    def _completing(self, outcome: dict[str, Any]) -> Iterator[Typed]:
        text = str(outcome["response"])
        yield from self._opening()
        if not self._text:
            yield "response.output_text.delta", {**self._place(), "delta": text, "logprobs": []}
        item = output_item(answer_id(self.run), text)
        yield "response.output_text.done", {**self._place(), "text": text, "logprobs": []}
        yield "response.content_part.done", {**self._place(), "part": output_text(text)}
        yield "response.output_item.done", {"output_index": 0, "item": item}
        usage = Usage.model_validate(outcome["usage"])
        yield "response.completed", {"response": self._response("completed", [item], usage)}

    def _place(self) -> dict[str, Any]:
        return {"item_id": answer_id(self.run), "output_index": 0, "content_index": 0}

    def _response(
        self, status: str, output: list[dict[str, Any]], usage: Usage | None = None
    ) -> dict[str, Any]:
        return response_object(self.conversation, self.run, status, output, usage)
