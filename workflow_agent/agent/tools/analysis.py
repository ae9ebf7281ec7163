"""Tools that look into a workflow: findings, validity, diagrams, comparisons."""

from collections import Counter
from typing import Literal

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.agent.tools.findings import listed_findings
from workflow_agent.agent.tools.parameters import Parameters, Reference
from workflow_agent.agent.tools.resolving import find_workflow, named
from workflow_agent.agent.workflow_context import WorkflowContext
from workflow_agent.domain.analysis import analyze
from workflow_agent.domain.diagram import mermaid
from workflow_agent.domain.diff import describe_diff, diff_workflows
from workflow_agent.domain.errors import WorkflowNotFound
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow_parsing import parse_workflow


class OneWorkflow(Parameters):
    """Which workflow to look at."""

    workflow: Reference


class DrawDiagram(Parameters):
    """Which workflow to draw."""

    workflow: Reference
    format: Literal["mermaid"] = "mermaid"


class CompareVersions(Parameters):
    """Which versions to compare."""

    workflow: Reference
    from_version: int | None = Field(
        default=None, ge=1, description="the one before the newest, unless given"
    )
    to_version: int | None = Field(default=None, ge=1, description="the newest, unless given")


async def analyze_workflow(ctx: RunContext[WorkflowContext], request: OneWorkflow) -> JsonObject:
    """Find what can go wrong in a workflow: the steps concerned and, where there is one, a fix."""
    workflow = await find_workflow(ctx, request.workflow)
    findings = analyze(workflow, portfolio=await ctx.deps.workflows.all(ctx.deps.tenant))
    ctx.deps.progress.touch(workflow, "analysed")
    return {
        "workflow": named(workflow),
        "findings": [finding.as_dict() for finding in findings],
        "counts": dict(Counter(finding.severity for finding in findings)),
    }


async def validate_workflow(ctx: RunContext[WorkflowContext], request: OneWorkflow) -> JsonObject:
    """Check whether a workflow can run: whether it has findings of severity `error`."""
    workflow = await find_workflow(ctx, request.workflow)
    errors = [finding for finding in analyze(workflow) if finding.severity == "error"]
    ctx.deps.progress.touch(workflow, "analysed")
    return {"workflow": named(workflow), "valid": not errors, "findings": listed_findings(errors)}


async def draw_diagram(ctx: RunContext[WorkflowContext], request: DrawDiagram) -> JsonObject:
    """Draw a workflow as a Mermaid flowchart."""
    workflow = await find_workflow(ctx, request.workflow)
    ctx.deps.progress.touch(workflow, "viewed")
    return {"workflow": named(workflow), "format": request.format, "diagram": mermaid(workflow)}


async def compare_versions(ctx: RunContext[WorkflowContext], request: CompareVersions) -> JsonObject:
    """Tell what changed between two versions of a workflow."""
    workflow = await find_workflow(ctx, request.workflow)
    to_version = request.to_version or workflow.version
    from_version = request.from_version or max(to_version - 1, 1)
    try:
        before = await ctx.deps.workflows.version(ctx.deps.tenant, workflow.id, from_version)
        after = await ctx.deps.workflows.version(ctx.deps.tenant, workflow.id, to_version)
    except WorkflowNotFound as error:
        raise ModelRetry(f"{error} The newest version is {workflow.version}.") from error
    diff = diff_workflows(parse_workflow(before.document), parse_workflow(after.document))
    ctx.deps.progress.touch(workflow, "viewed")
    return {
        "workflow": named(workflow), "from_version": from_version, "to_version": to_version,
        "changes": list(describe_diff(diff)),
    }  # fmt: skip


TOOLS = (analyze_workflow, validate_workflow, draw_diagram, compare_versions)
