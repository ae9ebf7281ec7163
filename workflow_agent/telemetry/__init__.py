"""What every turn did and cost, for those who operate the service: spans, metrics, and the latest records."""

from workflow_agent.telemetry.building import Telemetry, TelemetryOptions, build_telemetry
from workflow_agent.telemetry.compactions import CompactionTrace
from workflow_agent.telemetry.correlation import continued, correlation
from workflow_agent.telemetry.fellows import Fellows, caches_of_workers, exposition_of_workers, families_of
from workflow_agent.telemetry.metrics import Metrics
from workflow_agent.telemetry.recent import RecentContexts
from workflow_agent.telemetry.turns import TurnTrace

__all__ = [
    "CompactionTrace",
    "Fellows",
    "Metrics",
    "RecentContexts",
    "Telemetry",
    "TelemetryOptions",
    "TurnTrace",
    "build_telemetry",
    "caches_of_workers",
    "continued",
    "correlation",
    "exposition_of_workers",
    "families_of",
]
