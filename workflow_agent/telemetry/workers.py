"""What operators ask of all workers of a server, whichever of them answers."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from typing_extensions import override

from workflow_agent.conversations.store import OtherProcesses, ProcessGone
from workflow_agent.values.stored import JsonObject

_MOST_SECONDS = 2.0
"""A worker that does not answer in this time is left out."""
_ADDED = ("hits", "misses", "evictions", "size", "max_entries")


@dataclass(frozen=True, slots=True)
class Fellows:
    """The other workers of this process's server."""

    number: int
    """Which worker this process is."""
    owners: Callable[[], Mapping[int, str]]
    """Looks which processes are the others now, by the number of the worker."""
    others: OtherProcesses

    async def told(self, question: JsonObject) -> Mapping[int, JsonObject]:
        """Return what each of the others answers, by its number; who is gone or too slow is left out."""
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
    encode, media_type = choose_encoder(accept)
    return encode(registry), media_type


@dataclass(frozen=True, slots=True, eq=False)
class _Told(Collector):
    """Metrics that were told, by worker."""

    by_worker: Mapping[int, JsonObject]

    @override
    def collect(self) -> Iterable[Metric]:
        families: dict[str, Metric] = {}
        for number, told in sorted(self.by_worker.items()):
            for one in told["families"]:
                family = families.setdefault(one["name"], _family(one))
                for name, labels, value in one["samples"]:
                    # JSON has no NaN.
                    figure = float("nan") if value is None else value
                    family.add_sample(name, {"worker": str(number), **labels}, figure)
        return families.values()


def _family(told: Mapping[str, Any]) -> Metric:
    return Metric(told["name"], told["documentation"], told["type"], told["unit"])


def caches_of_workers(told: Iterable[Mapping[str, JsonObject]]) -> dict[str, JsonObject]:
    """Return the statistics of each cache, those of several workers added up."""
    added: dict[str, JsonObject] = {}
    for caches in told:
        for name, figures in caches.items():
            known = added.setdefault(name, {})
            for key, value in figures.items():
                known[key] = known.get(key, 0) + value if key in _ADDED else value
    return added
