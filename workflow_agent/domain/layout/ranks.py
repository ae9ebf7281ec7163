"""How far down each node stands, and which edges point back up."""

import math
from collections.abc import Iterator, Mapping, Sequence

from workflow_agent.domain.layout.geometry import Edge, Node


def backward(nodes: Sequence[Node], edges: Sequence[Edge]) -> frozenset[str]:
    """Return the edges that close a cycle, walking from the first node on in the order of the edges."""
    leaving = _leaving(edges)
    found: set[str] = set()
    done: set[str] = set()
    for first in nodes:
        path: dict[str, Iterator[Edge]] = {}
        if first.id not in done:
            path[first.id] = iter(leaving.get(first.id, ()))
        while path:
            here, onward = next(reversed(path.items()))
            edge = next(onward, None)
            if edge is None:
                done.add(here)
                del path[here]
            elif edge.target in path:
                found.add(edge.id)
            elif edge.target not in done:
                path[edge.target] = iter(leaving.get(edge.target, ()))
    return frozenset(found)


def ranks(nodes: Sequence[Node], edges: Sequence[Edge]) -> Mapping[str, int]:
    """Return the length of the longest way to each node; the edges make no cycle.

    Nodes that nothing leads to stand right above what they lead to, and nodes without any line are
    arranged in rows of their own.
    """
    leaving = _leaving(edges)
    entering = dict.fromkeys((node.id for node in nodes), 0)
    for edge in edges:
        entering[edge.target] += 1
    waiting = [node.id for node in nodes if not entering[node.id]]
    firm = {node.id for node in nodes if node.is_first} | set(waiting[:1])
    heads = [one for one in waiting if one not in firm]
    found = dict.fromkeys(waiting, 0)
    for here in waiting:
        for edge in leaving.get(here, ()):
            found[edge.target] = max(found.get(edge.target, 0), found[here] + 1)
            entering[edge.target] -= 1
            if not entering[edge.target]:
                waiting.append(edge.target)
    for head in heads:
        below = [found[edge.target] for edge in leaving.get(head, ())]
        found[head] = min(below) - 1 if below else 0
    return _with_last(nodes, _with_lonely(nodes, edges, found))


def _with_lonely(nodes: Sequence[Node], edges: Sequence[Edge], found: dict[str, int]) -> dict[str, int]:
    """Give nodes without lines rows below all others, about as many rows as columns."""
    joined = {end for edge in edges for end in (edge.source, edge.target)}
    lonely = [node.id for node in nodes if node.id not in joined and not (node.is_first or node.is_last)]
    if len(lonely) == len(nodes) == 1:
        return found
    first = max((found[one] for one in joined), default=-1) + 1
    columns = max(math.isqrt(len(lonely)), 1)
    return found | {one: first + at // columns for at, one in enumerate(lonely)}


def _with_last(nodes: Sequence[Node], found: dict[str, int]) -> dict[str, int]:
    lowest = max(found.values(), default=0)
    return found | {node.id: lowest for node in nodes if node.is_last}


def _leaving(edges: Sequence[Edge]) -> dict[str, list[Edge]]:
    leaving: dict[str, list[Edge]] = {}
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge)
    return leaving
