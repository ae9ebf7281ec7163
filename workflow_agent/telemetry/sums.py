"""Metrics as plain sums, reported at each scrape.

An instrument of OpenTelemetry's SDK takes twenty calls for each figure, views, readers and exemplars among
them, and a turn has twenty figures. Here one takes two calls. Names are those that the SDK's exporter gives.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from opentelemetry.metrics import CallbackOptions, Observation
from prometheus_client import CollectorRegistry, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from typing_extensions import override

from workflow_agent.conversations.store import OtherProcesses, ProcessGone
from workflow_agent.values.stored import JsonObject

Labels = Mapping[str, Any]
Read = Callable[[CallbackOptions], Iterable[Observation]]
_Key = tuple[tuple[str, Any], ...]
_NOTHING: Labels = {}
_MOST_SECONDS = 2.0
"""A worker that does not answer in this time is left out."""
_ADDED = ("hits", "misses", "evictions", "size", "max_entries")


@dataclass(slots=True)
class Sum:
    """A figure that only grows, by its labels."""

    _sums: dict[_Key, float] = field(default_factory=dict[_Key, float])
    # Changes of a conversation are timed in the threads they are made in.
    _lock: Lock = field(default_factory=Lock)

    def add(self, amount: float, attributes: Labels = _NOTHING) -> None:
        """Add to the figure."""
        key = tuple(attributes.items())
        with self._lock:
            self._sums[key] = self._sums.get(key, 0) + amount

    def samples(self, name: str) -> Iterable[tuple[str, Labels, float]]:
        """Return the samples as Prometheus names them."""
        return [(f"{name}_total", dict(key), float(value)) for key, value in list(self._sums.items())]


@dataclass(slots=True)
class Distribution:
    """A histogram by labels: how often a figure was within each bound."""

    bounds: Sequence[float]
    _counts: dict[_Key, list[int]] = field(default_factory=dict[_Key, list[int]])
    _sums: dict[_Key, float] = field(default_factory=dict[_Key, float])
    _lock: Lock = field(default_factory=Lock)

    def record(self, amount: float, attributes: Labels = _NOTHING) -> None:
        """Count a figure."""
        key = tuple(attributes.items())
        with self._lock:
            if key not in self._counts:
                self._counts[key] = [0] * (len(self.bounds) + 1)
            self._counts[key][bisect_left(self.bounds, amount)] += 1
            self._sums[key] = self._sums.get(key, 0) + amount

    def samples(self, name: str) -> Iterable[tuple[str, Labels, float]]:
        """Yield the samples as Prometheus names them."""
        for key, counts in list(self._counts.items()):
            labels, within = dict(key), 0
            for bound, count in zip([*map(float, self.bounds), "+Inf"], counts, strict=True):
                within += count
                yield f"{name}_bucket", {**labels, "le": str(bound)}, float(within)
            yield f"{name}_count", labels, float(within)
            yield f"{name}_sum", labels, self._sums[key]


@dataclass(frozen=True, slots=True)
class _Read:
    """Figures counted elsewhere, read at each scrape."""

    reads: Sequence[Read]
    suffix: str

    def samples(self, name: str) -> Iterable[tuple[str, Labels, float]]:
        told = (one for read in self.reads for one in read(CallbackOptions()))
        return [(f"{name}{self.suffix}", dict(one.attributes or {}), float(one.value)) for one in told]


@dataclass(frozen=True, slots=True, eq=False)
class Sums(Collector):
    """The part of a meter that this service uses, for a Prometheus registry."""

    _families: list[tuple[Metric, Sum | Distribution | _Read]] = field(
        default_factory=list[tuple[Metric, Sum | Distribution | _Read]]
    )

    def create_counter(self, name: str, unit: str = "", description: str = "") -> Sum:
        """Return a new figure that only grows."""
        return self._add(name, unit, description, "counter", Sum())

    def create_histogram(
        self,
        name: str,
        unit: str = "",
        description: str = "",
        *,
        explicit_bucket_boundaries_advisory: Sequence[float] = (),
    ) -> Distribution:
        """Return a new distribution."""
        made = Distribution(explicit_bucket_boundaries_advisory)
        return self._add(name, unit, description, "histogram", made)

    def create_observable_counter(
        self, name: str, callbacks: Sequence[Read], unit: str = "", description: str = ""
    ) -> None:
        """Let a figure that only grows be read when it is asked for."""
        self._add(name, unit, description, "counter", _Read(callbacks, "_total"))

    def create_observable_gauge(
        self, name: str, callbacks: Sequence[Read], unit: str = "", description: str = ""
    ) -> None:
        """Let a figure be read when it is asked for."""
        self._add(name, unit, description, "gauge", _Read(callbacks, ""))

    def _add(self, name: str, unit: str, description: str, kind: str, made: Any) -> Any:
        of_prometheus = name.replace(".", "_") + ("_seconds" if unit == "s" else "")
        family = Metric(of_prometheus, description, kind, "seconds" if unit == "s" else unit)
        self._families.append((family, made))
        return made

    @override
    def collect(self) -> Iterable[Metric]:
        for family, figures in self._families:
            told = Metric(family.name, family.documentation, family.type, family.unit)
            for name, labels, value in figures.samples(family.name):
                told.add_sample(name, {label: str(one) for label, one in sorted(labels.items())}, value)
            if told.samples:
                yield told


@dataclass(frozen=True, slots=True)
class OtherWorkers:
    """The other workers of this process's server."""

    number: int
    """Which worker this process is."""
    owners: Callable[[], Mapping[int, str]]
    """Looks which processes are the others now, by the number of the worker."""
    others: OtherProcesses

    async def told(self, question: JsonObject) -> Mapping[int, JsonObject]:
        """Return each other worker's answer by its number; one that is gone or too slow is left out."""
        owners = await asyncio.to_thread(self.owners)
        answers = await asyncio.gather(*(self._answer(owner, question) for owner in owners.values()))
        return {number: answer for number, answer in zip(owners, answers, strict=True) if answer is not None}

    async def _answer(self, owner: str, question: JsonObject) -> JsonObject | None:
        try:
            async with asyncio.timeout(_MOST_SECONDS), aclosing(self.others.answers(owner, question)) as told:
                async for piece in told:
                    return piece
        except (ProcessGone, TimeoutError):
            return None
        return None


