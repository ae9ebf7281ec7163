"""The application: routers, guards and error handlers around the services it is given."""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware

from workflow_agent.api import frontends, health, page
from workflow_agent.api.body import BodyLimits, JsonLimits
from workflow_agent.api.errors import install_error_handlers
from workflow_agent.api.guards import HostGuard, KeyGuard, RequestFrame
from workflow_agent.api.mcp import route as mcp
from workflow_agent.api.native import (
    approvals,
    bundles,
    catalogue,
    changes,
    chat,
    compactions,
    conversations,
    events,
    formats,
    history,
    memory,
    telemetry,
    turns,
    views,
    webhooks,
    workflows,
)
from workflow_agent.api.openai import completions, items, models, responses
from workflow_agent.api.openai import conversations as openai_conversations
from workflow_agent.api.openapi import openapi_document
from workflow_agent.api.services import Services
from workflow_agent.settings import Settings

_ROUTERS: Sequence[APIRouter] = (
    health.router,
    chat.router,
    chat.runs,
    page.router,
    bundles.router,
    conversations.router,
    events.router,
    history.router,
    turns.router,
    compactions.router,
    history.searches,
    memory.router,
    formats.router,
    views.router,
    workflows.router,
    approvals.router,
    webhooks.router,
    changes.router,
    catalogue.router,
    telemetry.router,
    models.router,
    completions.router,
    responses.router,
    openai_conversations.router,
    items.router,
    frontends.router,
    mcp.router,
)
"""In this order an address is looked for."""
_DESCRIPTION = "Talk about workflows: create, find, change and analyse them, in conversations that lose nothing."
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


def create_app(services: Services, settings: Settings) -> FastAPI:
    """Return the API as one ASGI application.

    Args:
        services: What the routes call.
        settings: What an operator can change.
    """
    app = FastAPI(
        title="workflow_agent",
        version=_version(),
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        middleware=_guards(settings),
        # The routes of the routers as they are: one that is included makes each of them anew.
        routes=[route for router in _ROUTERS for route in router.routes],
    )
    install_error_handlers(app)
    # Made when somebody asks for it: that takes longer than everything else here.
    app.openapi = cache(lambda: openapi_document(app, needs_key=settings.needs_key))
    app.state.page_files = cache(page.page_files)
    app.state.services = services
    app.state.mcp_endpoints = {}
    app.state.clients_name_users = settings.clients_name_users
    app.state.model_name = settings.model
    app.state.heartbeat_seconds = settings.heartbeat_seconds
    app.state.body_limits = BodyLimits(
        settings.max_body_bytes,
        settings.body_deadline_seconds,
        JsonLimits(settings.max_body_depth, settings.max_body_values, settings.max_object_members),
    )
    return app


def allowed_hosts(settings: Settings) -> tuple[str, ...]:
    """Return the names the server answers to."""
    if settings.allowed_hosts:
        return settings.allowed_hosts
    return (*_LOOPBACK_NAMES, settings.host) if settings.is_loopback else ("*",)


def _guards(settings: Settings) -> Sequence[Middleware]:
    return [
        Middleware(RequestFrame),
        Middleware(HostGuard, allowed=allowed_hosts(settings)),
        Middleware(KeyGuard, keys=settings.callers),
    ]


def _version() -> str:
    try:
        return version("workflow-agent")
    except PackageNotFoundError:
        return "0+unknown"
