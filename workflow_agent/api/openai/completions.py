"""Chat completions: a turn as one object, or as chunks."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson
from fastapi import Request
from pydantic import ValidationError
from starlette.responses import Response

from workflow_agent.api.dependencies import IdempotencyKey, Services, TheServices, user_of
from workflow_agent.api.event_stream import EventStream, Voices, frames, problem_of, stream_of, told
from workflow_agent.api.native.chat import new_attachments
from workflow_agent.api.native.request_shapes import NewFeedback
from workflow_agent.api.native.turns import keep_rating
from workflow_agent.api.openai.histories import remember, remembering, start
from workflow_agent.api.openai.parameters import CompletionRequest, MetadataChange, ignored_parameters
from workflow_agent.api.openai.response_object import recorded_response, response_id
from workflow_agent.api.openai.texts import Sent, finish_named, script_of, takes_no_tool, task_answer
from workflow_agent.api.openai.turn_requests import MODEL, Ask, agent_of, conversation_named, headers_of, is_repeated
from workflow_agent.api.openai_errors import openai_error
from workflow_agent.api.routes import json_reply, routes_at
from workflow_agent.assistant.requests import RunEvent, StartedTurn, TurnOutcome
from workflow_agent.errors import InvalidInput, NotFound, Problem
from workflow_agent.values.tokens import Usage, usage_of_all
from workflow_agent.workflows.model.parser import problems_of


def completion(outcome: TurnOutcome, model: str, text: str) -> dict[str, Any]:
    """Return a whole answer."""
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    finish_reason = finish_named([reply.finish_reason for reply in outcome.replies])
    return {
        "id": f"chatcmpl-{outcome.run_id}",
        "object": "chat.completion",
        "created": int(outcome.reply.at.timestamp()),
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason}],
        "usage": _usage(usage_of_all(reply.usage for reply in outcome.replies)),
    }


def _usage(usage: Usage) -> dict[str, Any] | None:
    """Return the tokens of a turn, all its model requests together, as OpenAI counts them, if known."""
    if not usage.is_complete:
        return None
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
    voices: Voices
    reply: str | None = None
    """The whole answer, once it is complete."""
    _said: list[str] = field(default_factory=list[str], init=False)
    _has_role: bool = field(default=False, init=False)

    def render(self, event: RunEvent) -> bytes:
        """Return what an event is on the wire; nothing for what OpenAI has no words for."""
        match event.name:
            case "start":
                return self._role() + self._text(self.voices.next(event.data["agent"]))
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
        replies = (*outcome["other_replies"], outcome)
        end = self._chunk({}, finish_named([one["finish_reason"] for one in replies]))
        counted = self._frame({"choices": [], "usage": _usage(spent(outcome))}) if self.with_usage else b""
        return end + counted + b"data: [DONE]\n\n"

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self._frame({"choices": [choice]} | ({"usage": None} if self.with_usage else {}))

    def _frame(self, content: dict[str, Any]) -> bytes:
        whole = {
            "id": f"chatcmpl-{self.started.run_id}",
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            **content,
        }
        return b"data: %s\n\n" % orjson.dumps(whole)


def spent(outcome: dict[str, Any]) -> Usage:
    """Return the tokens of all agents that answered, from the data of a `complete` event."""
    return usage_of_all(Usage.model_validate(one["usage"]) for one in (outcome, *outcome["other_replies"]))


_PREFIX = "chatcmpl-"
router = routes_at("/v1/chat", "openai", is_shown=False)


@router.post("/completions")
async def create_completion(
    request: Request, body: CompletionRequest, services: TheServices, key: IdempotencyKey
) -> Response:
    """Answer the last message of a chat."""
    ignored = ignored_parameters(body)
    _check_tool_messages(body)
    ask = _ask(request, body, services, key)
    aside = takes_no_tool(ask.script.instructions) or task_answer(ask.script.message)
    if aside is not None:
        return _answered_aside(aside, body, services)
    started = await start(services, ask)
    head = headers_of(started, ignored)
    if not body.stream:
        outcome = await started.outcome()
        text = "".join(told(started.asked, outcome.replies))
        await remember(services.keys, ask, outcome.conversation_id, text)
        return json_reply(completion(outcome, body.model, text), headers=head)
    chunks = Chunks(
        started,
        body.model,
        int(services.clock().timestamp()),
        request,
        with_usage=bool(body.stream_options and body.stream_options.include_usage),
        voices=Voices(started.asked),
    )
    written = frames(await stream_of(started), request, chunks.render)
    kept = remembering(written, lambda: chunks.reply, services.keys, ask, started.conversation_id)
    return EventStream(kept, head)


@router.post("/completions/{completion_id}")
async def update_completion(completion_id: str, body: MetadataChange, services: TheServices) -> Response:
    """Rate a completion by its metadata: `rating` is `up` or `down`, `note` says why."""
    given = completion_id.removeprefix(_PREFIX)
    recorded = await recorded_response(services, response_id(given), "completion_id")
    if recorded.outcome is None:
        raise NotFound(f"Completion {completion_id[:100]!r} has no reply to say anything of.")
    rating = _rating_in(body.metadata)
    await keep_rating(services, recorded.conversation_id, recorded.outcome.reply, rating)
    text = "".join(told([one.author for one in recorded.replies], recorded.replies))
    return json_reply(completion(recorded.outcome, MODEL, text))


def _rating_in(metadata: Mapping[str, str]) -> NewFeedback:
    """Return the rating that metadata of a completion says; nothing else of a completion can be changed."""
    try:
        return NewFeedback.model_validate(metadata)
    except ValidationError as error:
        problems = [replace(one, pointer=f"/metadata{one.pointer}") for one in problems_of(error, dict(metadata))]
        raise InvalidInput(
            "The metadata of a completion is a rating here: 'rating' is 'up' or 'down', 'note' says why.", problems
        ) from error


def _check_tool_messages(body: CompletionRequest) -> None:
    """Refuse what a tool returned without a call of it before, in OpenAI's words."""
    called: set[str] = set()
    for at, one in enumerate(body.messages):
        called.update(str(call.get("id")) for call in one.tool_calls or ())
        if one.role == "tool" and one.tool_call_id not in called:
            told = "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
            raise InvalidInput(
                f"Invalid parameter: {told}", [Problem(f"/messages/{at}/role", "answers no call before it")]
            )


