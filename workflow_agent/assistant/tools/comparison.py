"""Tools that tell what changed: between versions, between workflows, since a time."""

from collections.abc import Sequence

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.discovery import find_workflow, named
from workflow_agent.assistant.tools.parameters import Limit, Parameters, Reference
from workflow_agent.errors import WorkflowNotFound
from workflow_agent.values.stored import JsonObject, Moment, iso_milliseconds
from workflow_agent.workflows.diff import diff_workflows
from workflow_agent.workflows.diff.words import compare_workflows as likeness_of
from workflow_agent.workflows.diff.words import describe_diff
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import WorkflowVersion


class CompareVersions(Parameters):
    """Which versions to compare."""

    workflow: Reference
    from_version: int | None = Field(default=None, ge=1, description="or the one before")
    to_version: int | None = Field(default=None, ge=1, description="or the newest")


class CompareWorkflows(Parameters):
    """Which two workflows to compare."""

    first: Reference
    second: Reference


class ListChanges(Parameters):
    """Which changes to list."""

    since: Moment = Field(description="ISO 8601, like 2026-03-02")
    until: Moment | None = Field(default=None, description="or now")
    workflow: Reference | None = Field(default=None, description="of one only")
    author: str | None = Field(default=None, max_length=100, description="user or agent")
    limit: Limit = Field(default=20, description="or 20")


async def compare_versions(ctx: RunContext[WorkflowContext], request: CompareVersions) -> JsonObject:
    """Tell what changed between two versions."""
    workflow = await find_workflow(ctx, request.workflow)
    to_version = request.to_version or workflow.version
    from_version = request.from_version or max(to_version - 1, 1)
    try:
        before = await ctx.deps.service.at(workflow.id, from_version)
        after = await ctx.deps.service.at(workflow.id, to_version)
    except WorkflowNotFound as error:
        raise ModelRetry(f"{error} The newest version is {workflow.version}.") from error
    diff = diff_workflows(before, after)
    ctx.deps.progress.touch(workflow, "viewed")
    return {
        "workflow": named(workflow),
        "from_version": from_version,
        "to_version": to_version,
        "changes": list(describe_diff(diff)),
    }


async def compare_workflows(ctx: RunContext[WorkflowContext], request: CompareWorkflows) -> JsonObject:
    """Tell what two workflows share, and what not."""
    first = await find_workflow(ctx, request.first)
    second = await find_workflow(ctx, request.second)
    for one in (second, first):
        ctx.deps.progress.touch(one, "viewed")
    return {"first": named(first), "second": named(second), **likeness_of(first, second).as_dict()}


async def list_changes(ctx: RunContext[WorkflowContext], request: ListChanges) -> JsonObject:
    """List changes since a time, newest first."""
    found: list[tuple[WorkflowVersion, Workflow]] = []
    for workflow in await _looked_at(ctx, request.workflow):
        if workflow.updated_at is not None and workflow.updated_at < request.since:
            continue
        records = await ctx.deps.workflows.versions(ctx.deps.tenant, workflow.id)
        found += [(record, workflow) for record in records if _is_wanted(record, request)]
    found.sort(key=lambda one: (one[0].at, one[0].version), reverse=True)
    return {
        "since": iso_milliseconds(request.since),
        "changes": [_listed(record, workflow) for record, workflow in found[: request.limit]],
        "total": len(found),
    }


async def _looked_at(ctx: RunContext[WorkflowContext], reference: str | None) -> Sequence[Workflow]:
    if reference is None:
        return await ctx.deps.workflows.all(ctx.deps.tenant)
    workflow = await find_workflow(ctx, reference)
    ctx.deps.progress.touch(workflow, "viewed")
    return [workflow]


def _is_wanted(record: WorkflowVersion, request: ListChanges) -> bool:
    by = (request.author or "").casefold()
    authors = (record.author.user, record.author.agent or "")
    in_time = record.at >= request.since and (request.until is None or record.at < request.until)
    return in_time and (not by or any(by in author.casefold() for author in authors))


def _listed(record: WorkflowVersion, workflow: Workflow) -> JsonObject:
    return {
        "workflow": {"id": workflow.id, "name": workflow.name},
        "version": record.version,
        "at": iso_milliseconds(record.at),
        "user": record.author.user,
        "agent": record.author.agent,
        "action": record.action,
        "changes": list(record.summary),
    }


TOOLS = (compare_versions, compare_workflows, list_changes)
