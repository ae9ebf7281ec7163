"""Where a diagram draws the elements of a process: in columns, from left to right."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from xml.etree.ElementTree import Element, SubElement

from workflow_agent.formats.bpmn.content import SCOPES
from workflow_agent.formats.bpmn.document import Scope, xml_id
from workflow_agent.formats.bpmn.xml import BOUNDS, DIAGRAM, LINES, local_name

Box = tuple[float, float, float, float]
"""Left, top, width and height."""
_GAP_X, _GAP_Y, _MARGIN = 60.0, 40.0, 40.0
_EVENT, _GATEWAY, _TASK = (36.0, 36.0), (50.0, 50.0), (100.0, 80.0)


def _size(node: Element) -> tuple[float, float]:
    local = local_name(node)
    return _EVENT if local.endswith("Event") else _GATEWAY if local.endswith("Gateway") else _TASK


def _columns(scope: Scope) -> list[list[str]]:
    """Return the ids of the nodes by how many flows they are away from where the scope begins."""
    onward: dict[str, list[str]] = {}
    for link in (*scope.flows, *scope.links):
        source = link.get("sourceRef", "")
        boundary = scope.boundary(source)
        host = source if boundary is None else boundary.get("attachedToRef", "")
        onward.setdefault(host, []).append(link.get("targetRef", ""))
    entered = {target for targets in onward.values() for target in targets}
    ids = [xml_id(node) for node in scope.nodes]
    found: dict[str, int] = {}
    for first in (*(one for one in ids if one not in entered), *ids):
        if first in found:
            continue
        found[first] = 0
        waiting = deque([first])
        while waiting:
            here = waiting.popleft()
            for there in onward.get(here, ()):
                if there not in found:
                    found[there] = found[here] + 1
                    waiting.append(there)
    columns: list[list[str]] = [[] for _ in range(max(found.values(), default=-1) + 1)]
    for one in ids:
        columns[found[one]].append(one)
    return columns


def placed(scope: Scope) -> dict[str, Box]:
    """Return a box for each node inside, from the origin on; nodes inside nodes are drawn inside."""
    inner: dict[str, dict[str, Box]] = {}
    sizes: dict[str, tuple[float, float]] = {}
    for node in scope.nodes:
        sizes[xml_id(node)] = _size(node)
        if local_name(node) in SCOPES and (boxes := placed(Scope(node))):
            inner[xml_id(node)] = boxes
            sizes[xml_id(node)] = _outside(boxes.values())
    found: dict[str, Box] = {}
    left = _MARGIN
    for column in _columns(scope):
        wide = max(sizes[one][0] for one in column)
        top = _MARGIN
        for one in column:
            width, height = sizes[one]
            x, y = left + (wide - width) / 2, top + max(0.0, _TASK[1] - height) / 2
            found[one] = (x, y, width, height)
            for name, box in inner.get(one, {}).items():
                found[name] = (box[0] + x, box[1] + y, box[2], box[3])
            top += max(height, _TASK[1]) + _GAP_Y
        left += wide + _GAP_X
    return found


def _outside(boxes: Iterable[Box]) -> tuple[float, float]:
    listed = list(boxes)
    return max(b[0] + b[2] for b in listed) + _MARGIN, max(b[1] + b[3] for b in listed) + _MARGIN


def scopes_in(container: Element) -> Iterator[Scope]:
    """Yield the scope of a process and those of the sub-processes in it."""
    scope = Scope(container)
    yield scope
    for node in scope.nodes:
        if local_name(node) in SCOPES:
            yield from scopes_in(node)


def diagram_of(process: Element, boxes: Mapping[str, Box]) -> Element:
    """Return the diagram of a process whose nodes are drawn at these boxes."""
    diagram = Element(f"{{{DIAGRAM}}}BPMNDiagram", {"id": "Diagram_1"})
    plane = SubElement(
        diagram, f"{{{DIAGRAM}}}BPMNPlane", {"id": "Plane_1", "bpmnElement": process.get("id", "")}
    )
    edges: list[Element] = []
    for scope in scopes_in(process):
        boxes = {**boxes, **_on_the_border(scope, boxes)}
        for node in scope.nodes:
            _shape(plane, node, boxes[xml_id(node)])
        for boundaries in scope.boundaries.values():
            for boundary in boundaries:
                _shape(plane, boundary, boxes[xml_id(boundary)])
        edges += (*scope.flows, *scope.links)
    for edge in edges:
        drawn = SubElement(
            plane,
            f"{{{DIAGRAM}}}BPMNEdge",
            {"id": f"{edge.get('id')}_di", "bpmnElement": edge.get("id", "")},
        )
        for x, y in _line(boxes[edge.get("sourceRef", "")], boxes[edge.get("targetRef", "")]):
            SubElement(drawn, f"{{{LINES}}}waypoint", {"x": _number(x), "y": _number(y)})
    return diagram


def _on_the_border(scope: Scope, boxes: Mapping[str, Box]) -> dict[str, Box]:
    found: dict[str, Box] = {}
    for host, boundaries in scope.boundaries.items():
        x, y, width, height = boxes[host]
        for at, boundary in enumerate(boundaries):
            left = x + width * (at + 1) / (len(boundaries) + 1) - _EVENT[0] / 2
            found[xml_id(boundary)] = (left, y + height - _EVENT[1] / 2, *_EVENT)
    return found


def _shape(plane: Element, node: Element, box: Box) -> None:
    shape = SubElement(
        plane,
        f"{{{DIAGRAM}}}BPMNShape",
        {"id": f"{node.get('id')}_di", "bpmnElement": node.get("id", "")},
    )
    if local_name(node) in SCOPES:
        shape.set("isExpanded", "true")
    values = {key: _number(value) for key, value in zip(("x", "y", "width", "height"), box, strict=True)}
    SubElement(shape, f"{{{BOUNDS}}}Bounds", values)


def _line(source: Box, target: Box) -> list[tuple[float, float]]:
    """Return the corners of a line from the right side of one box to the left side of another."""
    x, y = source[0] + source[2], source[1] + source[3] / 2
    to_x, to_y = target[0], target[1] + target[3] / 2
    if y == to_y and to_x >= x:
        return [(x, y), (to_x, to_y)]
    middle = (x + to_x) / 2 if to_x > x else x + _GAP_X / 3
    return [(x, y), (middle, y), (middle, to_y), (to_x, to_y)]


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")
