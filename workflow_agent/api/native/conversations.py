"""Conversations: list, create, read, change, delete, and fork."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body
from starlette.responses import Response

from workflow_agent.api.creation import create_once
from workflow_agent.api.native.conversation_shapes import ConversationList
from workflow_agent.api.native.request_shapes import ConversationChange, NewConversation, NewForkBody
from workflow_agent.api.parameters import (
    ConversationId,
    Cursor,
    Expected,
    IdempotencyKey,
    KnownEtag,
    Limit,
    Required,
    Search,
    Tenant,
    TheServices,
    etag,
    is_unchanged,
)
from workflow_agent.api.routes import StrictRoute, json_reply, link, problem_replies, replies
from workflow_agent.assistant.turns.bundles import fork, index_of_event, index_of_number, index_of_turn, whole_of
from workflow_agent.conversations.document import Conversation, conversation_document
from workflow_agent.conversations.fork import NewFork
from workflow_agent.conversations.verification import Whole
from workflow_agent.errors import ConversationConflict
from workflow_agent.values.stored import Revision

router = APIRouter(prefix="/api/v1/conversations", tags=["conversations"], route_class=StrictRoute)
_EMPTY = NewConversation()
_ID = {"conversation_id": "$response.body#/id"}
_LINKS = {
    "self": link("get_conversation", **_ID),
    "change": link("change_conversation", **_ID, **{"header.If-Match": "$response.header.ETag"}),
    "history": link("get_history", **_ID),
    "calls": link("get_calls", **_ID),
    "context": link("get_context", **_ID),
    "delete": link("delete_conversation", **_ID),
}
_FORK_LINKS = {"self": _LINKS["self"]}


def shown(conversation: Conversation, at: datetime) -> dict[str, Any]:
    """Return a conversation as the API gives it: its document, and how long a run is at work by now."""
    document = conversation_document(conversation)
    document["execution_time"]["current_ms"] = conversation.execution_time.current_ms(at)
    return document


@router.get("", operation_id="list_conversations", response_model=ConversationList, responses=replies(422))
async def list_conversations(
    services: TheServices, tenant: Tenant, q: Search = "", cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """List conversations, the latest first; with `q`, those whose title or messages hold it."""
    found = await services.conversations.page(tenant, query=q, cursor=cursor, limit=limit)
    listed = ConversationList.model_validate(found)
    return json_reply(listed.model_dump(mode="json", exclude=None if found.unreadable else {"unreadable"}))


@router.post(
    "",
    operation_id="create_conversation",
    status_code=201,
    response_model=Conversation,
    responses=replies(404, 408, 409, 413, 415, 422, status=201, headers=("ETag", "Location"), links=_LINKS),
)
async def create_conversation(
    services: TheServices, tenant: Tenant, key: IdempotencyKey, body: Annotated[NewConversation, Body()] = _EMPTY
) -> Response:
    """Create an empty conversation; the first message can do that as well."""
    if body.workflow_id is not None:
        await services.workflows.get(tenant, body.workflow_id)
    at = services.clock()

    async def create(conversation_id: str) -> Conversation:
        return await services.conversations.create(
            Conversation(
                id=conversation_id,
                tenant=tenant,
                title=body.title,
                created_at=at,
                updated_at=at,
                mode_override=body.mode_override,
                bound_workflow_id=body.workflow_id,
                metadata=body.metadata,
            )
        )

    made, replayed = await create_once(
        services.keys,
        key,
        request=["conversation", body.model_dump(mode="json")],
        resource_id=body.id or services.new_id("cv"),
        create=create,
        find=lambda conversation_id: services.conversations.load(tenant, conversation_id),
    )
    headers = etag(made) | {"Location": f"{router.prefix}/{made.id}"} | replayed
    return json_reply(shown(made, at), 201, headers)


@router.get(
    "/{conversation_id}",
    operation_id="get_conversation",
    response_model=Conversation,
    responses=replies(404, 422, headers=("ETag",), links=_LINKS) | {304: {"description": "Unchanged"}},
)
async def get_conversation(
    conversation_id: ConversationId, services: TheServices, tenant: Tenant, known: KnownEtag
) -> Response:
    """Return the whole conversation as its file has it, and how long the run under way has taken."""
    conversation = await services.conversations.load(tenant, conversation_id)
    # While a run is under way its time goes on, though nothing else changes.
    is_at_rest = conversation.execution_time.current_since is None
    tag = etag(conversation)
    if is_at_rest and is_unchanged(known, tag):
        return Response(status_code=304, headers=tag)
    return json_reply(shown(conversation, services.clock()), headers=tag)


@router.patch(
    "/{conversation_id}",
    operation_id="change_conversation",
    response_model=Conversation,
    responses=replies(404, 408, 412, 413, 415, 422, 428, headers=("ETag",), links=_LINKS),
)
async def change_conversation(
    conversation_id: ConversationId,
    body: Annotated[ConversationChange, Body()],
    services: TheServices,
    tenant: Tenant,
    expected: Required,
) -> Response:
    """Rename a conversation, or set the mode that leads it."""
    wanted = {name: getattr(body, name) for name in body.model_fields_set}

    def changed(conversation: Conversation) -> Conversation:
        require(conversation, expected)
        if all(getattr(conversation, name) == value for name, value in wanted.items()):
            return conversation
        return conversation.model_copy(update=wanted | {"updated_at": services.clock()})

    stored = await services.conversations.update(tenant, conversation_id, changed)
    return json_reply(shown(stored, services.clock()), headers=etag(stored))


@router.delete(
    "/{conversation_id}",
    operation_id="delete_conversation",
    status_code=204,
    responses={204: {"description": "It is gone."}} | problem_replies(404, 412, 422),
)
async def delete_conversation(
    conversation_id: ConversationId, services: TheServices, tenant: Tenant, expected: Expected
) -> Response:
    """Delete a conversation and all that belongs to it."""
    if expected is not None:
        require(await services.conversations.load(tenant, conversation_id), expected)
    await services.conversations.delete(tenant, conversation_id)
    return Response(status_code=204)


def require(conversation: Conversation, expected: Revision | None) -> None:
    """Refuse a change to another state than the one that was read.

    Raises:
        ConversationConflict: It has changed since.
    """
    if expected is not None and not expected.fits(conversation):
        raise ConversationConflict(
            f"Conversation {conversation.id!r} is at version {conversation.version}, not at the one that "
            "If-Match names. Read it again and retry.",
            version=conversation.version,
        )


@router.post(
    "/{conversation_id}/fork",
    operation_id="fork_conversation",
    status_code=201,
    response_model=Conversation,
    responses=replies(404, 408, 409, 413, 415, 422, status=201, headers=("ETag", "Location"), links=_FORK_LINKS),
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
