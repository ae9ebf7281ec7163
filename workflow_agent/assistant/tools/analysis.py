"""Tools that look into workflows: findings, validity, diagrams, simulation, and what changed or differs."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.discovery import find_workflow, named
from workflow_agent.assistant.tools.parameters import Limit, Parameters, Reference, told_to_model
from workflow_agent.errors import WorkflowNotFound
from workflow_agent.values.stored import JsonObject, Moment, iso_milliseconds
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.analysis.simulation import MAX_RUNS, Assumptions, simulate
from workflow_agent.workflows.diagrams.graph import DiagramFormat, diagram_of
from workflow_agent.workflows.diff import diff_workflows
from workflow_agent.workflows.diff.words import compare_workflows as likeness_of
from workflow_agent.workflows.diff.words import describe_diff
from workflow_agent.workflows.model.findings import Finding
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import WorkflowVersion

_SHOWN = 12


def listed_findings(findings: Sequence[Finding]) -> list[JsonObject]:
    """Return findings as plain data, without their fixes, the most severe first."""
    return [
        {"rule": one.rule, "severity": one.severity, "steps": list(one.steps), "message": one.message}
        for one in findings[:_SHOWN]
    ]


class OneWorkflow(Parameters):
    """Which workflow to look at."""

    workflow: Reference


class DrawDiagram(Parameters):
    """Which workflow to draw."""

    workflow: Reference
    format: DiagramFormat = Field(default="mermaid", description="or mermaid")


async def analyze_workflow(ctx: RunContext[WorkflowContext], request: OneWorkflow) -> JsonObject:
    """Find what can go wrong, with fixes; prove soundness."""
    workflow = await find_workflow(ctx, request.workflow)
    analysis = await ctx.deps.service.analysis_of(workflow)
    ctx.deps.progress.touch(workflow, "analysed")
    return {"workflow": named(workflow), **analysis.as_dict()}


async def validate_workflow(ctx: RunContext[WorkflowContext], request: OneWorkflow) -> JsonObject:
    """Find errors only."""
    workflow = await find_workflow(ctx, request.workflow)
    errors = [finding for finding in analyze(workflow) if finding.severity == "error"]
    ctx.deps.progress.touch(workflow, "analysed")
    return {"workflow": named(workflow), "valid": not errors, "findings": listed_findings(errors)}


async def draw_diagram(ctx: RunContext[WorkflowContext], request: DrawDiagram) -> JsonObject:
    """Draw it."""
    workflow = await find_workflow(ctx, request.workflow)
    ctx.deps.progress.touch(workflow, "viewed")
    return {"workflow": named(workflow), "format": request.format, "diagram": diagram_of(workflow, request.format)}


class SimulateWorkflow(Parameters):
    """Which workflow to play, and what is known of its cases."""

    workflow: Reference
    case: JsonObject = Field(default_factory=dict, description="{amount: 1500} or {step id: way}")
    chances: dict[str, float] = Field(default_factory=dict, description="{transition id or from>to: 0 to 1}")
    hours: dict[str, float] = Field(default_factory=dict, description="{step id: hours}")
    staff: dict[str, Annotated[int, Field(ge=1, le=10_000)]] = Field(default_factory=dict, description="{role: people}")
    per_day: float = Field(default=0, ge=0, le=1_000_000, description="new cases")
    runs: int = Field(default=1, ge=1, le=MAX_RUNS, description="or 1")


async def simulate_workflow(ctx: RunContext[WorkflowContext], request: SimulateWorkflow) -> JsonObject:
    """Play cases: path, times, bottleneck. Ask the user its `questions`."""
    workflow = await find_workflow(ctx, request.workflow)
    ctx.deps.progress.touch(workflow, "analysed")
    assumed = Assumptions(
        case=request.case,
        chances=request.chances,
        staff=request.staff,
        per_day=request.per_day or None,
        times={step: hours * 3600 for step, hours in request.hours.items()},
        runs=request.runs,
    )
    return {"workflow": named(workflow), **await asyncio.to_thread(simulate, workflow, assumed)}


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
        # An old version may be what no workflow may be any more.
        with told_to_model():
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


TOOLS = (
    analyze_workflow,
    validate_workflow,
    draw_diagram,
    simulate_workflow,
    compare_versions,
    compare_workflows,
    list_changes,
)
