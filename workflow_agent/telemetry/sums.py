"""Metrics as plain sums, told when somebody scrapes them.

An instrument of OpenTelemetry's SDK takes twenty calls for each figure, views, readers and exemplars among
them, and a turn has twenty figures. Here one takes two calls. Names are those that the SDK's exporter gives.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from opentelemetry.metrics import CallbackOptions, Observation
from prometheus_client import Metric
from prometheus_client.registry import Collector
from typing_extensions import override

Labels = Mapping[str, Any]
Read = Callable[[CallbackOptions], Iterable[Observation]]
_Key = tuple[tuple[str, Any], ...]
_NOTHING: Labels = {}


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
    """How often a figure was within each bound, by its labels."""

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
    """Figures that others count, read at each scrape."""

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
