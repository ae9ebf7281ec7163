"""Routes that are taken in after the server listens: most of a start would go into reading them."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from threading import Lock
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.types import Receive, Scope, Send

from workflow_agent.api.route_class import AllowedMethods


def take_over(routers: Sequence[APIRouter], app: FastAPI) -> None:
    """Give an application the routes of some routers as they are.

    One that is included makes each of them anew, at the first request.
    """
    for router in routers:
        app.router.routes.extend(router.routes)


class LateRoutes:
    """Takes in the routes of `further_routes` once, at the latest when a request finds no other.

    Args:
        app: The application, which has the routes that it begins with.
        first: Those.
    """

    def __init__(self, app: FastAPI, first: Sequence[APIRouter]) -> None:
        self._app = app
        self._taking = Lock()
        self._are_in = False
        self._otherwise = app.router.default
        app.router.default = self
        app.state.methods = cache(lambda: AllowedMethods(_methods_by_path(first)))
        self._first = first

    def take_in(self) -> None:
        """Add the routes unless they are there; any thread may ask for it."""
        with self._taking:
            if self._are_in:
                return
            # Here, because these modules and what they alone need are what the server need not wait for.
            from workflow_agent.api.further_routes import ELSEWHERE_DESCRIBED, FURTHER  # noqa: PLC0415 - see above

            take_over(FURTHER, self._app)
            routers = (*self._first, *FURTHER)
            self._app.state.methods = cache(
                lambda: AllowedMethods(_methods_by_path(routers, ELSEWHERE_DESCRIBED))
            )
            self._are_in = True

    def document(self, *, needs_key: bool) -> dict[str, Any]:
        """Return the OpenAPI document of all routes."""
        self.take_in()
        # Here, because few servers are asked for it, and it knows every shape there is.
        from workflow_agent.api.openapi import openapi_document  # noqa: PLC0415 - see above

        return openapi_document(self._app, needs_key=needs_key)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that no route takes: by one of those that were not there, or as not found."""
        if self._are_in:
            await self._otherwise(scope, receive, send)
            return
        await asyncio.to_thread(self.take_in)
        await self._app.router(scope, receive, send)


def _methods_by_path(
    routers: Sequence[APIRouter], elsewhere_described: Sequence[APIRouter] = ()
) -> Mapping[str, set[str]]:
    paths = {"/openapi.json": {"GET"}}
    for router in routers:
        for route in router.routes:
            # What else is hidden stands in for methods that are refused.
            is_offered = router in elsewhere_described or getattr(route, "include_in_schema", False)
            if isinstance(route, APIRoute) and is_offered:
                paths.setdefault(route.path, set()).update(route.methods or ())
    for methods in paths.values():
        if "GET" in methods:
            methods.add("HEAD")
    return paths
