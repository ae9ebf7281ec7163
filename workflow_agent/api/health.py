"""Probes: whether the server runs, and whether it takes work."""

from typing import Any, Literal

from fastapi import Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response

from workflow_agent.api.parameters import TheServices
from workflow_agent.api.routes import json_reply, problem_replies, replies, routes_at
from workflow_agent.errors import ShuttingDown
from workflow_agent.telemetry.sums import exposition_of_workers, families_of

router = routes_at("", "health")


class Health(BaseModel):
    """That the server runs, and what."""

    status: Literal["ok", "ready"]
    version: str
    model: str
    worker: int = 1
    """Which worker answered, where the server has several."""
    unreadable: list[str] | None = None
    """Of `/ready`: files that should be conversations and cannot be read, where there are any."""


def _about(request: Request, status: str) -> dict[str, Any]:
    other_workers = request.app.state.services.other_workers
    about = {"status": status, "version": request.app.version, "model": request.app.state.model_name}
    return about if other_workers is None else about | {"worker": other_workers.number}


@router.get("/health", response_model=Health, responses=replies(422))
async def health(request: Request) -> Response:
    """Say that the server runs."""
    return json_reply(_about(request, "ok"))


@router.get("/ready", response_model=Health, responses=replies(422))
async def ready(request: Request, services: TheServices) -> Response:
    """Say that the server takes work: it can read and write its data and is not stopping.

    Conversations that cannot be read are named; the server takes work without them.
    """
    if services.chat.live.is_closing:
        raise ShuttingDown("The server is stopping.")
    await services.check_storage()
    page = await services.conversations.page(services.tenant, limit=1)
    unreadable = {"unreadable": list(page.unreadable)} if page.unreadable else {}
    return json_reply(_about(request, "ready") | unreadable)


_TEXT = {"schema": {"type": "string"}}
_EXPOSITION = {
    "description": "All metrics, in the text format that the client accepts.",
    "content": {"text/plain": _TEXT, "application/openmetrics-text": _TEXT},
}


@router.get("/metrics", response_class=PlainTextResponse, responses={200: _EXPOSITION} | problem_replies(422))
async def get_metrics(request: Request, services: TheServices) -> Response:
    """Give counters, histograms and gauges of the server, of several workers each with its number as a label;
    they carry neither content nor ids."""
    accept = request.headers.get("accept", "")
    telemetry, other_workers = services.telemetry, services.other_workers
    if other_workers is None:
        body, media_type = await run_in_threadpool(telemetry.exposition, accept)
    else:
        own = await run_in_threadpool(families_of, telemetry.registry)
        told = {**await other_workers.told({"ask": "metrics"}), other_workers.number: own}
        body, media_type = await run_in_threadpool(exposition_of_workers, told, accept)
    return Response(body, headers={"Cache-Control": "no-store", "Content-Type": media_type})
