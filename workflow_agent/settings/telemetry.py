"""What is logged, and what goes to a collector."""

from typing import Literal


class Telemetry:
    """Logs and spans."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe log line that is written."""
    spans_with_content: bool = False
    """Whether spans carry prompts, replies, tool arguments and results. They go to the collector that
    OTEL_EXPORTER_OTLP_ENDPOINT names, so switch it on only where that may read all conversations."""