def families_of(registry: CollectorRegistry) -> JsonObject:
    """Return all metrics as JSON, for another worker."""
    return {
        "families": [
            {
                "name": family.name,
                "documentation": family.documentation,
                "type": family.type,
                "unit": family.unit,
                "samples": [[sample.name, sample.labels, sample.value] for sample in family.samples],
            }
            for family in registry.collect()
        ]
    }


def exposition_of_workers(told: Mapping[int, JsonObject], accept: str) -> tuple[bytes, str]:
    """Return the metrics of several workers as one text, each figure labelled with its worker's number."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Told(told))
    return exposition(registry, accept)


def exposition(registry: CollectorRegistry, accept: str) -> tuple[bytes, str]:
    """Return all metrics in the text format of Prometheus that a client accepts, and its media type."""
    encode, media_type = choose_encoder(accept)
    return encode(registry), media_type


@dataclass(frozen=True, slots=True, eq=False)
class _Told(Collector):
    """Metrics reported by several workers."""

    by_worker: Mapping[int, JsonObject]

    @override
    def collect(self) -> Iterable[Metric]:
        families: dict[str, Metric] = {}
        for number, told in sorted(self.by_worker.items()):
            for one in told["families"]:
                family = families.setdefault(
                    one["name"], Metric(one["name"], one["documentation"], one["type"], one["unit"])
                )
                for name, labels, value in one["samples"]:
                    # JSON has no NaN.
                    figure = float("nan") if value is None else value
                    family.add_sample(name, {"worker": str(number), **labels}, figure)
        return families.values()


def caches_of_workers(told: Iterable[Mapping[str, JsonObject]]) -> dict[str, JsonObject]:
    """Return the statistics of each cache, those of several workers added up."""
    added: dict[str, JsonObject] = {}
    for caches in told:
        for name, figures in caches.items():
            known = added.setdefault(name, {})
            for key, value in figures.items():
                known[key] = known.get(key, 0) + value if key in _ADDED else value
    return added
