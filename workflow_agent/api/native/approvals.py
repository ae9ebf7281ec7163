"""Changes that wait for a decision, and what of a workflow is published."""

from asyncio import to_thread
from typing import Annotated, Literal

from fastapi import Body, Query, Request
from pydantic import BaseModel, Field, StringConstraints
from starlette.responses import Response

from workflow_agent.api.body import Body as RequestBody
from workflow_agent.api.creation import edits_from_body
from workflow_agent.api.native.request_shapes import EditList, WorkflowIdText
from workflow_agent.api.native.workflows import BODY_PROBLEMS
from workflow_agent.api.parameters import (
    CLEAN_PATTERN,
    MAX_NUMBER,
    Expected,
    TheServices,
    WorkflowId,
    acting_user,
    etag,
)
from workflow_agent.api.routes import problem_replies, routes_at
from workflow_agent.workflows.approvals import Decision, Publication, WaitingChange

router = routes_at("/api/v1", "approvals")
Who = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=CLEAN_PATTERN)]


class Proposal(EditList):
    """Edits that somebody else is to decide."""

    workflow_id: WorkflowIdText
    reason: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=CLEAN_PATTERN)] = (
        "somebody asked for approval"
    )
    """Why it waits."""
    by: Who | None = None
    """Who asks; by itself the user of the key, or `user`."""


class PreviewDecision(RequestBody):
    """What becomes of a change that waits."""

    decision: Decision
    by: Who | None = None
    """Who decides; by itself the user of the key, or `user`."""


class PublishRequest(RequestBody):
    """What to publish."""

    version: Annotated[int, Field(ge=1, le=MAX_NUMBER)] | None = None
    """The newest, unless given."""
    by: Who | None = None
    """Who publishes; by itself the user of the key, or `user`."""


class PreviewList(BaseModel):
    """Changes that wait or waited for a decision, the newest first."""

    items: list[WaitingChange]


class PublicationState(BaseModel):
    """Whether a workflow is a draft, published, or published with later changes."""

    workflow_id: str
    version: int
    """The newest."""
    state: Literal["draft", "published", "changed"]
    published: Publication | None = None


@router.get("/previews", responses=problem_replies(422))
async def list_previews(
    services: TheServices,
    workflow_id: Annotated[str | None, Query(max_length=200, pattern=CLEAN_PATTERN)] = None,
    state: Annotated[
        Literal["waiting", "all"], Query(description="Also those that were decided or cannot be any more.")
    ] = "waiting",
) -> PreviewList:
    """List the changes that wait for a decision, of one workflow or of all."""
    found = await services.approvals.listed(workflow_id)
    return PreviewList(items=[one for one in found if state == "all" or one.state == "waiting"])


@router.post("/previews", status_code=201, responses=problem_replies(*BODY_PROBLEMS, 404, 412))
async def propose_change(
    body: Annotated[Proposal, Body()], services: TheServices, expected: Expected, request: Request
) -> WaitingChange:
    """Show edits without making them, and let them wait for somebody's decision."""
    edits = await to_thread(edits_from_body, body.edits)
    by = acting_user(request, body.by)
    return await services.approvals.propose(body.workflow_id, edits, by, body.reason, expected=expected)


@router.get("/previews/{preview_id}", responses=problem_replies(404, 422))
async def get_preview(preview_id: str, services: TheServices) -> WaitingChange:
    """Show one change that waits, or how it was decided."""
    return await services.approvals.get(preview_id)


@router.post("/previews/{preview_id}", responses=problem_replies(*BODY_PROBLEMS, 404, 409))
async def decide_preview(
    preview_id: str, body: Annotated[PreviewDecision, Body()], services: TheServices, request: Request
) -> WaitingChange:
    """Make a change that waits, or turn it down; 409 where it expired or its workflow has moved on."""
    return await services.approvals.decide(preview_id, body.decision, acting_user(request, body.by))


@router.get("/workflows/{workflow_id}/publication", responses=problem_replies(404, 422))
async def get_publication(workflow_id: WorkflowId, services: TheServices, response: Response) -> PublicationState:
    """Tell which version of a workflow is published, by whom, and whether it was changed since."""
    workflow = await services.workflows.get(services.tenant, workflow_id)
    found = await services.approvals.publication(workflow)
    response.headers.update(etag(workflow))
    is_current = found is not None and found.version == workflow.version
    state = "draft" if found is None else "published" if is_current else "changed"
    return PublicationState(workflow_id=workflow.id, version=workflow.version, state=state, published=found)


@router.post("/workflows/{workflow_id}/publish", responses=problem_replies(*BODY_PROBLEMS, 404))
async def publish_workflow(
    workflow_id: WorkflowId, body: Annotated[PublishRequest, Body()], services: TheServices, request: Request
) -> Publication:
    """Publish a version of a workflow, the newest unless one is named; later changes are a draft."""
    return await services.approvals.publish(workflow_id, acting_user(request, body.by), version=body.version)
