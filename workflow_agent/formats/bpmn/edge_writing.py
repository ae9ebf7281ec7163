"""The flows, associations and boundary events for the transitions of a workflow."""

from collections.abc import Callable, Mapping, Sequence
from xml.etree.ElementTree import Element

from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Step, Transition
from workflow_agent.formats.bpmn.document import xml_id
from workflow_agent.formats.bpmn.edges import made_boundary, made_flow, made_link, said_boundary, said_flow
from workflow_agent.formats.bpmn.residue import put_residue, settled
from workflow_agent.formats.bpmn.roots import Roots
from workflow_agent.formats.bpmn.xml import bpmn, local_name, parsed_or_none
from workflow_agent.formats.keeping import kept_in
from workflow_agent.formats.shapes import object_in

_NO_DEFAULT = ("Event", "parallelGateway", "eventBasedGateway")


class EdgeWriter:
    """Makes the elements of transitions, between elements whose ids are known."""

    def __init__(
        self,
        steps: Mapping[str, Step],
        ids: Mapping[str, str],
        roots: Roots,
        allocate: Callable[[object, str], str],
        format_name: str,
    ) -> None:
        self._steps = steps
        self._ids = ids
        self._roots = roots
        self._allocate = allocate
        self._format_name = format_name

    def placed(self, edge: Transition, boundaries: list[Element]) -> Element:
        """Return the flow or association for a transition, with its ends; its content comes later."""
        kept = kept_in(edge.extensions, self._format_name)
        boundary = self._boundary(edge, object_in(kept.get("boundary")), boundaries)
        is_link = edge.type == "data" or (boundary is not None and _is_compensating(boundary))
        element = Element(bpmn("association" if is_link else "sequenceFlow"))
        element.set("id", self._allocate(kept.get("id"), edge.id))
        source = self._ids[edge.from_] if boundary is None else xml_id(boundary)
        element.set("sourceRef", source)
        element.set("targetRef", self._ids[edge.to])
        return element

    def _boundary(self, edge: Transition, kept: JsonObject, known: list[Element]) -> Element | None:
        """Return the boundary event a transition leaves from, made where there is none; None for no event."""
        step = self._steps[edge.from_]
        host = self._ids[edge.from_]
        same_id = (one for one in known if xml_id(one) == kept.get("id") and one.get("attachedToRef") == host)
        before = next(same_id, None)
        if before is not None and _leaves(edge, before, self._roots):
            return before
        original = parsed_or_none(kept.get("xml"))
        if (
            original is not None
            and local_name(original) == "boundaryEvent"
            and _leaves(edge, original, self._roots)
        ):
            element = original
        elif edge.type in ("error", "compensation"):
            element = made_boundary(edge, step, self._roots)
        else:
            return None
        element.set("id", self._allocate(kept.get("id"), f"Boundary-{edge.id}"))
        element.set("attachedToRef", host)
        known.append(element)
        return element

    def settle(
        self, edge: Transition, element: Element, nodes: Sequence[Element], boundaries: Sequence[Element]
    ) -> None:
        """Give a flow its content, now that the elements it joins are there."""
        kept = kept_in(edge.extensions, self._format_name)
        source = element.get("sourceRef", "")
        boundary = next((one for one in boundaries if xml_id(one) == source), None)
        node = next((one for one in nodes if xml_id(one) == source), None)
        is_default = edge.type == "default" and node is not None and _may_have_default(node)
        if is_default and node is not None:
            node.set("default", xml_id(element))

        def speaks(one: Element) -> JsonObject:
            return said_flow(one, is_default=is_default)

        if local_name(element) == "association":
            original = parsed_or_none(kept.get("xml"))
            is_link = original is not None and local_name(original) == "association"
            content = original if is_link and original is not None else made_link()
            told: JsonObject = {"type": "data"}
        else:
            plain_flow = made_flow(edge, leaves_event=boundary is not None)
            content = settled(plain_flow, kept.get("xml"), speaks)
            content = content if local_name(content) == "sequenceFlow" else plain_flow
            told = speaks(content)
        if boundary is not None:
            told = said_boundary(boundary, self._roots) | {k: v for k, v in told.items() if k != "type"}
        element.attrib = {**content.attrib, **element.attrib}
        element.extend(content)
        plain = edge.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        put_residue(element, "transition", {"type": edge.type, **plain}, {"type": "sequence"} | told)


def _is_compensating(boundary: Element) -> bool:
    return boundary.find(bpmn("compensateEventDefinition")) is not None


def _leaves(edge: Transition, boundary: Element, roots: Roots) -> bool:
    """Say whether a transition is one of those that leave from a boundary event."""
    told = said_boundary(boundary, roots)
    if told["type"] != edge.type or tuple(told.get("errors", ())) != edge.errors:
        return False
    when = edge.when.model_dump(exclude_defaults=True) if edge.when else None
    return edge.type != "condition" or told.get("when") == when


def _may_have_default(node: Element) -> bool:
    return not node.get("default") and not local_name(node).endswith(_NO_DEFAULT)
