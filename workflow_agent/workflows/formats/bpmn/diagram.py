"""The diagrams of a document: kept as people drew them, and drawn on where the workflow changed."""

from collections.abc import Sequence
from hashlib import sha256
from heapq import heappop, heappush
from xml.etree.ElementTree import Element

from workflow_agent.values import grouped
from workflow_agent.workflows.formats.bpmn import layout
from workflow_agent.workflows.formats.bpmn.document import MADE_ID, Scope, xml_id
from workflow_agent.workflows.formats.bpmn.elements import SCOPES
from workflow_agent.workflows.formats.bpmn.xml import BOUNDS, LINES, bpmn, in_diagram, local_name, own, xml_text

LAID_OUT = "laid out by workflow_agent"
"""The name of diagrams that are made; while nobody changed them they are made again, and not kept."""
_DIGEST = "documentation"
"""The attribute with the mark of a made diagram: one that BPMN's schema allows there, as it does none of ours."""
_FROM, _TO = own("from"), own("to")
_BETWEEN = 50.0
_FAR = 1e6
_BOX = ("x", "y", "width", "height")


def _made_diagram(process: Element) -> Element:
    diagram = layout.diagram_of(process, layout.placed(Scope(process)))
    diagram.set("name", LAID_OUT)
    diagram.set(_DIGEST, _digest(diagram))
    return diagram


def kept_diagrams(root: Element, process: Element) -> list[str]:
    """Return the diagrams of a document, and take them for its own; none where it has none that people drew.

    What is not drawn of the process is drawn, so that a document is written as it was kept.
    """
    found = drawn_by_people(root)
    if any(one.get(MADE_ID) for one in process.iter()) or not all(map(_is_sensible, found)):
        return []
    sheet = _Sheet(found, root, process)
    if not any(xml_id(node) in sheet.shapes for node in Scope(process).nodes):
        return []
    sheet.fit()
    sheet.mark_ends()
    for one in found:
        if one.get("name") == LAID_OUT:
            one.attrib.pop(_DIGEST, None)
    return [xml_text(one) for one in found]


def diagrams_of(root: Element, process: Element, kept: Sequence[Element]) -> list[Element]:
    """Return the diagrams of a document that is written."""
    found = [one for one in kept if one.tag == in_diagram("BPMNDiagram") and _is_sensible(one)]
    for plane in (plane for one in found for plane in one.iter(in_diagram("BPMNPlane"))):
        if not plane.get("bpmnElement"):
            plane.set("bpmnElement", process.get("id", ""))
    sheet = _Sheet(found, root, process)
    if not sheet.planes:
        return [_made_diagram(process)]
    sheet.fit()
    for line in sheet.lines.values():
        line.attrib.pop(_FROM, None)
        line.attrib.pop(_TO, None)
    return found


def drawn_by_people(root: Element) -> list[Element]:
    """Return the diagrams of a document that were not made here, or changed since."""
    found = root.iter(in_diagram("BPMNDiagram"))
    return [one for one in found if one.get("name") != LAID_OUT or one.get(_DIGEST) != _digest(one)]


def _digest(diagram: Element) -> str:
    """Return a mark of where everything is drawn; tools write the same number in several ways."""
    numbers = [
        f"{one.tag}{round(float(one.get(name, '')))}"
        for one in diagram.iter()
        for name in _BOX
        if _is_number(one.get(name))
    ]
    return sha256("|".join(sorted(numbers)).encode()).hexdigest()[:16]


def _is_number(text: str | None) -> bool:
    try:
        return text is not None and abs(float(text)) < _FAR
    except ValueError:
        return False


def _is_sensible(diagram: Element) -> bool:
    bounds = [[one.get(name) for name in _BOX] for one in diagram.iter(f"{{{BOUNDS}}}Bounds")]
    waypoints = [[one.get("x"), one.get("y")] for one in diagram.iter(f"{{{LINES}}}waypoint")]
    return all(map(_is_number, {value for values in (*bounds, *waypoints) for value in values}))


def _refers_to(drawn: Element) -> str:
    return drawn.get("bpmnElement", "").rpartition(":")[2]


