"""Changing a workflow by edits, and its versions."""

from asyncio import to_thread
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body
from starlette.responses import Response

from workflow_agent.api.creation import edits_from_body
from workflow_agent.api.native.request_shapes import EditList
from workflow_agent.api.native.workflows import BODY_PROBLEMS, MadeIn
from workflow_agent.api.parameters import (
    ExpectedVersion,
    Flag,
    IdempotencyKey,
    Number,
    Tenant,
    TheServices,
    WorkflowId,
    etag,
)
from workflow_agent.api.replies import json_reply, link, replies
from workflow_agent.api.route_class import StrictRoute
from workflow_agent.api.services import Services
from workflow_agent.conversations.acceptance import HandChange, post_change
from workflow_agent.conversations.document import Conversation
from workflow_agent.errors import WorkflowConflict
from workflow_agent.values.digests import digest_of
from workflow_agent.workflows.analysis.analyzer import analyze
from workflow_agent.workflows.diff.comparison import diff_workflows
from workflow_agent.workflows.diff.words import describe_diff
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import Edit, edit_document
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.store import Author, Change, WorkflowVersion

router = APIRouter(prefix="/api/v1/workflows/{workflow_id}", tags=["workflows"], route_class=StrictRoute)
_OF_REPORT = {"workflow_id": "$response.body#/workflow/id"}


@router.post(
    "/edits",
    operation_id="edit_workflow",
    responses=replies(
        "EditReport", *BODY_PROBLEMS, 404, 412, headers=("ETag",),
        links={"workflow": link("get_workflow", **_OF_REPORT), "diff": link("diff_versions", **_OF_REPORT)},
    ),
)  # fmt: skip
async def edit_workflow(
    workflow_id: WorkflowId,
    body: Annotated[EditList, Body()],
    services: TheServices,
    tenant: Tenant,
    version: ExpectedVersion,
    key: IdempotencyKey,
    dry_run: Flag = False,
    conversation_id: MadeIn = None,
) -> Response:
    """Apply edits, all or none; with `dry_run=true` only show what they would do.

    With a `conversation_id` the change stands in that conversation too, as made by hand.
    """
    edits = await to_thread(edits_from_body, body.edits)
    if dry_run:
        current = await services.workflows.get(tenant, workflow_id)
        _require(current, version)
        return _replied(await _report(current, edits))
    author = Author(conversation_id=await _conversation(services, tenant, conversation_id))
    mark = None
    if key is not None:
        request = digest_of(["edits", workflow_id, body.edits])
        await services.keys.claim(tenant, key, request, workflow_id)
        mark = digest_of([key, request])
    known = Change(author, "edited", edits=tuple(edit_document(edit) for edit in edits), digest=mark)

    def applied(current: Workflow) -> tuple[Workflow, Change]:
        changed = apply_edits(current, edits)
        return changed.workflow, replace(known, summary=tuple(describe_diff(changed.diff)))

    # Under a key the same write is made once; where it was made before, it is told as it was then.
    stored = await services.workflows.update(
        tenant, workflow_id, applied, expected_version=version, beforehand=known
    )
    before = await services.workflows.version(tenant, workflow_id, stored.version - 1)
    report = await _report(parse_workflow(before.document), edits, stored)
    await _put_on_record(services, tenant, author, report)
    return _replied(report)


async def _conversation(services: Services, tenant: str, conversation_id: str | None) -> str | None:
    """Return the id of the conversation a change is made in, once it is known to be there."""
    if conversation_id is None:
        return None
    return (await services.conversations.load(tenant, conversation_id)).id


async def _put_on_record(
    services: Services, tenant: str, author: Author, report: dict[str, Any], action: str = "edited"
) -> None:
    """Put a change that was made on record in the conversation it was made in, once."""
    if author.conversation_id is None:
        return
    workflow = report["workflow"]
    change = HandChange(
        workflow_id=workflow["id"], name=workflow["name"], version=workflow["version"], action=action,
        previous_version=report["previous_version"], changes=tuple(report["changes"]),
    )  # fmt: skip
    # Made of the change, so that the same request sent again is the same event.
    event_id = f"evt_{digest_of([change.workflow_id, change.version])[:24]}"

    def recorded(conversation: Conversation) -> Conversation:
        if any(event.id == event_id for event in conversation.events):
            return conversation
        return post_change(conversation, change, at=services.clock(), event_id=event_id)[0]

    await services.conversations.update(tenant, author.conversation_id, recorded)


