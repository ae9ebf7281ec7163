"""Conversations in OpenAI's words: an id and its metadata, and items, the messages of people and agents."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Query
from starlette.responses import Response

from workflow_agent.api.creation import create_once
from workflow_agent.api.dependencies import IS_WHOLE, IdempotencyKey, TheServices
from workflow_agent.api.event_stream import opening
from workflow_agent.api.openai.parameters import InputItem, MetadataChange, NewConversation, NewItems
from workflow_agent.api.openai.response_object import answer_id, input_item, message_id, output_item
from workflow_agent.api.openai.texts import Sent, refused, text_of
from workflow_agent.api.routes import json_reply, routes_at
from workflow_agent.conversations.document import AgentReply, Conversation, Event, SystemEvent, UserMessage
from workflow_agent.conversations.history import Past
from workflow_agent.conversations.imports import Said, with_said
from workflow_agent.conversations.message_records import turn_of_run
from workflow_agent.conversations.records import Records, run_in
from workflow_agent.conversations.runs import Run
from workflow_agent.errors import ConversationBusy, InvalidInput, NotFound, Problem

messages = routes_at("/v1/conversations/{conversation_id}/items", "openai", is_shown=False)
PageSize = Annotated[int, Query(ge=1, le=100), IS_WHOLE]
Order = Literal["asc", "desc"]
After = Annotated[str | None, Query(max_length=200)]
_NUMBERED = re.compile(r"msg_([0-9]{1,9})_")


def _said(item: InputItem, pointer: str) -> Said:
    if item.type != "message" or item.role not in ("user", "assistant"):
        message = "must be a message of role 'user' or 'assistant'; nothing else is kept in a conversation"
        raise refused(pointer, message)
    return Said(item.role, text_of(Sent(item.role, item.content, pointer)))


def _said_in(items: Sequence[InputItem]) -> list[Said]:
    return [_said(item, f"/items/{at}") for at, item in enumerate(items)]


def listing(data: list[dict[str, Any]], *, has_more: bool = False) -> dict[str, Any]:
    """Return items as OpenAI lists them."""
    return {
        "object": "list",
        "data": data,
        "has_more": has_more,
        "first_id": data[0]["id"] if data else "",
        "last_id": data[-1]["id"] if data else "",
    }


def no_such_item(item_id: str, what: str) -> InvalidInput:
    """Return the refusal of an `after` that names nothing."""
    message = f"names no {what}"
    return InvalidInput(f"after {message}: {item_id[:80]!r}.", [Problem("/after", message)])


@messages.get("")
async def list_items(
    conversation_id: str, services: TheServices, order: Order = "desc", limit: PageSize = 20, after: After = None
) -> Response:
    """List the messages of a conversation, newest first unless asked otherwise."""
    past = await services.past(conversation_id)
    step = -1 if order == "desc" else 1
    start = None if after is None else (await _found(past, after)).index + step
    if start == -1:
        return json_reply(listing([]))
    # A page of many sealed files may come with fewer than asked for; clients take has_more for it.
    found = await past.events(
        start, limit, lambda event: not isinstance(event, SystemEvent), newest_first=order == "desc"
    )
    return json_reply(listing(await _items(past, found.items), has_more=found.following is not None))


@messages.post("")
async def create_items(conversation_id: str, body: NewItems, services: TheServices) -> Response:
    """Add messages that ask for no reply."""
    said = _said_in(body.items)

    def added(conversation: Conversation) -> Conversation:
        active = conversation.active_run()
        if active is not None:
            raise ConversationBusy(
                f"Conversation {conversation.id!r} is answering (run {active.run_id}). Wait for it.",
                run_id=active.run_id,
            )
        return with_said(conversation, said, author="user", at=services.clock(), new_id=services.new_id)

    stored = await services.conversations.update(services.tenant, conversation_id, added)
    return json_reply(listing(await _items(Past(services.conversations, stored), stored.events[-len(said) :])))


@messages.get("/{item_id}")
async def get_item(conversation_id: str, item_id: str, services: TheServices) -> Response:
    """Show one message."""
    past = await services.past(conversation_id)
    try:
        found = await _found(past, item_id)
    except InvalidInput as error:
        raise NotFound(f"Conversation {conversation_id!r} has no item {item_id[:80]!r}.") from error
    [item] = await _items(past, [found])
    return json_reply(item)


async def _found(past: Past, item_id: str) -> UserMessage | AgentReply:
    """Return the event that an item is; its id says where to look."""
    for event in await _candidates(past, item_id):
        if not isinstance(event, SystemEvent) and _id_of(event) == item_id:
            return event
    raise no_such_item(item_id, "item of this conversation")


async def _candidates(past: Past, item_id: str) -> Sequence[Event]:
    if numbered := _NUMBERED.match(item_id):
        return (await past.events(int(numbered[1]), 1)).items
    try:
        turn = await past.turn(turn_of_run(item_id.removeprefix("msg_")))
    except NotFound:
        return ()
    return [answer.reply for answer in turn.answers if answer.reply is not None]


def _id_of(event: UserMessage | AgentReply) -> str:
    if isinstance(event, UserMessage):
        return message_id(event.index, event.id)
    return answer_id(event.run_id)


async def _items(past: Past, events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return messages as items; an answer reads as it does in its response."""
    records: Records = past.conversation
    items: list[dict[str, Any]] = []
    for event in events:
        if isinstance(event, UserMessage):
            items.append(input_item(event))
        elif isinstance(event, AgentReply):
            if run_in(records, event.run_id) is None:
                records = await past.around_turn(event.turn)
            items.append(_answer(event, run_in(records, event.run_id)))
    return items


