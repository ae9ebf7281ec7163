"""A run's events as OpenAI's typed events of a response."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import orjson
from fastapi import Request

from workflow_agent.api.event_stream import Voices, problem_of
from workflow_agent.api.openai.completions import spent
from workflow_agent.api.openai.response_object import (
    Recorded,
    answer_id,
    incomplete,
    output_item,
    output_text,
    response_object,
    server_error,
)
from workflow_agent.api.openai.texts import finish_named
from workflow_agent.api.openai_errors import openai_error
from workflow_agent.assistant.requests import RunEvent

Typed = tuple[str, dict[str, Any]]


@dataclass(slots=True)
class ResponseEvents:
    """Writes events with gapless sequence numbers, the same each time the run's stream is read.

    Args:
        recorded: The response, as it was when the message was accepted or later.
        request: Who asks.
        after: The sequence number of the last event that arrived; -1 for none.
    """

    recorded: Recorded
    request: Request
    after: int = -1
    reply: str | None = field(default=None, init=False)
    """The whole answer, once it is complete."""
    _voices: Voices = field(init=False)
    _sequence: int = field(default=0, init=False)
    _done: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]], init=False)
    """The items that are complete: one for each agent that answered."""
    _writing: "_Item | None" = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._voices = Voices(self.recorded.first.asked)

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
                yield from self._begun(event.data)
            case "delta" if self._writing:
                yield from self._writing.said(event.data["text"])
            case "complete":
                yield from self._finished()
                self.reply = "".join(item["content"][0]["text"] for item in self._done)
                yield self._complete(event.data)
            case "error":
                yield from self._failed(event.data)
            case _:
                return

    def _complete(self, data: dict[str, Any]) -> Typed:
        finish = finish_named([one["finish_reason"] for one in (*data["other_replies"], data)])
        if finish == "stop":
            return "response.completed", {"response": self._response("completed", data)}
        whole = self._response("incomplete", data) | {"incomplete_details": incomplete(finish)}
        return "response.incomplete", {"response": whole}

    def _begun(self, data: dict[str, Any]) -> Iterator[Typed]:
        if self._writing is None:
            begun = {"response": self._response("in_progress")}
            yield "response.created", begun
            yield "response.in_progress", begun
        else:
            yield from self._finished()
        name = self._voices.next(data["agent"])
        self._writing = _Item(answer_id(data["run_id"]), len(self._done), name)

    def _finished(self) -> Iterator[Typed]:
        if self._writing is not None:
            yield from self._writing.closed()
            self._done.append(output_item(self._writing.id, self._writing.text))

    def _failed(self, data: dict[str, Any]) -> Iterator[Typed]:
        if data.get("status") == "cancelled":
            # Somebody wanted it so: that is an end like any other, and no error.
            yield "response.incomplete", {"response": self._response("cancelled")}
            return
        error = openai_error(problem_of(data, self.request.scope))["error"]
        yield "error", {"code": error["code"], "message": error["message"], "param": error["param"]}
        failed = self._response("failed") | {"error": server_error(error["message"])}
        yield "response.failed", {"response": failed}

    def _response(self, status: str, outcome: dict[str, Any] | None = None) -> dict[str, Any]:
        if outcome is None:
            return response_object(self.recorded, status, self._done, None, None)
        took_ms = sum(one["duration_ms"] or 0 for one in (*outcome["other_replies"], outcome))
        completed_at = self.recorded.first.accepted_at + timedelta(milliseconds=took_ms)
        return response_object(self.recorded, status, self._done, spent(outcome), completed_at)


@dataclass(slots=True)
class _Item:
    """One agent's answer as it is written."""

    id: str
    index: int
    name: str
    """What it says before anything else."""
    text: str = ""
    _is_open: bool = False

    def said(self, text: str) -> Iterator[Typed]:
        """Yield what a piece of its text makes."""
        if not self._is_open:
            self._is_open = True
            yield ("response.output_item.added", {"output_index": self.index, "item": output_item(self.id, None)})
            yield "response.content_part.added", {**self._place(), "part": output_text("")}
            text = self.name + text
        self.text += text
        yield "response.output_text.delta", {**self._place(), "delta": text, "logprobs": []}

    def closed(self) -> Iterator[Typed]:
        """Yield what its end makes."""
        if not self._is_open:
            yield from self.said("")
        yield "response.output_text.done", {**self._place(), "text": self.text, "logprobs": []}
        yield "response.content_part.done", {**self._place(), "part": output_text(self.text)}
        item = output_item(self.id, self.text)
        yield "response.output_item.done", {"output_index": self.index, "item": item}

    def _place(self) -> dict[str, Any]:
        return {"item_id": self.id, "output_index": self.index, "content_index": 0}
