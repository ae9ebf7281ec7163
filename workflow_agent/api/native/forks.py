"""Forks: a new conversation that goes on from an event of another."""

from typing import Annotated

from fastapi import APIRouter, Body
from starlette.responses import Response

from workflow_agent.api.creation import create_once
from workflow_agent.api.native.conversations import shown
from workflow_agent.api.native.request_shapes import NewForkBody
from workflow_agent.api.parameters import ConversationId, IdempotencyKey, Tenant, TheServices, etag
from workflow_agent.api.replies import json_reply, link, replies
from workflow_agent.api.route_class import StrictRoute
from workflow_agent.assistant.turns.forks import fork, index_of_event, index_of_number, index_of_turn, whole_of
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.fork import NewFork
from workflow_agent.conversations.verification import Whole

router = APIRouter(prefix="/api/v1/conversations/{conversation_id}", tags=["conversations"], route_class=StrictRoute)
_LINKS = {"self": link("get_conversation", conversation_id="$response.body#/id")}


@router.post(
    "/fork",
    operation_id="fork_conversation",
    status_code=201,
    responses=replies(
        "Conversation", 404, 408, 409, 413, 415, 422, status=201, headers=("ETag", "Location"), links=_LINKS
    ),
)
async def fork_conversation(
    conversation_id: ConversationId,
    body: Annotated[NewForkBody, Body()],
    services: TheServices,
    tenant: Tenant,
    key: IdempotencyKey,
) -> Response:
    """Create a conversation that holds this one up to an event, with its evidence, and goes on from there."""
    whole = await whole_of(services.conversations, tenant, conversation_id)
    index = _index(whole, body)

    async def create(fork_id: str) -> Conversation:
        new = NewFork(fork_id, index, services.clock(), body.title)
        return await fork(services.conversations, tenant, whole, new)

    made, replayed = await create_once(
        services.keys,
        tenant,
        key,
        request=["fork", conversation_id, body.model_dump(mode="json")],
        resource_id=body.id or services.new_id("cv"),
        create=create,
        find=lambda fork_id: services.conversations.load(tenant, fork_id),
    )
    headers = etag(made) | {"Location": f"/api/v1/conversations/{made.id}"} | replayed
    return json_reply(shown(made, services.clock()), 201, headers)


def _index(whole: Whole, body: NewForkBody) -> int:
    if body.event_id is not None:
        return index_of_event(whole, body.event_id)
    if body.turn is not None:
        return index_of_turn(whole, body.turn)
    return index_of_number(whole, body.index or 0)
