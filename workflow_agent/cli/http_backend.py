"""The service over HTTP requests, which go to a server or to the application in this process.

The two differ in the transport alone, so they answer, and refuse, in the same words. A turn is followed to its end,
also where the connection or the server breaks off meanwhile.
"""

import json
import secrets
import ssl
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx2
from typing_extensions import override

from workflow_agent.cli.context import (
    EXIT_CONFLICT,
    EXIT_FAILED,
    EXIT_MISCONFIGURED,
    EXIT_NOT_FOUND,
    EXIT_UNREACHABLE,
    Backend,
    CommandFailed,
    Event,
)

PREFIX = "/api/v1"
_PATIENCE = httpx2.Timeout(90, connect=5)
"""A stream says something every few seconds, and so does nothing that is longer silent."""
_WAITS_SECONDS = (0.25, 0.5, 1, 2, 4)
_CODES = {401: EXIT_MISCONFIGURED, 403: EXIT_MISCONFIGURED, 404: EXIT_NOT_FOUND, 409: EXIT_CONFLICT, 412: EXIT_CONFLICT}
_MOST_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class HttpBackend(Backend):
    """The service as whatever answers HTTP requests; `where` says in words what that is."""

    client: httpx2.Client
    where: str
    waits_seconds: Sequence[float] = ()
    """How long to wait before each attempt to take a broken stream up again."""
    pause: Callable[[float], None] = time.sleep

    @override
    def get(self, path: str, /, **query: object) -> Any:
        return self._json("GET", PREFIX + path, query=query)

    @override
    def post(self, path: str, /, body: object = None, **query: object) -> Any:
        return self._json("POST", PREFIX + path, body=body, query=query)

    @override
    def change(self, method: str, path: str, /, body: object = None, *, version: int | None = None) -> Any:
        expected = "*" if version is None else f'"{version}"'
        return self._json(method, PREFIX + path, query={}, body=body, headers={"If-Match": expected})

    @override
    def root(self, path: str) -> Any:
        return self._json("GET", path, query={})

    @override
    def pages(self, path: str, limit: int | None = None, /, **query: object) -> Iterator[Mapping[str, Any]]:
        left, cursor = limit, None
        while left is None or left > 0:
            page = self.get(path, cursor=cursor, limit=100 if left is None else min(left, 100), **query)
            yield from page["items"]
            left, cursor = left if left is None else left - len(page["items"]), page["next_cursor"]
            if cursor is None:
                return

    @override
    def turn(self, body: Mapping[str, object]) -> Generator[Event]:
        turn = _Following(self, body, f"cli-{secrets.token_hex(12)}")
        waits = iter(self.waits_seconds)
        while True:
            before, lost, turn.is_under_way = turn.last_id, None, False
            try:
                for event in turn.events():
                    yield event
                    if event.name in ("complete", "error"):
                        return
            except httpx2.TransportError as error:
                lost = error
            if turn.last_id != before or turn.is_under_way:
                waits = iter(self.waits_seconds)
            wait_seconds = next(waits, None)
            if wait_seconds is None or (isinstance(lost, httpx2.ConnectError) and not turn.was_reached):
                raise turn.broken_off(lost) from lost
            self.pause(wait_seconds)

    def stream(
        self, method: str, path: str, headers: Mapping[str, str], body: Mapping[str, object] | None = None
    ) -> Iterator[Event]:
        """Yield the events of a stream until it ends or breaks off."""
        with self.client.stream(method, PREFIX + path, json=body, headers=headers) as response:
            if response.is_error:
                response.read()
                raise self._refusal(response)
            yield from parsed_events(response.iter_lines())

    def _json(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object],
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        params = {name.rstrip("_"): _text(value) for name, value in query.items() if value is not None}
        try:
            response = self.client.request(method, path, params=params, json=body, headers=headers)
        except httpx2.TransportError as error:
            raise self.silence(error) from error
        if response.is_error:
            raise self._refusal(response)
        try:
            return response.json() if response.content else None
        except ValueError as error:
            raise self._stranger() from error

    def silence(self, error: httpx2.TransportError) -> CommandFailed:
        """Return what to say where nobody answers, or nobody that can be talked to safely."""
        if (failed := _tls_failure(error)) is not None:
            return self._insecure(failed)
        why = str(error) or type(error).__name__
        return CommandFailed(
            f"Nobody answers at {self.where}: {why}. Start a server with `workflow-agent serve`, mend --url "
            "(or WORKFLOW_AGENT_URL), or leave it out to work on a data directory.",
            EXIT_UNREACHABLE,
        )

    def _insecure(self, failed: ssl.SSLError) -> CommandFailed:
        if isinstance(failed, ssl.SSLCertVerificationError):
            what = (
                f"The certificate of {self.where} is not trusted here: {failed.verify_message}. "
                "Name a file with its issuer's certificate in SSL_CERT_FILE, or"
            )
        else:
            why = (failed.reason or str(failed)).replace("_", " ").lower()
            what = (
                f"{self.where} does not answer as a server with TLS does: {why}. "
                "Where it listens without, its address begins with http://:"
            )
        return CommandFailed(f"{what} mend --url (or WORKFLOW_AGENT_URL).", EXIT_UNREACHABLE)

    def _stranger(self) -> CommandFailed:
        return CommandFailed(f"What answers at {self.where} is not workflow-agent. Mend --url or WORKFLOW_AGENT_URL.")

    def _refusal(self, response: httpx2.Response) -> CommandFailed:
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            return CommandFailed(
                f"{self.where} wants an API key. Give one with WORKFLOW_AGENT_API_KEY or --api-key.", EXIT_MISCONFIGURED
            )
        try:
            problem = response.json()
        except ValueError:
            return self._stranger()
        if not isinstance(problem, dict) or "detail" not in problem:
            return self._stranger()
        return CommandFailed(problem_text(problem), _CODES.get(response.status_code, EXIT_FAILED))  # pyright: ignore[reportUnknownArgumentType] - JSON


