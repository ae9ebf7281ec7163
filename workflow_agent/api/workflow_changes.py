"""Changing a workflow by edits, and its versions."""

from asyncio import to_thread
from itertools import pairwise
from typing import Annotated, Any

from fastapi import APIRouter, Body
from starlette.responses import Response

from workflow_agent.api.documents import edits_from_body
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
from workflow_agent.api.request_schemas import EditList
from workflow_agent.api.routing import StrictRoute
from workflow_agent.api.services import Services
from workflow_agent.api.workflows import BODY_PROBLEMS
from workflow_agent.domain.analysis import analyze
from workflow_agent.domain.diff import describe_diff, diff_workflows
from workflow_agent.domain.digests import digest_of
from workflow_agent.domain.edits import Edit, apply_edits, edit_document
from workflow_agent.domain.errors import WorkflowConflict
from workflow_agent.domain.workflow import Workflow, workflow_document
from workflow_agent.domain.workflow_parsing import parse_workflow
from workflow_agent.ports import Author, Change, WorkflowVersion

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
) -> Response:
    """Apply edits, all or none; with `dry_run=true` only show what they would do."""
    edits = await to_thread(edits_from_body, body.edits)
    if dry_run:
        current = await services.workflows.get(tenant, workflow_id)
        _require(current, version)
        return await _report(current, edits)
    author = Author()
    if key is not None:
        author = Author(run_id=f"key_{digest_of([tenant, key])[:32]}")
        request = digest_of(["edits", workflow_id, body.edits])
        claim = await services.keys.claim(tenant, key, request, workflow_id)
        if not claim.is_first and (made := await _made_earlier(services, tenant, workflow_id, author)):
            return await _report(made[0], edits, made[1])
    before: list[Workflow] = []

    def applied(current: Workflow) -> tuple[Workflow, Change]:
        before[:] = [current]
        changed = apply_edits(current, edits)
        documents = tuple(edit_document(edit) for edit in edits)
        return changed.workflow, Change(author, "edited", tuple(describe_diff(changed.diff)), documents)

    stored = await services.workflows.update(tenant, workflow_id, applied, expected_version=version)
    return await _report(before[0], edits, stored)


async def _made_earlier(
    services: Services, tenant: str, workflow_id: str, author: Author
) -> tuple[Workflow, Workflow] | None:
    """Return the workflow before and after an earlier request under the same key, if that got so far."""
    versions = await services.workflows.versions(tenant, workflow_id)
    for before, after in pairwise(versions):
        if after.author.run_id == author.run_id:
            return parse_workflow(before.document), parse_workflow(after.document)
    return None


async def _report(before: Workflow, edits: tuple[Edit, ...], stored: Workflow | None = None) -> Response:
    """Return what edits did; where nothing was stored, what they would do."""
    report = await to_thread(_compared, before, edits, stored)
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
    workflow_id: WorkflowId, v: Number, services: TheServices, tenant: Tenant, version: ExpectedVersion
) -> Response:
    """Make an old version the newest again, as a new version; nothing of the history is lost."""
    record = await services.workflows.version(tenant, workflow_id, v)
    earlier = parse_workflow(record.document)
    before: list[Workflow] = []

    def restored(current: Workflow) -> tuple[Workflow, Change]:
        before[:] = [current]
        summary = tuple(describe_diff(diff_workflows(current, earlier)))
        return earlier, Change(Author(), f"restored version {v}", summary)

    stored = await services.workflows.update(tenant, workflow_id, restored, expected_version=version)
    report = {
        "workflow": workflow_document(stored),
        "previous_version": before[0].version,
        "restored_version": v,
        "changes": list(describe_diff(diff_workflows(before[0], earlier))),
    }
    return json_reply(report, headers=etag(stored.version))
