"""Changing a workflow by edits: its versions, changes that wait for a decision, and what is published."""

from asyncio import to_thread
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import BaseModel, Field, StringConstraints
from starlette.responses import Response

from workflow_agent.api.body import Body
from workflow_agent.api.creation import edits_from_body
from workflow_agent.api.dependencies import (
    CLEAN_PATTERN,
    MAX_NUMBER,
    Actor,
    Expected,
    Flag,
    IdempotencyKey,
    Number,
    Services,
    TheServices,
    UserName,
    WorkflowId,
    acting_user,
    clean_query,
    etag,
)
from workflow_agent.api.native.request_shapes import EditList, WorkflowIdText
from workflow_agent.api.native.workflow_shapes import EditReport, Restored, VersionList
from workflow_agent.api.native.workflows import MadeIn
from workflow_agent.api.routes import BODY_PROBLEMS, answers, json_reply, link, problem_replies, routes_at
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.imports import HandChange, post_change
from workflow_agent.values.stored import digest_of
from workflow_agent.workflows.approvals import Decision, Publication, WaitingChange
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import Edit, edit_document
from workflow_agent.workflows.model.workflow import workflow_document
from workflow_agent.workflows.service import ChangeReport, Writer
from workflow_agent.workflows.store import Author, WorkflowVersion

router = routes_at("/api/v1/workflows/{workflow_id}", "workflows")
_LISTED = {"version", "at", "author", "action", "summary"}
_OF_REPORT = {"workflow_id": "$response.body#/workflow/id"}


@router.post(
    "/edits",
    **answers(
        EditReport,
        *BODY_PROBLEMS,
        404,
        412,
        headers=("ETag",),
        links={"workflow": link("get_workflow", **_OF_REPORT), "diff": link("diff_versions", **_OF_REPORT)},
    ),
)
async def edit_workflow(
    workflow_id: WorkflowId,
    body: EditList,
    services: TheServices,
    expected: Expected,
    key: IdempotencyKey,
    actor: Actor,
    dry_run: Flag = False,
    conversation_id: MadeIn = None,
) -> Response:
    """Apply edits, all or none; with `dry_run=true` only show what they would do.

    With a `conversation_id` the change stands in that conversation too, as made by hand.
    """
    edits = await to_thread(edits_from_body, body.edits)
    if dry_run:
        return await _replied(await services.use_cases.preview(workflow_id, edits, expected=expected), edits)
    author = await _author(services, actor, conversation_id)
    mark = None
    if key is not None:
        request = digest_of(["edits", workflow_id, body.edits])
        await services.keys.claim(key, request, workflow_id)
        mark = digest_of([key, request])
    report = await services.use_cases.edit(workflow_id, edits, Writer(author, mark), expected=expected)
    await _put_on_record(services, author, report)
    return await _replied(report, edits)


async def _author(services: Services, actor: str, conversation_id: str | None) -> Author:
    """Return who changes something, and in which conversation, which has to be there."""
    if conversation_id is not None:
        await services.conversation(conversation_id)
    return Author(user=actor, conversation_id=conversation_id)


async def _put_on_record(services: Services, author: Author, report: ChangeReport, action: str = "edited") -> None:
    """Put a change that was made on record in the conversation it was made in, once."""
    if author.conversation_id is None:
        return
    workflow = report.after
    change = HandChange(
        workflow_id=workflow.id,
        name=workflow.name,
        version=workflow.version,
        action=action,
        previous_version=report.before.version,
        changes=report.changes,
    )
    # Made of the change, so that the same request sent again is the same event.
    event_id = f"evt_{digest_of([change.workflow_id, change.version])[:24]}"

    def recorded(conversation: Conversation) -> Conversation:
        if any(event.id == event_id for event in conversation.events):
            return conversation
        return post_change(conversation, change, at=services.clock(), event_id=event_id)[0]

    await services.conversations.update(services.tenant, author.conversation_id, recorded)


async def _replied(report: ChangeReport, edits: Sequence[Edit]) -> Response:
    def shown() -> dict[str, Any]:
        # Applied once more, because only that gives the inverse; it is pure and comes to the same.
        inverse = apply_edits(report.before, edits).inverse
        return {
            **_compared(report),
            "dry_run": not report.is_stored,
            "diff": report.diff.as_dict(),
            "inverse": [edit_document(edit) for edit in inverse],
            "findings": [one.as_dict() for one in report.findings],
        }

    kept = report.after if report.is_stored else report.before
    return json_reply(await to_thread(shown), headers=etag(kept))


def _compared(report: ChangeReport) -> dict[str, Any]:
    return {
        "workflow": workflow_document(report.after),
        "previous_version": report.before.version,
        "changes": list(report.changes),
    }


