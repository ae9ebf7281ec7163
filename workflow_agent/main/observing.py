"""Building the telemetry: `/metrics` always, a collector where the environment names one."""

from workflow_agent.settings import OtlpTargets, Settings
from workflow_agent.telemetry import Telemetry, TelemetryOptions, build_telemetry


def telemetry_of(settings: Settings) -> Telemetry:
    """Return the telemetry that the settings and the standard variables describe.

    Raises:
        Misconfigured: A collector is named, and the exporter is not installed.
    """
    targets = OtlpTargets()
    return build_telemetry(
        TelemetryOptions(
            export_spans=targets.takes_spans,
            export_metrics=targets.takes_metrics,
            include_content=settings.spans_with_content,
        )
    )
