"""What stands before every route: a request id and a log line, the right host, and an API key."""

import asyncio
import hashlib
import hmac
import logging
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workflow_agent.api.body import ClientGone
from workflow_agent.api.errors import (
    ForeignOrigin,
    MalformedHost,
    MisdirectedRequest,
    problem_document,
    problem_response,
    refusal,
)
from workflow_agent.api.openai_errors import is_openai_path
from workflow_agent.api.page import is_page
from workflow_agent.errors import ShuttingDown, Unauthorized, WorkflowAgentError
from workflow_agent.settings import Caller
from workflow_agent.telemetry.logs import continued

_log = logging.getLogger("workflow_agent.http")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_MOST_PORT = 65_535
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{0,253})(?::(?P<port>[0-9]{0,5}))?")
"""RFC 9110: a name or address, and perhaps a port; no user, no path."""
_ORIGIN = re.compile(rf"(?P<scheme>https?)://{_HOST.pattern}")
_PORTS = {"http": 80, "https": 443}
OPEN_PATHS = frozenset({"/health", "/ready"})
"""Answered without a key, for probes; so is the page, which asks for the key itself."""


@dataclass(slots=True)
class _Exchange:
    """The fields of a request's log line."""

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
    """Gives each request an id, logs one line about it, and turns unexpected errors into problems."""

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
                answered = MutableHeaders(scope=message)
                answered["x-request-id"] = exchange.request_id
                answered["x-content-type-options"] = "nosniff"
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
        except asyncio.CancelledError:
            # The server stops and waits no longer; it would answer with a bare 500.
            if exchange.status is None:
                error = ShuttingDown("The server is stopping. Send the request again in a moment.", retry_after=5)
                await refusal(error, exchange.scope)(exchange.scope, receive, send)
            raise
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


class HostGuard:
    """Accepts only allowed Host names (`*`: any), so that no foreign page reaches the server under its own name."""

    def __init__(self, app: ASGIApp, allowed: Sequence[str]) -> None:
        self.app = app
        self.allowed = frozenset(name.lower() for name in allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] == "http" and (error := self._refusal(scope)) is not None:
            await refusal(error, scope)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> WorkflowAgentError | None:
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        host = hosts[0] if hosts else ""
        asked = _HOST.fullmatch(host)
        if len(hosts) > 1 or asked is None or int(asked["port"] or 0) > _MOST_PORT:
            told = f"{len(hosts)} Host headers" if len(hosts) > 1 else f"the Host {host[:100]!r}"
            return MalformedHost(f"The request has {told}. Send one, as 'name' or 'name:port'.")
        if "*" in self.allowed:
            return None
        if _name(asked) not in self.allowed:
            return MisdirectedRequest(
                f"This server is not {host[:100]!r}. Use one of the valid names, or add it to "
                "WORKFLOW_AGENT_ALLOWED_HOSTS.",
                valid=sorted(self.allowed),
            )
        if scope["method"] in _SAFE_METHODS:
            return None
        foreign = (one for one in origins if not _is_same_origin(one, asked, scope["scheme"]))
        if (origin := next(foreign, None)) is not None:
            return ForeignOrigin(f"Pages of {origin[:100]!r} may not change anything here.")
        return None


def _name(host: re.Match[str]) -> str:
    return host["name"].strip("[]").rstrip(".").lower()


def _is_same_origin(origin: str, asked: re.Match[str], scheme: str) -> bool:
    """Say whether a page is of this server: of the same scheme, name and port.

    Where a proxy ends TLS a request comes as plain HTTP for a page of `https`: that much is taken for the
    same, with the port that the Host header has, or the usual one of the page's scheme.
    """
    page = _ORIGIN.fullmatch(origin)
    if page is None or (scheme == "https" and page["scheme"] != scheme):
        return False
    usual = _PORTS[page["scheme"]]
    ports = [int(one["port"] or usual) for one in (page, asked)]
    return _name(page) == _name(asked) and ports[0] == ports[1]


def _is_open(scope: Scope) -> bool:
    return scope["path"] in OPEN_PATHS or (scope["method"] == "GET" and is_page(scope["path"]))


class KeyGuard:
    """Lets only requests with a known API key pass, but for the open paths; where there are no keys, every request."""

    def __init__(self, app: ASGIApp, keys: Mapping[str, Caller]) -> None:
        self.app = app
        self._callers = {hashlib.sha256(key.encode()).digest(): caller for key, caller in keys.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] == "http" and self._callers and not _is_open(scope):
            scheme, _, key = Headers(scope=scope).get("authorization", "").partition(" ")
            given = key.strip() if scheme.lower() == "bearer" else ""
            caller = self._caller(given) if given else None
            if caller is None:
                what = "Incorrect API key provided." if given else "You didn't provide an API key."
                error = Unauthorized(
                    f"{what} Send one of this server as 'Authorization: Bearer <key>'.",
                    **({"openai_code": None} if is_openai_path(scope["path"]) and not given else {}),
                )
                await refusal(error, scope)(scope, receive, send)
                return
            scope.setdefault("state", {}).update(tenant=caller.tenant, user=caller.user)
        await self.app(scope, receive, send)

    def _caller(self, key: str) -> Caller | None:
        """Return whose a key is, if it is known."""
        given = hashlib.sha256(key.encode()).digest()
        # Compared with every key, so that the time says nothing about which one was close.
        found = [caller for known, caller in self._callers.items() if hmac.compare_digest(given, known)]
        return found[0] if found else None
