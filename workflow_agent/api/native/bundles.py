"""Export and import: a conversation as one file, with everything that belongs to it."""

from typing import Annotated, Any

from fastapi import Body
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from workflow_agent.api.creation import create_once
from workflow_agent.api.native.conversation_shapes import ImportedConversation
from workflow_agent.api.native.conversations import shown
from workflow_agent.api.native.request_shapes import ConversationBundle
from workflow_agent.api.parameters import ConversationId, IdempotencyKey, TheServices, etag
from workflow_agent.api.routes import json_reply, link, replies, routes_at
from workflow_agent.api.services import Services
from workflow_agent.assistant.turns import bundles
from workflow_agent.conversations.document import Conversation
from workflow_agent.errors import AlreadyExists

router = routes_at("/api/v1/conversations", "conversations")
_LINKS = {"self": link("get_conversation", conversation_id="$response.body#/id")}


@router.get(
    "/{conversation_id}/export",
    response_model=ConversationBundle,
    responses=replies(404, 422, headers=("Content-Disposition",)),
)
async def export_conversation(conversation_id: ConversationId, services: TheServices) -> Response:
    """Return a conversation as one document: every turn with its evidence, every content kept apart."""
    bundle = await bundles.exported(services.conversations, services.tenant, conversation_id, services.clock())
    name = f'attachment; filename="{bundle["conversation_id"]}.conversation.json"'
    return json_reply(bundle, headers={"Content-Disposition": name})


@router.post(
    "/import",
    status_code=201,
    response_model=ImportedConversation,
    responses=replies(408, 409, 413, 415, 422, status=201, headers=("ETag", "Location"), links=_LINKS),
)
async def import_conversation(
    body: Annotated[ConversationBundle, Body()], services: TheServices, key: IdempotencyKey
) -> Response:
    """Create a conversation from an exported document, after its digests and all it says were checked."""
    bundle = await run_in_threadpool(bundles.opened, body.payload, body.sha256)
    found = await _knowing_what_is_here(services, bundle)

    async def create(conversation_id: str) -> Conversation:
        return await bundles.imported(
            services.conversations, found, tenant=services.tenant, conversation_id=conversation_id, at=services.clock()
        )

    async def create_as_it_was(conversation_id: str) -> Conversation:
        try:
            return await create(conversation_id)
        except AlreadyExists as error:
            raise AlreadyExists(
                f"There is already a conversation {conversation_id!r}. Send `new_id`: true to import this "
                "one under another id.",
                **error.details,
            ) from error

    async def create_anyhow(conversation_id: str) -> Conversation:
        try:
            return await create(conversation_id)
        except AlreadyExists:
            return await create(services.new_id("cv"))

    made, replayed = await create_once(
        services.keys,
        key,
        request=["import conversation", body.sha256, body.new_id],
        resource_id=services.new_id("cv") if key and body.new_id else bundle.conversation.id,
        create=create_anyhow if body.new_id and key is None else create_as_it_was,
        find=services.conversation,
    )
    headers = etag(made) | {"Location": f"{router.prefix}/{made.id}"} | replayed
    return json_reply(_report(made, services), 201, headers)


async def _knowing_what_is_here(services: Services, bundle: bundles.Bundle) -> bundles.Bundle:
    """Return the bundle without an open workflow that is not here; its references tell which are not."""
    old = bundle.conversation
    named = {one.workflow_id for one in old.workflow_refs} | {old.bound_workflow_id}
    here = await services.workflows.heads(services.tenant)
    return bundles.without_workflows(bundle, {one for one in named if one is not None and one not in here})


def _report(made: Conversation, services: Services) -> dict[str, Any]:
    missing = {one.workflow_id for one in made.workflow_refs if one.is_elsewhere}
    return shown(made, services.clock()) | {"missing_workflows": sorted(missing)}
