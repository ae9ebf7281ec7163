"""What stands before every route: a request id and a log line, the right host, and an API key."""

import hashlib
import hmac
import logging
import re
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workflow_agent.api.body import ClientGone
from workflow_agent.api.errors import (
    ForeignOrigin,
    MisdirectedRequest,
    document_of,
    problem_document,
    problem_response,
)
from workflow_agent.api.page import is_page
from workflow_agent.domain.errors import Unauthorized, WorkflowAgentError
from workflow_agent.telemetry import continued

_log = logging.getLogger("workflow_agent.http")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN_PATHS = frozenset({"/health", "/ready"})
"""Answered without a key, for probes; so is the page, which asks for the key itself."""


@dataclass(slots=True)
class _Exchange:
    """What is known of one request for its log line."""

    scope: Scope
    request_id: str
    started: float = field(default_factory=time.perf_counter)
    status: int | None = None

    def fields(self) -> dict[str, object]:
        """Return the line's fields; neither the query string nor any header is among them."""
        return {
            "request_id": self.request_id,
            "method": self.scope["method"][:20],
            "path": self.scope["path"][:200],
            "status": self.status,
            "duration_ms": round((time.perf_counter() - self.started) * 1000, 1),
        }


class RequestFrame:
    """Gives each request an id, writes one line about it, and turns what nobody expected into a problem."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            # Answered as GET would be; the server leaves the body out.
            scope = {**scope, "method": "GET"}
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        exchange = _Exchange(scope, given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex)
        scope.setdefault("state", {})["request_id"] = exchange.request_id

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = exchange.request_id
            await send(message)

        with continued(headers):
            try:
                await self._serve(exchange, receive, send_with_id)
            finally:
                _log.info("request", extra=exchange.fields())

    async def _serve(self, exchange: _Exchange, receive: Receive, send: Send) -> None:
        try:
            await self.app(exchange.scope, receive, send)
        except ClientGone:
            return
        except Exception:
            # The last place that can still answer; the traceback goes to the log and nowhere else.
            _log.exception("unexpected error", extra=exchange.fields())
            if exchange.status is not None:
                raise
            document = problem_document(
                HTTPStatus.INTERNAL_SERVER_ERROR,
                "internal_error",
                "Something went wrong here. The log has the details under this request id.",
                scope=exchange.scope,
            )
            await problem_response(document, exchange.scope)(exchange.scope, receive, send)


async def _refuse(error: WorkflowAgentError, scope: Scope, receive: Receive, send: Send) -> None:
    await problem_response(document_of(error, scope), scope)(scope, receive, send)


class HostGuard:
    """Answers only to the names it is known by, so that no foreign page reaches it through a name of its own.

    Args:
        app: What it guards.
        allowed: Host names without ports; `*` lets any pass.
    """

    def __init__(self, app: ASGIApp, allowed: Sequence[str]) -> None:
        self.app = app
        self.allowed = frozenset(name.lower() for name in allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] == "http" and "*" not in self.allowed:
            headers = Headers(scope=scope)
            if (
                error := self._refusal(scope["method"], headers.get("host", ""), headers.get("origin"))
            ) is not None:
                await _refuse(error, scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _refusal(self, method: str, host: str, origin: str | None) -> WorkflowAgentError | None:
        if _host_name(f"//{host}") not in self.allowed:
            return MisdirectedRequest(
                f"This server is not {host[:100]!r}. Use one of the valid names, or add it to "
                "WORKFLOW_AGENT_ALLOWED_HOSTS.",
                valid=sorted(self.allowed),
            )
        if method not in _SAFE_METHODS and origin is not None and _host_name(origin) not in self.allowed:
            return ForeignOrigin(f"Pages of {origin[:100]!r} may not change anything here.")
        return None


def _host_name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_open(scope: Scope) -> bool:
    return scope["path"] in OPEN_PATHS or (scope["method"] == "GET" and is_page(scope["path"]))


class KeyGuard:
    """Lets only requests with a known API key pass, but for the open paths.

    Args:
        app: What it guards.
        keys: The known keys; none lets everything pass.
    """

    def __init__(self, app: ASGIApp, keys: Sequence[str]) -> None:
        self.app = app
        self._digests = tuple(hashlib.sha256(key.encode()).digest() for key in keys)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] == "http" and self._digests and not _is_open(scope):
            scheme, _, key = Headers(scope=scope).get("authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not self._is_known(key.strip()):
                error = Unauthorized("Send an API key of this server as 'Authorization: Bearer <key>'.")
                await _refuse(error, scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _is_known(self, key: str) -> bool:
        given = hashlib.sha256(key.encode()).digest()
        # Compared with every key, so that the time says nothing about which one was close.
        return sum(hmac.compare_digest(given, known) for known in self._digests) > 0
