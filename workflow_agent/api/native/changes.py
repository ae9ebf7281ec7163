"""Changing a workflow by edits, and its versions."""

from asyncio import to_thread
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Body
from starlette.responses import Response

from workflow_agent.api.creation import edits_from_body
from workflow_agent.api.native.request_shapes import EditList
from workflow_agent.api.native.workflow_shapes import EditReport, Restored, VersionList
from workflow_agent.api.native.workflows import BODY_PROBLEMS, MadeIn
from workflow_agent.api.parameters import (
    Actor,
    Expected,
    Flag,
    IdempotencyKey,
    Number,
    Tenant,
    TheServices,
    WorkflowId,
    Workflows,
    etag,
)
from workflow_agent.api.routes import StrictRoute, json_reply, link, replies
from workflow_agent.api.services import Services
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.imports import HandChange, post_change
from workflow_agent.values.json_values import digest_of
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import Edit, edit_document
from workflow_agent.workflows.model.workflow import workflow_document
from workflow_agent.workflows.service import ChangeReport, Writer
from workflow_agent.workflows.store import Author, WorkflowVersion

router = APIRouter(prefix="/api/v1/workflows/{workflow_id}", tags=["workflows"], route_class=StrictRoute)
_OF_REPORT = {"workflow_id": "$response.body#/workflow/id"}


@router.post(
    "/edits",
    operation_id="edit_workflow",
    response_model=EditReport,
    responses=replies(
        *BODY_PROBLEMS,
        404,
        412,
        headers=("ETag",),
        links={"workflow": link("get_workflow", **_OF_REPORT), "diff": link("diff_versions", **_OF_REPORT)},
    ),
)
async def edit_workflow(
    workflow_id: WorkflowId,
    body: Annotated[EditList, Body()],
    services: TheServices,
    workflows: Workflows,
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
        return await _replied(await workflows.preview(workflow_id, edits, expected=expected), edits)
    author = Author(user=actor, conversation_id=await _conversation(services, workflows.tenant, conversation_id))
    mark = None
    if key is not None:
        request = digest_of(["edits", workflow_id, body.edits])
        await services.keys.claim(key, request, workflow_id)
        mark = digest_of([key, request])
    report = await workflows.edit(workflow_id, edits, Writer(author, mark), expected=expected)
    await _put_on_record(services, workflows.tenant, author, report)
    return await _replied(report, edits)


async def _conversation(services: Services, tenant: str, conversation_id: str | None) -> str | None:
    """Return the id of the conversation a change is made in, once it is known to be there."""
    if conversation_id is None:
        return None
    return (await services.conversations.load(tenant, conversation_id)).id


async def _put_on_record(
    services: Services, tenant: str, author: Author, report: ChangeReport, action: str = "edited"
) -> None:
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

    await services.conversations.update(tenant, author.conversation_id, recorded)


async def _replied(report: ChangeReport, edits: Sequence[Edit]) -> Response:
    kept = report.after if report.is_stored else report.before
    return json_reply(await to_thread(_shown, report, edits), headers=etag(kept))


def _shown(report: ChangeReport, edits: Sequence[Edit]) -> dict[str, Any]:
    # Applied once more, because only that gives the inverse; it is pure and comes to the same.
    inverse = apply_edits(report.before, edits).inverse
    return {
        **_compared(report),
        "dry_run": not report.is_stored,
        "diff": report.diff.as_dict(),
        "inverse": [edit_document(edit) for edit in inverse],
        "findings": [one.as_dict() for one in report.findings],
    }


def _compared(report: ChangeReport) -> dict[str, Any]:
    return {
        "workflow": workflow_document(report.after),
        "previous_version": report.before.version,
        "changes": list(report.changes),
    }


def _listed(version: WorkflowVersion) -> dict[str, Any]:
    return version.model_dump(mode="json", include={"version", "at", "author", "action", "summary"})


@router.get("/versions", operation_id="list_versions", response_model=VersionList, responses=replies(404, 422))
async def list_versions(workflow_id: WorkflowId, services: TheServices, tenant: Tenant) -> Response:
    """List the versions of a workflow, newest first, without their documents."""
    versions = await services.workflows.versions(tenant, workflow_id)
    return json_reply({"workflow_id": workflow_id, "items": [_listed(one) for one in reversed(versions)]})


@router.get("/versions/{v}", operation_id="get_version", response_model=WorkflowVersion, responses=replies(404, 422))
async def get_version(workflow_id: WorkflowId, v: Number, services: TheServices, tenant: Tenant) -> Response:
    """Return one version: who made it, how, and the whole document."""
    version = await services.workflows.version(tenant, workflow_id, v)
    return json_reply(version)


@router.post(
    "/versions/{v}/restore",
    operation_id="restore_version",
    response_model=Restored,
    responses=replies(404, 412, 422, headers=("ETag",), links={"workflow": link("get_workflow", **_OF_REPORT)}),
)
async def restore_version(
    workflow_id: WorkflowId,
    v: Number,
    services: TheServices,
    workflows: Workflows,
    expected: Expected,
    actor: Actor,
    conversation_id: MadeIn = None,
) -> Response:
    """Make an old version the newest again, as a new version; nothing of the history is lost."""
    author = Author(user=actor, conversation_id=await _conversation(services, workflows.tenant, conversation_id))
    report = await workflows.restore(workflow_id, v, Writer(author), expected=expected)
    await _put_on_record(services, workflows.tenant, author, report, f"restored version {v}")
    shown = {**_compared(report), "restored_version": v}
    return json_reply(shown, headers=etag(report.after))
