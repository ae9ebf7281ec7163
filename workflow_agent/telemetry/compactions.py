"""The span and the figures of a compaction, which belongs to no request."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry.trace import Span, Tracer

from workflow_agent.domain.compaction import Compaction, CompactionTrigger
from workflow_agent.telemetry.metrics import Metrics
from workflow_agent.telemetry.turns import mark_failed

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CompactionTrace:
    """One compaction as operators see it."""

    span: Span
    metrics: Metrics
    conversation_id: str

    def ended(self, compaction: Compaction, *, is_in_force: bool) -> None:
        """Put the figures of a compaction on the span and into the metrics, and say so in the log."""
        outcome = "discarded" if not is_in_force else "fallback" if compaction.fallback else "summarised"
        figures = {
            "trigger": compaction.trigger, "outcome": outcome, "from_turn": compaction.from_turn,
            "to_turn": compaction.to_turn, "tokens_before": compaction.tokens_before,
            "tokens_after": compaction.tokens_after, "fallback": compaction.fallback or "",
        }  # fmt: skip
        self.span.set_attributes(
            {f"workflow_agent.compaction.{name}": value for name, value in figures.items()}
        )
        self.metrics.compacted(compaction, outcome)
        severity = logging.WARNING if compaction.fallback else logging.INFO
        _log.log(
            severity, "compaction %s", outcome, extra={**figures, "conversation_id": self.conversation_id}
        )


@contextmanager
def tracing(
    tracer: Tracer, metrics: Metrics, conversation_id: str, trigger: CompactionTrigger
) -> Generator[CompactionTrace]:
    """Trace a compaction; an error leaves only its type."""
    with tracer.start_as_current_span(
        "compaction", record_exception=False, set_status_on_exception=False,
        attributes={
            "workflow_agent.conversation_id": conversation_id, "workflow_agent.compaction.trigger": trigger
        },
    ) as span:  # fmt: skip
        try:
            yield CompactionTrace(span, metrics, conversation_id)
        except BaseException as error:
            mark_failed(span, type(error).__name__)
            raise
