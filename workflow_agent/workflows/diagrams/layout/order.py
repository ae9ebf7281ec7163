"""The order of cells in their rows, so that few lines cross; those of a lane stand together."""

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import accumulate, groupby, pairwise
from statistics import median

from workflow_agent.values import grouped
from workflow_agent.workflows.diagrams.layout.grid import Cell, Grid

_SWEEPS = 12
_SWEEPS_OF_MANY = 3
_MANY_CELLS = 1_500


def put_in_order(grid: Grid) -> None:
    """Sort the rows of a grid by the medians of their neighbours, down and up in turns; keep the best."""
    rows = [list(row) for row in _as_walked(grid)]
    best, fewest = rows, crossings(grid, rows)
    sweeps = _SWEEPS if len(grid.cells) <= _MANY_CELLS else _SWEEPS_OF_MANY
    for sweep in range(sweeps):
        if not fewest:
            break
        rows = [list(row) for row in rows]
        _sweep(grid, rows, is_down=sweep % 2 == 0)
        _swap_neighbours(grid, rows)
        crossed = crossings(grid, rows)
        if crossed < fewest:
            best, fewest = [list(row) for row in rows], crossed
    grid.rows = best


def _as_walked(grid: Grid) -> list[list[int]]:
    """Return the rows in the order in which the cells are come upon from the top."""
    rows: list[list[int]] = [[] for _ in grid.rows]
    seen: set[int] = set()
    waiting = [cell for row in reversed(grid.rows) for cell in reversed(row)]
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            rows[grid.cells[here].row].append(here)
            waiting += reversed(grid.cells[here].below)
    for row in rows:
        row.sort(key=lambda cell: grid.cells[cell].lane)
    return rows


def _sweep(grid: Grid, rows: list[list[int]], *, is_down: bool) -> None:
    order = range(1, len(rows)) if is_down else range(len(rows) - 2, -1, -1)
    for at in order:
        place = {cell: where for where, cell in enumerate(rows[at - 1 if is_down else at + 1])}
        wanted: dict[int, float] = {}
        for where, cell in enumerate(rows[at]):
            joined = grid.cells[cell].above if is_down else grid.cells[cell].below
            wanted[cell] = median(place[one] for one in joined) if joined else float(where)
        rows[at].sort(key=lambda cell: (grid.cells[cell].lane, wanted[cell]))


def _swap_neighbours(grid: Grid, rows: Sequence[list[int]]) -> None:
    """Swap cells side by side wherever fewer lines cross then."""
    place = {cell: at for row in rows for at, cell in enumerate(row)}
    for row in rows:
        for at in range(len(row) - 1):
            left, right = row[at], row[at + 1]
            if grid.cells[left].lane == grid.cells[right].lane and _gain(grid, place, left, right) > 0:
                row[at], row[at + 1] = right, left
                place[left], place[right] = at + 1, at


def _gain(grid: Grid, place: dict[int, int], left: int, right: int) -> int:
    gain = 0
    first, second = grid.cells[left], grid.cells[right]
    for ones, others in ((first.above, second.above), (first.below, second.below)):
        for one in ones:
            for other in others:
                gain += (place[one] > place[other]) - (place[one] < place[other])
    return gain


def spread_out(wanted: Sequence[float], apart: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return places in this order, nearest to what is wanted by weighted least squares.

    Each two neighbours stand at least so far apart: `apart` has one entry fewer than things. Where things would come
    too close, they are moved as one block to the mean of what they want (isotonic regression by pooling).
    """
    offsets = list(accumulate(apart, initial=0.0))
    blocks: list[tuple[float, float, int]] = []
    for want, offset, weight in zip(wanted, offsets, weights, strict=False):
        total, weighs, count = (want - offset) * weight, weight, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / weighs:
            before = blocks.pop()
            total, weighs, count = total + before[0], weighs + before[1], count + before[2]
        blocks.append((total, weighs, count))
    places = [total / weighs for total, weighs, count in blocks for _ in range(count)]
    return [place + offset for place, offset in zip(places, offsets, strict=False)]


_GAP = 36.0
_LABEL_GAP = 14.0
_LINE_GAP = 16.0
_ROUNDS = 24
_ROUNDS_OF_MANY = 8
_LAST_ROUNDS = 6
"""In which nodes look both ways, while lines keep to the straight."""
_LINE_WEIGHT = 4.0
"""Long edges are kept straight rather than nodes in the middle."""


def place_in_rows(grid: Grid) -> dict[int, tuple[float, float]]:
    """Set the x of every cell; return from where to where each lane goes."""
    rows = [list(cells) for row in grid.rows for _, cells in groupby(row, lambda one: grid.cells[one].lane)]
    for row in rows:
        _settle(grid, row, [0.0] * len(row))
    rounds = _ROUNDS if len(grid.cells) <= _MANY_CELLS else _ROUNDS_OF_MANY
    for turn in range(rounds):
        is_down = turn % 2 == 0
        looks_both_ways = turn >= rounds - _LAST_ROUNDS
        for row in rows if is_down else rows[::-1]:
            wanted = [_wanted(grid, cell, is_down=is_down, looks_both_ways=looks_both_ways) for cell in row]
            _settle(grid, row, wanted)
    return _side_by_side(grid)


_LANE_PADDING = 20.0


def _side_by_side(grid: Grid) -> dict[int, tuple[float, float]]:
    """Move the cells of each lane to the right of all those before it."""
    lanes = grouped((cell.lane, cell) for cell in grid.cells)
    if len(lanes) == 1:
        return {}
    found: dict[int, tuple[float, float]] = {}
    begin = 0.0
    for lane, cells in sorted(lanes.items()):
        left = min(cell.x - cell.width / 2 for cell in cells)
        right = max(cell.x + cell.width / 2 for cell in cells)
        for cell in cells:
            cell.x += begin + _LANE_PADDING - left
        found[lane] = (begin, begin + right - left + 2 * _LANE_PADDING)
        begin = found[lane][1]
    return found


def _wanted(grid: Grid, at: int, *, is_down: bool, looks_both_ways: bool) -> float:
    cell = grid.cells[at]
    # Lanes are moved apart later: until then only what is in the same one says where it is.
    above = [one for one in cell.above if grid.cells[one].lane == cell.lane]
    below = [one for one in cell.below if grid.cells[one].lane == cell.lane]
    near = above if is_down else below
    both = [*above, *below]
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


def crossings(grid: Grid, rows: Sequence[Sequence[int]]) -> int:
    """Return how many pairs of lines cross when the rows are in these orders."""
    total = 0
    for upper, lower in pairwise(rows):
        place = {cell: at for at, cell in enumerate(lower)}
        ends = [place[end] for cell in upper for end in sorted(grid.cells[cell].below, key=place.__getitem__)]
        total += _inversions(ends)
    return total


def _inversions(ends: Sequence[int]) -> int:
    """Return how many pairs stand the wrong way round."""
    seen: list[int] = []
    total = 0
    for end in ends:
        total += len(seen) - bisect_right(seen, end)
        insort(seen, end)
    return total
