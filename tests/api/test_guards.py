"""What stands before every route: hosts, origins, keys, request ids, log lines, and the unexpected."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from tests.support.server import application_for
from workflow_agent.api.body import ClientGone
from workflow_agent.api.guards import HostGuard, KeyGuard, RequestFrame
from workflow_agent.settings import Caller, load_settings
from workflow_agent.telemetry.logs import JsonLines, log_config


async def fine(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"fine"})


def client_of(app: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:8000", 200),
        ("LOCALHOST", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:8000", 200),
        ("localhost.", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("", 421),
        ("localhost:", 200),
        ("localhost:65535", 200),
        ("evil@localhost:80@x", 400),
        ("evil.example@localhost", 400),
        ("[::1", 400),
        ("localhost:abc", 400),
        ("localhost:65536", 400),
        ("localhost:80:80", 400),
        ("localhost/x", 400),
        ("local host", 400),
        ("localhost:+80", 400),
        ("http://localhost", 400),
        ("localhost#", 400),
        ("localhost\\@x", 400),
    ],
)
async def test_only_known_hosts_are_answered(host: str, status: int) -> None:
    async with client_of(HostGuard(fine, ["localhost", "127.0.0.1", "::1"])) as client:
        answer = await client.get("/", headers={"Host": host})

    assert answer.status_code == status


async def test_a_request_the_server_gives_up_when_it_stops_gets_a_problem() -> None:
    begun = asyncio.Event()

    async def waiting(*_: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    serving = asyncio.ensure_future(RequestFrame(waiting)(scope, fine, send))
    await begun.wait()

    serving.cancel()

    with pytest.raises(asyncio.CancelledError):
        await serving
    assert (sent[0]["status"], json.loads(sent[1]["body"])["code"]) == (503, "shutting_down")


@pytest.mark.parametrize("allowed", ["localhost", "*"])
async def test_a_request_with_two_hosts_is_malformed(allowed: str) -> None:
    async with client_of(HostGuard(fine, [allowed])) as client:
        answer = await client.get("/", headers=[("Host", "localhost"), ("Host", "localhost")])

    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_host")


async def test_a_star_lets_any_host_pass() -> None:
    async with client_of(HostGuard(fine, ["*"])) as client:
        assert (await client.get("/", headers={"Host": "any.example"})).status_code == 200


@pytest.mark.parametrize(
    ("method", "host", "origin", "status"),
    [
        ("POST", "localhost:3000", "http://localhost:3000", 200),
        ("POST", "localhost", "http://LOCALHOST:80", 200),
        ("POST", "localhost", "https://localhost", 200),
        ("POST", "localhost:8000", "http://localhost:3000", 403),
        ("POST", "localhost:8000", "http://localhost", 403),
        ("POST", "localhost", "http://localhost:3000", 403),
        ("POST", "localhost", "http://127.0.0.1", 403),
        ("POST", "localhost", "https://localhost:80", 403),
        ("POST", "localhost", "ftp://localhost", 403),
        ("POST", "localhost", "http://x@localhost", 403),
        ("POST", "localhost", "https://evil.example", 403),
        ("POST", "localhost", "null", 403),
        ("DELETE", "localhost", "https://evil.example", 403),
        ("GET", "localhost", "https://evil.example", 200),
    ],
)
async def test_foreign_pages_may_not_change_anything(method: str, host: str, origin: str, status: int) -> None:
    async with client_of(HostGuard(fine, ["localhost", "127.0.0.1"])) as client:
        answer = await client.request(method, "/", headers={"Host": host, "Origin": origin})

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("Bearer right-key-1", 200),
        ("bearer right-key-2", 200),
        ("Bearer wrong", 401),
        ("Bearer ", 401),
        ("Basic right-key-1", 401),
        ("right-key-1", 401),
        ("Bearer right-key-", 401),
    ],
)
async def test_only_known_keys_pass(header: str, status: int) -> None:
    async with client_of(
        KeyGuard(fine, {"right-key-1": Caller("a", None), "right-key-2": Caller("b", "anna")})
    ) as client:
        answer = await client.get("/api", headers={"Authorization": header})

    assert answer.status_code == status


@pytest.mark.parametrize(
    "path", ["/health", "/api/v1/workflows", "/api/v1/nowhere", "/v1/models", "/", "/openapi.json"]
)
async def test_no_answer_is_taken_for_another_type_than_it_says(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)

    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_probes_need_no_key_and_everything_else_does(tmp_path: Path) -> None:
    application = application_for(load_settings(data_dir=tmp_path, api_keys=("a-good-key",), allowed_hosts=("*",)))
    async with client_of(application.app) as client:
        statuses = {
            path: (await client.get(path)).status_code
            for path in ("/health", "/ready", "/openapi.json", "/api/v1/modes", "/nothing")
        }
        document = (await client.get("/openapi.json", headers={"Authorization": "Bearer a-good-key"})).json()
    await application.finish()
    application.close()

    assert statuses == {"/health": 200, "/ready": 200, "/openapi.json": 401, "/api/v1/modes": 401, "/nothing": 401}
    assert document["security"] == [{"key": []}]
    assert document["paths"]["/health"]["get"]["security"] == []


async def test_a_server_that_stops_is_healthy_and_not_ready(tmp_path: Path) -> None:
    application = application_for(load_settings(data_dir=tmp_path))
    async with client_of(application.app) as client:
        before = await client.get("/ready")
        await application.finish()
        after = await client.get("/ready")
        refused = await client.post("/api/v1/chat", json={"message": "hi"})
        healthy = await client.get("/health")
    application.close()

    assert [answer.status_code for answer in (before, after, refused, healthy)] == [200, 503, 503, 200]
    assert refused.headers["retry-after"] == "5"


@pytest.mark.parametrize("given", ["x" * 65, "a b", "a\tb", ""])
async def test_a_request_id_that_could_be_misread_is_replaced(given: str) -> None:
    async with client_of(RequestFrame(fine)) as client:
        answer = await client.get("/", headers={"X-Request-ID": given})

    assert answer.headers["x-request-id"] != given
    assert answer.headers["x-request-id"].isalnum()


async def test_the_unexpected_is_a_problem_without_its_details(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise LookupError("secret detail")

    async with client_of(RequestFrame(broken)) as client:
        answer = await client.get("/")

    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "secret" not in answer.text
    assert "secret detail" in caplog.text


async def test_the_unexpected_in_the_middle_of_an_answer_ends_it() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise LookupError("late")

    with pytest.raises(LookupError, match="late"):
        await RequestFrame(broken)(*exchange())


async def test_who_left_is_not_answered_and_nothing_is_wrong(caplog: pytest.LogCaptureFixture) -> None:
    async def left(scope: Scope, receive: Receive, send: Send) -> None:
        raise ClientGone

    scope, receive, send = exchange()
    await RequestFrame(left)(scope, receive, send)

    assert "unexpected" not in caplog.text


def exchange() -> tuple[Scope, Receive, Send]:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        assert message["type"] == "http.response.start"

    return {"type": "http", "method": "GET", "path": "/", "headers": [], "raw_path": b"/"}, receive, send


async def test_head_is_answered_like_get() -> None:
    methods: list[str] = []

    async def watching(scope: Scope, receive: Receive, send: Send) -> None:
        methods.append(scope["method"])
        await fine(scope, receive, send)

    async with client_of(RequestFrame(watching)) as client:
        await client.head("/")

    assert methods == ["GET"]


async def test_other_protocols_pass_all_guards() -> None:
    seen: list[str] = []

    async def watching(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    app = RequestFrame(HostGuard(KeyGuard(watching, {"k": Caller("default", None)}), ["localhost"]))
    await app({"type": "lifespan"}, *exchange()[1:])

    assert seen == ["lifespan"]


async def test_one_line_a_request_without_query_and_headers(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "workflow_agent.http")

    async with client_of(RequestFrame(fine)) as client:
        await client.get("/a%0Ab?token=query-secret", headers={"Authorization": "Bearer header-secret"})

    line = JsonLines().format(caplog.records[-1])
    assert "\n" not in line
    assert "secret" not in line
    assert json.loads(line) | {"time": 0, "duration_ms": 0, "request_id": 0} == {
        "time": 0,
        "level": "info",
        "logger": "workflow_agent.http",
        "message": "request",
        "request_id": 0,
        "method": "GET",
        "path": "/a\nb",
        "status": 200,
        "duration_ms": 0,
    }


@pytest.mark.parametrize("text", ["a\nb", "a\u2028b", 'a"}\n{"level": "forged', "\x1b[31m", "\r"])
def test_a_log_line_cannot_be_split(text: str) -> None:
    record = logging.LogRecord("n", logging.INFO, "p", 1, "%s", (text,), None)
    record.__dict__ |= {"given": text, "level": "forged"}

    line = JsonLines().format(record)

    assert len(line.splitlines()) == 1
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["message"] == json.loads(line)["given"] == text
    assert json.loads(line)["level"] == "info"


def test_an_exception_is_part_of_its_line() -> None:
    try:
        raise ValueError("first\nsecond")
    except ValueError as error:
        record = logging.LogRecord("n", logging.ERROR, "p", 1, "bad", (), (type(error), error, error.__traceback__))

    assert "first\nsecond" in json.loads(JsonLines().format(record))["exception"]


def test_the_log_level_is_the_operators() -> None:
    assert log_config("debug")["loggers"]["workflow_agent"]["level"] == "DEBUG"
