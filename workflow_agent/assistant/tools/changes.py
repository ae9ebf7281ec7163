"""Changing a stored workflow: at once, or as a preview that the next message may confirm."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.analysis import new_findings
from workflow_agent.assistant.tools.discovery import find_workflow, named
from workflow_agent.assistant.tools.parameters import Parameters, Reference
from workflow_agent.errors import InvalidInput, WorkflowConflict, WorkflowNotFound
from workflow_agent.values.digests import digest_of
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.diff.comparison import diff_workflows
from workflow_agent.workflows.diff.words import describe_diff
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import Edit, edit_document, parse_edits
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.previews import Preview, PreviewAction
from workflow_agent.workflows.store import Change, WorkflowVersion

_TO_CONFIRM = "Nothing is changed yet. Show the changes and ask; a yes in the next message applies them."
Apply = Callable[[Workflow], tuple[Workflow, Change]]


def show_preview(
    deps: WorkflowContext, action: PreviewAction, before: Workflow, after: Workflow | None, reason: str,
    *, edits: Sequence[JsonObject] = (), to_version: int | None = None,
) -> JsonObject:  # fmt: skip
    """Return what a change would do, and keep it for the next message to confirm."""
    diff = diff_workflows(before, after) if after is not None else None
    changes = tuple(describe_diff(diff)) if diff else (f"Delete workflow {before.name!r} ({before.id})",)
    told = [deps.run_id, action, before.id, before.version, to_version, list(edits)]
    preview = Preview(
        id=f"pv_{digest_of(told)[:12]}", action=action, workflow_id=before.id, workflow_name=before.name,
        version=before.version, reason=reason, edits=tuple(edits), to_version=to_version, changes=changes,
        diff=diff.as_dict() if diff else None,
    )  # fmt: skip
    deps.progress.preview = preview
    return {
        "workflow": named(before), "applied": False, "dry_run": True, "preview": preview.id,
        "reason": reason, "changes": list(changes), "to_confirm": _TO_CONFIRM,
        "findings": new_findings(before, after) if after is not None else [],
    }  # fmt: skip


async def store_edits(
    deps: WorkflowContext,
    workflow: Workflow,
    edits: Sequence[Edit],
    digest: str,
    *,
    preview: Preview | None = None,
) -> JsonObject:
    """Apply edits to the newest version; return what changed. Edits that change nothing make no version.

    Raises:
        ModelRetry: The edits were previewed for a version that is no longer the newest.
    """
    documents = tuple(edit_document(edit) for edit in edits)
    known = replace(deps.change("edited", digest=digest), edits=documents)

    unchanged: list[Workflow] = []

    def applied(current: Workflow) -> tuple[Workflow, Change]:
        changed = apply_edits(current, edits)
        if changed.workflow == current:
            unchanged.append(current)
            return current, known
        return changed.workflow, replace(known, summary=tuple(describe_diff(changed.diff)))

    changed = await _updated(deps, workflow, applied, known, preview=preview, unchanged=unchanged)
    if unchanged or changed.version == 1:
        return _report(changed, changed)
    # What is stored, not what was read before: another writer, or an earlier attempt, may have come between.
    before = await deps.workflows.version(deps.tenant, workflow.id, changed.version - 1)
    return _report(parse_workflow(before.document), changed)


def _report(before: Workflow, after: Workflow) -> JsonObject:
    return {
        "workflow": named(after),
        "previous_version": before.version,
        "changes": list(describe_diff(diff_workflows(before, after))),
        "dry_run": False,
        "findings": new_findings(before, after),
    }


async def store_restored(
    deps: WorkflowContext,
    workflow: Workflow,
    record: WorkflowVersion,
    digest: str,
    *,
    preview: Preview | None = None,
) -> JsonObject:
    """Make an earlier version the newest one; return what changed.

    Raises:
        ModelRetry: It was previewed for a version that is no longer the newest.
    """
    earlier = parse_workflow(record.document)
    known = deps.change(f"restored version {record.version}", digest=digest)

    def restored(current: Workflow) -> tuple[Workflow, Change]:
        return earlier, replace(known, summary=tuple(describe_diff(diff_workflows(current, earlier))))

    changed = await _updated(deps, workflow, restored, known, preview=preview)
    return {
        "workflow": named(changed),
        "restored_version": record.version,
        "changes": list(describe_diff(diff_workflows(workflow, changed))),
    }


async def _updated(
    deps: WorkflowContext,
    workflow: Workflow,
    apply: Apply,
    known: Change,
    *,
    preview: Preview | None,
    unchanged: Sequence[Workflow] = (),
) -> Workflow:
    """Return the workflow as `apply` made it; `unchanged` holds it then where it was that way already."""
    expected = preview.version if preview else None
    try:
        changed = await deps.workflows.update(
            deps.tenant, workflow.id, apply, expected_version=expected, beforehand=known
        )
    except WorkflowConflict as error:
        if preview is None:
            raise
        raise stale(preview) from error
    deps.progress.touch(changed, "viewed" if unchanged else "modified", formerly=workflow.name)
    return changed


async def delete_previewed(deps: WorkflowContext, preview: Preview) -> JsonObject:
    """Delete the workflow of a preview; return what was deleted.

    Raises:
        ModelRetry: It changed since.
    """
    try:
        workflow = await deps.workflows.get(deps.tenant, preview.workflow_id)
        await deps.workflows.delete(
            deps.tenant, workflow.id, expected_version=preview.version, fence=deps.fence
        )
        deps.progress.touch(workflow, "deleted")
    except WorkflowConflict as error:
        raise stale(preview) from error
    except WorkflowNotFound:
        # A repeated run finds gone what its earlier attempt has deleted.
        if deps.attempt == 1:
            raise
    deleted = {"id": preview.workflow_id, "name": preview.workflow_name, "version": preview.version}
    return {"deleted": deleted, "changes": list(preview.changes)}


async def before_earlier_attempt(deps: WorkflowContext, workflow: Workflow) -> Workflow:
    """Return a workflow as it was before an earlier attempt at this very run changed it."""
    number = workflow.version
    while deps.attempt > 1 and number > 1:
        record = await deps.workflows.version(deps.tenant, workflow.id, number)
        if record.author.run_id != deps.run_id:
            return parse_workflow(record.document)
        number -= 1
        record = await deps.workflows.version(deps.tenant, workflow.id, number)
        workflow = parse_workflow(record.document)
    return workflow


def stale(preview: Preview) -> ModelRetry:
    """Return the refusal of a preview whose workflow changed since it was shown."""
    return ModelRetry(
        f"Nothing was changed: {preview.workflow_name!r} has been changed since the preview, which was of "
        f"version {preview.version}. Make a new preview from the workflow as it is now."
    )


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
    """Show that a workflow would be deleted; it is deleted when the user says yes to that."""
    workflow = await find_workflow(ctx, request.workflow, to_change=True)
    ctx.deps.progress.touch(workflow, "viewed")
    return show_preview(ctx.deps, "delete", workflow, None, "it cannot be undone from a conversation")


async def apply_preview(ctx: RunContext[WorkflowContext], request: ApplyPreview) -> JsonObject:
    """Make the change that the previous reply previewed; only when the user has just said yes to it."""
    del request
    deps = ctx.deps
    preview = deps.progress.take_pending()
    if preview is None:
        raise ModelRetry(_NOTHING_WAITS)
    try:
        return await _applied(deps, preview) | {"applied": True, "preview": preview.id}
    except (InvalidInput, WorkflowNotFound) as error:
        raise ModelRetry(f"Nothing was changed: {error}") from error


async def _applied(deps: WorkflowContext, preview: Preview) -> JsonObject:
    if preview.action == "delete":
        return await delete_previewed(deps, preview)
    workflow = await deps.workflows.get(deps.tenant, preview.workflow_id)
    digest = deps.progress.digest_of_write(["preview", preview.id])
    if preview.to_version is not None:
        record = await deps.workflows.version(deps.tenant, workflow.id, preview.to_version)
        return await store_restored(deps, workflow, record, digest, preview=preview)
    return await store_edits(deps, workflow, parse_edits(list(preview.edits)), digest, preview=preview)


TOOLS = (delete_workflow, apply_preview)
