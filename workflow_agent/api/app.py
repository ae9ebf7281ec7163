"""The application: routers, guards and error handlers around the services it is given."""

import asyncio
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from threading import Lock

from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from workflow_agent.api import health, page
from workflow_agent.api.body import BodyLimits, JsonLimits
from workflow_agent.api.errors import install_error_handlers
from workflow_agent.api.guards import HostGuard, KeyGuard, RequestFrame
from workflow_agent.api.native import chat, runs
from workflow_agent.api.services import Services
from workflow_agent.settings import Settings

_FIRST = (health.router, chat.router, runs.router, page.router)
"""The routes that a server begins with: a turn, and what watches the process or opens the page."""
_DESCRIPTION = "Talk about workflows: create, find, change and analyse them, in conversations that lose nothing."
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


class WorkflowApi:
    """The API as one ASGI application, which answers turns before its other routes are imported.

    Two applications share their state: the first has the routes that a server begins with, the whole one
    has all. Requests go to the whole one once it is there; one that the first cannot answer waits for it.

    Args:
        services: What the routes call.
        settings: What an operator can change.
    """

    def __init__(self, services: Services, settings: Settings) -> None:
        self._settings = settings
        self._reading = Lock()
        self._first = _application(settings, _FIRST)
        self._whole: FastAPI | None = None
        self.state = self._first.state
        self.state.page_files = cache(page.page_files)
        self.state.services = services
        self.state.tenant = settings.tenant
        self.state.mcp_endpoints = {}
        self.state.clients_name_users = settings.clients_name_users
        self.state.model_name = settings.model
        self.state.heartbeat_seconds = settings.heartbeat_seconds
        self.state.body_limits = BodyLimits(
            settings.max_body_bytes,
            settings.body_deadline_seconds,
            JsonLimits(settings.max_body_depth, settings.max_body_values, settings.max_object_members),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or take part in the start and the end of the server."""
        app = self._whole
        if app is None:
            app = self._first if self._is_for_the_first(scope) else await asyncio.to_thread(self.whole)
        await app(scope, receive, send)

    @property
    def routes(self) -> Sequence[BaseRoute]:
        """The routes that are there by now."""
        return (self._whole or self._first).routes

    def whole(self) -> FastAPI:
        """Return the application with all routes, which the first call imports, in whatever thread."""
        with self._reading:
            if self._whole is None:
                # Here, because a server need not wait for these modules and what they alone need.
                from workflow_agent.api.further_routes import FURTHER  # noqa: PLC0415 - see above
                from workflow_agent.api.openapi import openapi_document  # noqa: PLC0415 - see above

                whole = _application(self._settings, (*_FIRST, *FURTHER))
                whole.state = self.state
                # Made when somebody asks for it: that takes longer than everything else here.
                whole.openapi = cache(lambda: openapi_document(whole, needs_key=self._settings.needs_key))
                self._whole = whole
            return self._whole

    def _is_for_the_first(self, scope: Scope) -> bool:
        if scope["type"] != "http":
            return True
        return any(route.matches(scope)[0] is Match.FULL for route in self._first.routes)


def _application(settings: Settings, routers: Sequence[APIRouter]) -> FastAPI:
    # The routes of the routers as they are: one that is included makes each of them anew.
    app = FastAPI(
        title="workflow_agent",
        version=_version(),
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json" if len(routers) > len(_FIRST) else None,
        redirect_slashes=False,
        middleware=_guards(settings),
        routes=[route for router in routers for route in router.routes],
    )
    install_error_handlers(app)
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
