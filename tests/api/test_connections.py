"""Connections: slow and oversized heads and bodies, malformed requests, and a graceful end."""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.server import Served, serving
from workflow_agent.settings import load_settings

HEAD = b"POST /api/v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = load_settings(
        data_dir=tmp_path_factory.mktemp("data"),
        head_deadline_seconds=0.3,
        body_deadline_seconds=0.3,
        max_head_bytes=4_096,
        max_body_bytes=10_000,
        keep_alive_seconds=1,
    )
    with serving(settings) as running:
        yield running


def problem_in(answer: bytes) -> tuple[int, dict[str, object]]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head.lower()
    return int(head.split()[1]), json.loads(body)


@pytest.mark.parametrize("begun", [b"GET /hea", b"GET /health HTTP/1.1\r\nHost: local", b"\r\n", b""])
def test_a_head_that_stops_in_the_middle_is_cut_off(served: Served, begun: bytes) -> None:
    status, problem = problem_in(served.exchange(begun))

    assert (status, problem["code"]) == (408, "request_timed_out")


@pytest.mark.parametrize("pause", [False, True], ids=["at once", "after the answer"])
def test_the_next_head_on_a_connection_is_cut_off_as_well(served: Served, pause: bool) -> None:
    first = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with closing(served.connect()) as connection:
        connection.sendall(first if pause else first + b"GET /hea")
        answer = connection.recv(65_536)
        if pause:
            connection.sendall(b"GET /hea")
        while more := connection.recv(65_536):
            answer += more

    assert re.findall(rb"HTTP/1\.1 (\d+)", answer) == [b"200", b"408"]


def test_a_head_that_drips_is_cut_off_as_well(served: Served) -> None:
    started = time.monotonic()
    with closing(served.connect()) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\n")
        received = b""
        connection.settimeout(0.05)
        while not received:
            try:
                connection.sendall(b"X-A: b\r\n")
                received = connection.recv(65_536)
            except TimeoutError:
                assert time.monotonic() - started < 5, "the server let it drip"

    assert received.startswith(b"HTTP/1.1 408")


def test_a_body_that_stops_in_the_middle_is_cut_off(served: Served) -> None:
    status, problem = problem_in(served.exchange(HEAD + b"Content-Length: 100\r\n\r\n", b'{"mess'))

    assert (status, problem["code"]) == (408, "request_timed_out")


def test_a_head_over_the_limit_is_refused(served: Served) -> None:
    status, problem = problem_in(served.exchange(b"GET /health HTTP/1.1\r\nX-Long: " + b"a" * 8_000))

    assert (status, problem["code"]) == (431, "head_too_large")


def test_a_body_over_the_limit_is_refused_with_an_answer(served: Served) -> None:
    with served.client() as client:
        answer = client.post("/api/v1/chat", json={"message": "a" * 20_000})

    assert answer.status_code == 413
    assert answer.json()["limit_bytes"] == 10_000


def test_an_endless_chunked_body_is_refused(served: Served) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(100):
            yield b"a" * 1_000

    with served.client() as client:
        answer = client.post("/api/v1/chat", content=chunks(), headers={"Content-Type": "application/json"})

    assert answer.status_code == 413


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 TLS\r\n\r\n", id="TLS"),
        pytest.param(b"GET /health HTTP/1.1\r\nHost: localhost\r\nA B: c\r\n\r\n", id="space in a name"),
        pytest.param(b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n", id="raw bytes in the address"),
        pytest.param(HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", id="both"),
        pytest.param(HEAD + b"Content-Length: -1\r\n\r\n", id="negative length"),
        pytest.param(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", id="bad chunk"),
    ],
)
def test_what_is_not_http_is_a_bad_request(served: Served, raw: bytes) -> None:
    status, problem = problem_in(served.exchange(raw))

    assert (status, problem["code"]) == (400, "bad_request")


def test_requests_on_one_connection_are_answered_in_order(served: Served) -> None:
    request = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    answer = served.exchange(request * 2 + last)

    assert re.findall(rb"HTTP/1\.1 (\d+)", answer) == [b"200", b"200", b"404"]


def test_a_connection_that_idles_is_closed(served: Served) -> None:
    answer = served.exchange(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 200")


def test_a_connection_too_many_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    with serving(load_settings(data_dir=tmp_path, max_connections=2)) as running, running.client() as client:
        assert client.get("/health").status_code == 200
        with closing(running.connect()) as second:
            second.sendall(b"GET /hea")
            status, problem = problem_in(running.exchange(b""))
            assert client.get("/health").status_code == 200

    assert (status, problem["code"]) == (503, "too_many_connections")


def test_a_slow_client_does_not_hold_up_others(served: Served) -> None:
    with closing(served.connect()) as slow, served.client() as client:
        slow.sendall(b"GET /hea")

        assert client.get("/health").status_code == 200


def test_stopping_answers_what_is_under_way(tmp_path: Path) -> None:
    answers: list[int] = []
    with serving(load_settings(data_dir=tmp_path)) as running, running.client() as client:
        asking = threading.Thread(
            target=lambda: answers.append(client.post("/api/v1/chat", json={"message": "hello"}).status_code)
        )
        asking.start()
        asking.join()

    assert answers == [200]