def _tls_failure(error: BaseException) -> ssl.SSLError | None:
    """Return what went wrong with TLS, if that is what an error comes from."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    return cause


def problem_text(problem: Mapping[str, Any]) -> str:
    """Return a problem document in words: what happened, and what would have been valid."""
    lines = [str(problem["detail"])]
    listed = problem.get("problems", ())
    if len(listed) > 1:
        lines += [f"  {one.get('pointer') or '/'}: {one['message']}" for one in listed[:_MOST_PROBLEMS]]
    valid = [name for one in listed for name in one.get("valid", ())]
    if valid and valid[-1] not in lines[0]:
        lines.append(f"Valid: {', '.join(map(str, valid[:30]))}.")
    return "\n".join(lines)


def parsed_events(lines: Iterable[str]) -> Iterator[Event]:
    """Yield the server-sent events of a stream's lines; comments are passed over."""
    fields: dict[str, str] = {}
    for line in lines:
        if line and not line.startswith(":"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        elif not line and "data" in fields:
            yield Event(fields.get("id", ""), fields.get("event", "message"), json.loads(fields["data"]))
            fields = {}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@contextmanager
def server_backend(url: str, api_key: str | None) -> Generator[Backend]:
    """Give a backend that asks a server."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        client = httpx2.Client(base_url=url.rstrip("/"), headers=headers, timeout=_PATIENCE)
    except (httpx2.InvalidURL, ValueError) as error:
        raise _wrong_url(url) from error
    if client.base_url.scheme not in ("http", "https") or not client.base_url.host:
        raise _wrong_url(url)
    with client:
        yield HttpBackend(client, url, _WAITS_SECONDS)


def _wrong_url(url: str) -> CommandFailed:
    return CommandFailed(
        f"{url[:200]!r} is not the address of a server. Give one like http://127.0.0.1:8000 with --url or "
        "WORKFLOW_AGENT_URL.",
        EXIT_MISCONFIGURED,
    )


@contextmanager
def local_backend(transport: httpx2.BaseTransport, where: str) -> Generator[Backend]:
    """Give a backend that asks the application in this process."""
    with httpx2.Client(transport=transport, base_url="http://localhost", timeout=_PATIENCE) as client:
        yield HttpBackend(client, where)


@dataclass(slots=True)
class _Following:
    """How far a turn was followed.

    Sent again under the same key it is the same turn; once its run is known, only the stream is asked for.
    """

    backend: HttpBackend
    body: Mapping[str, object]
    key: str
    run_id: str | None = None
    conversation_id: str | None = None
    last_id: str = ""
    said: str = ""
    was_reached: bool = False
    is_under_way: bool = False
    """Whether another process works on it, whose stream cannot be had here."""

    def events(self) -> Iterator[Event]:
        """Yield what comes after what was seen, as far as it comes."""
        if self.run_id is None:
            opened = self.backend.stream("POST", "/chat/stream", {"Idempotency-Key": self.key}, self.body)
        else:
            opened = self._resumed(self.run_id)
        for event in opened:
            self.was_reached = True
            if event.name == "shutdown":
                return
            self._note(event)
            yield event

    def _note(self, event: Event) -> None:
        self.last_id = event.id
        if event.name == "start":
            self.run_id, self.conversation_id = event.data["run_id"], event.data["conversation_id"]
            self.said = ""
        elif event.name == "delta":
            self.said += event.data["text"]

    def _resumed(self, run_id: str) -> Iterator[Event]:
        try:
            yield from self.backend.stream("GET", f"/runs/{run_id}/stream", {"Last-Event-ID": self.last_id})
        except CommandFailed as error:
            if error.exit_code != EXIT_NOT_FOUND:
                raise
            # The server was started anew: the stream is gone, what came of the run is kept.
            yield from self._outcome(self.backend.get(f"/runs/{run_id}"))

    def _outcome(self, run: Mapping[str, Any]) -> Iterator[Event]:
        if run["status"] in ("accepted", "running"):
            self.is_under_way = True
            return
        reply = run.get("reply")
        if reply is None:
            problem: Mapping[str, str] = run.get("error") or {}
            why = problem.get("message") or "The server stopped in the middle of this reply. Say it again."
            yield Event(self.last_id, "error", {"code": run["status"], "detail": why})
            return
        if reply["response"].startswith(self.said):
            yield Event(self.last_id, "delta", {"text": reply["response"][len(self.said) :]})
        yield Event(self.last_id, "complete", reply)

    def broken_off(self, lost: httpx2.TransportError | None) -> CommandFailed:
        """Return what to say where the line broke for good."""
        if self.conversation_id is None:
            return self.backend.silence(lost or httpx2.ReadError("it ended without a reply"))
        return CommandFailed(
            f"The connection to {self.backend.where} was lost in the middle of the reply and did not come "
            "back. What you said is kept. When the server runs again, `workflow-agent conversations show "
            f"{self.conversation_id} --last 1` shows how it went on.",
            EXIT_UNREACHABLE,
        )
