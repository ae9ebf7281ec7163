"""Responses: a turn as an object with output items that can be asked for again, or as typed events."""

from collections.abc import AsyncGenerator
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Query, Request
from starlette.responses import Response

from workflow_agent.api.attachments import new_attachments
from workflow_agent.api.openai.asking import Ask, conversation_named, is_repeated, start
from workflow_agent.api.openai.branching import asked_after
from workflow_agent.api.openai.headers import headers_of
from workflow_agent.api.openai.items import listing
from workflow_agent.api.openai.models import agent_of
from workflow_agent.api.openai.requests import (
    ResponseRequest,
    ignored_parameters,
)
from workflow_agent.api.openai.response_events import ResponseEvents
from workflow_agent.api.openai.response_object import input_item, response_id, response_of, run_id_of
from workflow_agent.api.openai.texts import Script, Sent, script_of
from workflow_agent.api.openai_errors import ResponseNotFound
from workflow_agent.api.parameters import Flag, IdempotencyKey, Tenant, TheServices
from workflow_agent.api.replies import json_reply
from workflow_agent.api.routing import StrictRoute
from workflow_agent.api.services import Services
from workflow_agent.api.streaming import EventStream, frames, stream_of
from workflow_agent.chat import StartedTurn
from workflow_agent.domain.conversation import Conversation, UserMessage
from workflow_agent.domain.errors import InvalidInput, Problem, RunNotFound
from workflow_agent.domain.runs import Run

router = APIRouter(prefix="/v1/responses", tags=["openai"], route_class=StrictRoute, include_in_schema=False)


@router.post("", operation_id="openai_create_response")
async def create_response(
    request: Request,
    body: Annotated[ResponseRequest, Body()],
    services: TheServices,
    tenant: Tenant,
    key: IdempotencyKey,
) -> Response:
    """Answer an input, in a conversation, after an earlier response, or on its own."""
    ignored = ignored_parameters(body)
    ask = await _ask(request, body, services, tenant, key)
    started = await start(services, tenant, ask)
    head = headers_of(started, ignored)
    if body.stream:
        return EventStream(await _events(started, services, tenant, request), head)
    if not body.background:
        await started.outcome()
    found = await _response(services, tenant, response_id(started.run_id))
    return json_reply(response_of(*found), headers=head)


async def _ask(
    request: Request, body: ResponseRequest, services: Services, tenant: str, key: str | None
) -> Ask:
    if body.conversation is not None and body.previous_response_id is not None:
        message = "cannot be given together with `conversation`: either names what this goes on with"
        raise InvalidInput(f"previous_response_id {message}.", [Problem("/previous_response_id", message)])
    ask = Ask(
        script=_script(body), agent=agent_of(body.model, services.agents),
        conversation_id=conversation_named(request.headers, body.conversation, "/conversation"),
        author=body.user or "user", is_repeated=is_repeated(request.headers), key=key,
        attachments=new_attachments(body.attachments),
    )  # fmt: skip
    if body.previous_response_id is None:
        return ask
    conversation, run = await _response(services, tenant, body.previous_response_id, "previous_response_id")
    return await asked_after(services, tenant, ask, conversation, run)


def _script(body: ResponseRequest) -> Script:
    sent = [
        Sent(one.role or "tool", one.content, f"/input/{at}")
        for at, one in enumerate(body.input)
        if one.type == "message"
    ]
    told = (
        [Sent("system", [{"type": "text", "text": body.instructions}], "/instructions")]
        if body.instructions
        else []
    )
    return script_of([*told, *sent], "/input")


async def _events(
    started: StartedTurn, services: Services, tenant: str, request: Request
) -> AsyncGenerator[bytes]:
    conversation, run = await services.chat.run_state(tenant, started.run_id)
    events = ResponseEvents(conversation, run, request)
    return frames(await stream_of(started), request, events.render)


async def _response(
    services: Services, tenant: str, given: str, param: str | None = None
) -> tuple[Conversation, Run]:
    try:
        return await services.chat.run_state(tenant, run_id_of(given))
    except RunNotFound as error:
        details = {"param": param} if param else {}
        raise ResponseNotFound(f"There is no response {given[:100]!r}.", **details) from error


@router.get("/{response_id}", operation_id="openai_get_response")
async def get_response(
    request: Request,
    response_id: str,
    services: TheServices,
    tenant: Tenant,
    stream: Flag = False,
    starting_after: Annotated[int, Query(ge=-1, le=10_000_000)] = -1,
) -> Response:
    """Show a response, or follow it from any of its events on."""
    conversation, run = await _response(services, tenant, response_id)
    if not stream:
        return json_reply(response_of(conversation, run))
    told = services.chat.stream(run.run_id)
    events = ResponseEvents(conversation, run, request, starting_after)
    return EventStream(frames(told, request, events.render))


@router.post("/{response_id}/cancel", operation_id="openai_cancel_response")
async def cancel_response(response_id: str, services: TheServices, tenant: Tenant) -> Response:
    """Stop a response; one that has ended stays as it is."""
    _, run = await _response(services, tenant, response_id)
    await services.chat.cancel(tenant, run.run_id)
    return json_reply(response_of(*await services.chat.run_state(tenant, run.run_id)))


@router.get("/{response_id}/input_items", operation_id="openai_get_input_items")
async def get_input_items(
    response_id: str,
    services: TheServices,
    tenant: Tenant,
    order: Literal["asc", "desc"] = "desc",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    after: str | None = None,
) -> Response:
    """List what a response answers: the user's message."""
    del order, limit
    conversation, run = await _response(services, tenant, response_id)
    asked = [event for event in conversation.events_of_turn(run.turn) if isinstance(event, UserMessage)]
    return json_reply(listing(input_item(event) for event in asked if event.id != after))
