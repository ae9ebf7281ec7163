"""Tools that look into a workflow: findings, validity, diagrams."""

from collections import Counter

from pydantic_ai import RunContext

from workflow_agent.agent.tools.findings import listed_findings
from workflow_agent.agent.tools.parameters import Parameters, Reference
from workflow_agent.agent.tools.resolving import find_workflow, named
from workflow_agent.agent.workflow_context import WorkflowContext
from workflow_agent.domain.analysis import analyze
from workflow_agent.domain.diagram import DiagramFormat, diagram_of
from workflow_agent.domain.values import JsonObject


class OneWorkflow(Parameters):
    """Which workflow to look at."""

    workflow: Reference


class DrawDiagram(Parameters):
    """Which workflow to draw."""

    workflow: Reference
    format: DiagramFormat = "mermaid"


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
    """Draw a workflow as a Mermaid flowchart, or in another format."""
    workflow = await find_workflow(ctx, request.workflow)
    ctx.deps.progress.touch(workflow, "viewed")
    return {
        "workflow": named(workflow),
        "format": request.format,
        "diagram": diagram_of(workflow, request.format),
    }


TOOLS = (analyze_workflow, validate_workflow, draw_diagram)
