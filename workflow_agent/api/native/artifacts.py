"""The artifacts of a conversation: what was attached to it, and what its tools returned."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from workflow_agent.api.parameters import ConversationId, Cursor, Limit, Tenant, TheServices, page_start
from workflow_agent.api.replies import json_reply, replies
from workflow_agent.api.route_class import StrictRoute
from workflow_agent.api.services import Services
from workflow_agent.assistant.window.contents import Contents
from workflow_agent.assistant.window.extraction import (
    build_llm_messages,
    document_artifact,
    extract_artifacts_from_messages,
)
from workflow_agent.assistant.window.planner import preview_of
from workflow_agent.conversations.artifacts import Artifact
from workflow_agent.conversations.document import AgentReply, AttachedDocument, Conversation
from workflow_agent.errors import ContentNotFound, CorruptDocument

router = APIRouter(prefix="/api/v1/conversations/{conversation_id}", tags=["history"], route_class=StrictRoute)


@router.get("/artifacts", operation_id="get_artifacts", responses=replies("ArtifactList", 404, 422))
async def get_artifacts(
    conversation_id: ConversationId, services: TheServices, tenant: Tenant, cursor: Cursor = None, limit: Limit = 100
) -> Response:
    """List what was attached, the latest first, then what tools returned in the turns that are not sealed.

    Each has a preview; of one call that was made again only the newest result counts.
    """
    conversation = await services.conversations.load(tenant, conversation_id)
    start = page_start(cursor)
    attached = conversation.attachments[::-1]
    results = await _results(services, tenant, conversation)
    total = len(attached) + len(results)
    shown = [await _attached(services, tenant, conversation, one) for one in attached[start : start + limit]]
    left = max(start - len(attached), 0)
    shown += [_described(one) for one in results[left : left + limit - len(shown)]]
    following = str(start + limit) if start + limit < total else None
    return json_reply({"items": shown, "next_cursor": following, "total": total})


async def _results(services: Services, tenant: str, conversation: Conversation) -> list[Artifact]:
    contents = Contents(services.conversations, tenant, conversation.id)
    whole = [
        event.model_copy(update={"iterations": await contents.resolved(event.iterations)})
        for event in conversation.events
        if isinstance(event, AgentReply) and event.tools_used
    ]
    return extract_artifacts_from_messages(build_llm_messages(whole))


async def _attached(
    services: Services, tenant: str, conversation: Conversation, one: AttachedDocument
) -> dict[str, Any]:
    try:
        text = str(await services.conversations.blob(tenant, conversation.id, one.content_ref))
    except (ContentNotFound, CorruptDocument) as error:
        text = f"({error.message})"
    artifact = document_artifact(one, text, turn=conversation.turn_count + 1)
    return _described(artifact) | {"size_chars": one.size_chars}


def _described(artifact: Artifact) -> dict[str, Any]:
    plain = artifact.model_dump(mode="json", exclude={"content", "metadata"})
    about = {name: value for name, value in artifact.metadata.items() if name != "historical"}
    return {**plain, "metadata": about, "preview": preview_of(artifact.content)}
