"""The ways of edges that run beside the rows, each with a lane of its own."""

from collections import Counter
from dataclasses import dataclass

from workflow_agent.domain.layout.geometry import Edge
from workflow_agent.domain.layout.grid import Grid

_LANE_GAP = 14.0
_LINE_GAP = 7.0
_MOST_LINES = 24
"""Beyond, level lines in one gap share their heights."""


@dataclass(frozen=True, slots=True)
class Lane:
    """How an edge gets from its source to its target: along a gap, beside the rows, along a gap."""

    x: float
    leaves_above: int
    """The row below the gap it leaves by; one more than there are for the gap below the last."""
    enters_above: int
    first_line: float
    """How far below the gap's upper end."""
    last_line: float


class Lanes:
    """Where each edge beside the rows of a grid runs; the shorter, the nearer."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._lines: Counter[int] = Counter()
        self._left = [min((self._edges_of(one)[0] for one in row), default=0.0) for row in grid.rows]
        self._right = [max((self._edges_of(one)[1] for one in row), default=0.0) for row in grid.rows]
        self.of: dict[str, Lane] = {}
        for edge in sorted(grid.aside, key=lambda one: len(self._passed(one))):
            self.of[edge.id] = self._lane(edge)

    def room_above(self, row: int) -> float:
        """Return the height that the level lines above a row take."""
        return _LINE_GAP * (min(self._lines[row], _MOST_LINES) + 1) if self._lines[row] else 0.0

    def _edges_of(self, at: int) -> tuple[float, float]:
        cell = self._grid.cells[at]
        return cell.x - cell.width / 2, cell.x + cell.width / 2

    def _gaps(self, edge: Edge) -> tuple[int, int]:
        """Return the row below the gap by which an edge leaves, and the one below that by which it enters."""
        source = self._grid.cells[self._grid.labels.get(edge.id, self._grid.of_node[edge.source])]
        return source.row + 1, self._grid.cells[self._grid.of_node[edge.target]].row

    def _passed(self, edge: Edge) -> range:
        leaves, enters = self._gaps(edge)
        return range(min(leaves, enters), max(leaves, enters))

    def _lane(self, edge: Edge) -> Lane:
        leaves, enters = self._gaps(edge)
        passed = self._passed(edge)
        cells, ends = self._grid.cells, (self._grid.of_node[edge.source], self._grid.of_node[edge.target])
        left = min((self._left[row] for row in passed), default=0.0)
        right = max((self._right[row] for row in passed), default=0.0)
        is_right = sum(right - cells[end].x for end in ends) <= sum(cells[end].x - left for end in ends)
        x = self._outside(passed, is_right=is_right)
        return Lane(x, leaves, enters, self._line(leaves), self._line(enters))

    def _outside(self, passed: range, *, is_right: bool) -> float:
        side = self._right if is_right else self._left
        gap = _LANE_GAP if is_right else -_LANE_GAP
        outermost = (max if is_right else min)(side[row] for row in passed) if passed else 0.0
        for row in passed:
            side[row] = outermost + gap
        return outermost + gap

    def _line(self, row: int) -> float:
        self._lines[row] += 1
        return _LINE_GAP * ((self._lines[row] - 1) % _MOST_LINES + 1)
