"""The server process: where it may listen, and how it stops."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.scripted import Waits, scripted
from tests.support.server import serving
from workflow_agent.api.server import listening_socket
from workflow_agent.errors import CannotListen, Misconfigured
from workflow_agent.settings import load_settings, refuse_open_binding

PROGRAM = [sys.executable, "-c", "from workflow_agent.main import run; run()"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_a_network_is_not_served_without_a_key(host: str) -> None:
    with pytest.raises(Misconfigured, match=r"no API key is set.*WORKFLOW_AGENT_API_KEYS"):
        refuse_open_binding(load_settings(host=host))


@pytest.mark.parametrize(
    "settings", [{"host": "0.0.0.0", "api_keys": ("key",)}, {"host": "127.0.0.1"}, {"host": "::1"}]
)
def test_a_network_with_a_key_and_this_machine_are_served(settings: dict[str, object]) -> None:
    refuse_open_binding(load_settings(**settings))


def test_an_address_that_is_taken_is_said_to_be() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]

        with pytest.raises(CannotListen, match=rf"127\.0\.0\.1 port {port}: .*in use.*--port"):
            listening_socket(load_settings(port=port))


def test_what_is_answered_waits_for_no_acknowledgement() -> None:
    with (
        listening_socket(load_settings(port=0)) as listener,
        closing(socket.create_connection(listener.getsockname())),
        closing(listener.accept()[0]) as connection,
    ):
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_port_0_is_a_free_one() -> None:
    with listening_socket(load_settings(port=0)) as listener:
        assert listener.getsockname()[1] > 0


@pytest.mark.files
def test_stopping_tells_open_streams_and_lets_runs_finish(tmp_path: Path) -> None:
    waiting = Waits(text="Just in time.")
    model, _ = scripted(waiting)
    lines: list[str] = []
    begun, told = threading.Event(), threading.Event()

    def follow(client: httpx.Client) -> None:
        with client.stream("POST", "/api/v1/chat/stream", json={"message": "hi"}) as answer:
            for line in answer.iter_lines():
                lines.append(line)
                begun.set()
                if line == "event: shutdown":
                    told.set()

    with serving(load_settings(data_dir=tmp_path), model) as running, running.client() as client:
        following = threading.Thread(target=follow, args=(client,))
        following.start()
        assert begun.wait(10)
        running.stop()
        assert told.wait(10)
        running.call(waiting.let.set)
        following.join(10)

    names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert names[-1] in ("complete", "shutdown")
    stored = json.loads(next((tmp_path / "default" / "conversations").glob("*.json")).read_bytes())
    assert [run["status"] for run in stored["runs"]] == ["completed"]
    assert stored["events"][-1]["content"] == "Just in time."


@pytest.mark.files
def test_a_run_that_does_not_finish_in_time_is_finished_by_the_next_server(tmp_path: Path) -> None:
    model, _ = scripted(Waits())
    statuses: list[int] = []
    asked = threading.Event()

    def ask(client: httpx.Client) -> None:
        asked.set()
        statuses.append(client.post("/api/v1/chat", json={"message": "hi"}).status_code)

    settings = load_settings(data_dir=tmp_path, shutdown_grace_seconds=0.05)
    with serving(settings, model) as running, running.client() as client:
        asking = threading.Thread(target=ask, args=(client,))
        asking.start()
        while not running.services.chat.worker.live.running():
            asking.join(0.01)
        running.stop()
        asking.join(10)

    stored = json.loads(next((tmp_path / "default" / "conversations").glob("*.json")).read_bytes())
    with serving(settings, scripted("Here again.")[0]) as following, following.client() as client:
        path = f"/api/v1/conversations/{stored['id']}"
        while len(client.get(path).json()["events"]) < 2:
            asked.wait(0.01)
        talk = client.get(path).json()

    assert statuses == [503]
    assert [run["status"] for run in stored["runs"]] == ["running"]
    assert [(run["status"], run["attempt"]) for run in talk["runs"]] == [("completed", 2)]
    assert talk["events"][1]["content"] == "Here again."


def test_a_client_that_goes_away_does_not_stop_the_run(tmp_path: Path) -> None:
    waiting = Waits(text="Done all the same.")
    model, _ = scripted(waiting)
    with serving(load_settings(data_dir=tmp_path), model) as running, running.client() as client:
        with client.stream("POST", "/api/v1/chat/stream", json={"message": "hi"}) as answer:
            lines = answer.iter_lines()
            data = next(line for line in lines if line.startswith("data: "))
        run_id = json.loads(data.removeprefix("data: "))["run_id"]
        running.call(waiting.let.set)
        rest = client.get(f"/api/v1/runs/{run_id}/stream", headers={"Last-Event-ID": "1"}).text
        run = client.get(f"/api/v1/runs/{run_id}").json()

    assert "event: complete" in rest
    assert run["reply"]["response"] == "Done all the same."


def test_garbage_during_an_answer_ends_the_connection_and_not_up_in_the_answer(tmp_path: Path) -> None:
    model, _ = scripted(Waits())
    body = b'{"message": "hi"}'
    head = b"POST /api/v1/chat/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    settings = load_settings(data_dir=tmp_path, shutdown_grace_seconds=0.05)
    with serving(settings, model) as running, closing(running.connect()) as connection:
        connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        answer = connection.recv(65_536)
        connection.sendall(b"\x00garbage\r\n\r\n")
        while more := connection.recv(65_536):
            answer += more

    assert answer.startswith(b"HTTP/1.1 200")
    assert b"bad_request" not in answer


@contextmanager
def program(*arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run the program as a person would; leaving kills it if it still runs."""
    process = subprocess.Popen(
        [*PROGRAM, *arguments],
        env=os.environ | environment,
        cwd=Path(__file__).parents[2],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_the_program_serves_chats_and_ends_well_when_told_to(tmp_path: Path, stop: signal.Signals) -> None:
    with program("serve", "--port", "0", "--data-dir", str(tmp_path), "--samples") as process:
        assert process.stdout is not None
        announced = process.stdout.readline()
        url = announced.split()[3]
        with httpx.Client(base_url=url, timeout=20) as client:
            reply = client.post("/api/v1/chat", json={"message": "which workflows are there?"}).json()
            listed = client.get("/api/v1/workflows").json()["items"]
        process.send_signal(stop)
        _, log = process.communicate(timeout=20)

    assert process.returncode == 0
    assert reply["tools_used"]
    assert len(listed) >= 8
    assert all(json.loads(line)["level"] == "info" for line in log.splitlines())


@pytest.mark.slow
def test_the_program_refuses_to_serve_a_network_without_a_key(tmp_path: Path) -> None:
    with program("serve", "--host", "0.0.0.0", "--data-dir", str(tmp_path)) as process:
        output, errors = process.communicate(timeout=30)

    assert (process.returncode, output) == (78, "")
    assert errors.startswith("workflow-agent: '0.0.0.0' can be reached from other machines")
