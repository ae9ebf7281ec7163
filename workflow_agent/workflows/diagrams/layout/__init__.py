"""The layout of a graph in which some nodes are boxes around others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workflow_agent.values import grouped
from workflow_agent.workflows.diagrams.layout.grid import Box, Edge, Node, Picture, Point, Route
from workflow_agent.workflows.diagrams.layout.layers import layered, without_repeats

PADDING = 18.0
_OUTERMOST = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Something to be placed: a rectangle, or with parts inside a box with a heading of this size."""

    id: str
    width: float
    height: float
    parent: str | None = None
    lane: int = 0
    """The column of a part that is inside no other."""


def laid_out(parts: Sequence[Part], links: Sequence[Edge]) -> Picture:
    """Return where parts and links go, parts inside others drawn inside them; a parent comes before what is inside it.

    The heading of a box is the first thing inside it, and a line between the box and something inside
    begins or ends there. A line across the border of a box passes it above or below.
    """
    return _Nesting(parts, links).picture()


_Piece = tuple[str, Edge]
"""A scope, and the piece of a link inside it, between ids known there."""


class _Nesting:
    def __init__(self, parts: Sequence[Part], links: Sequence[Edge]) -> None:
        self._parts = {part.id: part for part in parts}
        self._inside: dict[str, list[Part]] = {_OUTERMOST: []}
        self._chains: dict[str, tuple[str, ...]] = {}
        """The scopes around each part, from the outermost on."""
        for part in parts:
            self._inside.setdefault(part.parent or _OUTERMOST, []).append(part)
            self._chains[part.id] = (*self._chains[part.parent], part.parent) if part.parent else (_OUTERMOST,)
        self._links = links
        self._pieces = {link.id: list(self._cut(link)) for link in links}
        self._by_scope = grouped(piece for pieces in self._pieces.values() for piece in pieces)
        self._drawn: dict[str, Picture] = {}

    def _cut(self, link: Edge) -> Iterator[_Piece]:
        """Yield the pieces of a link, one for each scope it runs through, from its source on."""
        out, into = self._chains[link.source], self._chains[link.target]
        # A box is known by its heading to what is inside it.
        if link.source in into:
            out = (*out, link.source)
        elif link.target in out:
            into = (*into, link.target)
        shared = sum(1 for one, other in zip(out, into, strict=False) if one == other)
        source, target = link.source, link.target
        for depth in range(len(out) - 1, shared - 1, -1):
            yield out[depth], Edge(f"{link.id}>{depth}", source, f">{link.id}")
            source = out[depth]
        inner = [*into[shared:], target]
        yield out[shared - 1], Edge(link.id, source, inner[0], link.label)
        for depth, scope in enumerate(into[shared:]):
            yield scope, Edge(f"{link.id}<{depth}", f"<{link.id}", inner[depth + 1])

    def picture(self) -> Picture:
        deepest_first = sorted(self._inside, key=lambda one: -len(self._chains.get(one, ())))
        for scope in deepest_first:
            self._drawn[scope] = self._draw(scope)
        boxes: dict[str, Box] = {}
        origins = {_OUTERMOST: Point(0.0, 0.0)}
        for scope in reversed(deepest_first):
            for part in self._inside[scope]:
                boxes[part.id] = self._drawn[scope].boxes[part.id].moved(origins[scope])
                origins[part.id] = Point(boxes[part.id].left, boxes[part.id].top)
        headings: dict[str, Box] = {}
        for scope, inner in self._drawn.items():
            headings |= {one: box.moved(origins[scope]) for one, box in inner.headings.items()}
        outer = self._drawn[_OUTERMOST]
        return Picture(boxes, self._routes(origins), outer.width, outer.height, headings, outer.lanes)

    def _draw(self, scope: str) -> Picture:
        """Return the inside of a scope, its padding included."""
        pieces = self._by_scope.get(scope, [])
        heading = self._parts.get(scope)
        nodes = [Node(scope, heading.width, heading.height)] if heading else []
        nodes += [self._node(part) for part in self._inside[scope]]
        ends = dict.fromkeys(end for piece in pieces for end in (piece.source, piece.target))
        # Where a line passes the border of a box: above what is inside, or below.
        nodes += [Node(end, 0.0, 0.0, end[0] == "<", end[0] == ">") for end in ends if end[0] in "<>"]
        edges = [self._with_ports(piece) for piece in pieces]
        if heading:
            edges += self._entries(scope, edges)
        drawn = layered(nodes, edges)
        return _padded(drawn, heading) if heading else drawn

    def _node(self, part: Part) -> Node:
        inner = self._drawn.get(part.id)
        width, height = (inner.width, inner.height) if inner else (part.width, part.height)
        return Node(part.id, width, height, lane=0 if part.parent else part.lane)

    def _with_ports(self, edge: Edge) -> Edge:
        """Let an edge go on where its piece inside a box came to the border."""
        link_id = edge.id.split(">")[0].split("<")[0]
        leaves = self._end(edge.source, f">{link_id}")
        enters = self._end(edge.target, f"<{link_id}")
        return replace(edge, leaves_at=leaves, enters_at=enters)

    def _end(self, part_id: str, end: str) -> float | None:
        inner = self._drawn.get(part_id)
        return inner.boxes[end].left if inner and end in inner.boxes else None

    def _entries(self, scope: str, edges: Sequence[Edge]) -> Iterator[Edge]:
        """Yield lines, not to be drawn, from a heading to what nothing leads to, so that it stands below."""
        entered = {edge.target for edge in edges if edge.source != edge.target}
        for part in self._inside[scope]:
            if part.id not in entered:
                yield Edge(f"^{part.id}", scope, part.id)

    def _routes(self, origins: Mapping[str, Point]) -> dict[str, Route]:
        found: dict[str, Route] = {}
        for link in self._links:
            pieces = [self._drawn[one].routes[edge.id].moved(origins[one]) for one, edge in self._pieces[link.id]]
            points = [point for route in pieces for point in route.points]
            label = next((route.label for route in pieces if route.label), None)
            found[link.id] = Route(without_repeats(points), label)
        return found


def _padded(drawn: Picture, heading: Part) -> Picture:
    by = Point(PADDING, PADDING / 2)
    boxes = {one: box.moved(by) for one, box in drawn.boxes.items()}
    routes = {one: route.moved(by) for one, route in drawn.routes.items()}
    height = drawn.height + 1.5 * PADDING
    for end, box in boxes.items():
        if end[0] == "<":
            boxes[end] = box._replace(top=0.0)
        elif end[0] == ">":
            boxes[end] = box._replace(top=height)
    title = boxes.pop(heading.id)
    extended = {one: _to_the_border(one, route, height) for one, route in routes.items()}
    return Picture(boxes, extended, drawn.width + 2 * PADDING, height, {heading.id: title})


def _to_the_border(edge_id: str, route: Route, height: float) -> Route:
    first, last = route.points[0], route.points[-1]
    if "<" in edge_id:
        return replace(route, points=(Point(first.x, 0.0), *route.points))
    if ">" in edge_id:
        return replace(route, points=(*route.points, Point(last.x, height)))
    return route
