"""The metrics: what a turn adds to them, and that their labels stay few."""

from collections.abc import Mapping

import pytest
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import SpanProcessor
from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.chats import ChatUnderTest, chat_with
from tests.support.scripted import Calls, Step, scripted
from workflow_agent.errors import ModelFailed
from workflow_agent.telemetry.metrics import Metrics
from workflow_agent.telemetry.providers import Telemetry, TelemetryOptions, build_telemetry
from workflow_agent.telemetry.sums import Sums

LABELS = {
    "outcome", "mode", "model", "section", "level", "counting", "used", "by", "source", "kind", "part",
    "phase", "type", "cache", "le",
    "gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model", "gen_ai_token_type",
}  # fmt: skip
"""Every label there is; each takes names from the configuration, or words of ours."""


def families(telemetry: Telemetry) -> dict[str, Metric]:
    text = telemetry.exposition()[0].decode()
    return {family.name: family for family in text_string_to_metric_families(text)}


def value(telemetry: Telemetry, sample: str, labels: Mapping[str, str] | None = None) -> float:
    """Return the sum of a sample's values over the labels that are not given."""
    wanted = (labels or {}).items()
    return sum(
        one.value
        for family in families(telemetry).values()
        for one in family.samples
        if one.name == sample and wanted <= one.labels.items()
    )


def chat(*steps: Step) -> ChatUnderTest:
    return chat_with(scripted(*steps)[0])


async def test_a_turn_is_counted_by_outcome_and_mode() -> None:
    under_test = chat("Hello.", "Found none.")

    await under_test.say("hi", mode="general")
    await under_test.say("find it", mode="search")

    turns = "workflow_agent_turns_total"
    assert value(under_test.telemetry, turns, {"outcome": "completed", "mode": "search"}) == 1
    assert value(under_test.telemetry, turns) == 2
    assert value(under_test.telemetry, "workflow_agent_run_duration_seconds_count") == 2
    assert value(under_test.telemetry, "workflow_agent_first_chunk_duration_seconds_count") == 2


async def test_tokens_are_counted_by_section_as_the_record_says() -> None:
    under_test = chat("Hello.")

    reply = (await under_test.say("hi")).reply

    counted = {
        section: value(under_test.telemetry, "workflow_agent_context_tokens_total", {"section": section})
        for section in reply.context["breakdown"]
    }
    assert counted == reply.context["breakdown"]
    assert value(under_test.telemetry, "workflow_agent_context_fraction_count", {"model": "scripted"}) == 1
    assert value(under_test.telemetry, "workflow_agent_context_level_total", {"level": "ok"}) == 1


async def test_usage_is_counted_as_it_was_reported() -> None:
    under_test = chat(Calls([("list_workflows", {})]), "None.")

    reply = (await under_test.say("how many?")).reply

    tokens = "workflow_agent_usage_tokens_total"
    assert value(under_test.telemetry, tokens, {"kind": "input"}) == reply.usage.input_tokens
    assert value(under_test.telemetry, tokens, {"kind": "output"}) == reply.usage.output_tokens


async def test_saves_are_timed_by_phase() -> None:
    under_test = chat("Hello.")

    await under_test.say("hi")

    saves = "workflow_agent_save_duration_seconds_count"
    for phase in ("accept", "commit"):
        assert value(under_test.telemetry, saves, {"phase": phase, "outcome": "ok"}) == 1
    assert value(under_test.telemetry, "workflow_agent_lock_wait_seconds_count") == 2


async def test_a_failure_is_counted_by_its_type() -> None:
    under_test = chat(ValueError("no"))

    with pytest.raises(ModelFailed):
        await under_test.say("hi")

    assert value(under_test.telemetry, "workflow_agent_turns_total", {"outcome": "failed"}) == 1
    assert value(under_test.telemetry, "workflow_agent_errors_total", {"type": "internal"}) == 1


async def test_how_sure_the_mode_was_is_measured() -> None:
    under_test = chat("Found none.")

    reply = (await under_test.say("which of our workflows talk to Slack?")).reply

    labels = {"mode": "search", "source": "inferred"}
    assert value(under_test.telemetry, "workflow_agent_mode_confidence_count", labels) == 1
    assert value(under_test.telemetry, "workflow_agent_mode_confidence_sum") == pytest.approx(reply.mode.confidence)


async def test_labels_are_few_and_hold_no_ids() -> None:
    under_test = chat(*["Hello."] * 3, ValueError("no"))
    ids: set[str] = set()
    for number in range(3):
        outcome = await under_test.say(f"hi {number}")
        ids |= {outcome.run_id, outcome.conversation_id}
    with pytest.raises(ModelFailed):
        await under_test.say("hi")

    text = under_test.telemetry.exposition()[0].decode()

    found = {
        name for family in families(under_test.telemetry).values() for one in family.samples for name in one.labels
    }
    assert found <= LABELS
    assert not [one for one in ids if one in text]
    assert "hi 1" not in text


def test_two_services_in_one_process_count_apart() -> None:
    one, other = chat("Hello.").telemetry, chat("Hello.").telemetry

    one.metrics.turns.add(1, {"outcome": "completed", "mode": "general"})

    assert value(one, "workflow_agent_turns_total") == 1
    assert value(other, "workflow_agent_turns_total") == 0


@pytest.mark.parametrize(("takers", "is_there"), [((), False), ((SpanProcessor(),), True)])
async def test_the_frameworks_own_metrics_are_there_where_its_spans_go_somewhere(
    takers: tuple[SpanProcessor, ...], is_there: bool
) -> None:
    telemetry = build_telemetry(TelemetryOptions(span_processors=takers))
    under_test = chat_with(scripted("Hello.")[0], telemetry=telemetry)

    await under_test.say("hi")

    assert (value(telemetry, "gen_ai_client_token_usage_count") > 0) is is_there
    assert value(telemetry, "workflow_agent_usage_tokens_total") > 0


def test_plain_sums_are_told_as_the_sdk_tells_its_instruments() -> None:
    registry = CollectorRegistry()
    reader = PrometheusMetricReader(disable_target_info=True, scope_info_enabled=False, registry=registry)
    meters = MeterProvider([reader], shutdown_on_exit=False)
    sums, told = Sums(), CollectorRegistry()
    told.register(sums)

    for meter in (meters.get_meter("service"), sums):
        metrics = Metrics(meter)
        metrics.ended("completed", "search", 0.05)
        metrics.ended("completed", "search", 400.0)
        metrics.ended("failed", "general", 0.3)
        metrics.cost_usd.add(0.25, {"model": "one", "part": "primary"})
        metrics.lock_wait_seconds.record(0.001)
        metrics.observe(caches=lambda: {"plans": {"hits": 2, "misses": 1}}, active_runs=lambda: 3)

    assert _lines(told) == _lines(registry)
    meters.shutdown()


def _lines(registry: CollectorRegistry) -> list[str]:
    return sorted(generate_latest(registry).decode().splitlines())
