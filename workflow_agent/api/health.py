"""Probes: whether the server runs, and whether it takes work."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from workflow_agent.api.parameters import TheServices
from workflow_agent.api.replies import json_reply, replies
from workflow_agent.api.routing import StrictRoute
from workflow_agent.domain.errors import ShuttingDown

router = APIRouter(tags=["health"], route_class=StrictRoute)


def _about(request: Request, status: str) -> dict[str, Any]:
    fellows = request.app.state.services.fellows
    about = {"status": status, "version": request.app.version, "model": request.app.state.model_name}
    return about if fellows is None else about | {"worker": fellows.number}


@router.get("/health", operation_id="health", responses=replies("Health", 422))
async def health(request: Request) -> Response:
    """Say that the server runs."""
    return json_reply(_about(request, "ok"))


@router.get("/ready", operation_id="ready", responses=replies("Health", 422))
async def ready(request: Request, services: TheServices) -> Response:
    """Say that the server takes work: it can read its data and is not stopping."""
    if services.chat.live.is_closing:
        raise ShuttingDown("The server is stopping.")
    await services.conversations.page(request.app.state.tenant, limit=1)
    return json_reply(_about(request, "ready"))
