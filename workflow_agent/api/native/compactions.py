"""The compactions of a conversation: which there are, asking for one, undoing one."""

from typing import Annotated, Literal

from fastapi import Path, Query
from starlette.responses import Response

from workflow_agent.api.creation import create_once
from workflow_agent.api.native.conversation_shapes import CompactionList, RestoredCompactions
from workflow_agent.api.parameters import ConversationId, Cursor, IdempotencyKey, Limit, TheServices, etag, page_start
from workflow_agent.api.routes import json_reply, link, replies, routes_at
from workflow_agent.assistant.compaction.compaction import compaction_named
from workflow_agent.assistant.compaction.policy import turns_compacted
from workflow_agent.conversations.compactions import Compaction

router = routes_at("/api/v1/conversations/{conversation_id}/compactions", "history")
CompactionId = Annotated[str, Path(examples=["cmp_4f1c"])]
_ID = {"conversation_id": "$request.path.conversation_id"}


@router.get("", response_model=CompactionList, responses=replies(404, 422))
async def list_compactions(
    conversation_id: ConversationId,
    services: TheServices,
    order: Annotated[Literal["oldest", "newest"], Query(description="Which come first.")] = "oldest",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """List all compactions, oldest first unless told otherwise, with what each dropped and cost."""
    past = await services.past(conversation_id)
    start = page_start(cursor) if cursor is not None else None
    found = await past.compactions(start, limit, newest_first=order == "newest")
    following = None if found.following is None else str(found.following)
    return json_reply(CompactionList(items=list(found.items), next_cursor=following, total=found.total or 0))


@router.post(
    "",
    status_code=201,
    response_model=Compaction,
    responses=replies(404, 408, 409, 413, 415, 422, status=201, links={"compactions": link("list_compactions", **_ID)}),
)
async def compact(conversation_id: ConversationId, services: TheServices, key: IdempotencyKey) -> Response:
    """Sum up the oldest turns now; 409 where none may go."""

    async def create(compaction_id: str) -> Compaction:
        return await services.compactor.on_request(services.tenant, conversation_id, compaction_id)

    async def find(compaction_id: str) -> Compaction:
        conversation = await services.conversation(conversation_id)
        return compaction_named(conversation, compaction_id)

    made, replayed = await create_once(
        services.keys,
        key,
        request=[conversation_id, "compact"],
        resource_id=services.new_id("cmp"),
        create=create,
        find=find,
    )
    return json_reply(made, 201, replayed)


@router.post(
    "/{compaction_id}/restore",
    response_model=RestoredCompactions,
    responses=replies(404, 408, 409, 413, 415, 422, headers=("ETag",)),
)
async def restore_compaction(
    conversation_id: ConversationId, compaction_id: CompactionId, services: TheServices
) -> Response:
    """Bring the turns of a compaction back into the window, and those of all later ones with them.

    Where they do not fit, a 409 says by how many tokens.
    """
    restored, conversation = await services.compactor.restore(services.tenant, conversation_id, compaction_id)
    shown = RestoredCompactions(
        conversation_id=conversation.id,
        restored=[one.id for one in restored],
        turns_compacted=turns_compacted(conversation),
    )
    return json_reply(shown, headers=etag(conversation))
