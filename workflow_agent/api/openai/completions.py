"""Chat completions: a turn as one object, or as chunks."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Body, Request
from starlette.responses import Response

from workflow_agent.api.attachments import new_attachments
from workflow_agent.api.openai.asking import Ask, conversation_named, is_repeated, remember, start
from workflow_agent.api.openai.headers import headers_of
from workflow_agent.api.openai.models import agent_of
from workflow_agent.api.openai.requests import CompletionRequest, ignored_parameters
from workflow_agent.api.openai.texts import Sent, script_of
from workflow_agent.api.openai_errors import openai_error
from workflow_agent.api.parameters import IdempotencyKey, Tenant, TheServices
from workflow_agent.api.replies import json_reply
from workflow_agent.api.routing import StrictRoute
from workflow_agent.api.services import Services
from workflow_agent.api.streaming import EventStream, frames, problem_of, stream_of
from workflow_agent.chat import RunEvent
from workflow_agent.domain.conversation import Usage

router = APIRouter(prefix="/v1/chat", tags=["openai"], route_class=StrictRoute, include_in_schema=False)


@router.post("/completions", operation_id="openai_chat_completion")
async def create_completion(
    request: Request,
    body: Annotated[CompletionRequest, Body()],
    services: TheServices,
    tenant: Tenant,
    key: IdempotencyKey,
) -> Response:
    """Answer the last message of a chat."""
    ignored = ignored_parameters(body)
    ask = _ask(request, body, services, key)
    started = await start(services, tenant, ask)
    head = headers_of(started, ignored)
    if not body.stream:
        outcome = await started.outcome()
        await remember(services, tenant, ask, outcome.conversation_id, outcome.reply.content)
        at = int(outcome.reply.at.timestamp())
        usage = usage_of(outcome.reply.usage)
        return json_reply(
            completion(started.run_id, at, body.model, outcome.reply.content, usage), headers=head
        )
    chunks = Chunks(
        started.run_id, body.model, int(services.clock().timestamp()), request,
        with_usage=bool(body.stream_options and body.stream_options.include_usage),
    )  # fmt: skip
    told = frames(await stream_of(started), request, chunks.render)
    return EventStream(_remembering(told, chunks, services, tenant, ask, started.conversation_id), head)


async def _remembering(
    told: AsyncGenerator[bytes],
    chunks: "Chunks",
    services: Services,
    tenant: str,
    ask: Ask,
    conversation_id: str,
) -> AsyncGenerator[bytes]:
    """Yield the chunks; before the last, see to it that the next request finds this conversation."""
    async for chunk in told:
        if chunks.reply is not None:
            await remember(services, tenant, ask, conversation_id, chunks.reply)
        yield chunk


@dataclass(slots=True)
class Chunks:
    """Writes a run's events as chunks of a completion.

    The first carries the role, `finish_reason` is null in all but the last, whose delta is empty.
    """

    run_id: str
    model: str
    created: int
    request: Request
    with_usage: bool
    reply: str | None = None
    """The whole answer, once it is complete."""
    _has_role: bool = False
    _has_text: bool = False

    def render(self, event: RunEvent) -> bytes:
        """Return what an event is on the wire; nothing for what OpenAI has no words for."""
        match event.name:
            case "delta":
                self._has_text = True
                return self._first() + self._chunk({"content": event.data["text"]})
            case "complete":
                return self._first() + self._last(event.data)
            case "error":
                problem = problem_of(event.data, self.request.scope)
                return b"data: %s\n\n" % orjson.dumps(openai_error(problem))
            case "start":
                return self._first()
            case _:
                return b""

    def _first(self) -> bytes:
        if self._has_role:
            return b""
        self._has_role = True
        return self._chunk({"role": "assistant", "content": "", "refusal": None})

    def _last(self, outcome: dict[str, Any]) -> bytes:
        self.reply = str(outcome["response"])
        text = b"" if self._has_text else self._chunk({"content": self.reply})
        end = self._chunk({}, "stop")
        usage = usage_of(Usage.model_validate(outcome["usage"]))
        counted = self._frame({"choices": [], "usage": usage}) if self.with_usage else b""
        return text + end + counted + b"data: [DONE]\n\n"

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self._frame({"choices": [choice]} | ({"usage": None} if self.with_usage else {}))

    def _frame(self, content: dict[str, Any]) -> bytes:
        whole = {
            "id": f"chatcmpl-{self.run_id}", "object": "chat.completion.chunk", "created": self.created,
            "model": self.model, **content,
        }  # fmt: skip
        return b"data: %s\n\n" % orjson.dumps(whole)


def _ask(request: Request, body: CompletionRequest, services: Services, key: str | None) -> Ask:
    sent = [Sent(one.role, one.content, f"/messages/{at}") for at, one in enumerate(body.messages)]
    named = (body.metadata or {}).get("conversation_id")
    return Ask(
        script=script_of(sent, "/messages"),
        agent=agent_of(body.model, services.agents),
        conversation_id=conversation_named(request.headers, named, "/metadata/conversation_id"),
        author=body.user or "user",
        is_repeated=is_repeated(request.headers),
        key=key,
        attachments=new_attachments(body.attachments),
    )


def usage_of(usage: Usage) -> dict[str, Any]:
    """Return the tokens of a turn, all its model requests together, as OpenAI counts them."""
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read_tokens, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def completion(run_id: str, created: int, model: str, text: str, usage: dict[str, Any]) -> dict[str, Any]:
    """Return a whole answer."""
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    return {
        "id": f"chatcmpl-{run_id}",
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": usage,
    }
