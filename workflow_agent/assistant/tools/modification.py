"""Tools that change a stored workflow: editing, undoing, fixing, deleting, and applying what waits."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.analysis import listed_findings
from workflow_agent.assistant.tools.discovery import find_workflow, named
from workflow_agent.assistant.tools.edit_calls import Edits, without_new_ids
from workflow_agent.assistant.tools.parameters import LIST_OF_SHAPES, Parameters, Reference, told_to_model
from workflow_agent.errors import InvalidInput, WorkflowConflict, WorkflowNotFound
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows import analysis, previews
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import Edit, parse_edits
from workflow_agent.workflows.model.findings import Finding
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.previews import Preview, preview_of_deletion
from workflow_agent.workflows.service import ChangeReport

_ASKED_FOR = "it was asked to be shown first"
_TO_CONFIRM = "Nothing is changed yet. Show the changes and ask; a yes in the next message applies them."


class EditWorkflow(Parameters):
    """A list of edits to one workflow: all of them are applied, or none."""

    workflow: Reference
    edits: Annotated[Edits, LIST_OF_SHAPES] = Field(description="[{op, …}]")
    dry_run: bool = Field(default=False, description="only show it")


class UndoChange(Parameters):
    """Which workflow to take back a change of."""

    workflow: Reference
    to_version: int | None = Field(default=None, ge=1, description="or the one before")


class FixFindings(Parameters):
    """Which findings to mend."""

    workflow: Reference
    rules: list[str] = Field(default_factory=list[str], max_length=50, description="ids; or all")
    dry_run: bool = Field(default=False, description="only show it")


async def edit_workflow(ctx: RunContext[WorkflowContext], request: EditWorkflow) -> JsonObject:
    """Change a workflow by edits, all or none. Shapes as in your instructions."""
    deps = ctx.deps
    workflow = await find_workflow(ctx, request.workflow, to_change=True)
    asked = [edit.as_edit() for edit in request.edits]
    digest = deps.progress.digest_of_write([workflow.id, without_new_ids(asked)])
    with told_to_model():
        edits = parse_edits(asked)
        after = _outcome(deps, workflow, edits, dry_run=request.dry_run)
        reason = _ASKED_FOR if request.dry_run else after and previews.why_edits_wait(workflow, after)
        if after is not None and reason:
            return _shown(deps, workflow, after, reason, edits)
        return edited(deps, await deps.service.edit(workflow.id, edits, deps.writer(digest)))


def _shown(deps: WorkflowContext, before: Workflow, after: Workflow, reason: str, edits: Sequence[Edit]) -> JsonObject:
    preview = previews.preview_of("edit", before, after, reason, told_in=deps.run_id, edits=edits)
    return show_preview(deps, preview, ChangeReport(before, after).findings)


def _outcome(deps: WorkflowContext, workflow: Workflow, edits: Sequence[Edit], *, dry_run: bool) -> Workflow | None:
    """Return what edits make of a workflow; None where an earlier attempt at this run made them already."""
    try:
        return apply_edits(workflow, edits).workflow
    except InvalidInput:
        # What was renamed once no longer has the name to rename it by: the catalogue recognises the edit.
        if dry_run or deps.attempt == 1:
            raise
        return None


async def undo_change(ctx: RunContext[WorkflowContext], request: UndoChange) -> JsonObject:
    """Take back the newest change, or go back to a version."""
    deps, wanted = ctx.deps, request.to_version
    workflow = await find_workflow(ctx, request.workflow, to_change=True)
    writer = deps.writer(deps.progress.digest_of_write([workflow.id, "undo", wanted]))
    try:
        version = wanted or await deps.service.version_to_undo_to(workflow)
        earlier = await deps.service.at(workflow.id, version)
    except WorkflowNotFound as error:
        raise ModelRetry(f"{error} The newest version is {workflow.version}.") from error
    except InvalidInput as error:
        raise ModelRetry(error.message) from error
    current = await deps.service.before_attempt(workflow, writer.author)
    if wanted and (reason := previews.why_restoring_waits(current, wanted)):
        preview = previews.preview_of("restore", workflow, earlier, reason, told_in=deps.run_id, to_version=wanted)
        return show_preview(deps, preview, ChangeReport(workflow, earlier).findings)
    return restored(deps, await deps.service.restore(workflow.id, version, writer), version)


async def fix_findings(ctx: RunContext[WorkflowContext], request: FixFindings) -> JsonObject:
    """Apply every safe fix of what the analysis finds; says what is left."""
    deps = ctx.deps
    found = await find_workflow(ctx, request.workflow, to_change=True)
    writer = deps.writer(deps.progress.digest_of_write([found.id, "fix", sorted(request.rules)]))
    workflow = await deps.service.before_attempt(found, writer.author)
    fixes = analysis.fix_findings(
        workflow, portfolio=await deps.workflows.all(deps.tenant), rules=frozenset(request.rules)
    )
    edits = parse_edits(list(fixes.edits))
    reason = _ASKED_FOR if request.dry_run else None
    reason = reason or previews.why_fixes_wait(workflow, fixes.workflow, len(edits))
    if not edits:
        deps.progress.touch(workflow, "analysed")
        done: JsonObject = {"workflow": named(workflow), "changes": [], "findings": []}
    elif reason:
        done = _shown(deps, workflow, fixes.workflow, reason, edits)
    else:
        done = edited(deps, await deps.service.edit(workflow.id, edits, writer))
    return done | {
        "fixed": [{"rule": one.rule, "message": one.message} for one in fixes.fixed],
        "left": [
            {"rule": one.finding.rule, "severity": one.finding.severity, "message": one.finding.message, "why": one.why}
            for one in fixes.left
        ],
    }


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


TOOLS = (edit_workflow, undo_change, fix_findings, delete_workflow, apply_preview)
