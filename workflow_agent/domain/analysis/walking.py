"""Walking graphs: what is reached, who is beside whom."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import rustworkx as rx

from workflow_agent.domain.workflow import Transition

T = TypeVar("T")
K = TypeVar("K")


def reached(graph: "rx.PyDiGraph[str, str]", sources: Iterable[int]) -> set[int]:
    """Return the nodes some path leads to from any of the sources, these included."""
    seen = set(sources)
    waiting = list(seen)
    while waiting:
        news = set(graph.successor_indices(waiting.pop())) - seen
        seen |= news
        waiting += news
    return seen


def ends_of(edge: Transition) -> tuple[str, str]:
    """Return the two steps a transition joins."""
    return edge.from_, edge.to


def neighbours(edges: Iterable[Transition]) -> Mapping[str, set[str]]:
    """Return for each step the steps joined to it, whatever the direction."""
    beside: defaultdict[str, set[str]] = defaultdict(set)
    for edge in edges:
        beside[edge.from_].add(edge.to)
        beside[edge.to].add(edge.from_)
    return beside


def grouped(items: Iterable[T], key: Callable[[T], K]) -> Mapping[K, list[T]]:
    """Return the items by key, each group in order."""
    groups: defaultdict[K, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)