@router.get("/versions", **answers(VersionList, 404, 422))
async def list_versions(workflow_id: WorkflowId, services: TheServices) -> Response:
    """List the versions of a workflow, newest first, without their documents."""
    versions = await services.workflows.versions(services.tenant, workflow_id)
    items = [one.model_dump(mode="json", include=_LISTED) for one in reversed(versions)]
    return json_reply({"workflow_id": workflow_id, "items": items})


@router.get("/versions/{v}", **answers(WorkflowVersion, 404, 422))
async def get_version(workflow_id: WorkflowId, v: Number, services: TheServices) -> Response:
    """Return one version: who made it, how, and the whole document."""
    return json_reply(await services.workflows.version(services.tenant, workflow_id, v))


@router.post(
    "/versions/{v}/restore",
    **answers(Restored, 404, 412, 422, headers=("ETag",), links={"workflow": link("get_workflow", **_OF_REPORT)}),
)
async def restore_version(
    workflow_id: WorkflowId,
    v: Number,
    services: TheServices,
    expected: Expected,
    actor: Actor,
    conversation_id: MadeIn = None,
) -> Response:
    """Make an old version the newest again, as a new version; nothing of the history is lost."""
    author = await _author(services, actor, conversation_id)
    report = await services.use_cases.restore(workflow_id, v, Writer(author), expected=expected)
    await _put_on_record(services, author, report, f"restored version {v}")
    return json_reply({**_compared(report), "restored_version": v}, headers=etag(report.after))


approvals = routes_at("/api/v1", "approvals")


class Proposal(EditList):
    """Edits that somebody else is to decide."""

    workflow_id: WorkflowIdText
    reason: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=CLEAN_PATTERN)] = (
        "somebody asked for approval"
    )
    """Why it waits."""
    by: UserName | None = None
    """Who asks; by itself the user of the key, or `user`."""


class PreviewDecision(Body):
    """What becomes of a change that waits."""

    decision: Decision
    by: UserName | None = None
    """Who decides; by itself the user of the key, or `user`."""


class PublishRequest(Body):
    """What to publish."""

    version: Annotated[int, Field(ge=1, le=MAX_NUMBER)] | None = None
    """The newest, unless given."""
    by: UserName | None = None
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


@approvals.get("/previews", responses=problem_replies(422))
async def list_previews(
    services: TheServices,
    workflow_id: Annotated[str | None, clean_query()] = None,
    state: Annotated[
        Literal["waiting", "all"], Query(description="Also those that were decided or cannot be any more.")
    ] = "waiting",
) -> PreviewList:
    """List the changes that wait for a decision, of one workflow or of all."""
    found = await services.approvals.listed(workflow_id)
    return PreviewList(items=[one for one in found if state == "all" or one.state == "waiting"])


@approvals.post("/previews", status_code=201, responses=problem_replies(*BODY_PROBLEMS, 404, 412))
async def propose_change(body: Proposal, services: TheServices, expected: Expected, request: Request) -> WaitingChange:
    """Show edits without making them, and let them wait for somebody's decision."""
    edits = await to_thread(edits_from_body, body.edits)
    by = acting_user(request, body.by)
    return await services.approvals.propose(body.workflow_id, edits, by, body.reason, expected=expected)


@approvals.get("/previews/{preview_id}", responses=problem_replies(404, 422))
async def get_preview(preview_id: str, services: TheServices) -> WaitingChange:
    """Show one change that waits, or how it was decided."""
    return await services.approvals.get(preview_id)


@approvals.post("/previews/{preview_id}", responses=problem_replies(*BODY_PROBLEMS, 404, 409))
async def decide_preview(
    preview_id: str, body: PreviewDecision, services: TheServices, request: Request
) -> WaitingChange:
    """Make a change that waits, or turn it down; 409 where it expired or its workflow has moved on."""
    return await services.approvals.decide(preview_id, body.decision, acting_user(request, body.by))


@approvals.get("/workflows/{workflow_id}/publication", responses=problem_replies(404, 422))
async def get_publication(workflow_id: WorkflowId, services: TheServices, response: Response) -> PublicationState:
    """Tell which version of a workflow is published, by whom, and whether it was changed since."""
    workflow = await services.workflows.get(services.tenant, workflow_id)
    found = await services.approvals.publication(workflow)
    response.headers.update(etag(workflow))
    is_current = found is not None and found.version == workflow.version
    state = "draft" if found is None else "published" if is_current else "changed"
    return PublicationState(workflow_id=workflow.id, version=workflow.version, state=state, published=found)


@approvals.post("/workflows/{workflow_id}/publish", responses=problem_replies(*BODY_PROBLEMS, 404))
async def publish_workflow(
    workflow_id: WorkflowId, body: PublishRequest, services: TheServices, request: Request
) -> Publication:
    """Publish a version of a workflow, the newest unless one is named; later changes are a draft."""
    return await services.approvals.publish(workflow_id, acting_user(request, body.by), version=body.version)
