"""The server process: how it starts, and how it stops without losing a reply."""

import socket
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from workflow_agent.api.connection import ConnectionLimits, bounded_protocol
from workflow_agent.settings import Settings, refuse_open_binding

_CLOSING_SECONDS = 5
"""For what is still being written after the runs have ended."""


class GracefulServer(uvicorn.Server):
    """A server that lets its application finish before it waits for connections to close.

    Args:
        config: Uvicorn's.
        finish: Ends open streams and running work; uvicorn alone would wait for streams that never end.
    """

    def __init__(self, config: uvicorn.Config, finish: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._finish = finish

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Let a signal stop the server; having stopped as asked, the process ends as usual."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting, finish, then close."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await self._finish()
        await super().shutdown(sockets)


def make_server(app: ASGIApp, settings: Settings, finish: Callable[[], Awaitable[None]]) -> GracefulServer:
    """Return the server of an application, not yet listening.

    Raises:
        Misconfigured: See `refuse_open_binding`.
    """
    refuse_open_binding(settings)
    limits = ConnectionLimits(
        settings.head_deadline_seconds,
        settings.max_head_bytes,
        settings.body_deadline_seconds,
        settings.max_connections,
    )
    config = uvicorn.Config(
        app,
        http=bounded_protocol(limits),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=settings.keep_alive_seconds,
        timeout_graceful_shutdown=_CLOSING_SECONDS,
    )
    return GracefulServer(config, finish)
