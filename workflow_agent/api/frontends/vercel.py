"""Chats of Vercel's AI SDK: its UI message stream over a turn."""

from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Body, Query, Request
from pydantic import ValidationError
from pydantic_ai.ui.vercel_ai import VercelAIAdapter, VercelAIEventStream
from pydantic_ai.ui.vercel_ai.request_types import (
    FileUIPart,
    RegenerateMessage,
    RequestData,
    TextUIPart,
    UIMessage,
    UIMessagePart,
)
from starlette.responses import Response

from workflow_agent.api.event_stream import EventStream, stream_of, with_heartbeats
from workflow_agent.api.frontends.events import native_events
from workflow_agent.api.openai.histories import start
from workflow_agent.api.openai.texts import Sent, script_of
from workflow_agent.api.openai.turn_requests import Ask, conversation_of_chat, headers_of, is_repeated
from workflow_agent.api.parameters import IdempotencyKey, Tenant, TheServices, user_of
from workflow_agent.api.replies import event_stream
from workflow_agent.api.route_class import StrictRoute
from workflow_agent.api.services import Services
from workflow_agent.errors import InvalidInput
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.parser import problems_of

router = APIRouter(prefix="/api/v1", tags=["front ends"], route_class=StrictRoute, include_in_schema=False)
SdkVersion = Annotated[Literal["5", "6", "7"], Query(description="Major version of the `ai` package.")]


@router.post(
    "/vercel-ai",
    operation_id="vercel_ai_chat",
    status_code=200,
    response_class=EventStream,
    responses=event_stream(409, 422, 429),
)
async def vercel_ai_chat(
    request: Request,
    body: Annotated[JsonObject, Body()],
    services: TheServices,
    tenant: Tenant,
    key: IdempotencyKey,
    sdk: SdkVersion = "5",
) -> Response:
    """Answer the last message of a `useChat` chat; its id names the conversation."""
    started = await start(services, tenant, _ask(request, _run_input(body), services, key))
    encoder: VercelAIEventStream[Any, Any] = VercelAIEventStream(
        accept=request.headers.get("accept"), sdk_version=_VERSIONS[sdk]
    )
    native = native_events(await stream_of(started), started.asked)
    told = encoder.encode_stream(encoder.transform_stream(native))
    head = headers_of(started, ()) | dict(encoder.response_headers or {})
    return EventStream(with_heartbeats((text.encode() async for text in told), request), head)


_VERSIONS: dict[str, Literal[5, 6, 7]] = {"5": 5, "6": 6, "7": 7}


def _run_input(body: JsonObject) -> RequestData:
    try:
        return VercelAIAdapter.build_run_input(orjson.dumps(body))
    except ValidationError as error:
        problems = problems_of(error, body)
        raise InvalidInput(f"This is no request of the AI SDK: {problems[0].message}", problems) from error


def _ask(request: Request, run_input: RequestData, services: Services, key: str | None) -> Ask:
    sent = [_sent(message, at) for at, message in enumerate(run_input.messages)]
    is_again = isinstance(run_input, RegenerateMessage)
    script = script_of(sent, "/messages")
    return Ask(
        script=script,
        agent=None,
        conversation_id=conversation_of_chat(run_input.id),
        author=user_of(request, None),
        is_repeated=is_repeated(request.headers),
        attachments=script.files,
        # Asked for once more on purpose, the same words are another message.
        key=key or (services.new_id("again") if is_again else None),
    )


def _sent(message: UIMessage, at: int) -> Sent:
    """Return a message's text; what the assistant did beside it is on record here already."""
    is_user = message.role == "user"
    parts = [_part(part) for part in message.parts if is_user or isinstance(part, TextUIPart)]
    return Sent(message.role, parts, f"/messages/{at}")


def _part(part: UIMessagePart) -> JsonObject:
    match part:
        case TextUIPart():
            return {"type": "text", "text": part.text}
        case FileUIPart() if part.url.startswith("data:"):
            return {"type": "input_file", "filename": part.filename, "file_data": part.url}
        case _:
            return {"type": part.type}
