"""Tools that look into a workflow: findings, validity, diagrams."""

import asyncio
from collections.abc import Sequence

from pydantic import Field
from pydantic_ai import RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.discovery import find_workflow, named
from workflow_agent.assistant.tools.parameters import Parameters, Reference
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.analysis.simulation import MAX_RUNS, Assumptions, simulate
from workflow_agent.workflows.diagrams.graph import DiagramFormat, diagram_of
from workflow_agent.workflows.model.findings import Finding

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
    staff: dict[str, int] = Field(default_factory=dict, description="{role: people}")
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


TOOLS = (analyze_workflow, validate_workflow, draw_diagram, simulate_workflow)
