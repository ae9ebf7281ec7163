"""A graph without scopes as a picture: its rows, their heights, and the lines between."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workflow_agent.values import grouped
from workflow_agent.workflows.diagrams.layout.grid import (
    LABEL_GAP,
    LOOP_WIDTH,
    Box,
    Edge,
    Grid,
    Node,
    Picture,
    Point,
    Route,
    loop_room,
)
from workflow_agent.workflows.diagrams.layout.order import place_in_rows, put_in_order, spread_out

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
        self.of = {edge.id: self._lane(edge) for edge in sorted(grid.aside, key=lambda one: len(self._passed(one)))}

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
        between = [edge for edge in edges if edge.source != edge.target]
        for node_id, out in grouped((edge.source, edge) for edge in between).items():
            fixed = {edge.id: edge.leaves_at for edge in out}
            self.leaving |= _spread(boxes[node_id], {edge.id: first[edge.id] for edge in out}, fixed)
        for node_id, into in grouped((edge.target, edge) for edge in between).items():
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
    return found | {one: _between(low, place, high) for one, place, (low, high) in zip(free, places, room, strict=True)}


def _between(low: float, value: float, high: float) -> float:
    return max(low, min(value, high))


_ROW_GAP = 40.0
_LABEL_ROW_GAP = 20.0
_LOOP_HEIGHT = 8.0


def layered(nodes: Sequence[Node], edges: Sequence[Edge]) -> Picture:
    """Return where nodes and edges go: what leads to something stands above it.

    Edges run from the lower side of a node to the upper side of another, through the rows or, where
    they point back up, beside them. No line runs over a node or a label.
    """
    if not nodes:
        return Picture({}, {}, 0.0, 0.0)
    grid = Grid(nodes, edges)
    put_in_order(grid)
    lanes = place_in_rows(grid)
    return _Drawing(grid, nodes, edges, lanes).picture()


class _Drawing:
    def __init__(
        self, grid: Grid, nodes: Sequence[Node], edges: Sequence[Edge], lanes: Mapping[int, tuple[float, float]]
    ) -> None:
        self._grid = grid
        self._of_lanes = lanes
        self._edges = {edge.id: edge for edge in edges}
        self._lanes = Lanes(grid)
        self._tops, self._height = self._row_tops()
        self._boxes = {node.id: self._box(node) for node in nodes}
        self._ports = Ports(grid, self._boxes, edges, self._lanes)

    def picture(self) -> Picture:
        routes = {edge_id: self._through(edge_id, chain) for edge_id, chain in self._grid.chains.items()}
        routes |= {edge.id: self._beside(edge) for edge in self._grid.aside}
        routes |= {edge.id: self._around(edge) for edge in self._grid.loops}
        in_order = {edge_id: routes[edge_id] for edge_id in self._edges}
        return _at_the_origin(self._boxes, in_order, self._height, self._of_lanes)

    def _row_tops(self) -> tuple[list[float], float]:
        tops: list[float] = []
        at = self._lanes.room_above(0)
        for number in range(len(self._grid.rows)):
            tops.append(at)
            is_labels = number in self._grid.label_rows
            before_labels = number + 1 in self._grid.label_rows
            gap = _LABEL_ROW_GAP if before_labels else _LABEL_ROW_GAP + 8 if is_labels else _ROW_GAP
            is_lowest = number == len(self._grid.rows) - 1
            at += self._row_height(number) + self._lanes.room_above(number + 1) + (0.0 if is_lowest else gap)
        return tops, at

    def _row_height(self, row: int) -> float:
        return max((self._grid.cells[one].height for one in self._grid.rows[row]), default=0.0)

    def _box(self, node: Node) -> Box:
        cell = self._grid.cells[self._grid.of_node[node.id]]
        top = self._tops[cell.row] + (self._row_height(cell.row) - node.height) / 2
        return Box(cell.x - node.width / 2, top, node.width, node.height)

    def _through(self, edge_id: str, chain: Sequence[int]) -> Route:
        edge = self._edges[edge_id]
        bends = (point for cell in chain[1:-1] for point in self._past(cell))
        points = [*self._leaving(edge), *bends, *self._arriving(edge)]
        return Route(without_repeats(points), self._label(edge))

    def _leaving(self, edge: Edge) -> list[Point]:
        row = self._grid.cells[self._grid.of_node[edge.source]].row
        x = self._ports.leaving[edge.id]
        return [Point(x, self._boxes[edge.source].bottom), Point(x, self._tops[row] + self._row_height(row))]

    def _arriving(self, edge: Edge) -> list[Point]:
        row = self._grid.cells[self._grid.of_node[edge.target]].row
        x = self._ports.entering[edge.id]
        return [Point(x, self._tops[row]), Point(x, self._boxes[edge.target].top)]

    def _past(self, cell: int) -> list[Point]:
        passed = self._grid.cells[cell]
        top = self._tops[passed.row]
        return [Point(passed.x, top), Point(passed.x, top + self._row_height(passed.row))]

    def _label(self, edge: Edge) -> Box | None:
        at = self._grid.labels.get(edge.id)
        if at is None:
            return None
        cell = self._grid.cells[at]
        return Box(cell.x - cell.width / 2, self._tops[cell.row], cell.width, cell.height)

    def _beside(self, edge: Edge) -> Route:
        lane = self._lanes.of[edge.id]
        start = self._leaving(edge)
        if edge.id in self._grid.labels:
            start += self._past(self._grid.labels[edge.id])
        end = self._arriving(edge)
        low = self._channel(lane.leaves_above, lane.first_line)
        high = self._channel(lane.enters_above, lane.last_line)
        around = [(start[-1].x, low), (lane.x, low), (lane.x, high), (end[0].x, high)]
        points = [*start, *(Point(x, y) for x, y in around), *end]
        return Route(without_repeats(points), self._label(edge))

    def _channel(self, row: int, line: float) -> float:
        """Return the height of a level line in the gap above a row."""
        if row == 0:
            return line
        return self._tops[row - 1] + self._row_height(row - 1) + line

    def _around(self, edge: Edge) -> Route:
        box = self._boxes[edge.source]
        loops = [one for one in self._grid.loops if one.source == edge.source]
        inner = loops[: loops.index(edge)]
        out = box.right + sum(map(loop_room, inner)) + LOOP_WIDTH - 8
        half = min(_LOOP_HEIGHT + 6 * len(inner), box.height / 2 - 4)
        upper, lower = box.centre.y - half, box.centre.y + half
        points = (Point(box.right, upper), Point(out, upper), Point(out, lower), Point(box.right, lower))
        width, height = edge.label
        label = Box(out + LABEL_GAP, box.centre.y - height / 2, width, height) if width else None
        return Route(points, label)


def _at_the_origin(
    boxes: Mapping[str, Box], routes: Mapping[str, Route], height: float, lanes: Mapping[int, tuple[float, float]]
) -> Picture:
    xs = [edge for box in boxes.values() for edge in (box.left, box.right)]
    xs += [point.x for route in routes.values() for point in route.points]
    xs += [edge for route in routes.values() if route.label for edge in (route.label.left, route.label.right)]
    xs += [edge for lane in lanes.values() for edge in lane]
    by = Point(-min(xs), 0.0)
    return Picture(
        {one: box.moved(by) for one, box in boxes.items()},
        {one: route.moved(by) for one, route in routes.items()},
        max(xs) - min(xs),
        height,
        lanes={one: (left + by.x, right + by.x) for one, (left, right) in lanes.items()},
    )


def without_repeats(points: Iterable[Point]) -> tuple[Point, ...]:
    """Return the points without those that change nothing."""
    kept: list[Point] = []
    for point in points:
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and _is_between(kept[-2], kept[-1], point):
            kept[-1] = point
        else:
            kept.append(point)
    return tuple(kept)


def _is_between(one: Point, middle: Point, other: Point) -> bool:
    upright = one.x == middle.x == other.x and (one.y <= middle.y) == (middle.y <= other.y)
    return upright or (one.y == middle.y == other.y)
