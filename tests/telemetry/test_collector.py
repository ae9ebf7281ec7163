"""Spans and metrics reach the collector that the standard variables name."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.main.composition import build
from workflow_agent.settings import OtlpTargets, load_settings


class Collector(ThreadingHTTPServer):
    """Takes whatever is sent and keeps where to, and what."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.taken: dict[str, bytes] = {}


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.taken[self.path] = self.server.taken.get(self.path, b"") + body
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


async def test_a_collector_gets_spans_and_metrics(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server_port}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "ours-in-the-cellar")
    application = build(load_settings(data_dir=tmp_path))

    started = await application.services.chat.start("default", TurnRequest("hello zanzibar"))
    await started.outcome()
    application.close()

    assert collector.taken.keys() == {"/v1/traces", "/v1/metrics"}
    assert b"chat.turn" in collector.taken["/v1/traces"]
    assert b"workflow_agent.turns" in collector.taken["/v1/metrics"]
    assert b"ours-in-the-cellar" in collector.taken["/v1/traces"]
    assert b"zanzibar" not in b"".join(collector.taken.values())


@pytest.mark.parametrize(
    ("variables", "spans", "metrics"),
    [
        pytest.param({}, False, False, id="no collector"),
        pytest.param({"EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, True, True, id="for both"),
        pytest.param({"EXPORTER_OTLP_TRACES_ENDPOINT": "http://c"}, True, False, id="for spans"),
        pytest.param({"EXPORTER_OTLP_ENDPOINT": "http://c", "TRACES_EXPORTER": "none"}, False, True, id="spans off"),
        pytest.param({"EXPORTER_OTLP_ENDPOINT": "http://c", "SDK_DISABLED": "true"}, False, False, id="off"),
    ],
)
def test_the_standard_variables_say_what_is_sent(
    variables: dict[str, str], spans: bool, metrics: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"OTEL_{name}", value)

    assert (OtlpTargets().takes_spans, OtlpTargets().takes_metrics) == (spans, metrics)
