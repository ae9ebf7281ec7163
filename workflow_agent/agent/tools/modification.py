"""Tools that change a workflow, and take a change back."""

from dataclasses import replace

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.agent.tools.edit_calls import EditCall, without_new_ids
from workflow_agent.agent.tools.findings import new_findings
from workflow_agent.agent.tools.parameters import Parameters, Reference
from workflow_agent.agent.tools.resolving import find_workflow, named
from workflow_agent.agent.workflow_context import WorkflowContext
from workflow_agent.domain.diff import describe_diff, diff_workflows
from workflow_agent.domain.edits import apply_edits, edit_document, parse_edits
from workflow_agent.domain.errors import InvalidInput, WorkflowNotFound
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Workflow
from workflow_agent.domain.workflow_parsing import parse_workflow
from workflow_agent.ports import Change


class EditWorkflow(Parameters):
    """A list of edits to one workflow: all of them are applied, or none."""

    workflow: Reference
    edits: list[EditCall] = Field(min_length=1, max_length=100)
    dry_run: bool = Field(default=False, description="only show what would change")


class UndoChange(Parameters):
    """Which workflow to take back a change of."""

    workflow: Reference
    to_version: int | None = Field(
        default=None, ge=1, description="the version before the newest, unless given"
    )


async def edit_workflow(ctx: RunContext[WorkflowContext], request: EditWorkflow) -> JsonObject:
    """Change a workflow by typed edits; what they do not name stays as it is."""
    deps = ctx.deps
    workflow = await find_workflow(ctx, request.workflow)
    asked = [edit.as_edit() for edit in request.edits]
    try:
        edits = parse_edits(asked)
        if request.dry_run:
            return _report(workflow, apply_edits(workflow, edits).workflow, dry_run=True)
        known = Change(
            deps.author(), "edited", edits=tuple(edit_document(edit) for edit in edits),
            digest=deps.progress.digest_of_write([workflow.id, without_new_ids(asked)]),
        )  # fmt: skip

        def applied(current: Workflow) -> tuple[Workflow, Change]:
            changed = apply_edits(current, edits)
            return changed.workflow, replace(known, summary=tuple(describe_diff(changed.diff)))

        changed = await deps.workflows.update(deps.tenant, workflow.id, applied, beforehand=known)
    except InvalidInput as error:
        raise ModelRetry(str(error)) from error
    deps.progress.touch(changed, "modified")
    if changed is workflow or changed.version == 1:
        return _report(workflow, changed, dry_run=False)
    # What is stored, not what was read before: another writer, or an earlier attempt, may have come between.
    before = await deps.workflows.version(deps.tenant, workflow.id, changed.version - 1)
    return _report(parse_workflow(before.document), changed, dry_run=False)


def _report(before: Workflow, after: Workflow, *, dry_run: bool) -> JsonObject:
    return {
        "workflow": named(after),
        "previous_version": before.version,
        "changes": list(describe_diff(diff_workflows(before, after))),
        "dry_run": dry_run,
        "findings": new_findings(before, after),
    }


async def undo_change(ctx: RunContext[WorkflowContext], request: UndoChange) -> JsonObject:
    """Restore an earlier version of a workflow as its newest one; nothing of the history is lost."""
    deps = ctx.deps
    workflow = await find_workflow(ctx, request.workflow)
    wanted = request.to_version or await _version_to_undo_to(deps, workflow)
    try:
        record = await deps.workflows.version(deps.tenant, workflow.id, wanted)
    except WorkflowNotFound as error:
        raise ModelRetry(f"{error} The newest version is {workflow.version}.") from error
    earlier = parse_workflow(record.document)
    digest = deps.progress.digest_of_write([workflow.id, "undo", request.to_version])
    known = Change(deps.author(), f"restored version {wanted}", digest=digest)

    def restored(current: Workflow) -> tuple[Workflow, Change]:
        return earlier, replace(known, summary=tuple(describe_diff(diff_workflows(current, earlier))))

    changed = await deps.workflows.update(deps.tenant, workflow.id, restored, beforehand=known)
    deps.progress.touch(changed, "modified")
    return {
        "workflow": named(changed),
        "restored_version": wanted,
        "changes": list(describe_diff(diff_workflows(workflow, changed))),
    }


async def _version_to_undo_to(deps: WorkflowContext, workflow: Workflow) -> int:
    """Return the version before the newest change that is not an undo, so that undo goes further back."""
    number = workflow.version
    while number > 1:
        record = await deps.workflows.version(deps.tenant, workflow.id, number)
        restored = record.action.removeprefix("restored version ")
        if restored == record.action:
            return number - 1
        number = int(restored)
    raise ModelRetry(f"Workflow {workflow.id!r} is as it was created: there is no change to undo.")


TOOLS = (edit_workflow, undo_change)
