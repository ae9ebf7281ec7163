"""The metrics, as Prometheus reads them."""

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from workflow_agent.api.parameters import TheServices
from workflow_agent.api.replies import problem_replies
from workflow_agent.api.routing import StrictRoute
from workflow_agent.telemetry import exposition_of_workers, families_of

router = APIRouter(tags=["health"], route_class=StrictRoute)
_TEXT = {"schema": {"type": "string"}}
_EXPOSITION = {
    "description": "All metrics, in the text format that the client accepts.",
    "content": {"text/plain": _TEXT, "application/openmetrics-text": _TEXT},
}


@router.get("/metrics", operation_id="get_metrics", responses={200: _EXPOSITION} | problem_replies(422))
async def get_metrics(request: Request, services: TheServices) -> Response:
    """Give counters, histograms and gauges of the server, of several workers each with its number as a label;
    they carry neither content nor ids."""
    accept = request.headers.get("accept", "")
    telemetry, fellows = services.telemetry, services.fellows
    if fellows is None:
        body, media_type = await run_in_threadpool(telemetry.exposition, accept)
    else:
        own = await run_in_threadpool(families_of, telemetry.registry)
        told = {**await fellows.told({"ask": "metrics"}), fellows.number: own}
        body, media_type = await run_in_threadpool(exposition_of_workers, told, accept)
    return Response(body, headers={"Cache-Control": "no-store", "Content-Type": media_type})
