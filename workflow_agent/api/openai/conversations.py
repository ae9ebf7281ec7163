"""Conversations in OpenAI's words: an id and its metadata; what was said is in its items."""

from typing import Annotated, Any

from fastapi import Body
from starlette.responses import Response

from workflow_agent.api.creation import create_once
from workflow_agent.api.openai.items import said_in
from workflow_agent.api.openai.parameters import MetadataChange, NewConversation
from workflow_agent.api.parameters import IdempotencyKey, TheServices
from workflow_agent.api.routes import json_reply, routes_at
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.imports import with_history

router = routes_at("/v1/conversations", "openai", is_shown=False)
_EMPTY = NewConversation()


def _object(conversation: Conversation) -> dict[str, Any]:
    metadata = {name: value for name, value in conversation.metadata.items() if isinstance(value, str)}
    return {
        "id": conversation.id,
        "object": "conversation",
        "created_at": int(conversation.created_at.timestamp()),
        "metadata": metadata,
    }


@router.post("")
async def create_conversation(
    services: TheServices, key: IdempotencyKey, body: Annotated[NewConversation, Body()] = _EMPTY
) -> Response:
    """Create a conversation, with what was said before where there is something."""
    at = services.clock()
    said = said_in(body.items or [])

    async def create(conversation_id: str) -> Conversation:
        empty = Conversation(
            id=conversation_id, tenant=services.tenant, created_at=at, updated_at=at, metadata=dict(body.metadata or {})
        )
        return await services.conversations.create(
            with_history(empty, said, author="user", at=at, new_id=services.new_id)
        )

    made, replayed = await create_once(
        services.keys,
        key,
        request=["openai-conversation", body.model_dump(mode="json")],
        resource_id=services.new_id("conv"),
        create=create,
        find=services.conversation,
    )
    return json_reply(_object(made), headers=replayed)


@router.get("/{conversation_id}")
async def get_conversation(conversation_id: str, services: TheServices) -> Response:
    """Show a conversation."""
    return json_reply(_object(await services.conversation(conversation_id)))


@router.post("/{conversation_id}")
async def change_conversation(
    conversation_id: str, body: Annotated[MetadataChange, Body()], services: TheServices
) -> Response:
    """Replace a conversation's metadata."""

    def changed(conversation: Conversation) -> Conversation:
        update = {"metadata": dict(body.metadata), "updated_at": services.clock()}
        return conversation.model_copy(update=update)

    return json_reply(_object(await services.conversations.update(services.tenant, conversation_id, changed)))


@router.delete("/{conversation_id}")
async def delete_conversation(conversation_id: str, services: TheServices) -> Response:
    """Delete a conversation and all that belongs to it."""
    await services.conversations.delete(services.tenant, conversation_id)
    return json_reply({"id": conversation_id, "object": "conversation.deleted", "deleted": True})
