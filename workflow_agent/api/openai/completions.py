"""Chat completions: a turn as one object, or as chunks."""

from typing import Annotated

from fastapi import APIRouter, Body, Request
from starlette.responses import Response

from workflow_agent.api.attachments import new_attachments
from workflow_agent.api.openai.asking import Ask, conversation_named, is_repeated
from workflow_agent.api.openai.chunks import Chunks, completion
from workflow_agent.api.openai.headers import headers_of
from workflow_agent.api.openai.histories import remember, remembering
from workflow_agent.api.openai.honouring import ignored_parameters
from workflow_agent.api.openai.models import agent_of
from workflow_agent.api.openai.requests import CompletionRequest
from workflow_agent.api.openai.starting import start
from workflow_agent.api.openai.texts import Sent, script_of
from workflow_agent.api.parameters import IdempotencyKey, Tenant, TheServices
from workflow_agent.api.replies import json_reply
from workflow_agent.api.routing import StrictRoute
from workflow_agent.api.services import Services
from workflow_agent.api.streaming import EventStream, frames, stream_of
from workflow_agent.api.voices import told

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
        text = "".join(told(started.asked, outcome.replies))
        await remember(services, tenant, ask, outcome.conversation_id, text)
        return json_reply(completion(outcome, body.model, text), headers=head)
    chunks = Chunks(
        started, body.model, int(services.clock().timestamp()), request,
        with_usage=bool(body.stream_options and body.stream_options.include_usage),
    )  # fmt: skip
    written = frames(await stream_of(started), request, chunks.render)
    kept = remembering(written, lambda: chunks.reply, services, tenant, ask, started.conversation_id)
    return EventStream(kept, head)


def _ask(request: Request, body: CompletionRequest, services: Services, key: str | None) -> Ask:
    sent = [Sent(one.role, one.content, f"/messages/{at}") for at, one in enumerate(body.messages)]
    script = script_of(sent, "/messages")
    named = (body.metadata or {}).get("conversation_id")
    return Ask(
        script=script,
        agent=agent_of(body.model, services.agents),
        conversation_id=conversation_named(request.headers, named, "/metadata/conversation_id"),
        author=body.user or "user",
        is_repeated=is_repeated(request.headers),
        key=key,
        attachments=new_attachments(body.attachments) + script.files,
    )
