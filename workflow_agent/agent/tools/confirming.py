"""Tools for what waits for a yes: deleting a workflow, and applying what was previewed."""

from pydantic_ai import ModelRetry, RunContext

from workflow_agent.agent.tools.changing import (
    delete_previewed,
    show_preview,
    store_edits,
    store_restored,
)
from workflow_agent.agent.tools.parameters import Parameters, Reference
from workflow_agent.agent.tools.resolving import find_workflow
from workflow_agent.agent.workflow_context import WorkflowContext
from workflow_agent.domain.edits import parse_edits
from workflow_agent.domain.errors import InvalidInput, WorkflowNotFound
from workflow_agent.domain.previews import Preview
from workflow_agent.domain.values import JsonObject

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
