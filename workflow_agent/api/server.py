"""The server process: how it starts, and how it stops without losing a reply."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Any, Literal, cast

import orjson
import uvicorn
from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from workflow_agent.api.errors import problem_document
from workflow_agent.errors import CannotListen
from workflow_agent.settings import ENV_PREFIX, Settings, refuse_open_binding

_BODY_GRACE_SECONDS = 5.0
"""The application answers a slow body by its own deadline; the connection is closed this much later."""


class BoundedProtocol(HttpToolsProtocol):
    """An HTTP connection that is closed when a request does not arrive in time, or its head grows too long."""

    def __init__(
        self,
        settings: Settings,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._settings = settings
        self._reading: Literal["nothing", "head", "body"] = "nothing"
        self._head_bytes = 0
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] - uvicorn's says so too
        """Start the clock of the first request."""
        super().connection_made(transport)
        if len(self.connections) > self._settings.max_connections:
            self._refuse(
                HTTPStatus.SERVICE_UNAVAILABLE, "too_many_connections", "Too many connections; try again shortly."
            )
            return
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._expect("nothing")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what arrived; bytes after a complete request begin the next one's head."""
        if self._reading == "nothing":
            self._expect_head()
        if self._reading == "head":
            self._head_bytes += len(data)
        super().data_received(data)
        if self._reading == "head" and self._head_bytes > self._settings.max_head_bytes:
            self._refuse(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                "head_too_large",
                f"The request line and headers are larger than {self._settings.max_head_bytes} bytes.",
            )

    def on_message_begin(self) -> None:
        """Start the clock of a request that came together with the end of the one before."""
        if self._reading == "nothing":
            self._expect_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Give the body its own deadline."""
        self._expect("body", self._settings.body_deadline_seconds + _BODY_GRACE_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop the clock: the request is here."""
        self._expect("nothing")
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's own words, not ours
        """Refuse what cannot be parsed, as a problem."""
        self._refuse(HTTPStatus.BAD_REQUEST, "bad_request", "This is not a valid HTTP request.")

    def _expect_head(self) -> None:
        self._head_bytes = 0
        self._expect("head", self._settings.head_deadline_seconds)

    def _expect(self, part: Literal["nothing", "head", "body"], seconds: float | None = None) -> None:
        """Note what arrives next, and refuse the request where it takes longer than so many seconds."""
        self._reading = part
        if self._deadline is not None:
            self._deadline.cancel()
        late = (HTTPStatus.REQUEST_TIMEOUT, "request_timed_out", "The request did not arrive in time; send it at once.")
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._refuse, *late)

    def _refuse(self, status: HTTPStatus, code: str, detail: str) -> None:
        """Answer with a problem and close; without the answer if it would land inside another one."""
        if self.transport.is_closing():
            return
        # None until the first request, whatever uvicorn declares.
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is None or not cycle.response_started or cycle.response_complete:
            body = orjson.dumps(problem_document(status, code, detail))
            head = (
                f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/problem+json\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode("ascii") + body)
        self.transport.close()


_CLOSING_SECONDS = 5
"""For what is still being written after the runs have ended."""


class GracefulServer(uvicorn.Server):
    """A server that lets its application finish first; uvicorn alone would wait for streams that never end."""

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
    """Return the server of an application, not yet listening."""
    refuse_open_binding(settings)
    config = uvicorn.Config(
        app,
        http=cast("Any", partial(BoundedProtocol, settings)),
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


def listening_socket(settings: Settings) -> socket.socket:
    """Return a socket that listens where the settings say.

    Raises:
        CannotListen: The address is taken, or not this machine's.
    """
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, settings.port), family=family, backlog=2_048)
    except OSError as error:
        raise CannotListen(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror or error}. "
            f"Choose another with --port or {ENV_PREFIX}PORT."
        ) from error
    # Connections have it from the listener. Not every event loop asks for it where it is given a socket, and
    # without it an answer in two pieces waits for the client to acknowledge the first, 40 ms on Linux.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def address_of(settings: Settings, listener: socket.socket) -> str:
    """Return the address at which a listening socket is reached, for people and programs."""
    host = f"[{settings.host}]" if ":" in settings.host.strip("[]") else settings.host
    return f"http://{host}:{listener.getsockname()[1]}"
