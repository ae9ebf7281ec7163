"""Where cells stand in their rows: near the middle of their neighbours, in order, none over another."""

from collections.abc import Sequence
from itertools import pairwise

from workflow_agent.domain.layout.grid import Cell, Grid
from workflow_agent.domain.layout.spreading import spread_out

_GAP = 36.0
_LABEL_GAP = 14.0
_LINE_GAP = 16.0
_ROUNDS = 24
_ROUNDS_OF_MANY = 8
_MANY_CELLS = 1_500
_LAST_ROUNDS = 6
"""In which nodes look both ways, while lines keep to the straight."""
_LINE_WEIGHT = 4.0
"""Long edges are kept straight rather than nodes in the middle."""


def place_in_rows(grid: Grid) -> None:
    """Set the x of every cell."""
    for row in grid.rows:
        _settle(grid, row, [0.0] * len(row))
    rounds = _ROUNDS if len(grid.cells) <= _MANY_CELLS else _ROUNDS_OF_MANY
    for turn in range(rounds):
        is_down = turn % 2 == 0
        looks_both_ways = turn >= rounds - _LAST_ROUNDS
        for row in grid.rows if is_down else grid.rows[::-1]:
            wanted = [_wanted(grid, cell, is_down=is_down, looks_both_ways=looks_both_ways) for cell in row]
            _settle(grid, row, wanted)


def _wanted(grid: Grid, at: int, *, is_down: bool, looks_both_ways: bool) -> float:
    cell = grid.cells[at]
    near = cell.above if is_down else cell.below
    both = [*cell.above, *cell.below]
    # What has one neighbour either way is part of a line, which is best straight.
    joined = both if looks_both_ways and cell.is_node and len(both) > 2 else near or both
    return sum(grid.cells[one].x for one in joined) / len(joined) if joined else cell.x


def _settle(grid: Grid, row: Sequence[int], wanted: Sequence[float]) -> None:
    """Move the cells of a row as near to where they want to be as their order and widths allow."""
    cells = [grid.cells[one] for one in row]
    apart = [(left.width + right.width) / 2 + _gap(left, right) for left, right in pairwise(cells)]
    weights = [1.0 if cell.is_node else _LINE_WEIGHT for cell in cells]
    for cell, place in zip(cells, spread_out(wanted, apart, weights), strict=True):
        cell.x = place


def _gap(left: Cell, right: Cell) -> float:
    if left.is_node and right.is_node:
        return _GAP
    return _LABEL_GAP if left.width and right.width else _LINE_GAP
