"""One connection, with bounds for what uvicorn leaves open: the head, and a body nobody reads."""

import asyncio
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, Literal, cast

import orjson
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from workflow_agent.api.errors import problem_document

_BODY_GRACE_SECONDS = 5.0
"""The application answers a slow body by its own deadline; the connection is closed this much later."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How slow and how large a request may be before the application sees it."""

    head_deadline_seconds: float
    max_head_bytes: int
    body_deadline_seconds: float
    max_connections: int


class BoundedProtocol(HttpToolsProtocol):
    """An HTTP connection that is closed when a request does not arrive in time, or its head grows too long.

    Args:
        limits: The bounds.
        config, server_state, app_state, _loop: What uvicorn gives every protocol.
    """

    def __init__(
        self,
        limits: ConnectionLimits,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits = limits
        self._reading: Literal["nothing", "head", "body"] = "nothing"
        self._head_bytes = 0
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] - uvicorn's says so too
        """Start the clock of the first request."""
        super().connection_made(transport)
        if len(self.connections) > self._limits.max_connections:
            self._refuse(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "too_many_connections",
                "Too many connections; try again shortly.",
            )
            return
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._rest()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what arrived; bytes after a complete request begin the next one's head."""
        if self._reading == "nothing":
            self._expect_head()
        if self._reading == "head":
            self._head_bytes += len(data)
        super().data_received(data)
        if self._reading == "head" and self._head_bytes > self._limits.max_head_bytes:
            self._refuse(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                "head_too_large",
                f"The request line and headers are larger than {self._limits.max_head_bytes} bytes.",
            )

    def on_message_begin(self) -> None:
        """Start the clock of a request that came together with the end of the one before."""
        if self._reading == "nothing":
            self._expect_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Give the body its own deadline."""
        self._reading = "body"
        self._set_deadline(self._limits.body_deadline_seconds + _BODY_GRACE_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop the clock: the request is here."""
        self._rest()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's own words, not ours
        """Refuse what cannot be parsed, as a problem."""
        self._refuse(HTTPStatus.BAD_REQUEST, "bad_request", "This is not a valid HTTP request.")

    def _expect_head(self) -> None:
        self._reading = "head"
        self._head_bytes = 0
        self._set_deadline(self._limits.head_deadline_seconds)

    def _rest(self) -> None:
        self._reading = "nothing"
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _set_deadline(self, seconds: float) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self._on_deadline)

    def _on_deadline(self) -> None:
        self._refuse(
            HTTPStatus.REQUEST_TIMEOUT,
            "request_timed_out",
            "The request did not arrive in time; send it at once.",
        )

    def _is_answering(self) -> bool:
        # None until the first request, whatever uvicorn declares.
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is not None and cycle.response_started and not cycle.response_complete

    def _refuse(self, status: HTTPStatus, code: str, detail: str) -> None:
        """Answer with a problem and close; only close where that would land inside another answer."""
        if self.transport.is_closing():
            return
        if not self._is_answering():
            body = orjson.dumps(problem_document(status, code, detail))
            head = (
                f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/problem+json\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode("ascii") + body)
        self.transport.close()


def bounded_protocol(limits: ConnectionLimits) -> Any:
    """Return the protocol class of a server, bound to its limits."""
    return partial(BoundedProtocol, limits)