class _Sheet:
    """The diagrams of a document, by what they draw."""

    def __init__(self, diagrams: Sequence[Element], root: Element, process: Element) -> None:
        self._process = process
        ids = {xml_id(one) for part in root if part not in diagrams for one in part.iter()}
        found = [plane for one in diagrams for plane in one.iter(in_diagram("BPMNPlane"))]
        self._planes = found
        self.planes = {_refers_to(plane): plane for plane in found if _refers_to(plane) in ids}
        self._plane_of: dict[str, Element] = {}
        self.shapes: dict[str, Element] = {}
        self.lines: dict[str, Element] = {}
        self._boxes: dict[str, layout.Box] = {}
        self._pools: dict[str, Element] = {}
        for one in root.iter(bpmn("participant")):
            if reference := one.get("processRef", "").rpartition(":")[2]:
                self._pools.setdefault(reference, one)
        for plane in found:
            for drawn in list(plane):
                self._know(drawn, plane, ids)

    def _know(self, drawn: Element, plane: Element, ids: set[str]) -> None:
        local, about = drawn.tag.rpartition("}")[2], _refers_to(drawn)
        if about and about not in ids:
            plane.remove(drawn)
        elif local == "BPMNEdge":
            self.lines.setdefault(about, drawn)
        elif local == "BPMNShape" and (bounds := drawn.find(f"{{{BOUNDS}}}Bounds")) is not None:
            x, y, width, height = (float(bounds.get(name, 0)) for name in _BOX)
            self.shapes.setdefault(about, drawn)
            self._boxes.setdefault(about, (x, y, width, height))
            self._plane_of.setdefault(about, plane)

    def fit(self) -> None:
        """Draw what is not drawn of the process, and lead lines anew whose ends are others."""
        for scope in layout.scopes_in(self._process):
            about = xml_id(scope.container)
            if self._is_drawn(scope, about):
                around = self._plane_of.get(about, next(iter(self.planes.values())))
                plane = self.planes.get(about, around)
                self._fit_shapes(scope, about, plane)
                self._fit_lines(scope, plane)

    def mark_ends(self) -> None:
        """Note at each line what it joins, and call the plane of the process as a workflow of any id can."""
        for scope in layout.scopes_in(self._process):
            for flow in (*scope.flows, *scope.links):
                if (line := self.lines.get(xml_id(flow))) is not None:
                    line.attrib |= {_FROM: flow.get("sourceRef", ""), _TO: flow.get("targetRef", "")}
        if (plane := self.planes.get(self._process.get("id", ""))) is not None:
            plane.set("bpmnElement", "")

    def _is_drawn(self, scope: Scope, about: str) -> bool:
        """Say whether a scope is shown: those of collapsed sub-processes are not."""
        if scope.container is self._process or about in self.planes:
            return bool(self.planes)
        shape = self.shapes.get(about)
        is_open = shape is not None and shape.get("isExpanded") == "true"
        return is_open or any(xml_id(node) in self.shapes for node in scope.nodes)

    def _fit_shapes(self, scope: Scope, about: str, plane: Element) -> None:
        self._place_all(scope)
        new = [node for node in scope.nodes if xml_id(node) not in self.shapes]
        for node in new:
            self._draw(node, plane)
        border = layout.on_the_border(scope, self._boxes)
        for boundary_id, boundary in scope.boundary_of.items():
            if boundary_id not in self.shapes:
                self._boxes[boundary_id] = border[boundary_id]
                self._draw(boundary, plane)
        self._grow(about, [self._boxes[xml_id(node)] for node in new])

    def _draw(self, node: Element, plane: Element) -> None:
        self.shapes[xml_id(node)] = layout.add_shape(plane, node, self._boxes[xml_id(node)])
        self._plane_of[xml_id(node)] = plane

    def _place_all(self, scope: Scope) -> None:
        """Find places for the nodes of a scope that have none: always the first of them that is beside one that has."""
        waiting = {at: node for at, node in enumerate(scope.nodes) if xml_id(node) not in self._boxes}
        if not waiting:
            return
        ends = [(flow.get("sourceRef", ""), flow.get("targetRef", "")) for flow in scope.flows]
        before = [(target, (source, True)) for source, target in ends]
        beside = grouped([*before, *((source, (target, False)) for source, target in ends)])
        number_of = {xml_id(node): at for at, node in waiting.items()}
        room = layout.Room(self._boxes[xml_id(one)] for one in scope.nodes if xml_id(one) in self._boxes)
        ready = [
            at for at, node in waiting.items() if any(one in self._boxes for one, _ in beside.get(xml_id(node), ()))
        ]
        while waiting:
            at = heappop(ready) if ready else next(iter(waiting))
            node = waiting.pop(at, None)
            if node is not None:
                near = beside.get(xml_id(node), ())
                self._place(node, [(self._boxes[one], leads) for one, leads in near if one in self._boxes], room)
                for one, _ in near:
                    if number_of.get(one) in waiting:
                        heappush(ready, number_of[one])

    def _place(self, node: Element, beside: Sequence[tuple[layout.Box, bool]], room: layout.Room) -> None:
        """Find a free place for a node, to the right of what leads to it, or to the left of what it leads to."""
        inner = layout.placed(Scope(node)) if local_name(node) in SCOPES else None
        width, height = layout.outside(inner.boxes.values()) if inner and inner.boxes else layout.size_of(node)
        if beside:
            box, is_before = beside[0]
            x = box[0] + box[2] + _BETWEEN if is_before else box[0] - width - _BETWEEN
            y = box[1] + (box[3] - height) / 2
        else:
            x, y = room.below(_BETWEEN)
        y = room.free((x, y, width, height), _BETWEEN / 2)
        self._boxes[xml_id(node)] = (x, y, width, height)
        if inner:
            self._boxes |= inner.moved(x, y).boxes

    def _grow(self, about: str, inside: Sequence[layout.Box]) -> None:
        """Widen a sub-process or pool in which something was drawn beyond its border."""
        pool = self._pools.get(about)
        shape = self.shapes.get(about if pool is None else xml_id(pool))
        bounds = shape.find(f"{{{BOUNDS}}}Bounds") if shape is not None else None
        if bounds is None or not inside:
            return
        for at, (begin, size) in enumerate((("x", "width"), ("y", "height"))):
            first, last = float(bounds.get(begin, 0)), max(box[at] + box[at + 2] for box in inside)
            if last > first + float(bounds.get(size, 0)):
                bounds.set(size, layout.number(last - first + _BETWEEN))

    def _fit_lines(self, scope: Scope, plane: Element) -> None:
        for flow in (*scope.flows, *scope.links):
            ends = flow.get("sourceRef", ""), flow.get("targetRef", "")
            line = self.lines.get(xml_id(flow))
            if line is not None and (line.get(_FROM, ends[0]), line.get(_TO, ends[1])) == ends:
                continue
            if line is not None:
                next(one for one in self._planes if line in one).remove(line)
            if all(one in self._boxes for one in ends):
                way = layout.straight_line(*(self._boxes[one] for one in ends))
                self.lines[xml_id(flow)] = layout.add_line(plane, flow, way)
