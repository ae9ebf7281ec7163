"""Tools that change a workflow, take a change back, and mend what the analysis found."""

from collections.abc import Sequence

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.changes import edited, restored, show_preview
from workflow_agent.assistant.tools.discovery import find_workflow, named
from workflow_agent.assistant.tools.edit_calls import Edits, without_new_ids
from workflow_agent.assistant.tools.parameters import Parameters, Reference
from workflow_agent.errors import InvalidInput, WorkflowNotFound
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows import previews
from workflow_agent.workflows.analysis import fixes as fixing
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import Edit, parse_edits
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.service import ChangeReport

_ASKED_FOR = "it was asked to be shown first"


class EditWorkflow(Parameters):
    """A list of edits to one workflow: all of them are applied, or none."""

    workflow: Reference
    edits: Edits
    dry_run: bool = Field(default=False, description="only show what would change")


class UndoChange(Parameters):
    """Which workflow to take back a change of."""

    workflow: Reference
    to_version: int | None = Field(default=None, ge=1, description="the one before unless given")


class FixFindings(Parameters):
    """Which findings to mend."""

    workflow: Reference
    rules: list[str] = Field(default_factory=list[str], max_length=50, description="rule ids; all unless given")
    dry_run: bool = Field(default=False, description="only show what would change")


async def edit_workflow(ctx: RunContext[WorkflowContext], request: EditWorkflow) -> JsonObject:
    """Change a workflow by edits, all or none; what they do not name stays."""
    deps = ctx.deps
    workflow = await find_workflow(ctx, request.workflow, to_change=True)
    asked = [edit.as_edit() for edit in request.edits]
    digest = deps.progress.digest_of_write([workflow.id, without_new_ids(asked)])
    try:
        edits = parse_edits(asked)
        after = _outcome(deps, workflow, edits, dry_run=request.dry_run)
        reason = _ASKED_FOR if request.dry_run else after and previews.why_edits_wait(workflow, after)
        if after is not None and reason:
            return _shown(deps, workflow, after, reason, edits)
        return edited(deps, await deps.service.edit(workflow.id, edits, deps.writer(digest)))
    except InvalidInput as error:
        raise ModelRetry(str(error)) from error


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
    """Take back the newest change of a workflow, or go back to an earlier version."""
    deps, wanted = ctx.deps, request.to_version
    workflow = await find_workflow(ctx, request.workflow, to_change=True)
    writer = deps.writer(deps.progress.digest_of_write([workflow.id, "undo", wanted]))
    try:
        version = wanted or await deps.service.version_to_undo_to(workflow)
        earlier = await deps.service.at(workflow.id, version)
    except WorkflowNotFound as error:
        raise ModelRetry(f"{error} The newest version is {workflow.version}.") from error
    except InvalidInput as error:
        raise ModelRetry(str(error)) from error
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
    fixes = fixing.fix_findings(
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


TOOLS = (edit_workflow, undo_change, fix_findings)