def _answer(reply: AgentReply, run: Run | None) -> dict[str, Any]:
    name = opening(run.agent, run.asked, is_first=run.follows is None) if run else ""
    return output_item(answer_id(reply.run_id), name + reply.content)


router = routes_at("/v1/conversations", "openai", is_shown=False)
_EMPTY = NewConversation()


def _object(conversation: Conversation) -> dict[str, Any]:
    return {
        "id": conversation.id,
        "object": "conversation",
        "created_at": int(conversation.created_at.timestamp()),
        "metadata": {name: value for name, value in conversation.metadata.items() if isinstance(value, str)},
    }


@router.post("")
async def create_conversation(services: TheServices, key: IdempotencyKey, body: NewConversation = _EMPTY) -> Response:
    """Create a conversation, with what was said before where there is something."""
    at = services.clock()
    said = _said_in(body.items or [])

    async def create(conversation_id: str) -> Conversation:
        empty = Conversation(
            id=conversation_id, tenant=services.tenant, created_at=at, updated_at=at, metadata=dict(body.metadata or {})
        )
        return await services.conversations.create(with_said(empty, said, author="user", at=at, new_id=services.new_id))

    request, new_id = ["openai-conversation", body.model_dump(mode="json")], services.new_id("conv")
    made, replayed = await create_once(services.keys, key, request, new_id, create=create, find=services.conversation)
    return json_reply(_object(made), headers=replayed)


@router.get("/{conversation_id}")
async def get_conversation(conversation_id: str, services: TheServices) -> Response:
    """Show a conversation."""
    return json_reply(_object(await services.conversation(conversation_id)))


@router.post("/{conversation_id}")
async def change_conversation(conversation_id: str, body: MetadataChange, services: TheServices) -> Response:
    """Replace a conversation's metadata."""

    def changed(conversation: Conversation) -> Conversation:
        return conversation.model_copy(update={"metadata": dict(body.metadata), "updated_at": services.clock()})

    return json_reply(_object(await services.conversations.update(services.tenant, conversation_id, changed)))


@router.delete("/{conversation_id}")
async def delete_conversation(conversation_id: str, services: TheServices) -> Response:
    """Delete a conversation and all that belongs to it."""
    await services.conversations.delete(services.tenant, conversation_id)
    return json_reply({"id": conversation_id, "object": "conversation.deleted", "deleted": True})
