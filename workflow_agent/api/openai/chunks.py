"""A turn as an object `chat.completion`, or as its chunks."""

from dataclasses import dataclass, field
from typing import Any

import orjson
from fastapi import Request

from workflow_agent.api.openai_errors import openai_error
from workflow_agent.api.streaming import problem_of
from workflow_agent.api.voices import Voices
from workflow_agent.chat import RunEvent, StartedTurn, TurnOutcome
from workflow_agent.domain.usage import Usage


def completion(outcome: TurnOutcome, model: str, text: str) -> dict[str, Any]:
    """Return a whole answer."""
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    usage = Usage()
    for reply in outcome.replies:
        usage = usage.plus(reply.usage)
    return {
        "id": f"chatcmpl-{outcome.run_id}",
        "object": "chat.completion",
        "created": int(outcome.reply.at.timestamp()),
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": _usage(usage),
    }


def _usage(usage: Usage) -> dict[str, Any]:
    """Return the tokens of a turn, all its model requests together, as OpenAI counts them."""
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read_tokens, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


@dataclass(slots=True)
class Chunks:
    """Writes a run's events as chunks of a completion.

    The first carries the role, `finish_reason` is null in all but the last, whose delta is empty.
    """

    started: StartedTurn
    model: str
    created: int
    request: Request
    with_usage: bool
    reply: str | None = None
    """The whole answer, once it is complete."""
    _voices: Voices = field(init=False)
    _said: list[str] = field(default_factory=list[str], init=False)
    _has_role: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._voices = Voices(self.started.asked)

    def render(self, event: RunEvent) -> bytes:
        """Return what an event is on the wire; nothing for what OpenAI has no words for."""
        match event.name:
            case "start":
                return self._role() + self._text(self._voices.next(event.data["agent"]))
            case "delta":
                return self._text(event.data["text"])
            case "complete":
                return self._last(event.data)
            case "error":
                problem = problem_of(event.data, self.request.scope)
                return b"data: %s\n\n" % orjson.dumps(openai_error(problem))
            case _:
                return b""

    def _role(self) -> bytes:
        if self._has_role:
            return b""
        self._has_role = True
        return self._chunk({"role": "assistant", "content": "", "refusal": None})

    def _text(self, text: str) -> bytes:
        self._said.append(text)
        return self._chunk({"content": text}) if text else b""

    def _last(self, outcome: dict[str, Any]) -> bytes:
        self.reply = "".join(self._said)
        end = self._chunk({}, "stop")
        counted = self._frame({"choices": [], "usage": _usage(spent(outcome))}) if self.with_usage else b""
        return end + counted + b"data: [DONE]\n\n"

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self._frame({"choices": [choice]} | ({"usage": None} if self.with_usage else {}))

    def _frame(self, content: dict[str, Any]) -> bytes:
        whole = {
            "id": f"chatcmpl-{self.started.run_id}", "object": "chat.completion.chunk",
            "created": self.created, "model": self.model, **content,
        }  # fmt: skip
        return b"data: %s\n\n" % orjson.dumps(whole)


def spent(outcome: dict[str, Any]) -> Usage:
    """Return the tokens of all agents that answered, from the data of a `complete` event."""
    total = Usage.model_validate(outcome["usage"])
    for other in outcome["other_replies"]:
        total = total.plus(Usage.model_validate(other["usage"]))
    return total
