"""Conversations: list, create, read, change, delete, fork, export and import."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from workflow_agent.api.creation import create_once
from workflow_agent.api.dependencies import (
    ConversationId,
    Cursor,
    Expected,
    IdempotencyKey,
    KnownEtag,
    Limit,
    Required,
    Search,
    Services,
    TheServices,
    etag,
    is_unchanged,
)
from workflow_agent.api.native.conversation_shapes import ConversationList, ImportedConversation
from workflow_agent.api.native.request_shapes import (
    ConversationBundle,
    ConversationChange,
    NewConversation,
    NewForkBody,
)
from workflow_agent.api.routes import BODY_PROBLEMS, UNCHANGED, answers, creates, deletes, json_reply, link, routes_at
from workflow_agent.assistant.turns import bundles
from workflow_agent.assistant.turns.bundles import fork, index_of_event, index_of_number, index_of_turn, whole_of
from workflow_agent.conversations.document import Conversation, conversation_document
from workflow_agent.conversations.fork import NewFork
from workflow_agent.errors import AlreadyExists, ConversationConflict
from workflow_agent.values.stored import Revision

router = routes_at("/api/v1/conversations", "conversations")
_EMPTY = NewConversation()
_ID = {"conversation_id": "$response.body#/id"}
_LINKS = {
    "self": link("get_conversation", **_ID),
    "change": link("change_conversation", **_ID, **{"header.If-Match": "$response.header.ETag"}),
    "history": link("get_history", **_ID),
    "calls": link("get_calls", **_ID),
    "context": link("get_context", **_ID),
    "delete": link("delete_conversation", **_ID),
}
_SELF_LINK = {"self": _LINKS["self"]}


def shown(conversation: Conversation, at: datetime) -> dict[str, Any]:
    """Return a conversation as the API gives it: its document, and how long a run is at work by now."""
    document = conversation_document(conversation)
    document["execution_time"]["current_ms"] = conversation.execution_time.current_ms(at)
    return document


@router.get("", **answers(ConversationList, 422))
async def list_conversations(
    services: TheServices, q: Search = "", cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """List conversations, the latest first; with `q`, those whose title or messages hold it."""
    found = await services.conversations.page(services.tenant, query=q, cursor=cursor, limit=limit)
    listed = ConversationList.model_validate(found)
    return json_reply(listed.model_dump(mode="json", exclude=None if found.unreadable else {"unreadable"}))


@router.post("", **creates(Conversation, 404, 409, links=_LINKS))
async def create_conversation(services: TheServices, key: IdempotencyKey, body: NewConversation = _EMPTY) -> Response:
    """Create an empty conversation; the first message can do that as well."""
    if body.workflow_id is not None:
        await services.workflows.get(services.tenant, body.workflow_id)
    at = services.clock()

    async def create(conversation_id: str) -> Conversation:
        return await services.conversations.create(
            Conversation(
                id=conversation_id,
                tenant=services.tenant,
                title=body.title,
                created_at=at,
                updated_at=at,
                mode_override=body.mode_override,
                bound_workflow_id=body.workflow_id,
                metadata=body.metadata,
            )
        )

    made, headers = await _made_once(services, key, ["conversation", body.model_dump(mode="json")], body.id, create)
    return json_reply(shown(made, at), 201, headers)


async def _made_once(
    services: Services,
    key: str | None,
    request: Sequence[Any],
    wanted_id: str | None,
    create: Callable[[str], Awaitable[Conversation]],
) -> tuple[Conversation, dict[str, str]]:
    """Return the conversation that a request makes, with the headers of its reply; without an id it gets one."""
    resource_id = wanted_id or services.new_id("cv")
    made, replayed = await create_once(
        services.keys, key, request, resource_id, create=create, find=services.conversation
    )
    return made, etag(made) | {"Location": f"{router.prefix}/{made.id}"} | replayed


@router.get("/{conversation_id}", **answers(Conversation, 404, 422, headers=("ETag",), links=_LINKS, other=UNCHANGED))
async def get_conversation(conversation_id: ConversationId, services: TheServices, known: KnownEtag = None) -> Response:
    """Return the whole conversation as its file has it, and how long the run under way has taken."""
    conversation = await services.conversation(conversation_id)
    # While a run is under way its time goes on, though nothing else changes.
    is_at_rest = conversation.execution_time.current_since is None
    tag = etag(conversation)
    if is_at_rest and is_unchanged(known, tag):
        return Response(status_code=304, headers=tag)
    return json_reply(shown(conversation, services.clock()), headers=tag)


@router.patch(
    "/{conversation_id}", **answers(Conversation, *BODY_PROBLEMS, 404, 412, 428, headers=("ETag",), links=_LINKS)
)
async def change_conversation(
    conversation_id: ConversationId, body: ConversationChange, services: TheServices, expected: Required
) -> Response:
    """Rename a conversation, or set the mode that leads it."""
    wanted = {name: getattr(body, name) for name in body.model_fields_set}

    def changed(conversation: Conversation) -> Conversation:
        require(conversation, expected)
        if all(getattr(conversation, name) == value for name, value in wanted.items()):
            return conversation
        return conversation.model_copy(update=wanted | {"updated_at": services.clock()})

    stored = await services.conversations.update(services.tenant, conversation_id, changed)
    return json_reply(shown(stored, services.clock()), headers=etag(stored))


@router.delete("/{conversation_id}", **deletes("It is gone.", 404, 412, 422))
async def delete_conversation(conversation_id: ConversationId, services: TheServices, expected: Expected) -> Response:
    """Delete a conversation and all that belongs to it."""
    if expected is not None:
        require(await services.conversation(conversation_id), expected)
    await services.conversations.delete(services.tenant, conversation_id)
    return Response(status_code=204)


def require(conversation: Conversation, expected: Revision | None) -> None:
    """Refuse a change to another state than the one that was read."""
    if expected is not None and not expected.fits(conversation):
        raise ConversationConflict(
            f"Conversation {conversation.id!r} is at version {conversation.version}, not at the one that "
            "If-Match names. Read it again and retry.",
            version=conversation.version,
        )


@router.post("/{conversation_id}/fork", **creates(Conversation, 404, 409, links=_SELF_LINK))
async def fork_conversation(
    conversation_id: ConversationId, body: NewForkBody, services: TheServices, key: IdempotencyKey
) -> Response:
    """Create a conversation that holds this one up to an event, with its evidence, and goes on from there."""
    whole = await whole_of(services.conversations, services.tenant, conversation_id)
    index = _index(whole, body)

    async def create(fork_id: str) -> Conversation:
        new = NewFork(fork_id, index, services.clock(), body.title)
        return await fork(services.conversations, services.tenant, whole, new)

    request = ["fork", conversation_id, body.model_dump(mode="json")]
    made, headers = await _made_once(services, key, request, body.id, create)
    return json_reply(shown(made, services.clock()), 201, headers)


def _index(whole: Conversation, body: NewForkBody) -> int:
    if body.event_id is not None:
        return index_of_event(whole, body.event_id)
    if body.turn is not None:
        return index_of_turn(whole, body.turn)
    return index_of_number(whole, body.index or 0)


transfers = routes_at("/api/v1/conversations", "conversations")


@transfers.get("/{conversation_id}/export", **answers(ConversationBundle, 404, 422, headers=("Content-Disposition",)))
async def export_conversation(conversation_id: ConversationId, services: TheServices) -> Response:
    """Return a conversation as one document: every turn with its evidence, every content kept apart."""
    bundle = await bundles.exported(services.conversations, services.tenant, conversation_id, services.clock())
    name = f'attachment; filename="{bundle["conversation_id"]}.conversation.json"'
    return json_reply(bundle, headers={"Content-Disposition": name})


@transfers.post("/import", **creates(ImportedConversation, 409, links=_SELF_LINK))
async def import_conversation(body: ConversationBundle, services: TheServices, key: IdempotencyKey) -> Response:
    """Create a conversation from an exported document, after its digests and all it says were checked."""
    bundle = await run_in_threadpool(bundles.opened, body.payload, body.sha256)
    found = await _knowing_what_is_here(services, bundle)

    async def create(conversation_id: str) -> Conversation:
        return await bundles.imported(
            services.conversations, found, tenant=services.tenant, conversation_id=conversation_id, at=services.clock()
        )

    async def create_or_tell(conversation_id: str) -> Conversation:
        try:
            return await create(conversation_id)
        except AlreadyExists as error:
            if body.new_id and key is None:
                return await create(services.new_id("cv"))
            raise AlreadyExists(
                f"There is already a conversation {conversation_id!r}. Send `new_id`: true to import this "
                "one under another id.",
                **error.details,
            ) from error

    request = ["import conversation", body.sha256, body.new_id]
    wanted_id = None if key and body.new_id else bundle.conversation.id
    made, headers = await _made_once(services, key, request, wanted_id, create_or_tell)
    missing = {one.workflow_id for one in made.workflow_refs if one.is_elsewhere}
    report = shown(made, services.clock()) | {"missing_workflows": sorted(missing)}
    return json_reply(report, 201, headers)


async def _knowing_what_is_here(services: Services, bundle: bundles.Bundle) -> bundles.Bundle:
    """Return the bundle without an open workflow that is not here; its references tell which are not."""
    old = bundle.conversation
    named = {one.workflow_id for one in old.workflow_refs} | {old.bound_workflow_id}
    here = await services.workflows.heads(services.tenant)
    return bundles.without_workflows(bundle, {one for one in named if one is not None and one not in here})
