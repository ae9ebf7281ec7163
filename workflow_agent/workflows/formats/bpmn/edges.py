"""What flows and boundary events of BPMN say of a transition, and those that say it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.bpmn.document import xml_id
from workflow_agent.workflows.formats.bpmn.elements import definition_of, words_of
from workflow_agent.workflows.formats.bpmn.events import put_residue, settled
from workflow_agent.workflows.formats.bpmn.xml import Roots, add, bpmn, local_name, parsed_or_none, text_of
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.flow import Flow
from workflow_agent.workflows.formats.plain import filled, object_in, text_in, without
from workflow_agent.workflows.model.durations import is_duration
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

TIMEOUT = "timeout"
"""How the error is called that a boundary timer stands for."""


def said_flow(element: Element, *, is_default: bool) -> JsonObject:
    """Return the fields of a transition that a sequence flow says."""
    condition = element.find(bpmn("conditionExpression"))
    text = text_in(text_of(element, "conditionExpression"))
    found: JsonObject = {"label": text_in(element.get("name"))}
    if is_default:
        found["type"] = "default"
    elif condition is not None and text:
        language = fit(condition.get("language", ""))
        found |= {"type": "condition", "when": {"expression": text} | ({"language": language} if language else {})}
    return filled(found)


def made_flow(edge: Transition, *, leaves_event: bool) -> Element:
    """Return the sequence flow for a transition, from the model alone; an event is its own condition."""
    element = Element(bpmn("sequenceFlow"), {"name": edge.label} if edge.label else {})
    if leaves_event and edge.type == "condition":
        return element
    when = edge.when
    said_when = "" if when is None else when.text or "" if when.expression is None else when.formula
    if when is not None and said_when.strip():
        add(element, "conditionExpression", said_when, language=when.language or "")
    return element


def said_boundary(element: Element, roots: Roots) -> JsonObject:
    """Return the fields of a transition that the boundary event says from which it leaves."""
    about = definition_of(element, roots)
    if about.kind == "compensate":
        return {"type": "compensation"}
    if about.kind == "timer":
        return {"type": "error", "errors": [TIMEOUT]}
    if about.kind in ("error", "escalation", "cancel"):
        return {"type": "error"} | ({"errors": [about.name]} if about.name else {})
    return {"type": "condition", "when": {"text": about.name or fit(element.get("name", "")) or words_of(element)}}


def made_boundary(edge: Transition, step: Step, roots: Roots) -> Element:
    """Return the boundary event from which an error or compensation transition leaves its step."""
    element = Element(bpmn("boundaryEvent"))
    if edge.type == "compensation":
        add(element, "compensateEventDefinition")
    elif edge.errors == (TIMEOUT,) and step.timeout:
        add(add(element, "timerEventDefinition"), "timeDuration", step.timeout)
    else:
        named = roots.named("error", edge.errors[0]) if len(edge.errors) == 1 else ""
        add(element, "errorEventDefinition", errorRef=named)
    return element


def deadline_among(boundaries: Iterable[Element], roots: Roots) -> str | None:
    """Return how long a step may take until one of its boundary events interrupts it; the first that says so."""
    for boundary in boundaries:
        about = definition_of(boundary, roots)
        length = about.every.get("timeDuration")
        if about.kind == "timer" and boundary.get("cancelActivity") != "false" and is_duration(length):
            return length
    return None


def made_link() -> Element:
    """Return the association for a transition that no work flows along."""
    return Element(bpmn("association"), {"associationDirection": "One"})


def plain_edge(edge: Transition, boundary: Element | None) -> Element:
    """Return the flow or association for a transition, from the model alone, and the event it leaves from."""
    if edge.type == "data" or (boundary is not None and boundary.find(bpmn("compensateEventDefinition")) is not None):
        return made_link()
    return made_flow(edge, leaves_event=boundary is not None)


_NO_DEFAULT = ("Event", "parallelGateway", "eventBasedGateway")


@dataclass(frozen=True, slots=True)
class EdgeWriter:
    """Makes the elements of transitions, between elements whose ids are known."""

    flow: Flow
    documents: Mapping[str, JsonObject]
    ids: Mapping[str, str]
    roots: Roots
    allocate: Callable[[object, str], str]

    def placed(self, edge: Transition, attached: dict[str, list[Element]]) -> Element:
        """Return the flow or association for a transition, with its ends; its content comes later."""
        kept = self.flow.kept(edge)
        known = attached.setdefault(self.ids[edge.from_], [])
        boundary = self._boundary(edge, kept, known)
        read = parsed_or_none(kept.get("xml"), "sequenceFlow", "association") if boundary is not None else None
        made_id = self.allocate(kept.get("id"), edge.id)
        source = self.ids[edge.from_] if boundary is None else xml_id(boundary)
        tag = (plain_edge(edge, boundary) if read is None else read).tag
        return Element(tag, {"id": made_id, "sourceRef": source, "targetRef": self.ids[edge.to]})

    def _boundary(self, edge: Transition, kept_edge: JsonObject, known: list[Element]) -> Element | None:
        """Return the boundary event a transition leaves from, made where there is none; None for no event."""
        kept = object_in(kept_edge.get("boundary"))
        before = next((one for one in known if xml_id(one) == kept.get("id")), None)
        flow = parsed_or_none(kept_edge.get("xml"))
        own = {} if flow is None else said_flow(flow, is_default=False)
        if before is not None and _leaves(edge, before, own, self.roots):
            return before
        element = parsed_or_none(kept.get("xml"), "boundaryEvent")
        if element is None or not _leaves(edge, element, own, self.roots):
            if edge.type not in ("error", "compensation"):
                return None
            element = made_boundary(edge, self.flow.steps[edge.from_], self.roots)
        element.set("id", self.allocate(kept.get("id"), f"Boundary-{edge.id}"))
        element.set("attachedToRef", self.ids[edge.from_])
        known.append(element)
        return element

    def settle(self, edge: Transition, element: Element, source: Element) -> None:
        """Give a flow its content, now that the step or boundary event it leaves is there."""
        kept = self.flow.kept(edge)
        boundary = source if local_name(source) == "boundaryEvent" else None
        may_have_default = not source.get("default") and not local_name(source).endswith(_NO_DEFAULT)
        is_default = edge.type == "default" and boundary is None and may_have_default
        if is_default:
            source.set("default", xml_id(element))
        wanted: JsonObject = {"type": edge.type, **self.documents[edge.id]}

        def speaks(one: Element) -> JsonObject:
            return said_flow(one, is_default=is_default)

        if local_name(element) == "association":
            original = parsed_or_none(kept.get("xml"), "association")
            content = made_link() if original is None else original
            told: JsonObject = {"type": "data"}
        else:
            plain_flow = made_flow(edge, leaves_event=boundary is not None)
            content = settled(plain_flow, kept.get("xml"), speaks, wanted)
            content = content if local_name(content) == "sequenceFlow" else plain_flow
            told = speaks(content)
        if boundary is not None:
            told = said_boundary(boundary, self.roots) | without(told, "type")
        element.attrib = {**content.attrib, **element.attrib}
        element.extend(content)
        put_residue(element, "transition", wanted, {"type": "sequence"} | told)


def _leaves(edge: Transition, boundary: Element, own: JsonObject, roots: Roots) -> bool:
    """Say whether a transition leaves from a boundary event; what the flow itself says stands before the event's."""
    told = said_boundary(boundary, roots)
    if told["type"] != edge.type or tuple(told.get("errors", ())) != edge.errors:
        return False
    when = edge.when.model_dump(mode="json", exclude_defaults=True) if edge.when else None
    return edge.type != "condition" or (told | own).get("when") == when
