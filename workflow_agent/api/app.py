"""The application: routers, guards and error handlers around the services it is given."""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from fastapi import FastAPI
from starlette.middleware import Middleware

from workflow_agent.api import health, page
from workflow_agent.api.body import BodyLimits, JsonLimits
from workflow_agent.api.errors import install_error_handlers
from workflow_agent.api.guards import HostGuard, KeyGuard, RequestFrame
from workflow_agent.api.late_routes import LateRoutes, take_over
from workflow_agent.api.native import chat, runs
from workflow_agent.api.services import Services
from workflow_agent.settings import Settings

_FIRST = (health.router, chat.router, runs.router, page.router)
"""The routes that a server begins with: a turn, and what watches the process or opens the page."""
_DESCRIPTION = (
    "Talk about workflows: create, find, change and analyse them, in conversations that lose nothing."
)
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


def create_app(services: Services, settings: Settings) -> FastAPI:
    """Return the application over its services."""
    app = FastAPI(
        title="workflow_agent",
        version=_version(),
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        middleware=_guards(settings),
    )
    take_over(_FIRST, app)
    late = LateRoutes(app, _FIRST)
    install_error_handlers(app)
    # Made when somebody asks for it: that takes longer than everything else here.
    app.openapi = cache(lambda: late.document(needs_key=bool(settings.api_keys)))
    app.state.late_routes = late
    app.state.page_files = cache(page.page_files)
    app.state.services = services
    app.state.tenant = settings.tenant
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
    keys = [key.get_secret_value() for key in settings.api_keys]
    return [
        Middleware(RequestFrame),
        Middleware(HostGuard, allowed=allowed_hosts(settings)),
        Middleware(KeyGuard, keys=keys),
    ]


def _version() -> str:
    try:
        return version("workflow-agent")
    except PackageNotFoundError:
        return "0+unknown"
