"""The items of a conversation: the messages of people and agents."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Query
from pydantic import BeforeValidator
from starlette.responses import Response

from workflow_agent.api.openai.requests import InputItem, NewItems
from workflow_agent.api.openai.response_object import input_item, message_id, output_item
from workflow_agent.api.openai.texts import Sent, text_of
from workflow_agent.api.parameters import Tenant, TheServices, whole_number
from workflow_agent.api.replies import json_reply
from workflow_agent.api.routing import StrictRoute
from workflow_agent.domain.conversation import Conversation, Event, SystemEvent, UserMessage
from workflow_agent.domain.errors import ConversationBusy, InvalidInput, NotFound, Problem
from workflow_agent.domain.turns import with_history

router = APIRouter(
    prefix="/v1/conversations/{conversation_id}/items",
    tags=["openai"],
    route_class=StrictRoute,
    include_in_schema=False,
)
PageSize = Annotated[int, Query(ge=1, le=100), BeforeValidator(whole_number)]
Said = tuple[Literal["user", "assistant"], str]


def said_in(items: Sequence[InputItem]) -> list[Said]:
    """Return what was said in a request's items.

    Raises:
        InvalidInput: One is not a message of a user or an assistant.
    """
    return [_said(item, f"/items/{at}") for at, item in enumerate(items)]


def _said(item: InputItem, pointer: str) -> Said:
    role = item.role
    if item.type != "message" or role is None or role not in ("user", "assistant"):
        message = "must be a message of role 'user' or 'assistant'; nothing else is kept in a conversation"
        raise InvalidInput(f"{pointer[1:]} {message}.", [Problem(pointer, message)])
    return role, text_of(Sent(role, item.content, pointer))


def _item(event: Event) -> dict[str, Any]:
    if isinstance(event, UserMessage):
        return input_item(event)
    return output_item(message_id(event.id), event.content)


def _messages(conversation: Conversation) -> list[Event]:
    return [event for event in conversation.events if not isinstance(event, SystemEvent)]


def listing(items: Iterable[dict[str, Any]], *, has_more: bool = False) -> dict[str, Any]:
    """Return items as OpenAI lists them."""
    data = list(items)
    return {
        "object": "list", "data": data, "has_more": has_more,
        "first_id": data[0]["id"] if data else None, "last_id": data[-1]["id"] if data else None,
    }  # fmt: skip


@router.get("", operation_id="openai_list_items")
async def list_items(
    conversation_id: str,
    services: TheServices,
    tenant: Tenant,
    order: Literal["asc", "desc"] = "desc",
    limit: PageSize = 20,
    after: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """List the messages of a conversation, newest first unless asked otherwise."""
    events = _messages(await services.conversations.load(tenant, conversation_id))
    if order == "desc":
        events.reverse()
    if after is not None:
        ids = [message_id(event.id) for event in events]
        if after not in ids:
            message = "names no item of this conversation"
            raise InvalidInput(f"after {message}: {after[:80]!r}.", [Problem("/after", message)])
        events = events[ids.index(after) + 1 :]
    return json_reply(listing(map(_item, events[:limit]), has_more=len(events) > limit))


@router.post("", operation_id="openai_create_items")
async def create_items(
    conversation_id: str, body: Annotated[NewItems, Body()], services: TheServices, tenant: Tenant
) -> Response:
    """Add messages that ask for no reply."""
    said = said_in(body.items)

    def added(conversation: Conversation) -> Conversation:
        active = conversation.active_run()
        if active is not None:
            raise ConversationBusy(
                f"Conversation {conversation.id!r} is answering (run {active.run_id}). Wait for it.",
                run_id=active.run_id,
            )
        return with_history(conversation, said, author="user", at=services.clock(), new_id=services.new_id)

    stored = await services.conversations.update(tenant, conversation_id, added)
    return json_reply(listing(map(_item, _messages(stored)[-len(said) :])))


@router.get("/{item_id}", operation_id="openai_get_item")
async def get_item(conversation_id: str, item_id: str, services: TheServices, tenant: Tenant) -> Response:
    """Show one message."""
    conversation = await services.conversations.load(tenant, conversation_id)
    for event in _messages(conversation):
        if message_id(event.id) == item_id:
            return json_reply(_item(event))
    raise NotFound(f"Conversation {conversation_id!r} has no item {item_id[:80]!r}.")
