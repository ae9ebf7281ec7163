"""What the turns cost in tokens, and how the caches do."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from starlette.responses import Response

from workflow_agent.api.native.conversation_shapes import ContextList
from workflow_agent.api.parameters import Limit, TheServices
from workflow_agent.api.routes import json_reply, replies, routes_at
from workflow_agent.api.services import Services
from workflow_agent.conversations.document import CONVERSATION_ID_PATTERN, AgentReply
from workflow_agent.conversations.history import Past
from workflow_agent.telemetry.sums import caches_of_workers
from workflow_agent.values.stored import JsonObject

router = routes_at("/api/v1/telemetry", "telemetry")


@router.get("/tokens", response_model=ContextList, responses=replies(404, 422))
async def get_tokens(
    services: TheServices,
    conversation_id: Annotated[
        str | None,
        Query(json_schema_extra={"pattern": CONVERSATION_ID_PATTERN}, description="Only of this conversation."),
    ] = None,
    limit: Limit = 50,
) -> Response:
    """List the latest context records, newest first: of the tenant since the server's start, or of one conversation's
    whole life."""
    if conversation_id is None:
        return json_reply({"items": await _latest(services, limit)})
    conversation = await services.conversation(conversation_id)
    past = Past(services.conversations, conversation)
    found = await past.events(None, limit, lambda event: isinstance(event, AgentReply), newest_first=True)
    records = [reply.context_in(conversation_id) for reply in found.items if isinstance(reply, AgentReply)]
    return json_reply({"items": records})


class CacheReport(BaseModel):
    """Statistics of every cache."""

    caches: dict[str, dict[str, Any]]


@router.get("/caches", response_model=CacheReport, responses=replies(422))
async def get_caches(services: TheServices) -> Response:
    """Report hits, misses, evictions and size of every cache."""
    counted = [services.caches()]
    if services.other_workers is not None:
        told = await services.other_workers.told({"ask": "caches"})
        counted += [one["caches"] for one in told.values()]
    return json_reply(CacheReport(caches=caches_of_workers(counted)))


async def _latest(services: Services, limit: int) -> list[JsonObject]:
    records = list(services.telemetry.recent.latest(services.tenant, limit))
    if services.other_workers is not None:
        told = await services.other_workers.told({"ask": "contexts", "tenant": services.tenant, "limit": limit})
        records += [record for one in told.values() for record in one["contexts"]]
        records.sort(key=lambda record: str(record["at"]), reverse=True)
    return records[:limit]
