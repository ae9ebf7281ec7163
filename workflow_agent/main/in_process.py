"""The application as a transport of an HTTP client: requests reach it without a network."""

import asyncio
import logging
import queue
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from starlette.types import ASGIApp
from typing_extensions import override

from workflow_agent.main.composition import build
from workflow_agent.main.process import samples
from workflow_agent.settings import Settings
from workflow_agent.telemetry.logs import JsonLines

_Message = Mapping[str, Any]
_UNGUARDED: dict[str, object] = {
    "api_keys": (),
    "api_key_users": {},
    "tenants": {},
    "tenant_turns_per_minute": None,
    "tenant_tokens_per_day": None,
    "tenant_usd_per_day": None,
    "tenant_runs_at_once": None,
}
"""Nobody needs a key to a directory that they can write to, nor would a limit keep them from it."""


@contextmanager
def application_transport(settings: Settings) -> Generator[httpx2.BaseTransport]:
    """Provide a transport to the application on a data directory; on exit, wait for its runs.

    Who works on the directory itself needs no key, and no other process is kept from it: each change is
    made under the same locks as a server's.
    """
    own = settings.model_copy(update={**_UNGUARDED, "allowed_hosts": ("localhost",)})
    # On a database hosts go on with each other's runs; what a server left in a directory, no command is to wait for.
    application = build(own, takes_over=own.database_url is not None)
    with _logging(own), closing(application), start_blocking_portal() as portal:
        portal.call(application.open)
        if own.samples:
            portal.call(application.stores.workflows.seed, own.tenant, samples())
        try:
            yield InProcessTransport(application.app, portal)
        finally:
            portal.call(application.finish)


@contextmanager
def _logging(settings: Settings) -> Generator[None]:
    """Keep the log off the screen, where errors are told in their own words; `debug` shows it."""
    root = logging.getLogger()
    shown = logging.StreamHandler() if settings.log_level == "debug" else logging.NullHandler()
    shown.setFormatter(JsonLines())
    root.addHandler(shown)
    try:
        yield
    finally:
        root.removeHandler(shown)


class InProcessTransport(httpx2.BaseTransport):
    """Hands requests to an application that runs in the event loop behind a portal."""

    def __init__(self, app: ASGIApp, portal: BlockingPortal) -> None:
        self._app = app
        self._portal = portal

    @override
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        exchange = _Exchange(self._portal, request.read())
        self._portal.start_task_soon(exchange.run, self._app, _scope(request))
        start = exchange.next()
        return httpx2.Response(start["status"], headers=start["headers"], stream=exchange)


def _scope(request: httpx2.Request) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": request.url.path,
        "raw_path": request.url.raw_path.partition(b"?")[0],
        "query_string": request.url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 0),
        "server": ("localhost", 80),
    }


class _Exchange(httpx2.SyncByteStream):
    """One request and its answer, between the client's thread and the event loop's."""

    def __init__(self, portal: BlockingPortal, body: bytes) -> None:
        self._portal = portal
        self._body: bytes | None = body
        self._answer: queue.SimpleQueue[_Message | BaseException] = queue.SimpleQueue()
        self._gone = asyncio.Event()

    async def run(self, app: ASGIApp, scope: dict[str, Any]) -> None:
        """Run the application; the reader of the answer gets what it raises."""
        try:
            await app(scope, self._receive, self._send)
        except BaseException as error:
            self._answer.put(error)
            raise

    def next(self) -> _Message:
        """Return the next message of the answer, waiting for it."""
        message = self._answer.get()
        if isinstance(message, BaseException):
            raise httpx2.RemoteProtocolError(f"the application failed: {message!r}") from message
        return message

    @override
    def __iter__(self) -> Iterator[bytes]:
        more = True
        while more:
            message = self.next()
            more = message.get("more_body", False)
            yield message.get("body", b"")

    @override
    def close(self) -> None:
        self._portal.call(self._gone.set)

    async def _receive(self) -> dict[str, Any]:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self._answer.put(message)
