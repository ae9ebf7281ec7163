"""What can be put on record without asking for a reply: a message, a phase, a handoff."""

from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from workflow_agent.api.creation import create_once
from workflow_agent.api.dependencies import ConversationId, Expected, IdempotencyKey, Services, TheServices, etag
from workflow_agent.api.native.conversation_shapes import RecordedEvent
from workflow_agent.api.native.conversations import require
from workflow_agent.api.native.request_shapes import NewEvent, NewHandoff, NewPhase
from workflow_agent.api.routes import BODY_PROBLEMS, answers, json_reply, link, routes_at
from workflow_agent.conversations.agents import agent_named
from workflow_agent.conversations.document import Conversation, SystemEvent, UserMessage
from workflow_agent.conversations.imports import post_message
from workflow_agent.conversations.transitions import (
    ALLOWED,
    Handoff,
    PhaseChange,
    change_phase,
    current_agent,
    hand_over,
    handoffs_since_message,
    refuse_handoff,
)
from workflow_agent.errors import AlreadyExists, InvalidInput, NotFound, Problem
from workflow_agent.values.stored import Revision

router = routes_at("/api/v1/conversations/{conversation_id}", "conversations")
Recorded = tuple[Conversation, SystemEvent | UserMessage]
Record = Callable[[Conversation, str], Recorded]
_ID = {"conversation_id": "$request.path.conversation_id"}
_RECORDED = answers(
    RecordedEvent,
    *BODY_PROBLEMS,
    404,
    409,
    412,
    status=201,
    headers=("ETag",),
    links={"conversation": link("get_conversation", **_ID), "history": link("get_history", **_ID)},
)


@router.post("/events", **_RECORDED)
async def post_event(
    conversation_id: ConversationId, body: NewEvent, services: TheServices, key: IdempotencyKey, expected: Expected
) -> Response:
    """Post a message without asking for a reply; every agent reads it when it next answers."""
    if body.author is not None and body.author in {"user", "system", *services.agents}:
        message = f"{body.author!r} is not an external party; leave author out for the user's own message"
        raise InvalidInput(message[0].upper() + message[1:] + ".", [Problem("/author", message)])

    def record(conversation: Conversation, event_id: str) -> Recorded:
        return post_message(conversation, body.content, author=body.author, at=services.clock(), event_id=event_id)

    return await _recorded(services, conversation_id, key, expected, body.model_dump(), record)


@router.post("/phase", operation_id="change_phase", **_RECORDED)
async def post_phase(
    conversation_id: ConversationId, body: NewPhase, services: TheServices, key: IdempotencyKey, expected: Expected
) -> Response:
    """Change the phase; a change that is not allowed is a 409 that lists those that are."""
    change = PhaseChange(agent="user", **body.model_dump())

    def record(conversation: Conversation, event_id: str) -> Recorded:
        return change_phase(conversation, change, at=services.clock(), new_id=lambda _: event_id)

    return await _recorded(services, conversation_id, key, expected, body.model_dump(), record)


@router.post("/handoff", operation_id="hand_off", **_RECORDED)
async def post_handoff(
    conversation_id: ConversationId, body: NewHandoff, services: TheServices, key: IdempotencyKey, expected: Expected
) -> Response:
    """Hand the conversation to another agent: it answers the next message and gets the summary."""
    agent_named(services.agents, body.to, pointer="/to")

    def record(conversation: Conversation, event_id: str) -> Recorded:
        refuse_handoff(
            current_agent(conversation, services.agents) or "user",
            body.to,
            made=handoffs_since_message(conversation),
            most=services.max_handoffs,
            roster=services.agents,
        )
        handoff = Handoff(by="user", **body.model_dump())
        return hand_over(conversation, handoff, at=services.clock(), new_id=lambda _: event_id)

    return await _recorded(services, conversation_id, key, expected, body.model_dump(), record)


async def _recorded(
    services: Services,
    conversation_id: str,
    key: str | None,
    expected: Revision | None,
    body: dict[str, Any],
    record: Record,
) -> Response:
    """Put something on record once, however often it is sent, and answer with its event."""

    async def create(event_id: str) -> Recorded:
        def change(conversation: Conversation) -> Conversation:
            if any(event.id == event_id for event in conversation.events):
                raise AlreadyExists(f"Event {event_id!r} is on record already.")
            require(conversation, expected)
            return record(conversation, event_id)[0]

        return _with_event(await services.conversations.update(services.tenant, conversation_id, change), event_id)

    async def find(event_id: str) -> Recorded:
        return _with_event(await services.conversation(conversation_id), event_id)

    request = [conversation_id, record.__qualname__, body]
    (conversation, event), replayed = await create_once(
        services.keys, key, request, services.new_id("evt"), create=create, find=find
    )
    shown = {
        "conversation_id": conversation.id,
        "event": event.model_dump(mode="json"),
        "phase": conversation.phase,
        "allowed_phases": list(ALLOWED[conversation.phase]),
        "agent": current_agent(conversation, services.agents),
    }
    return json_reply(shown, 201, etag(conversation) | replayed)


def _with_event(conversation: Conversation, event_id: str) -> Recorded:
    for event in reversed(conversation.events):
        if event.id == event_id and isinstance(event, SystemEvent | UserMessage):
            return conversation, event
    raise NotFound(f"Conversation {conversation.id!r} has no event {event_id!r}.")
