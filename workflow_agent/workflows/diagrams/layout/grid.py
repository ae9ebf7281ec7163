"""What a layout is made of: points, boxes and routes; nodes, labels and the bends of long edges as cells in rows."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from workflow_agent.values import grouped


class Point(NamedTuple):
    """A place; y grows downwards."""

    x: float
    y: float


class Box(NamedTuple):
    """A rectangle by its upper left corner."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Return where it ends."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Return where it ends."""
        return self.top + self.height

    @property
    def centre(self) -> Point:
        """Return its middle."""
        return Point(self.left + self.width / 2, self.top + self.height / 2)

    def moved(self, by: Point) -> "Box":
        """Return it elsewhere."""
        return Box(self.left + by.x, self.top + by.y, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Route:
    """Where a line runs.

    Two points that share no coordinate are joined by a curve that leaves and arrives upright, or by
    an upright, a level and an upright piece: either stays between two rows of steps.
    """

    points: tuple[Point, ...]
    label: Box | None = None
    """The room kept for its label."""

    def moved(self, by: Point) -> "Route":
        """Return it elsewhere."""
        points = tuple(Point(one.x + by.x, one.y + by.y) for one in self.points)
        return Route(points, self.label.moved(by) if self.label else None)


@dataclass(frozen=True, slots=True)
class Picture:
    """Where everything goes, from the origin on."""

    boxes: dict[str, Box]
    routes: dict[str, Route]
    width: float
    height: float
    headings: dict[str, Box] = field(default_factory=dict[str, Box])
    """Where the heading of each box around others is."""
    lanes: dict[int, tuple[float, float]] = field(default_factory=dict[int, tuple[float, float]])
    """From where to where each lane of the outermost parts goes."""


@dataclass(frozen=True, slots=True)
class Node:
    """A rectangle to be placed."""

    id: str
    width: float
    height: float
    is_first: bool = False
    """Whether it stays in the highest row: where a line comes into the picture."""
    is_last: bool = False
    """Whether it belongs into the lowest row: where a line leaves the picture."""
    lane: int = 0
    """The column it stays in; those of a higher number stand further right."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A line to be drawn from the lower side of one node to the upper side of another."""

    id: str
    source: str
    target: str
    label: tuple[float, float] = (0.0, 0.0)
    """Width and height; nothing is kept free for a label without width."""
    leaves_at: float | None = None
    """Where on the source's lower side, from its left; wherever it suits unless told."""
    enters_at: float | None = None


def backward(nodes: Sequence[Node], edges: Sequence[Edge]) -> frozenset[str]:
    """Return the edges that close a cycle, walking from the first node on in the order of the edges."""
    leaving = grouped((edge.source, edge) for edge in edges)
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
    leaving = grouped((edge.source, edge) for edge in edges)
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
    found = _with_lonely(nodes, edges, found)
    lowest = max(found.values(), default=0)
    return found | {node.id: lowest for node in nodes if node.is_last}


