"""Workflows: list, search, create, read, replace and delete."""

from asyncio import to_thread
from collections.abc import Collection
from functools import partial
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from workflow_agent.api.creation import create_workflow_once, workflow_from_body
from workflow_agent.api.dependencies import (
    Actor,
    Cursor,
    IdempotencyKey,
    KnownEtag,
    Limit,
    Required,
    Search,
    Services,
    TheServices,
    WorkflowId,
    clean_query,
    etag,
    is_unchanged,
    page_start,
)
from workflow_agent.api.native.workflow_shapes import WorkflowList
from workflow_agent.api.routes import BODY_PROBLEMS, UNCHANGED, answers, creates, deletes, json_reply, link, routes_at
from workflow_agent.conversations.document import CONVERSATION_ID_PATTERN
from workflow_agent.errors import InvalidWorkflow, Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.steps import StepType
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.search.listing import listed_workflow
from workflow_agent.workflows.service import Writer
from workflow_agent.workflows.store import Author, WorkflowFilters

_conversation = partial(Query, max_length=200, pattern=CONVERSATION_ID_PATTERN)
MadeIn = Annotated[
    str | None,
    _conversation(
        alias="conversation_id", description="Put the change on record in this conversation, for its agents to know."
    ),
]


async def touched_in(services: Services, conversation_id: str | None) -> Collection[str] | None:
    """Return the ids of the workflows a conversation dealt with; None where it does not matter."""
    if conversation_id is None:
        return None
    return {reference.workflow_id for reference in (await services.conversation(conversation_id)).workflow_refs}


router = routes_at("/api/v1/workflows", "workflows")
_ID = {"workflow_id": "$response.body#/id"}
_IF_MATCH = {"header.If-Match": "$response.header.ETag"}
LINKS = {
    "self": link("get_workflow", **_ID),
    "edit": link("edit_workflow", **_ID),
    "versions": link("list_versions", **_ID),
    "version": link("get_version", **_ID, v="$response.body#/version"),
    "analysis": link("analyze_workflow", **_ID),
    "diagram": link("draw_diagram", **_ID),
    "diff": link("diff_versions", **_ID),
    "export": link("export_workflow", **_ID),
    "replace": link("replace_workflow", **_ID, **_IF_MATCH),
    "delete": link("delete_workflow", **_ID, **_IF_MATCH),
}


@router.get("", **answers(WorkflowList, 404, 422))
async def list_workflows(
    services: TheServices,
    q: Search = "",
    tag: Annotated[str | None, clean_query(description="Only workflows with this tag.")] = None,
    trigger: Annotated[str | None, clean_query(description="Only workflows started so, such as `schedule`.")] = None,
    role: Annotated[
        str | None, clean_query(description="Only workflows in which this role does or decides something.")
    ] = None,
    service: Annotated[
        str | None, clean_query(description="Only workflows that call this service, such as `slack`.")
    ] = None,
    step_type: Annotated[StepType | None, Query(description="Only workflows that have a step of this type.")] = None,
    called: Annotated[
        str | None,
        clean_query(description="Only workflows with this piece in their id, name or an alias, such as `exp`."),
    ] = None,
    conversation_id: Annotated[
        str | None, _conversation(description="Only workflows that this conversation dealt with.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """Search workflows, the best match first; without `q` list them, the latest change first."""
    start = page_start(cursor)
    among = await touched_in(services, conversation_id)
    filters = WorkflowFilters(tag, trigger, role, service, step_type, called, among)
    found = await services.search.search(services.tenant, q, filters, limit=start + limit + 1)
    hits = found.hits[start : start + limit]
    items = [listed_workflow(await services.workflows.get(services.tenant, hit.id), hit, q) for hit in hits]
    following = str(start + limit) if len(found.hits) > start + limit else None
    suggestions = [{"id": one.id, "name": one.name} for one in found.suggestions]
    return json_reply({"items": items, "next_cursor": following, "suggestions": suggestions})


@router.post("", **creates(Workflow, 409, links=LINKS))
async def create_workflow(asked: JsonObject, services: TheServices, key: IdempotencyKey, actor: Actor) -> Response:
    """Create a workflow from a document; without an `id` it gets one made from its name."""
    document = asked
    is_named = "id" in document
    if not is_named:
        name = document.get("name")
        if not isinstance(name, str):
            raise InvalidWorkflow([Problem("/name", "is needed: text that says what the workflow is")])
        document = {"id": await services.use_cases.free_id(name), **document}
    made, replayed = await create_workflow_once(
        services.keys,
        key,
        ["workflow", asked],
        await to_thread(workflow_from_body, document),
        actor=actor,
        create=partial(services.use_cases.create, is_id_chosen=is_named),
    )
    headers = etag(made) | {"Location": f"{router.prefix}/{made.id}"} | replayed
    return json_reply(workflow_document(made), 201, headers)


@router.get("/{workflow_id}", **answers(Workflow, 404, 422, headers=("ETag",), links=LINKS, other=UNCHANGED))
async def get_workflow(workflow_id: WorkflowId, services: TheServices, known: KnownEtag = None) -> Response:
    """Return the newest version of a workflow."""
    workflow = await services.workflows.get(services.tenant, workflow_id)
    tag = etag(workflow)
    if is_unchanged(known, tag):
        return Response(status_code=304, headers=tag)
    return json_reply(workflow_document(workflow), headers=tag)


@router.put("/{workflow_id}", **answers(Workflow, *BODY_PROBLEMS, 404, 412, 428, headers=("ETag",), links=LINKS))
async def replace_workflow(
    workflow_id: WorkflowId, document: JsonObject, services: TheServices, expected: Required, actor: Actor
) -> Response:
    """Replace a workflow by another document; the old one stays readable as a version."""
    if document.get("id", workflow_id) != workflow_id:
        raise InvalidWorkflow([Problem("/id", f"is not {workflow_id!r}, whose address this is")])
    replacement = await to_thread(workflow_from_body, {**document, "id": workflow_id})

    stored = await services.use_cases.replace(workflow_id, replacement, Writer(Author(user=actor)), expected=expected)
    return json_reply(workflow_document(stored), headers=etag(stored))


@router.delete("/{workflow_id}", **deletes("It is gone from every list.", 404, 412, 422, 428))
async def delete_workflow(workflow_id: WorkflowId, services: TheServices, expected: Required, actor: Actor) -> Response:
    """Delete a workflow."""
    await services.use_cases.delete(workflow_id, Writer(Author(user=actor)), expected=expected)
    return Response(status_code=204)
