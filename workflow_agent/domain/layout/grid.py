"""Nodes, labels and the bends of long edges as cells in rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from workflow_agent.domain.layout.geometry import Edge, Node
from workflow_agent.domain.layout.ranks import backward, ranks

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
    above: list[int] = field(default_factory=list[int])
    below: list[int] = field(default_factory=list[int])
    x: float = 0.0
    """Of its middle."""


class Grid:
    """The cells of a graph in rows: one row for each rank, and one below it where edges have labels.

    Args:
        nodes: What stands first is drawn at the top.
        edges: Between these nodes.
    """

    def __init__(self, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
        self.loops = [edge for edge in edges if edge.source == edge.target]
        between = [edge for edge in edges if edge.source != edge.target]
        back = backward(nodes, between)
        forward = [edge for edge in between if edge.id not in back]
        rank = ranks(nodes, forward)
        labelled = {rank[edge.source] for edge in between if edge.label[0]}
        self._row_of = _rows(max(rank.values(), default=0) + 1, labelled)
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
        return self._cell(node.width + beside, node.height, row, is_node=True)

    def _cell(self, width: float, height: float, row: int, *, is_node: bool = False) -> int:
        self.cells.append(Cell(width, height, row, is_node))
        self.rows[row].append(len(self.cells) - 1)
        return len(self.cells) - 1

    def _short_enough(self, edges: Sequence[Edge]) -> Iterator[Edge]:
        bends = 0
        short: set[str] = set()
        for edge in sorted(edges, key=self._span):
            bends += self._span(edge)
            if bends <= _MOST_BENDS:
                short.add(edge.id)
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
            chain.append(self._cell(0.0, 0.0, row))
            self._join(chain[-2], chain[-1])
        self._join(chain[-1], target)
        self.chains[edge.id] = [*chain, target]

    def _label(self, edge: Edge, source: int) -> int:
        width, height = edge.label
        self.labels[edge.id] = self._cell(width, height, self.cells[source].row + 1)
        self._join(source, self.labels[edge.id])
        return self.labels[edge.id]

    def _join(self, upper: int, lower: int) -> None:
        self.cells[upper].below.append(lower)
        self.cells[lower].above.append(upper)


def _rows(count: int, labelled: set[int]) -> list[int]:
    """Return the row of each rank, and how many rows there are in all."""
    rows = [0]
    for rank in range(count):
        rows.append(rows[-1] + (2 if rank in labelled else 1))
    return rows


def crossings(grid: Grid, rows: Sequence[Sequence[int]]) -> int:
    """Return how many pairs of lines cross when the rows are in these orders."""
    total = 0
    for upper, lower in pairwise(rows):
        place = {cell: at for at, cell in enumerate(lower)}
        ends = [place[end] for cell in upper for end in sorted(grid.cells[cell].below, key=place.__getitem__)]
        total += _inversions(ends, len(lower))
    return total


def _inversions(ends: Sequence[int], count: int) -> int:
    """Return how many pairs stand the wrong way round, counted in a Fenwick tree."""
    tree = [0] * (count + 1)
    total = 0
    for seen, end in enumerate(ends):
        at, before = end + 1, 0
        while at:
            before += tree[at]
            at &= at - 1
        total += seen - before
        at = end + 1
        while at <= count:
            tree[at] += 1
            at += at & -at
    return total
