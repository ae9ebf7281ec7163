"""The parts of a conversation: events, turns, iterations, calls and context records."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Query
from starlette.responses import Response

from workflow_agent.api.parameters import (
    CLEAN_PATTERN,
    ConversationId,
    Cursor,
    Limit,
    Number,
    Tenant,
    TheServices,
    page_start,
)
from workflow_agent.api.replies import json_reply, link, replies
from workflow_agent.api.routing import StrictRoute
from workflow_agent.domain.conversation import AgentReply, Conversation, Run, UserMessage
from workflow_agent.domain.errors import NotFound
from workflow_agent.domain.iterations import Iteration
from workflow_agent.domain.values import Value

router = APIRouter(
    prefix="/api/v1/conversations/{conversation_id}", tags=["history"], route_class=StrictRoute
)
Part = TypeVar("Part", bound=Value)
EventType = Literal["user_message", "agent_reply", "system_event"]
Speaker = Literal["user", "agent", "tool"]
CallStatus = Literal["success", "error", "retried", "cancelled", "interrupted"]


def _paged(parts: Sequence[Value], cursor: str | None, limit: int) -> dict[str, Any]:
    start = page_start(cursor)
    shown = [part.model_dump(mode="json") for part in parts[start : start + limit]]
    following = str(start + limit) if start + limit < len(parts) else None
    return {"items": shown, "next_cursor": following, "total": len(parts)}


@router.get("/history", operation_id="get_history", responses=replies("History", 404, 422))
async def get_history(
    conversation_id: ConversationId,
    services: TheServices,
    tenant: Tenant,
    type: Annotated[EventType | None, Query(description="Only events of this type.")] = None,  # noqa: A002
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Response:
    """List the events of a conversation, oldest first."""
    conversation = await services.conversations.load(tenant, conversation_id)
    events = [event for event in conversation.events if type is None or event.type == type]
    return json_reply(_paged(events, cursor, limit))


@router.get("/calls", operation_id="get_calls", responses=replies("CallList", 404, 422))
async def get_calls(
    conversation_id: ConversationId,
    services: TheServices,
    tenant: Tenant,
    method: Annotated[
        str | None, Query(max_length=200, pattern=CLEAN_PATTERN, description="Only calls of this method.")
    ] = None,
    outcome: Annotated[CallStatus | None, Query(description="Only calls that ended so.")] = None,
    speaker: Annotated[Speaker | None, Query(description="Only calls by these.")] = None,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Response:
    """List the call records of a conversation, oldest first."""
    conversation = await services.conversations.load(tenant, conversation_id)
    calls = [
        call
        for call in conversation.calls
        if method in (None, call.method_name)
        and outcome in (None, call.outcome_summary.status)
        and speaker in (None, call.speaker)
    ]
    return json_reply(_paged(calls, cursor, limit))


@router.get("/context", operation_id="get_context", responses=replies("ContextList", 404, 422))
async def get_context(conversation_id: ConversationId, services: TheServices, tenant: Tenant) -> Response:
    """List the context record of every turn, oldest first."""
    conversation = await services.conversations.load(tenant, conversation_id)
    replied = [event for event in conversation.events if isinstance(event, AgentReply)]
    items = [
        {"conversation_id": conversation_id, "turn": reply.turn, "run_id": reply.run_id, **reply.context}
        for reply in replied
    ]
    return json_reply({"items": items})


_OF_TURN = {"conversation_id": "$request.path.conversation_id", "n": "$request.path.n"}


@router.get(
    "/turns/{n}",
    operation_id="get_turn",
    responses=replies("Turn", 404, 422, links={"iterations": link("get_iterations", **_OF_TURN)}),
)
async def get_turn(
    conversation_id: ConversationId, n: Number, services: TheServices, tenant: Tenant
) -> Response:
    """Return one turn: the message, the reply and the run; turns count from 1."""
    message, reply, run = _turn(await services.conversations.load(tenant, conversation_id), n)
    return json_reply(
        {
            "conversation_id": conversation_id,
            "turn": n,
            "message": message.model_dump(mode="json"),
            "reply": reply.model_dump(mode="json") if reply else None,
            "run": run.model_dump(mode="json", exclude={"iterations"}) if run else None,
        }
    )


@router.get(
    "/turns/{n}/iterations",
    operation_id="get_iterations",
    responses=replies("IterationList", 404, 422),
)
async def get_iterations(
    conversation_id: ConversationId, n: Number, services: TheServices, tenant: Tenant
) -> Response:
    """List the iterations of a turn: each model request with its tool calls and their results."""
    message, iterations = _iterations(await services.conversations.load(tenant, conversation_id), n)
    return json_reply(
        {
            "conversation_id": conversation_id,
            "turn": n,
            "run_id": message.run_id or "",
            "items": [one.model_dump(mode="json") for one in iterations],
        }
    )


@router.get(
    "/turns/{n}/iterations/{k}", operation_id="get_iteration", responses=replies("Iteration", 404, 422)
)
async def get_iteration(
    conversation_id: ConversationId, n: Number, k: Number, services: TheServices, tenant: Tenant
) -> Response:
    """Return one iteration of a turn, by its number."""
    _, iterations = _iterations(await services.conversations.load(tenant, conversation_id), n)
    found = next((one for one in iterations if one.number == k), None)
    if found is None:
        raise NotFound(
            f"Turn {n} of conversation {conversation_id!r} has no iteration {k}.", count=len(iterations)
        )
    return json_reply(found.model_dump(mode="json"))


def _turn(conversation: Conversation, number: int) -> tuple[UserMessage, AgentReply | None, Run | None]:
    events = conversation.events_of_turn(number)
    message = next((event for event in events if isinstance(event, UserMessage)), None)
    if message is None:
        raise NotFound(
            f"Conversation {conversation.id!r} has no turn {number}.", turns=conversation.turn_count
        )
    reply = next((event for event in events if isinstance(event, AgentReply)), None)
    run = conversation.run(message.run_id) if message.run_id else None
    return message, reply, run


def _iterations(conversation: Conversation, number: int) -> tuple[UserMessage, Sequence[Iteration]]:
    """Return the iterations of a turn's reply, or those of a run that came to none."""
    message, reply, run = _turn(conversation, number)
    if reply is not None:
        return message, reply.iterations
    return message, run.iterations if run is not None else ()
