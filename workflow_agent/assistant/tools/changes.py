"""Changing a stored workflow: at once, or as a preview that the next message may confirm."""

from collections.abc import Sequence

from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.analysis import listed_findings
from workflow_agent.assistant.tools.discovery import find_workflow, named
from workflow_agent.assistant.tools.parameters import Parameters, Reference
from workflow_agent.errors import InvalidInput, WorkflowConflict, WorkflowNotFound
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.findings import Finding
from workflow_agent.workflows.previews import Preview, preview_of_deletion
from workflow_agent.workflows.service import ChangeReport

_TO_CONFIRM = "Nothing is changed yet. Show the changes and ask; a yes in the next message applies them."


def show_preview(deps: WorkflowContext, preview: Preview, findings: Sequence[Finding] = ()) -> JsonObject:
    """Return what a change would do, and keep it for the next message to confirm."""
    deps.progress.preview = preview
    workflow = {"id": preview.workflow_id, "name": preview.workflow_name, "version": preview.version}
    return {
        "workflow": workflow,
        "applied": False,
        "dry_run": True,
        "preview": preview.id,
        "reason": preview.reason,
        "changes": list(preview.changes),
        "to_confirm": _TO_CONFIRM,
        "findings": listed_findings(findings),
    }


def edited(deps: WorkflowContext, report: ChangeReport) -> JsonObject:
    """Return what edits did, noted as what this run did."""
    _touch(deps, report)
    return {
        "workflow": named(report.after),
        "previous_version": report.before.version,
        "changes": list(report.changes),
        "dry_run": False,
        "findings": listed_findings(report.findings),
    }


def restored(deps: WorkflowContext, report: ChangeReport, version: int) -> JsonObject:
    """Return what going back to a version did, noted as what this run did."""
    _touch(deps, report)
    return {"workflow": named(report.after), "restored_version": version, "changes": list(report.changes)}


def _touch(deps: WorkflowContext, report: ChangeReport) -> None:
    is_changed = report.after.version != report.before.version
    deps.progress.touch(report.after, "modified" if is_changed else "viewed", formerly=report.before.name)


_NOTHING_WAITS = (
    "There is no preview to confirm: it was confirmed or dropped, another message came between, or it was "
    "made in this very turn and the user has not answered yet."
)


class DeleteWorkflow(Parameters):
    """Which workflow to delete."""

    workflow: Reference


class ApplyPreview(Parameters):
    """Nothing to choose: it is the preview that the previous reply showed."""


async def delete_workflow(ctx: RunContext[WorkflowContext], request: DeleteWorkflow) -> JsonObject:
    """Preview deleting a workflow; the user's yes deletes it."""
    workflow = await find_workflow(ctx, request.workflow, to_change=True)
    ctx.deps.progress.touch(workflow, "viewed")
    reason = "it cannot be undone from a conversation"
    return show_preview(ctx.deps, preview_of_deletion(workflow, reason, told_in=ctx.deps.run_id))


async def apply_preview(ctx: RunContext[WorkflowContext], request: ApplyPreview) -> JsonObject:
    """Make the change that the previous reply previewed, once the user has said yes."""
    del request
    deps = ctx.deps
    preview = deps.progress.take_pending()
    if preview is None:
        raise ModelRetry(_NOTHING_WAITS)
    try:
        return await _applied(deps, preview) | {"applied": True, "preview": preview.id}
    except WorkflowConflict as error:
        raise ModelRetry(
            f"Nothing was changed: {preview.workflow_name!r} has been changed since the preview, which was "
            f"of version {preview.version}. Make a new preview from the workflow as it is now."
        ) from error
    except (InvalidInput, WorkflowNotFound) as error:
        raise ModelRetry(f"Nothing was changed: {error}") from error


async def _applied(deps: WorkflowContext, preview: Preview) -> JsonObject:
    writer = deps.writer(deps.progress.digest_of_write(["preview", preview.id]))
    if preview.action == "delete":
        deleted = await deps.service.delete(preview.workflow_id, writer, expected=preview.shown)
        if deleted is not None:
            deps.progress.touch(deleted, "deleted")
        told = {"id": preview.workflow_id, "name": preview.workflow_name, "version": preview.version}
        return {"deleted": told, "changes": list(preview.changes)}
    report = await deps.service.apply(preview, writer)
    if preview.to_version is not None:
        return restored(deps, report, preview.to_version)
    return edited(deps, report)


TOOLS = (delete_workflow, apply_preview)
