"""Looking into workflows: differences, findings, diagrams, validity."""

from asyncio import to_thread
from functools import partial
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from workflow_agent.api.creation import workflow_from_body
from workflow_agent.api.dependencies import IS_WHOLE, MAX_NUMBER, Flag, Services, TheServices, WorkflowId
from workflow_agent.api.errors import MAX_PROBLEMS
from workflow_agent.api.native.request_shapes import SimulationRequest
from workflow_agent.api.native.workflow_shapes import Analysis, Diagram, Simulation, Validation, VersionDiff
from workflow_agent.api.routes import BODY_PROBLEMS, Documented, answers, json_reply, only_post, routes_at
from workflow_agent.assistant.tools.discovery import named
from workflow_agent.errors import InvalidInput
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.analysis.simulation import Assumptions, simulate
from workflow_agent.workflows.diagrams import Collapse
from workflow_agent.workflows.diagrams.graph import DiagramFormat, diagram_of
from workflow_agent.workflows.diagrams.svg.style import Changes, changes_of
from workflow_agent.workflows.diff import diff_workflows
from workflow_agent.workflows.diff.words import describe_diff
from workflow_agent.workflows.model.durations import seconds_of
from workflow_agent.workflows.model.workflow import Workflow

router = routes_at("/api/v1/workflows", "workflows")
_version = partial(Query, ge=1, le=MAX_NUMBER)
_SVG = "image/svg+xml"
_VARY = {"Vary": "Accept"}
_PICTURE_HEADERS = {
    "Cache-Control": "no-store",
    # What is in a picture comes from outside: its own style sheet is all that it may use.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    **_VARY,
}
_PICTURE: Documented = {200: {"description": "OK", "content": {_SVG: {"schema": {"type": "string"}}}}}


@router.get("/{workflow_id}/diff", **answers(VersionDiff, 404, 422))
async def diff_versions(
    workflow_id: WorkflowId,
    services: TheServices,
    from_: Annotated[
        int | None, _version(alias="from", description="The one before `to`, unless given."), IS_WHOLE
    ] = None,
    to: Annotated[int | None, _version(description="The newest, unless given."), IS_WHOLE] = None,
) -> Response:
    """Tell what changed between two versions."""
    workflow = await services.use_cases.at(workflow_id)
    to_version = to or workflow.version
    from_version = from_ or max(to_version - 1, 1)
    before = await services.use_cases.at(workflow_id, from_version)
    diff = diff_workflows(before, await services.use_cases.at(workflow_id, to_version))
    shown = {
        "workflow": named(workflow),
        "from_version": from_version,
        "to_version": to_version,
        "changes": list(describe_diff(diff)),
        "diff": diff.as_dict(),
    }
    return json_reply(shown)


@router.get("/{workflow_id}/analysis", **answers(Analysis, 404, 422))
async def analyze_workflow(workflow_id: WorkflowId, services: TheServices) -> Response:
    """Find what can go wrong in a workflow, the most severe first, with fixes as edits; and prove it sound, or not."""
    workflow = await services.use_cases.at(workflow_id)
    return json_reply({"workflow": named(workflow), **(await services.use_cases.analysis_of(workflow)).as_dict()})


@router.post("/{workflow_id}/simulate", **answers(Simulation, *BODY_PROBLEMS, 404))
async def simulate_workflow(workflow_id: WorkflowId, body: SimulationRequest, services: TheServices) -> Response:
    """Play cases through a workflow: which way, who acts, how long, what it costs and where it waits."""
    workflow = await services.workflows.get(services.tenant, workflow_id)
    assumed: dict[str, Any] = dict(body)
    assumed["times"] = {step: seconds_of(length) for step, length in body.times.items()}
    return json_reply({"workflow": named(workflow), **await to_thread(simulate, workflow, Assumptions(**assumed))})


@router.get("/{workflow_id}/diagram", **answers(Diagram, 404, 422, other=_PICTURE))
async def draw_diagram(
    workflow_id: WorkflowId,
    services: TheServices,
    request: Request,
    format: Annotated[DiagramFormat, Query(description="The language of the diagram.")] = "mermaid",
    findings: Annotated[Flag, Query(description="Mark what the analysis finds.")] = False,
    changes: Annotated[Flag, Query(description="Highlight what the version changed.")] = False,
    version: Annotated[int | None, _version(description="The newest, unless given."), IS_WHOLE] = None,
    collapse: Annotated[
        Collapse, Query(description="Hide steps that are inside others; `auto` where there are many.")
    ] = "auto",
    fold: Annotated[
        str | None,
        Query(
            max_length=8_000,
            pattern=r"^[a-z0-9_,-]*$",
            description="Steps whose inside is hidden instead: ids with commas between.",
        ),
    ] = None,
    lanes: Annotated[Flag, Query(description="Draw a picture's steps in lanes by role.")] = False,
) -> Response:
    """Draw a workflow as a flowchart; an SVG is sent as a picture to whoever accepts `image/svg+xml`."""
    if lanes and format != "svg":
        raise InvalidInput(f"Lanes are drawn in a picture, and {format!r} is text: ask for format=svg.")
    workflow = await services.use_cases.at(workflow_id, version)
    found = await to_thread(analyze, workflow) if findings else ()
    last = await _last_changes(services, workflow) if changes else None
    folded = None if fold is None else fold.split(",")
    drawn = await to_thread(
        diagram_of, workflow, format, findings=found, changes=last, collapse=collapse, fold=folded, by_role=lanes
    )
    if format == "svg" and _SVG in request.headers.get("accept", ""):
        return Response(drawn, headers=_PICTURE_HEADERS, media_type=_SVG)
    return json_reply({"workflow": named(workflow), "format": format, "diagram": drawn}, headers=_VARY)


async def _last_changes(services: Services, workflow: Workflow) -> Changes | None:
    if workflow.version == 1:
        return None
    before = await services.use_cases.at(workflow.id, workflow.version - 1)
    return changes_of(diff_workflows(before, workflow))


@router.post("/validate", **answers(Validation, *BODY_PROBLEMS))
async def validate_workflow(document: JsonObject) -> Response:
    """Say whether a document is a workflow that could be stored, and what the analysis finds in it."""
    return json_reply(await to_thread(_validated, document))


only_post(router, "/validate")


def _validated(document: JsonObject) -> dict[str, Any]:
    try:
        workflow = workflow_from_body({"id": "wf_document", **document})
    except InvalidInput as error:
        return {"valid": False, "problems": [one.as_dict() for one in error.problems[:MAX_PROBLEMS]], "findings": []}
    return {"valid": True, "problems": [], "findings": [one.as_dict() for one in analyze(workflow)]}
