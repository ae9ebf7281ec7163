"""Where a diagram draws the elements of a process: in columns, from left to right."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from workflow_agent.workflows.diagrams.layout.grid import Edge, Node, Point
from workflow_agent.workflows.diagrams.layout.layers import layered
from workflow_agent.workflows.formats.bpmn.document import Scope, xml_id
from workflow_agent.workflows.formats.bpmn.elements import SCOPES
from workflow_agent.workflows.formats.bpmn.xml import BOUNDS, LINES, in_diagram, local_name

Box = tuple[float, float, float, float]
"""Left, top, width and height."""
_MARGIN, _BESIDE = 40.0, 20.0
_EVENT, _GATEWAY, _TASK = (36.0, 36.0), (50.0, 50.0), (100.0, 80.0)


def size_of(node: Element) -> tuple[float, float]:
    """Return the width and height of an element without a content."""
    local = local_name(node)
    return _EVENT if local.endswith("Event") else _GATEWAY if local.endswith("Gateway") else _TASK


@dataclass(frozen=True, slots=True)
class Drawing:
    """Where nodes are, and the corners of the lines whose ways were chosen with them."""

    boxes: Mapping[str, Box]
    lines: Mapping[str, Sequence[Point]] = field(default_factory=dict[str, Sequence[Point]])

    def moved(self, x: float, y: float) -> "Drawing":
        """Return it elsewhere."""
        boxes = {one: (box[0] + x, box[1] + y, box[2], box[3]) for one, box in self.boxes.items()}
        lines = {one: [Point(at.x + x, at.y + y) for at in line] for one, line in self.lines.items()}
        return Drawing(boxes, lines)


def placed(scope: Scope) -> Drawing:
    """Return where everything inside goes, from the origin on; nodes inside nodes are drawn inside."""
    inner: dict[str, Drawing] = {}
    sizes: dict[str, tuple[float, float]] = {}
    for node in scope.nodes:
        sizes[xml_id(node)] = size_of(node)
        if local_name(node) in SCOPES and (drawing := placed(Scope(node))).boxes:
            inner[xml_id(node)] = drawing
            sizes[xml_id(node)] = outside(drawing.boxes.values())
    # The layout goes from the top down and a process from left to right: all is laid on its side.
    nodes = [Node(one, height, width) for one, (width, height) in sizes.items()]
    drawn = layered(nodes, list(_edges(scope, sizes)))
    flat = {one: (round(box.top), round(box.left), box.height, box.width) for one, box in drawn.boxes.items()}
    ways = {one: _corners(route.points) for one, route in drawn.routes.items()}
    turned = {one: [Point(round(at.y), round(at.x)) for at in way] for one, way in ways.items()}
    outer = Drawing(flat, turned).moved(_MARGIN, _MARGIN)
    boxes, lines = dict(outer.boxes), dict(outer.lines)
    for one, drawing in inner.items():
        inside = drawing.moved(*boxes[one][:2])
        boxes |= inside.boxes
        lines |= inside.lines
    return Drawing(boxes, lines)


def _edges(scope: Scope, known: Collection[str]) -> Iterator[Edge]:
    for link in (*scope.flows, *scope.links):
        source, target = link.get("sourceRef", ""), link.get("targetRef", "")
        boundary = scope.boundary_of.get(source)
        host = source if boundary is None else boundary.get("attachedToRef", "")
        if host in known and target in known:
            yield Edge(xml_id(link), host, target)


def _corners(points: Sequence[Point]) -> list[Point]:
    """Return the corners of a way without slants."""
    corners = [points[0]]
    for before, here in pairwise(points):
        if before.x != here.x and before.y != here.y:
            middle = (before.y + here.y) / 2
            corners += [Point(before.x, middle), Point(here.x, middle)]
        corners.append(here)
    return corners


class Room:
    """The boxes of a scope, among which free places are found; an array, because there may be thousands."""

    def __init__(self, boxes: Iterable[Box]) -> None:
        self._boxes = np.array(list(boxes), dtype=float).reshape(-1, 4)
        self._found: dict[Box, float] = {}

    def below(self, between: float) -> tuple[float, float]:
        """Return where something below everything begins."""
        if not len(self._boxes):
            return between, between
        x, y, _, height = self._boxes.T
        return float(x.min()), float((y + height).max()) + between

    def free(self, box: Box, between: float) -> float:
        """Return how far down a box has to go to hit no other, and take that place."""
        left, _, width, height = box
        x, y, widths, heights = self._boxes.T
        is_beside = (x < left + width) & (left < x + widths)
        tops, bottoms = y[is_beside], (y + heights)[is_beside]
        # What was in the way the last time still is.
        top = self._found.get(box, box[1])
        while (hit := bottoms[(tops < top + height) & (top < bottoms)]).size:
            top = float(hit.max()) + between
        self._found[box] = top
        self._boxes = np.vstack((self._boxes, (left, top, width, height)))
        return top


def outside(boxes: Iterable[Box]) -> tuple[float, float]:
    """Return the width and height of a sub-process in which these are."""
    listed = list(boxes)
    return max(b[0] + b[2] for b in listed) + _MARGIN, max(b[1] + b[3] for b in listed) + _MARGIN


def scopes_in(container: Element) -> Iterator[Scope]:
    """Yield the scope of a process and those of the sub-processes in it."""
    scope = Scope(container)
    yield scope
    for node in scope.nodes:
        if local_name(node) in SCOPES:
            yield from scopes_in(node)


def diagram_of(process: Element, drawing: Drawing) -> Element:
    """Return the diagram of a process that is drawn so."""
    boxes = drawing.boxes
    diagram = Element(in_diagram("BPMNDiagram"), {"id": "Diagram_1"})
    plane = SubElement(diagram, in_diagram("BPMNPlane"), {"id": "Plane_1", "bpmnElement": process.get("id", "")})
    edges: list[tuple[Element, Sequence[Point]]] = []
    for scope in scopes_in(process):
        boxes = {**boxes, **on_the_border(scope, boxes)}
        for node in (*scope.nodes, *scope.boundary_of.values()):
            add_shape(plane, node, boxes[xml_id(node)])
        for edge in (*scope.flows, *scope.links):
            source = edge.get("sourceRef", "")
            straight = straight_line(boxes[source], boxes[edge.get("targetRef", "")])
            planned = straight if source in scope.boundary_of else drawing.lines.get(xml_id(edge), straight)
            edges.append((edge, planned))
    for edge, line in edges:
        add_line(plane, edge, line)
    return diagram


def on_the_border(scope: Scope, boxes: Mapping[str, Box]) -> dict[str, Box]:
    """Return where the boundary events of a scope go."""
    found: dict[str, Box] = {}
    for host, boundaries in scope.boundaries.items():
        x, y, width, height = boxes[host]
        for at, boundary in enumerate(boundaries):
            left = x + width * (at + 1) / (len(boundaries) + 1) - _EVENT[0] / 2
            found[xml_id(boundary)] = (left, y + height - _EVENT[1] / 2, *_EVENT)
    return found


def add_line(plane: Element, flow: Element, line: Sequence[Point]) -> Element:
    """Return a line that was drawn with these corners."""
    about = {"id": f"{flow.get('id')}_di", "bpmnElement": flow.get("id", "")}
    drawn = SubElement(plane, in_diagram("BPMNEdge"), about)
    for x, y in line:
        SubElement(drawn, f"{{{LINES}}}waypoint", {"x": number(x), "y": number(y)})
    return drawn


def add_shape(plane: Element, node: Element, box: Box) -> Element:
    """Return a shape that was drawn in this box."""
    about = {"id": f"{node.get('id')}_di", "bpmnElement": node.get("id", "")}
    shape = SubElement(plane, in_diagram("BPMNShape"), about)
    if local_name(node) in SCOPES:
        shape.set("isExpanded", "true")
    values = {key: number(value) for key, value in zip(("x", "y", "width", "height"), box, strict=True)}
    SubElement(shape, f"{{{BOUNDS}}}Bounds", values)
    return shape


def straight_line(source: Box, target: Box) -> list[Point]:
    """Return the corners of a line from the right side of one box to the left side of another."""
    x, y = source[0] + source[2], source[1] + source[3] / 2
    to_x, to_y = target[0], target[1] + target[3] / 2
    if y == to_y and to_x >= x:
        return [Point(x, y), Point(to_x, to_y)]
    middle = (x + to_x) / 2 if to_x > x else x + _BESIDE
    return [Point(x, y), Point(middle, y), Point(middle, to_y), Point(to_x, to_y)]


def number(value: float) -> str:
    """Return a coordinate as diagrams have it."""
    return repr(value).removesuffix(".0")
