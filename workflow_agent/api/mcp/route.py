"""`/mcp`: the MCP server over streamable HTTP, behind the same guards as every other address."""

import asyncio
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from workflow_agent.api.dependencies import Services, TheServices
from workflow_agent.errors import NotFound

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

router = APIRouter(tags=["mcp"], include_in_schema=False)


class McpEndpoint:
    """The server of a tenant as HTTP requests reach it; the first starts it, and it runs until the process ends.

    It keeps no sessions: each request is answered by itself, on whichever worker it arrives.
    """

    def __init__(self, services: Services, version: str, max_body_bytes: int) -> None:
        self._services = services
        self._version = version
        self._max_body_bytes = max_body_bytes
        self._manager: asyncio.Future[StreamableHTTPSessionManager] = asyncio.Future()
        self._running = asyncio.create_task(self._run())

    async def manager(self) -> "StreamableHTTPSessionManager":
        """Return what answers requests, once it is there."""
        await asyncio.wait((self._manager, self._running), return_when=asyncio.FIRST_COMPLETED)
        if self._running.done():
            # It runs until the process ends, so that it ended is an error.
            self._running.result()
        return self._manager.result()

    async def _run(self) -> None:
        try:
            manager = await asyncio.to_thread(self._made)
        except ModuleNotFoundError as error:
            raise NotFound("MCP is not installed here. Install 'workflow-agent[mcp]'.") from error
        async with manager.run():
            self._manager.set_result(manager)
            await asyncio.Event().wait()

    def _made(self) -> "StreamableHTTPSessionManager":
        # Optional, and it takes a second: only who uses it should wait for it.
        from workflow_agent.api.mcp.server import http_sessions  # noqa: PLC0415 - see above

        return http_sessions(self._services, self._version, self._max_body_bytes)


class _Answered(Response):
    """Whatever the manager answers to a request."""

    def __init__(self, manager: "StreamableHTTPSessionManager") -> None:
        super().__init__()
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


@router.post("/mcp")
async def mcp(request: Request, services: TheServices) -> Response:
    """Answer a request of an MCP client."""
    endpoints: dict[str, McpEndpoint] = request.app.state.mcp_endpoints
    if services.tenant not in endpoints:
        endpoints[services.tenant] = McpEndpoint(
            services, request.app.version, request.app.state.settings.max_body_bytes
        )
    return _Answered(await endpoints[services.tenant].manager())
