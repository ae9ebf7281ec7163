"""`doctor` and `bench`: what is wrong is named with what to do, and nothing is changed by looking."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.cli.commands import Ran, run
from workflow_agent.cli.context import EXIT_FAILED, EXIT_MISCONFIGURED, EXIT_NOT_FOUND

SECRET = "a-secret-of-the-tests"


def examined(*arguments: str, **environment: str) -> tuple[Ran, dict[str, dict[str, str]]]:
    ran = run("doctor", "--json", *arguments, **{"PORT": "0"} | environment)
    return ran, {one["check"]: one for one in json.loads(ran.out)}


@contextmanager
def provider(status: int) -> Iterator[str]:
    """Give the base URL of a provider that answers every request so."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"object": "list", "data": []}')

        def log_message(self, *_: object) -> None:
            """Say nothing on standard error."""

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def test_where_all_is_well_nothing_is_changed(data_dir: Path) -> None:
    data_dir.chmod(0o700)
    before = sorted(data_dir.rglob("*"))

    ran, found = examined(DATA_DIR=str(data_dir))

    assert ran.code == 0
    assert {one["level"] for one in found.values()} == {"ok"}
    assert sorted(data_dir.rglob("*")) == before


@pytest.mark.parametrize(("keys", "told"), [("one-key", "1 API key is set"), ("a-key,b-key", "2 API keys are set")])
def test_keys_are_counted(data_dir: Path, keys: str, told: str) -> None:
    _, found = examined(DATA_DIR=str(data_dir), API_KEYS=keys)

    assert told in found["configuration"]["found"]


def test_a_directory_that_is_to_be_made_is_not_made_by_looking(tmp_path: Path) -> None:
    ran, found = examined(DATA_DIR=str(tmp_path / "later"))

    assert (ran.code, found["data directory"]["level"]) == (0, "ok")
    assert not (tmp_path / "later").exists()


def test_a_directory_that_cannot_be_written_to_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")

    ran, found = examined(DATA_DIR=str(tmp_path / "file"))

    assert ran.code == EXIT_FAILED
    assert found["data directory"]["level"] == "failed"
    assert "chmod 700" in found["data directory"]["advice"]


def test_what_others_can_read_is_a_warning(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    ran, found = examined(DATA_DIR=str(tmp_path))

    assert (ran.code, found["data directory"]["level"]) == (0, "warning")


def test_a_port_that_is_taken_is_a_warning(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran, found = examined(DATA_DIR=str(tmp_path), PORT=port)

    assert (ran.code, found["port"]["level"]) == (0, "warning")
    assert port in found["port"]["found"]


def test_an_open_server_without_a_key_has_to_be_mended(tmp_path: Path) -> None:
    ran, found = examined(DATA_DIR=str(tmp_path), HOST="0.0.0.0")

    assert ran.code == EXIT_MISCONFIGURED
    assert "WORKFLOW_AGENT_API_KEYS" in found["configuration"]["found"]


def test_a_setting_that_cannot_be_read_has_to_be_mended() -> None:
    ran = run("doctor", PORT="99999")

    assert ran.code == EXIT_MISCONFIGURED
    assert "WORKFLOW_AGENT_PORT" in ran.err


@pytest.mark.parametrize(("status", "level", "code"), [(200, "ok", 0), (401, "misconfigured", EXIT_MISCONFIGURED)])
def test_a_provider_is_asked_and_its_key_not_shown(tmp_path: Path, status: int, level: str, code: int) -> None:
    with provider(status) as url:
        ran, found = examined(DATA_DIR=str(tmp_path), MODEL="openai:stub-1", MODEL_BASE_URL=url, MODEL_API_KEY=SECRET)

    assert (ran.code, found["model"]["level"]) == (code, level)
    assert SECRET not in ran.out + ran.err


def test_a_model_that_is_not_there_has_to_be_mended(tmp_path: Path) -> None:
    ran, found = examined(DATA_DIR=str(tmp_path), MODEL="nobody:knows")

    assert ran.code == EXIT_MISCONFIGURED
    assert "nobody:knows" in found["model"]["found"]


def test_a_server_is_looked_at_from_outside(server: str) -> None:
    ran, found = examined("--url", server)
    silent, nothing = examined("--url", "http://127.0.0.1:1")

    assert (ran.code, found["work"]["level"]) == (0, "ok")
    assert (silent.code, nothing["server"]["level"]) == (EXIT_FAILED, "failed")


def test_in_a_pipe_a_finding_is_a_line(tmp_path: Path) -> None:
    lines = run("doctor", DATA_DIR=str(tmp_path), PORT="0").out.splitlines()

    assert {line.split("\t")[1] for line in lines} <= {"ok", "warning"}


def test_a_benchmark_runs_in_its_checkout() -> None:
    ran = run("bench", "eval_modes")

    assert (ran.code, ran.out.split()[:4]) == (0, ["ran", "-m", "benchmarks.eval_modes", "in"])
    assert run("bench", "http").out.split()[:4] == ["ran", "-m", "benchmarks", "http"]
    assert run("bench").out.split()[:4] == ["ran", "-m", "benchmarks", "in"]


def test_the_benchmarks_are_listed_with_what_they_measure() -> None:
    listed = dict(line.split("\t") for line in run("bench", "--list").out.splitlines())

    assert {"turns", "http", "tokens", "eval_modes", "evaluations"} < set(listed)
    assert not any(name.startswith(("test_", "fit_", "__")) for name in listed)
    assert all(listed.values())


@pytest.mark.parametrize(
    ("arguments", "said"), [(["nothing"], "eval_modes"), (["--checkout", "/nowhere"], "make bench")]
)
def test_a_benchmark_that_is_not_there_names_where_they_are(arguments: list[str], said: str) -> None:
    ran = run("bench", *arguments)

    assert ran.code == EXIT_NOT_FOUND
    assert said in ran.err


@pytest.mark.parametrize(
    ("variable", "told"),
    [
        pytest.param("MODLE", "did you mean WORKFLOW_AGENT_MODEL?", id="misspelt"),
        pytest.param("API_KEY", "a server asks for the keys in WORKFLOW_AGENT_API_KEYS", id="of a client"),
    ],
)
def test_a_setting_without_effect_is_named(data_dir: Path, variable: str, told: str) -> None:
    data_dir.chmod(0o700)

    ran, found = examined(DATA_DIR=str(data_dir), **{variable: "something"})

    assert ran.code == 0
    assert found["configuration"]["level"] == "warning"
    assert told in found["configuration"]["found"]
