"""The parts of a conversation: events, turns, iterations, calls, context records, artifacts; and their search."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Query
from pydantic import AwareDatetime
from starlette.responses import Response

from workflow_agent.api.dependencies import (
    CLEAN_PATTERN,
    IS_TIME,
    ConversationId,
    Cursor,
    Flag,
    Limit,
    Services,
    TheServices,
    clean_query,
    page_start,
)
from workflow_agent.api.native.conversation_shapes import ArtifactList, CallList, ContextList, History, MessageHitList
from workflow_agent.api.routes import answers, json_reply, link, routes_at
from workflow_agent.assistant.window.extraction import (
    build_llm_messages,
    document_artifact,
    extract_artifacts_from_messages,
)
from workflow_agent.assistant.window.planner import preview_of
from workflow_agent.conversations.artifacts import Artifact
from workflow_agent.conversations.call_history import CallRecord, CallStatus
from workflow_agent.conversations.document import AgentReply, AttachedDocument, Conversation, Event
from workflow_agent.conversations.history import Stretch, best_messages
from workflow_agent.conversations.store import MessageHit, MessageQuery
from workflow_agent.errors import ContentNotFound, CorruptDocument
from workflow_agent.values.stored import Value

_Time = Annotated[AwareDatetime, IS_TIME]
router = routes_at("/api/v1/conversations/{conversation_id}", "history")
Part = TypeVar("Part", bound=Value)
EventType = Literal["user_message", "agent_reply", "system_event"]
_EVIDENCE = {"iterations", "context"}
"""What a list of events need not carry: it is most of a reply, and has addresses of its own."""


def _page(
    stretch: Stretch[Part], total: int | None, shown: Callable[[Part], Any] = lambda part: part.model_dump(mode="json")
) -> dict[str, Any]:
    following = None if stretch.following is None else str(stretch.following)
    return {"items": [shown(part) for part in stretch.items], "next_cursor": following, "total": total}


def shown_event(conversation: Conversation, event: Event, left_out: set[str] | None = None) -> dict[str, Any]:
    """Return an event as the API gives it: a reply with what was thought of it."""
    document = event.model_dump(mode="json", exclude=left_out)
    if not isinstance(event, AgentReply):
        return document
    given = conversation.feedback.get(event.id)
    return document | {"feedback": given.model_dump(mode="json") if given else None}


@router.get("/history", **answers(History, 404, 422))
async def get_history(
    conversation_id: ConversationId,
    services: TheServices,
    type: Annotated[EventType | None, Query(description="Only events of this type.")] = None,
    order: Annotated[Literal["oldest", "newest"], Query(description="Which come first.")] = "oldest",
    brief: Annotated[Flag, Query(description="Leave out what a reply's run did, step by step.")] = False,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Response:
    """List the events of a conversation, oldest first unless told otherwise."""
    past = await services.past(conversation_id)
    found = await past.events(
        page_start(cursor) if cursor is not None else None,
        limit,
        lambda event: type in (None, event.type),
        newest_first=order == "newest",
    )
    left_out = _EVIDENCE if brief else None
    total = _count(past.conversation, type)
    return json_reply(_page(found, total, lambda one: shown_event(past.conversation, one, left_out)))


def _count(conversation: Conversation, kind: EventType | None) -> int:
    """Return how many events of a type there are, sealed ones included."""
    sealed = {
        "user_message": sum(entry.turns for entry in conversation.archive),
        "agent_reply": sum(entry.replies for entry in conversation.archive),
    }
    sealed["system_event"] = conversation.sealed_events - sum(sealed.values())
    live = sum(kind in (None, event.type) for event in conversation.events)
    return live + (conversation.sealed_events if kind is None else sealed[kind])


@router.get("/calls", **answers(CallList, 404, 422))
async def get_calls(
    conversation_id: ConversationId,
    services: TheServices,
    method: Annotated[str | None, clean_query(description="Only calls of this method.")] = None,
    outcome: Annotated[CallStatus | None, Query(description="Only calls that ended so.")] = None,
    speaker: Annotated[Literal["user", "agent", "tool"] | None, Query(description="Only calls by these.")] = None,
    since: Annotated[
        _Time | None, Query(description="Only calls that began then or later (ISO 8601 with zone).")
    ] = None,
    until: Annotated[_Time | None, Query(description="Only calls that began before.")] = None,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Response:
    """List the call records of a conversation, oldest first."""
    past = await services.past(conversation_id)

    def is_wanted(call: CallRecord) -> bool:
        return (
            method in (None, call.method_name)
            and outcome in (None, call.outcome_summary.status)
            and speaker in (None, call.speaker)
            and (since is None or call.timestamp >= since)
            and (until is None or call.timestamp < until)
        )

    found = await past.calls(page_start(cursor), limit, is_wanted)
    sealed, live = past.conversation.sealed_calls, sum(map(is_wanted, past.conversation.calls))
    is_filtered = any(one is not None for one in (method, outcome, speaker, since, until))
    # Sealed calls are counted, but what a filter finds among them only reading all of them would tell.
    return json_reply(_page(found, None if is_filtered and sealed else sealed + live))


@router.get("/context", **answers(ContextList, 404, 422))
async def get_context(
    conversation_id: ConversationId, services: TheServices, cursor: Cursor = None, limit: Limit = 500
) -> Response:
    """List the context record of every turn, oldest first."""
    past = await services.past(conversation_id)
    found = await past.events(page_start(cursor), limit, lambda event: isinstance(event, AgentReply))
    items = [
        {"run_id": reply.run_id, **reply.context_in(conversation_id)}
        for reply in found.items
        if isinstance(reply, AgentReply)
    ]
    following = None if found.following is None else str(found.following)
    return json_reply({"items": items, "next_cursor": following})


@router.get("/artifacts", **answers(ArtifactList, 404, 422))
async def get_artifacts(
    conversation_id: ConversationId, services: TheServices, cursor: Cursor = None, limit: Limit = 100
) -> Response:
    """List what was attached, the latest first, then what tools returned in the turns that are not sealed.

    Each has a preview; of one call that was made again only the newest result counts.
    """
    conversation = await services.conversation(conversation_id)
    start = page_start(cursor)
    attached = conversation.attachments[::-1]
    results = await _results(services, conversation)
    total = len(attached) + len(results)
    shown = [await _attached(services, conversation, one) for one in attached[start : start + limit]]
    left = max(start - len(attached), 0)
    shown += [_described(one) for one in results[left : left + limit - len(shown)]]
    following = str(start + limit) if start + limit < total else None
    return json_reply({"items": shown, "next_cursor": following, "total": total})


async def _results(services: Services, conversation: Conversation) -> list[Artifact]:
    contents = services.contents(conversation.id)
    whole = [
        event.model_copy(update={"iterations": await contents.resolved(event.iterations)})
        for event in conversation.events
        if isinstance(event, AgentReply) and event.tools_used
    ]
    return extract_artifacts_from_messages(build_llm_messages(whole))


async def _attached(services: Services, conversation: Conversation, one: AttachedDocument) -> dict[str, Any]:
    try:
        text = str(await services.conversations.blob(services.tenant, conversation.id, one.content_ref))
    except (ContentNotFound, CorruptDocument) as error:
        text = f"({error.message})"
    artifact = document_artifact(one, text, turn=conversation.turn_count + 1)
    return _described(artifact) | {"size_chars": one.size_chars}


def _described(artifact: Artifact) -> dict[str, Any]:
    plain = artifact.model_dump(mode="json", exclude={"content", "metadata"})
    about = {name: value for name, value in artifact.metadata.items() if name != "historical"}
    return {**plain, "metadata": about, "preview": preview_of(artifact.content)}


searches = routes_at("/api/v1", "history")
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


@searches.get("/conversations/{conversation_id}/search", **answers(MessageHitList, 404, 422, links={"turn": _TURN}))
async def search_conversation(
    conversation_id: ConversationId, services: TheServices, q: Words, cursor: Cursor = None, limit: Limit = 20
) -> Response:
    """Find what was said in a conversation, the best match first, compacted and sealed turns included."""
    return await _found(services, MessageQuery(q, conversation_id, limit, page_start(cursor)))


@searches.get("/search/messages", **answers(MessageHitList, 422, links={"turn": _TURN}))
async def search_messages(services: TheServices, q: Words, cursor: Cursor = None, limit: Limit = 20) -> Response:
    """Find what was said in all conversations, the best match first, compacted and sealed turns included."""
    return await _found(services, MessageQuery(q, None, limit, page_start(cursor)))


async def _found(services: Services, query: MessageQuery) -> Response:
    # Ranked as `recall` ranks, so that people find what the model finds.
    one_more = replace(query, limit=query.limit + 1)
    hits = await best_messages(services.find, services.tenant, one_more, services.clock())
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
