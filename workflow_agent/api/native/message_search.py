"""What was said, found again: in one conversation, or in all of them."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from workflow_agent.api.parameters import CLEAN_PATTERN, ConversationId, Cursor, Limit, Tenant, TheServices, page_start
from workflow_agent.api.replies import json_reply, link, replies
from workflow_agent.api.route_class import StrictRoute
from workflow_agent.api.services import Services
from workflow_agent.conversations.message_search import best_messages
from workflow_agent.conversations.store import MessageHit, MessageQuery

router = APIRouter(prefix="/api/v1", tags=["history"], route_class=StrictRoute)
Words = Annotated[
    str,
    Query(
        min_length=1,
        max_length=500,
        pattern=CLEAN_PATTERN,
        examples=["expense"],
        description="Words to look for, or a question; parts of words are found too. Time words that certainly say "
        "when something was said (yesterday, last week, what did we decide in March) leave out the rest; days are UTC.",
    ),
]
_TURN = link("get_turn", conversation_id="$response.body#/items/0/conversation_id", n="$response.body#/items/0/turn")


@router.get(
    "/conversations/{conversation_id}/search",
    operation_id="search_conversation",
    responses=replies("MessageHitList", 404, 422, links={"turn": _TURN}),
)
async def search_conversation(
    conversation_id: ConversationId,
    services: TheServices,
    tenant: Tenant,
    q: Words,
    cursor: Cursor = None,
    limit: Limit = 20,
) -> Response:
    """Find what was said in a conversation, the best match first, compacted and sealed turns included."""
    return await _found(services, tenant, MessageQuery(q, conversation_id, limit, page_start(cursor)))


@router.get(
    "/search/messages", operation_id="search_messages", responses=replies("MessageHitList", 422, links={"turn": _TURN})
)
async def search_messages(
    services: TheServices, tenant: Tenant, q: Words, cursor: Cursor = None, limit: Limit = 20
) -> Response:
    """Find what was said in all conversations, the best match first, compacted and sealed turns included."""
    return await _found(services, tenant, MessageQuery(q, None, limit, page_start(cursor)))


async def _found(services: Services, tenant: str, query: MessageQuery) -> Response:
    # Ranked as `recall` ranks, so that people find what the model finds.
    one_more = replace(query, limit=query.limit + 1)
    hits = await best_messages(services.find, tenant, one_more, services.clock())
    following = str(query.offset + query.limit) if len(hits) > query.limit else None
    return json_reply({"items": [_item(hit) for hit in hits[: query.limit]], "next_cursor": following})


def _item(hit: MessageHit) -> dict[str, Any]:
    return {
        "conversation_id": hit.conversation_id,
        "title": hit.title,
        "turn": hit.turn,
        "event": {"id": hit.event_id, "index": hit.index, "type": hit.type, "author": hit.author, "at": hit.at},
        "run_id": hit.run_id,
        "snippet": hit.snippet,
    }
