"""The order of cells in their rows, so that few lines cross."""

from collections.abc import Sequence
from statistics import median

from workflow_agent.domain.layout.grid import Grid, crossings

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
    return rows


def _sweep(grid: Grid, rows: list[list[int]], *, is_down: bool) -> None:
    order = range(1, len(rows)) if is_down else range(len(rows) - 2, -1, -1)
    for at in order:
        place = {cell: where for where, cell in enumerate(rows[at - 1 if is_down else at + 1])}
        wanted: dict[int, float] = {}
        for where, cell in enumerate(rows[at]):
            joined = grid.cells[cell].above if is_down else grid.cells[cell].below
            wanted[cell] = median(place[one] for one in joined) if joined else float(where)
        rows[at].sort(key=wanted.__getitem__)


def _swap_neighbours(grid: Grid, rows: Sequence[list[int]]) -> None:
    """Swap cells side by side wherever fewer lines cross then."""
    place = {cell: at for row in rows for at, cell in enumerate(row)}
    for row in rows:
        for at in range(len(row) - 1):
            left, right = row[at], row[at + 1]
            if _gain(grid, place, left, right) > 0:
                row[at], row[at + 1] = right, left
                place[left], place[right] = at + 1, at


def _gain(grid: Grid, place: dict[int, int], left: int, right: int) -> int:
    gain = 0
    for first, second in (
        (grid.cells[left].above, grid.cells[right].above),
        (grid.cells[left].below, grid.cells[right].below),
    ):
        for one in first:
            for other in second:
                gain += (place[one] > place[other]) - (place[one] < place[other])
    return gain
