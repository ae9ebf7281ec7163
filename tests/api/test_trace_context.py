"""A turn belongs to the trace of whoever asked for it (W3C Trace Context)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.support.server import echoing_model
from workflow_agent.assistant.providers import Models
from workflow_agent.main.composition import build
from workflow_agent.settings import load_settings
from workflow_agent.telemetry.providers import TelemetryOptions, build_telemetry

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@dataclass(frozen=True)
class Traced:
    client: httpx.AsyncClient
    exporter: InMemorySpanExporter

    async def turn(self, **headers: str) -> ReadableSpan:
        """Return the span of a turn that was asked for with these headers."""
        answer = await self.client.post("/api/v1/chat", json={"message": "hello"}, headers=headers)
        assert answer.status_code == 200
        return next(span for span in self.exporter.get_finished_spans() if span.name == "chat.turn")


@pytest.fixture
async def traced(tmp_path: Path) -> AsyncIterator[Traced]:
    exporter = InMemorySpanExporter()
    telemetry = build_telemetry(TelemetryOptions(span_processors=(SimpleSpanProcessor(exporter),)))
    models = Models("test", {"test": echoing_model()}, window_tokens=32_000)
    application = build(load_settings(data_dir=tmp_path), models, telemetry)
    transport = httpx.ASGITransport(application.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield Traced(client, exporter)
    application.close()


async def test_a_turn_continues_the_callers_trace(traced: Traced) -> None:
    span = await traced.turn(traceparent=f"00-{TRACE}-{PARENT}-01", tracestate="vendor=1")

    assert span.context is not None
    assert span.parent is not None
    assert f"{span.context.trace_id:032x}" == TRACE
    assert f"{span.parent.span_id:016x}" == PARENT
    assert span.parent.is_remote
    assert span.context.trace_state["vendor"] == "1"


@pytest.mark.parametrize(
    "header", ["", "nonsense", f"00-{'0' * 32}-{PARENT}-01", f"ff-{TRACE}-{PARENT}-01", "x" * 5_000]
)
async def test_what_is_no_trace_context_begins_a_trace_of_its_own(traced: Traced, header: str) -> None:
    span = await traced.turn(traceparent=header)

    assert span.parent is None


async def test_one_request_does_not_pass_its_trace_on_to_the_next(traced: Traced) -> None:
    await traced.turn(traceparent=f"00-{TRACE}-{PARENT}-01")
    traced.exporter.clear()

    span = await traced.turn()

    assert span.parent is None