def _answered_aside(text: str, body: CompletionRequest, services: Services) -> Response:
    """Return an answer that belongs to no conversation."""
    whole: dict[str, Any] = {
        "id": f"chatcmpl-{services.new_id('task')}",
        "created": int(services.clock().timestamp()),
        "model": body.model,
    }
    choice: dict[str, Any] = {"index": 0, "logprobs": None, "finish_reason": "stop"}
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if not body.stream:
        choice["message"] = message | {"refusal": None, "annotations": []}
        return json_reply(whole | {"object": "chat.completion", "choices": [choice], "usage": _usage(Usage())})
    choices: list[dict[str, Any]] = [choice | {"delta": message, "finish_reason": None}, choice | {"delta": {}}]
    chunks = [orjson.dumps(whole | {"object": "chat.completion.chunk", "choices": [one]}) for one in choices]
    written = b"".join(b"data: %s\n\n" % chunk for chunk in (*chunks, b"[DONE]"))
    return Response(written, media_type="text/event-stream")


def _ask(request: Request, body: CompletionRequest, services: Services, key: str | None) -> Ask:
    sent = [Sent(one.role, one.content, f"/messages/{at}") for at, one in enumerate(body.messages)]
    script = script_of(sent, "/messages")
    named = (body.metadata or {}).get("conversation_id")
    return Ask(
        script=script,
        agent=agent_of(body.model, services.agents),
        conversation_id=conversation_named(request.headers, named, "/metadata/conversation_id"),
        author=user_of(request, body.user or None),
        is_repeated=is_repeated(request.headers),
        key=key,
        attachments=new_attachments(body.attachments) + script.files,
        is_streamed=bool(body.stream),
    )
