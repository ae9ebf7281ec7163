"""Making the providers of spans and metrics: the service's own, never the process's."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import View
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import Tracer
from prometheus_client import CollectorRegistry
from pydantic_ai.models.instrumented import InstrumentationSettings

from workflow_agent.conversations.compactions import CompactionTrigger
from workflow_agent.errors import Misconfigured
from workflow_agent.telemetry.logs import RecentContexts
from workflow_agent.telemetry.metrics import Metrics
from workflow_agent.telemetry.sums import Sums, exposition
from workflow_agent.telemetry.turns import CompactionTrace, TurnTrace, child_span

_NAME = "workflow_agent"
_CONTENT_FORMAT = 5
_MODEL_LABELS = {"gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.token.type"}
"""What the framework's own metrics may be labelled with: a provider's free words are not among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetryOptions:
    """Where spans and metrics are exported."""

    export_spans: bool = False
    """Whether spans go to the collector that the OTEL_EXPORTER_OTLP_* variables name."""
    export_metrics: bool = False
    """Whether metrics go there too; `/metrics` has them anyway."""
    include_content: bool = False
    """Whether spans carry prompts, replies, arguments and results."""
    span_processors: tuple[SpanProcessor, ...] = ()
    """Who else gets the spans."""


@dataclass(frozen=True, slots=True)
class Telemetry:
    """The spans, metrics and latest records of one service."""

    tracer: Tracer
    metrics: Metrics
    instrumentation: InstrumentationSettings | None
    """What the agent framework reports its own spans and metrics with; None where nobody takes them."""
    registry: CollectorRegistry
    stop: Callable[[], None]
    """Send what is still here, and stop."""
    recent: RecentContexts = field(default_factory=RecentContexts)

    def turn(self, agent: str) -> TurnTrace:
        """Return the trace of a turn that begins now."""
        span = self.tracer.start_span("chat.turn", attributes={"gen_ai.agent.name": agent})
        return TurnTrace(span, self.tracer, self.metrics)

    @contextmanager
    def compaction(self, conversation_id: str, trigger: CompactionTrigger) -> Generator[CompactionTrace]:
        """Trace a compaction."""
        known = {"workflow_agent.conversation_id": conversation_id, "workflow_agent.compaction.trigger": trigger}
        with child_span(self.tracer, "compaction", known) as span:
            yield CompactionTrace(span, self.metrics, conversation_id)

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """Return all metrics in Prometheus' text format that a client accepts, and its media type."""
        return exposition(self.registry, accept)


def build_telemetry(options: TelemetryOptions | None = None) -> Telemetry:
    """Return the telemetry of a service.

    Without anyone to send spans to, none are recorded; they still have ids, which the log carries. The agent
    framework's own, and its metrics, are then not even begun: that takes a tenth of a turn, and what its
    metrics say of tokens and cost, those of the service say by the names of the configuration.

    Raises:
        Misconfigured: Spans or metrics are to be sent, and the exporter is not installed.
    """
    chosen = options or TelemetryOptions()
    # The standard variables win over our name, which the SDK would do the other way round.
    resource = Resource.create({SERVICE_NAME: "workflow-agent"}).merge(OTELResourceDetector().detect())
    spans, metrics = _exports(chosen)
    processors = [*chosen.span_processors, *spans]
    tracers = TracerProvider(resource=resource, shutdown_on_exit=False, sampler=None if processors else ALWAYS_OFF)
    for processor in processors:
        tracers.add_span_processor(processor)
    registry = CollectorRegistry()
    readers: list[MetricReader] = [
        PrometheusMetricReader(disable_target_info=True, scope_info_enabled=False, registry=registry),
        *metrics,
    ]
    meters = MeterProvider(
        readers, resource, shutdown_on_exit=False, views=[View(meter_name="pydantic-ai", attribute_keys=_MODEL_LABELS)]
    )

    def stop() -> None:
        tracers.shutdown()
        meters.shutdown()

    meter = meters.get_meter(_NAME) if chosen.export_metrics else Sums()
    if isinstance(meter, Sums):
        registry.register(meter)
    is_reported = bool(processors) or chosen.export_metrics
    instrumentation = (
        InstrumentationSettings(
            tracer_provider=tracers,
            meter_provider=meters,
            version=_CONTENT_FORMAT,
            include_content=chosen.include_content,
            include_binary_content=False,
            include_model_request_parameters=False,
        )
        if is_reported
        else None
    )
    return Telemetry(tracers.get_tracer(_NAME), Metrics(meter), instrumentation, registry, stop)


def _exports(chosen: TelemetryOptions) -> tuple[list[SpanProcessor], list[MetricReader]]:
    if not (chosen.export_spans or chosen.export_metrics):
        return [], []
    try:
        # Here, because the exporters are an extra; they read the standard variables themselves.
        from opentelemetry.exporter.otlp.proto.http import metric_exporter, trace_exporter  # noqa: PLC0415 - see above
    except ImportError as error:
        raise Misconfigured(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, and the exporter is not installed. "
            "Install workflow-agent[otlp], or unset the variable."
        ) from error
    spans = [BatchSpanProcessor(trace_exporter.OTLPSpanExporter())] if chosen.export_spans else []
    metrics = [PeriodicExportingMetricReader(metric_exporter.OTLPMetricExporter())] if chosen.export_metrics else []
    return [*spans], [*metrics]
