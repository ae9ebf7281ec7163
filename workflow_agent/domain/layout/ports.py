"""Where lines leave and enter their nodes: side by side, in the order of where they come from."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from workflow_agent.domain.layout.geometry import Box, Edge
from workflow_agent.domain.layout.grid import Grid
from workflow_agent.domain.layout.lanes import Lanes
from workflow_agent.domain.layout.spreading import spread_out

_PORT_GAP = 18.0
_MARGIN = 0.2
"""The share of a side that stays free at either end."""


class Ports:
    """The x at which each edge leaves its source and enters its target."""

    def __init__(self, grid: Grid, boxes: Mapping[str, Box], edges: Sequence[Edge], lanes: Lanes) -> None:
        first: dict[str, float] = {}
        last: dict[str, float] = {}
        for edge_id, chain in grid.chains.items():
            first[edge_id], last[edge_id] = grid.cells[chain[1]].x, grid.cells[chain[-2]].x
            if len(chain) == 2:
                # Halfway, so that nodes which stand nearly under each other are joined by a straight line.
                first[edge_id] = last[edge_id] = (first[edge_id] + last[edge_id]) / 2
        for edge in grid.aside:
            label = grid.labels.get(edge.id)
            last[edge.id] = lanes.of[edge.id].x
            first[edge.id] = last[edge.id] if label is None else grid.cells[label].x
        self.leaving: dict[str, float] = {}
        self.entering: dict[str, float] = {}
        leaving: defaultdict[str, list[Edge]] = defaultdict(list)
        entering: defaultdict[str, list[Edge]] = defaultdict(list)
        for edge in edges:
            if edge.source != edge.target:
                leaving[edge.source].append(edge)
                entering[edge.target].append(edge)
        for node_id, out in leaving.items():
            fixed = {edge.id: edge.leaves_at for edge in out}
            self.leaving |= _spread(boxes[node_id], {edge.id: first[edge.id] for edge in out}, fixed)
        for node_id, into in entering.items():
            fixed = {edge.id: edge.enters_at for edge in into}
            self.entering |= _spread(boxes[node_id], {edge.id: last[edge.id] for edge in into}, fixed)


def _spread(box: Box, towards: Mapping[str, float], fixed: Mapping[str, float | None]) -> dict[str, float]:
    """Return an x on one side of a box for each line, where it goes straight on if that may be."""
    free = sorted((one for one in towards if fixed[one] is None), key=towards.__getitem__)
    margin = box.width * _MARGIN
    gap = min(_PORT_GAP, (box.width - 2 * margin) / max(len(free) - 1, 1))
    found = {one: box.left + at for one, at in fixed.items() if at is not None}
    wanted = [_between(box.left + margin, towards[one], box.right - margin) for one in free]
    places = spread_out(wanted, [gap] * (len(free) - 1), [1.0] * len(free))
    # Each leaves room for those on either side of it, so that the side holds them all.
    lowest, highest = box.left + margin, box.right - margin - gap * (len(free) - 1)
    room = ((lowest + gap * rank, highest + gap * rank) for rank in range(len(free)))
    return found | {
        one: _between(low, place, high) for one, place, (low, high) in zip(free, places, room, strict=True)
    }


def _between(low: float, value: float, high: float) -> float:
    return max(low, min(value, high))
