"""What flows and boundary events of BPMN say of a transition, and those that say it."""

from xml.etree.ElementTree import Element

from workflow_agent.domain.durations import is_duration
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Step, Transition
from workflow_agent.formats.bpmn.content import definition_of, words_of
from workflow_agent.formats.bpmn.roots import Roots
from workflow_agent.formats.bpmn.xml import add, bpmn, text_of
from workflow_agent.formats.drafting import fit
from workflow_agent.formats.shapes import text_in

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
        found |= {
            "type": "condition",
            "when": {"expression": text} | ({"language": language} if language else {}),
        }
    return {key: value for key, value in found.items() if value is not None}


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
    return {
        "type": "condition",
        "when": {"text": about.name or fit(element.get("name", "")) or words_of(element)},
    }


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


def deadline_of(boundary: Element, roots: Roots) -> str | None:
    """Return how long the step may take that this boundary event interrupts."""
    about = definition_of(boundary, roots)
    length = about.every.get("timeDuration")
    interrupts = boundary.get("cancelActivity") != "false"
    return length if about.kind == "timer" and interrupts and is_duration(length) else None


def made_link() -> Element:
    """Return the association for a transition that no work flows along."""
    return Element(bpmn("association"), {"associationDirection": "One"})
