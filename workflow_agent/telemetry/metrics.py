"""The instruments of the service. Labels take few values: configured names and our own words, no ids."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TypeVar

from opentelemetry import metrics as otel
from opentelemetry.metrics import CallbackOptions, Meter, Observation

from workflow_agent.conversations.compactions import Compaction
from workflow_agent.conversations.document import AgentReply
from workflow_agent.telemetry.sums import Distribution, Sum, Sums
from workflow_agent.values.stored import JsonObject

T = TypeVar("T", int, float, Decimal)
_FRACTIONS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_ERRORS = (-0.5, -0.3, -0.2, -0.1, -0.05, -0.02, 0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
_RUN_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
_SAVE_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0)
_CACHE_COUNTS = {"hits": "hit", "misses": "miss", "evictions": "eviction"}


Counter = otel.Counter | Sum
Histogram = otel.Histogram | Distribution


class Metrics:
    """The instruments of the service; docs/operations.md says what each one means."""

    def __init__(self, meter: Meter | Sums) -> None:
        self._meter = meter

        def counter(name: str, description: str) -> Counter:
            return meter.create_counter(f"workflow_agent.{name}", description=description)

        def histogram(name: str, description: str, bounds: Sequence[float], unit: str = "") -> Histogram:
            return meter.create_histogram(
                f"workflow_agent.{name}", unit, description, explicit_bucket_boundaries_advisory=bounds
            )

        self.turns = counter("turns", "Runs that ended, by outcome and mode.")
        self.run_seconds = histogram("run.duration", "From accepting a message to its end.", _RUN_SECONDS, "s")
        self.first_chunk_seconds = histogram(
            "first_chunk.duration", "From a request to the first of the model's answer.", _RUN_SECONDS, "s"
        )
        self.context_tokens = counter("context.tokens", "Tokens of the last request of each turn, by section.")
        self.context_fraction = histogram("context.fraction", "How full the window's budget was.", _FRACTIONS)
        self.context_level = counter("context.level", "Turns by how full the budget was: ok, warning, critical.")
        self.counting_error = histogram(
            "context.counting_error", "Our count over the provider's figure, less one.", _ERRORS
        )
        self.usage_tokens = counter("usage.tokens", "Tokens as the providers reported them, by kind.")
        self.cost_usd = counter("cost.usd", "Cost of model calls in US dollars, where prices are known.")
        self.planning = counter("planning", "Turns by whether a model planned the context, and who did.")
        self.compactions = counter("compactions", "Compactions of the window, by trigger and outcome.")
        self.mode_confidence = histogram("mode.confidence", "How sure the choice of the mode was.", _SHARES)
        self.save_seconds = histogram("save.duration", "Saving a conversation, locks included.", _SAVE_SECONDS, "s")
        self.lock_wait_seconds = histogram(
            "lock.wait", "Until the writer held the lock, reading included.", _SAVE_SECONDS, "s"
        )
        self.unrecorded_calls = counter("calls.unrecorded", "Calls of which no record could be made.")
        self.errors = counter("errors", "Messages refused and runs failed, by the type of the error.")

    def replied(self, reply: AgentReply, model: str, seconds: float) -> None:
        """Count a finished turn.

        Args:
            reply: As it was stored.
            model: By the name it is configured under, because what a provider calls it has no bound.
            seconds: From its message to its reply.
        """
        self.ended("completed", reply.mode.name, seconds)
        record, of_model = reply.context, {"model": model}
        for section, tokens in _not_zero(record.get("breakdown", {})):
            self.context_tokens.add(tokens, of_model | {"section": section})
        self.context_fraction.record(record.get("fraction", 0.0), of_model)
        self.context_level.add(1, of_model | {"level": record.get("level", "ok")})
        if (error := record.get("counting_error")) is not None:
            self.counting_error.record(error, of_model | {"counting": record.get("estimated_by", "")})
        planned_by = record.get("planning", {}).get("planned_by", "nobody")
        self.planning.add(1, {"used": str(bool(record.get("llm_planning_used"))).lower(), "by": planned_by})
        self.mode_confidence.record(reply.mode.confidence, {"mode": reply.mode.name, "source": reply.mode.source})
        self._spent(reply, model)

    def _spent(self, reply: AgentReply, model: str) -> None:
        usage, cost = reply.usage, reply.cost
        kinds = {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cache_read": usage.cache_read_tokens,
            "cache_write": usage.cache_write_tokens,
        }
        for kind, tokens in _not_zero(kinds):
            self.usage_tokens.add(tokens, {"model": model, "kind": kind})
        parts = {
            "primary": cost.primary_usd,
            "planner": cost.planner_usd,
            "summarizer": cost.summarizer_usd,
            "embedding": cost.embedding_usd,
        }
        for part, usd in _not_zero(parts):
            self.cost_usd.add(float(usd), {"model": model, "part": part})

    def compacted(self, compaction: Compaction, outcome: str) -> None:
        """Count a compaction: summarised, fallback, or discarded because the conversation had moved on."""
        self.compactions.add(1, {"trigger": compaction.trigger, "outcome": outcome})
        if compaction.trigger == "overflow":
            # The turn it was made for counts what it took.
            return
        usage = compaction.usage
        for kind, tokens in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            self.usage_tokens.add(tokens, {"model": "summarizer", "kind": kind})
        self.cost_usd.add(compaction.cost.summarizer_usd, {"model": "summarizer", "part": "summarizer"})

    def ended(self, outcome: str, mode: str, seconds: float) -> None:
        """Count a run that came to its end, whichever way."""
        self.turns.add(1, {"outcome": outcome, "mode": mode})
        self.run_seconds.record(seconds, {"outcome": outcome})

    def observe(self, *, caches: Callable[[], Mapping[str, JsonObject]], active_runs: Callable[[], int]) -> None:
        """Register figures counted elsewhere; they are read with the metrics."""

        def lookups(_: CallbackOptions) -> Iterable[Observation]:
            for cache, statistics in caches().items():
                for field, outcome in _CACHE_COUNTS.items():
                    yield Observation(statistics.get(field, 0), {"cache": cache, "outcome": outcome})

        def runs(_: CallbackOptions) -> Iterable[Observation]:
            yield Observation(active_runs())

        self._meter.create_observable_counter(
            "workflow_agent.cache.requests", [lookups], description="Cache hits, misses and evictions."
        )
        self._meter.create_observable_gauge(
            "workflow_agent.runs.active", [runs], description="Runs under way in this process."
        )


def _not_zero(figures: Mapping[str, T | None]) -> Iterable[tuple[str, T]]:
    """Return the figures that move a counter: most of a turn do not, and would cost as much."""
    return ((name, figure) for name, figure in figures.items() if figure)