def _with_lonely(nodes: Sequence[Node], edges: Sequence[Edge], found: dict[str, int]) -> dict[str, int]:
    """Give nodes without lines rows below all others, about as many rows as columns."""
    joined = {end for edge in edges for end in (edge.source, edge.target)}
    lonely = [node.id for node in nodes if node.id not in joined and not (node.is_first or node.is_last)]
    if len(lonely) == len(nodes) == 1:
        return found
    first = max((found[one] for one in joined), default=-1) + 1
    columns = max(math.isqrt(len(lonely)), 1)
    return found | {one: first + at // columns for at, one in enumerate(lonely)}


LOOP_WIDTH = 26.0
"""How far an edge from a node to itself reaches out."""
LABEL_GAP = 4.0
_MOST_BENDS = 6_000
"""Beyond, the longest edges run beside the rows, as those that point back do."""


def loop_room(edge: Edge) -> float:
    """Return how much room an edge from a node to itself takes beside it, with its label."""
    return LOOP_WIDTH + (LABEL_GAP + edge.label[0] if edge.label[0] else 0.0)


@dataclass(slots=True)
class Cell:
    """Something that takes room in a row: a node, a label, or where an edge passes."""

    width: float
    height: float
    row: int
    is_node: bool = False
    lane: int = 0
    above: list[int] = field(default_factory=list[int])
    below: list[int] = field(default_factory=list[int])
    x: float = 0.0
    """Of its middle."""


class Grid:
    """The cells of a graph in rows: one row for each rank, and one below it where edges have labels.

    What stands first among the nodes is drawn at the top.
    """

    def __init__(self, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
        self.loops = [edge for edge in edges if edge.source == edge.target]
        between = [edge for edge in edges if edge.source != edge.target]
        back = backward(nodes, between)
        forward = [edge for edge in between if edge.id not in back]
        rank = ranks(nodes, forward)
        labelled = {rank[edge.source] for edge in between if edge.label[0]}
        heights = (2 if one in labelled else 1 for one in range(max(rank.values(), default=0) + 1))
        self._row_of = list(accumulate(heights, initial=0))
        """The row of each rank, and how many rows there are in all."""
        self.label_rows = frozenset(self._row_of[one] + 1 for one in labelled)
        self.cells: list[Cell] = []
        self.rows: list[list[int]] = [[] for _ in range(self._row_of[-1])]
        self.of_node = {node.id: self._node(node, self._row_of[rank[node.id]]) for node in nodes}
        self.chains: dict[str, list[int]] = {}
        """Of each edge that runs through the rows, its cells from source to target."""
        self.aside: list[Edge] = [edge for edge in between if edge.id in back]
        """The edges that run beside the rows."""
        self.labels: dict[str, int] = {}
        for edge in self._short_enough(forward):
            self._chain(edge)
        for edge in self.aside:
            if edge.label[0]:
                self._label(edge, self.of_node[edge.source])

    def _node(self, node: Node, row: int) -> int:
        beside = 2 * sum(loop_room(edge) for edge in self.loops if edge.source == node.id)
        return self._cell(node.width + beside, node.height, row, lane=node.lane, is_node=True)

    def _cell(self, width: float, height: float, row: int, *, lane: int = 0, is_node: bool = False) -> int:
        self.cells.append(Cell(width, height, row, is_node, lane))
        self.rows[row].append(len(self.cells) - 1)
        return len(self.cells) - 1

    def _short_enough(self, edges: Sequence[Edge]) -> Iterator[Edge]:
        by_span = sorted(edges, key=self._span)
        bends = accumulate(map(self._span, by_span))
        short = {edge.id for edge, so_far in zip(by_span, bends, strict=True) if so_far <= _MOST_BENDS}
        self.aside += [edge for edge in edges if edge.id not in short]
        yield from (edge for edge in edges if edge.id in short)

    def _span(self, edge: Edge) -> int:
        return self.cells[self.of_node[edge.target]].row - self.cells[self.of_node[edge.source]].row

    def _chain(self, edge: Edge) -> None:
        source, target = self.of_node[edge.source], self.of_node[edge.target]
        chain = [source]
        if edge.label[0]:
            chain.append(self._label(edge, source))
        for row in range(self.cells[chain[-1]].row + 1, self.cells[target].row):
            chain.append(self._cell(0.0, 0.0, row, lane=self.cells[target].lane))
            self._join(chain[-2], chain[-1])
        self._join(chain[-1], target)
        self.chains[edge.id] = [*chain, target]

    def _label(self, edge: Edge, source: int) -> int:
        width, height = edge.label
        below = self.cells[source]
        self.labels[edge.id] = self._cell(width, height, below.row + 1, lane=below.lane)
        self._join(source, self.labels[edge.id])
        return self.labels[edge.id]

    def _join(self, upper: int, lower: int) -> None:
        self.cells[upper].below.append(lower)
        self.cells[lower].above.append(upper)
