"""Which way the tokens of a model are counted: by its tokenizer, or by what was reported."""

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from threading import Lock
from typing import Literal

from cachetools import LRUCache
from pydantic_ai.models import Model

from workflow_agent.conversations.artifacts import ArtifactUsageRecord
from workflow_agent.conversations.context_records import PlannedBy
from workflow_agent.values.stored import JsonObject
from workflow_agent.values.tokens import Calibration, RunCosts, TokenCounter, Usage

_MOST_MODELS = 64
_KEPT_COUNTS = 20_000
_SHORT_CHARS = 32
_ENCODINGS = (
    (re.compile(r"(?:chat)?gpt-(?:4o|4\.[1-9]|[5-9])|o[134](?:-|$)"), "o200k_base"),
    (re.compile(r"gpt-(?:4|3\.5)(?:-|$)"), "cl100k_base"),
)
"""OpenAI's models by name; any other that speaks OpenAI's protocol has a tokenizer of its own."""
Count = Callable[[str], int]


def encoding_of(model: Model) -> str | None:
    """Return the name of the encoding that OpenAI made a model with; None for all other models."""
    if model.system != "openai":
        return None
    return next((name for pattern, name in _ENCODINGS if pattern.match(model.model_name)), None)


def exact_count(encoding: str) -> Count | None:
    """Return the tokenizer of an encoding, counting each text once; None if not installed."""
    try:
        # An extra, which takes a second to import and says nothing of its types.
        import bpe_openai  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs] - see above
    except ImportError:
        return None
    encode: Callable[[str], list[int]] = bpe_openai.get_encoding(encoding).encode_ordinary
    return remembering(lambda text: len(encode(text)))


def remembering(count: Count) -> Count:
    """Return a counter that knows the texts it counted last; threads may share it."""
    kept: LRUCache[bytes, int] = LRUCache(_KEPT_COUNTS)
    lock = Lock()

    def counted(text: str) -> int:
        if len(text) <= _SHORT_CHARS:
            return count(text)
        # Only digests are kept: the texts may be long, and belong to somebody.
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with lock:
            known = kept.get(digest)
        if known is None:
            known = count(text)
            with lock:
                kept[digest] = known
        return known

    return counted


class TokenCounters:
    """The counters of all models, and what was learned about those without a tokenizer; threads may share it."""

    def __init__(self, exact: Callable[[str], Count | None] = exact_count) -> None:
        self._exact = exact
        self._tokenizers: dict[str, TokenCounter | None] = {}
        self._learned: LRUCache[str, Calibration] = LRUCache(_MOST_MODELS)
        self._lock = Lock()

    def of(self, model: Model) -> TokenCounter:
        """Return how a run with this model counts.

        The first call for one of OpenAI's models loads its tokenizer, which takes about a second.
        """
        encoding = encoding_of(model)
        with self._lock:
            tokenizer = self._tokenizer(encoding) if encoding else None
            if tokenizer is not None:
                return tokenizer
            learned = self._learned.get(model.model_name)
            return learned.counter() if learned else TokenCounter()

    def _tokenizer(self, encoding: str) -> TokenCounter | None:
        if encoding not in self._tokenizers:
            count = self._exact(encoding)
            self._tokenizers[encoding] = TokenCounter("tokenizer", count) if count else None
        return self._tokenizers[encoding]

    def reported(self, model: Model, counter: TokenCounter, counted_tokens: int, reported_tokens: int) -> None:
        """Learn from a provider's figure for a request that was counted with this counter."""
        if counter.counting == "tokenizer":
            return
        with self._lock:
            learned = self._learned.get(model.model_name) or Calibration()
            learned.learn(counted_tokens / counter.factor, reported_tokens)
            self._learned[model.model_name] = learned


def counters_for(models: Iterable[Model]) -> TokenCounters:
    """Return the counters with the tokenizers of these models loaded, so that no turn waits for them."""
    counters = TokenCounters()
    for model in models:
        counters.of(model)
    return counters


@dataclass(slots=True)
class PlanningLedger:
    """Fills up while one turn's context is planned."""

    costs: RunCosts = field(default_factory=RunCosts)
    planned_by: PlannedBy = "nobody"
    reason: str = "no artifacts"
    """Which rule decided whether a model plans."""
    planner_model: str | None = None
    reasoning: str = ""
    """Of the plan that was carried out."""
    failure: str | None = None
    """The type of the error that made a model's plan impossible."""
    corrections: list[str] = field(default_factory=list[str])
    """What was set right in the model's plan."""
    failed_summaries: int = 0
    cache_hits: int = 0
    cache_misses: int = 0
    records: list[ArtifactUsageRecord] = field(default_factory=list[ArtifactUsageRecord])
    notes: list[str] = field(default_factory=list[str])
    """What else the reader of the record should know."""

    def spent(self, on: Literal["planner", "summarizer"], usage: Usage, cost_usd: Decimal | None) -> None:
        """Add a call of a model."""
        self.costs = self.costs.with_call(on, usage, cost_usd)

    def looked_up(self, *, hit: bool) -> None:
        """Note whether something was in a cache."""
        self.cache_hits += hit
        self.cache_misses += not hit

    def facts(self) -> JsonObject:
        """Return what the context record says of it; nothing of any content."""
        return {
            "artifacts_processed": [one.model_dump(mode="json") for one in self.records],
            "llm_planning_used": self.planned_by in ("model", "cache"),
            "planning_cost": self._cost(),
            "planning": self._planning(),
        }

    def _planning(self) -> JsonObject:
        decided: JsonObject = {"planned_by": self.planned_by, "reason": self.reason}
        happened = {
            "model": self.planner_model,
            "reasoning": self.reasoning,
            "failure": self.failure,
            "corrections": self.corrections[:20],
            "failed_summaries": self.failed_summaries,
            "notes": self.notes,
            "cache_hits": self.cache_hits,
            "cache_misses": self.cache_misses,
        }
        if self.planned_by == "nobody":
            # As in most turns, each of which is kept.
            happened = {name: value for name, value in happened.items() if value}
        return decided | happened

    def _cost(self) -> JsonObject | None:
        if not self.costs.usage.requests:
            return None
        cost = self.costs.cost
        return {
            "planner_usd": cost.planner_usd,
            "summarizer_usd": cost.summarizer_usd,
            "embedding_usd": cost.embedding_usd,
            "total_usd": cost.total_usd,
            "requests": self.costs.usage.requests,
            "input_tokens": self.costs.usage.input_tokens,
            "output_tokens": self.costs.usage.output_tokens,
        }