async def _report(
    before: Workflow, edits: tuple[Edit, ...], stored: Workflow | None = None
) -> dict[str, Any]:
    """Return what edits did; where nothing was stored, what they would do."""
    return await to_thread(_compared, before, edits, stored)


def _replied(report: dict[str, Any]) -> Response:
    return json_reply(report, headers=etag(report["workflow"]["version"]))


def _compared(before: Workflow, edits: tuple[Edit, ...], stored: Workflow | None) -> dict[str, Any]:
    # Applied once more, because only that gives the inverse; it is pure and comes to the same.
    applied = apply_edits(before, edits)
    known = {(one.rule, one.steps, one.transitions) for one in analyze(before)}
    return {
        "workflow": workflow_document(stored or applied.workflow),
        "previous_version": before.version,
        "dry_run": stored is None,
        "changes": list(describe_diff(applied.diff)),
        "diff": applied.diff.as_dict(),
        "inverse": [edit_document(edit) for edit in applied.inverse],
        "findings": [
            one.as_dict()
            for one in analyze(applied.workflow)
            if (one.rule, one.steps, one.transitions) not in known
        ],
    }


def _require(workflow: Workflow, version: int | None) -> None:
    if version is not None and workflow.version != version:
        raise WorkflowConflict(
            f"Workflow {workflow.id!r} is at version {workflow.version}, not at the one that If-Match names. "
            "Read it again and retry.",
            version=workflow.version,
        )


def _listed(version: WorkflowVersion) -> dict[str, Any]:
    return version.model_dump(mode="json", include={"version", "at", "author", "action", "summary"})


@router.get("/versions", operation_id="list_versions", responses=replies("VersionList", 404, 422))
async def list_versions(workflow_id: WorkflowId, services: TheServices, tenant: Tenant) -> Response:
    """List the versions of a workflow, newest first, without their documents."""
    versions = await services.workflows.versions(tenant, workflow_id)
    return json_reply({"workflow_id": workflow_id, "items": [_listed(one) for one in reversed(versions)]})


@router.get("/versions/{v}", operation_id="get_version", responses=replies("WorkflowVersion", 404, 422))
async def get_version(workflow_id: WorkflowId, v: Number, services: TheServices, tenant: Tenant) -> Response:
    """Return one version: who made it, how, and the whole document."""
    version = await services.workflows.version(tenant, workflow_id, v)
    return json_reply(version.model_dump(mode="json"))


@router.post(
    "/versions/{v}/restore",
    operation_id="restore_version",
    responses=replies(
        "Restored", 404, 412, 422, headers=("ETag",), links={"workflow": link("get_workflow", **_OF_REPORT)}
    ),
)  # fmt: skip
async def restore_version(
    workflow_id: WorkflowId,
    v: Number,
    services: TheServices,
    tenant: Tenant,
    version: ExpectedVersion,
    conversation_id: MadeIn = None,
) -> Response:
    """Make an old version the newest again, as a new version; nothing of the history is lost."""
    author = Author(conversation_id=await _conversation(services, tenant, conversation_id))
    record = await services.workflows.version(tenant, workflow_id, v)
    earlier = parse_workflow(record.document)
    before: list[Workflow] = []

    def restored(current: Workflow) -> tuple[Workflow, Change]:
        before[:] = [current]
        summary = tuple(describe_diff(diff_workflows(current, earlier)))
        return earlier, Change(author, f"restored version {v}", summary)

    stored = await services.workflows.update(tenant, workflow_id, restored, expected_version=version)
    report = {
        "workflow": workflow_document(stored),
        "previous_version": before[0].version,
        "restored_version": v,
        "changes": list(describe_diff(diff_workflows(before[0], earlier))),
    }
    await _put_on_record(services, tenant, author, report, f"restored version {v}")
    return json_reply(report, headers=etag(stored.version))
