"""The start events that stand for triggers, and are no steps."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from xml.etree.ElementTree import Element, SubElement

from pydantic import TypeAdapter, ValidationError

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.bpmn.document import Scope, bare, xml_id
from workflow_agent.workflows.formats.bpmn.elements import NODES, definition_of
from workflow_agent.workflows.formats.bpmn.xml import (
    Roots,
    add,
    bpmn,
    copied,
    local_name,
    own,
    parsed_or_none,
    xml_text,
)
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.fidelity import NOT_SAID, same, unsaid
from workflow_agent.workflows.formats.plain import filled, object_in, without
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.durations import is_duration
from workflow_agent.workflows.model.triggers import Trigger, cron_problem

_SAID_BY = ("name", "implementation", "calledElement", "gatewayDirection", "scriptFormat", "messageRef")
_SAID_IN = (
    "documentation",
    "potentialOwner",
    "humanPerformer",
    "performer",
    "standardLoopCharacteristics",
    "multiInstanceLoopCharacteristics",
    "conditionExpression",
)
Part = Literal["step", "transition", "trigger", "workflow"]


def take_residue(element: Element, part: Part) -> JsonObject:
    """Return the fields that an export put beside an element, and take them out of it."""
    for holder in element.findall(bpmn("extensionElements")):
        for child in holder.findall(own(part)):
            fields = _json_object(child.text or "")
            if fields is not None:
                holder.remove(child)
                if not len(holder):
                    element.remove(holder)
                return fields
    return {}


def _json_object(text: str) -> JsonObject | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        fields = object_in(read_text(text))
    except UnreadableDocument:
        return None
    return without(fields, *NOT_SAID) or None


def put_residue(element: Element, part: Part, wanted: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    """Put beside an element the fields of the model that it does not say; None for what it says too much."""
    write_residue(element, part, unsaid(wanted, said))


def write_residue(element: Element, part: Part, fields: JsonObject) -> None:
    """Put these fields beside an element, where there are any."""
    if fields:
        SubElement(extensions_of(element), own(part)).text = json.dumps(fields)


def extensions_of(element: Element) -> Element:
    """Return what holds the extensions of an element, made where there is none."""
    holder = element.find(bpmn("extensionElements"))
    if holder is None:
        holder = Element(bpmn("extensionElements"))
        element.insert(len(element.findall(bpmn("documentation"))), holder)
    return holder


def settled(
    made: Element, kept: object, said: Callable[[Element], Mapping[str, Any]], wanted: Mapping[str, Any]
) -> Element:
    """Return the element that was read, where it still says the same, else the one made with what was beside.

    Args:
        made: From the model as it is now.
        kept: The text of the element that was read; anything, where somebody changed it.
        said: What an element says; it is asked of both.
        wanted: The fields of the model, of which an element made from them may say too little.
    """
    original = parsed_or_none(kept)
    if original is None or not local_name(original):
        return made
    told = said(made)
    if local_name(original) == local_name(made) or {local_name(original), local_name(made)} <= NODES.keys():
        for element in (original, _renamed(original, made)):
            if _is_true(said(element), told, wanted):
                return element
    if local_name(original) == local_name(made):
        return _changed(original, made)
    made = copied(made)
    made.attrib.update({key: value for key, value in original.items() if key.startswith("{")})
    for holder in original.findall(bpmn("extensionElements")):
        made.insert(len(made.findall(bpmn("documentation"))), holder)
    return made


def _is_true(told: Mapping[str, Any], made: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Say whether an element says what one made from the model does, or what the model has."""
    return all(
        same(told.get(name), made.get(name)) or same(told.get(name), wanted.get(name)) for name in {**told, **made}
    )


def _renamed(original: Element, made: Element) -> Element:
    """Return the element that was read, with the name and the documentation of the one made."""
    element = copied(original, without=[bpmn("documentation")])
    element.attrib.pop("name", None)
    if name := made.get("name"):
        element.set("name", name)
    for at, documentation in enumerate(made.findall(bpmn("documentation"))):
        element.insert(at, documentation)
    return element


def _changed(original: Element, made: Element) -> Element:
    """Return an element as made, with all of the original that the model says nothing of."""
    whole = Element(made.tag, without(original.attrib, *_SAID_BY))
    whole.attrib.update(made.attrib)
    left = [e for e in original if local_name(e) not in _SAID_IN and not local_name(e).endswith("EventDefinition")]
    first = [e for e in made if local_name(e) == "documentation"]
    first += [e for e in left if local_name(e) == "extensionElements"]
    whole.extend(first)
    whole.extend(e for e in (*left, *made) if e not in first)
    return whole


_TRIGGER: TypeAdapter[Any] = TypeAdapter(Trigger)


def plain_trigger(trigger: Any) -> JsonObject | None:
    """Return a trigger in its one plain form, or None where it is none."""
    try:
        plain: JsonObject = _TRIGGER.validate_python(trigger).as_plain()
    except ValidationError:
        return None
    return plain


@dataclass(frozen=True, slots=True)
class Starts:
    """Start events from which one flow each leads to one and the same step."""

    roots: Roots
    found: Sequence[tuple[Element, Element, JsonObject | None]] = ()
    """Each with its flow and its trigger."""

    @property
    def target(self) -> str | None:
        """The id of the element that they lead to."""
        return self.found[0][1].get("targetRef") if self.found else None

    @property
    def elements(self) -> frozenset[str]:
        """The ids of the events."""
        return frozenset(xml_id(start) for start, _, _ in self.found)

    @property
    def triggers(self) -> list[JsonObject]:
        """What starts the workflow."""
        return [trigger for _, _, trigger in self.found if trigger is not None]

    def kept(self, step_id: str | None) -> list[JsonObject] | None:
        """Return what to keep of them; None where the same would be made of the triggers alone."""
        kept = [self._kept(start, flow, trigger) for start, flow, trigger in self.found]
        made = plain_starts(self.triggers, step_id)
        for one in made:
            one["xml"] = xml_text(made_start(one["trigger"] or {}, self.roots))
            one["flow"]["xml"] = _FLOW
        return None if kept == made else kept

    def _kept(self, start: Element, flow: Element, trigger: JsonObject | None) -> JsonObject:
        start_id = start.get("id") or "Start"
        link = {"id": flow.get("id") or start_flow_id(start_id), "xml": xml_text(bare(flow, *OF_FLOW))}
        return {"id": start_id, "xml": xml_text(bare(start, "id")), "flow": link, "trigger": trigger}


_FLOW = xml_text(Element(bpmn("sequenceFlow")))
OF_FLOW = ("id", "sourceRef", "targetRef")
"""The attributes of a flow that are about its place, and are made anew."""


def plain_starts(triggers: Sequence[JsonObject | None], step_id: str | None) -> list[JsonObject]:
    """Return what is to be made for triggers: a start event each of a process, or one of the scope of a step."""
    first = "Start" if step_id is None else f"Start-{step_id}"
    names = [first, *(f"{first}_{number}" for number in range(2, len(triggers) + 1))]
    named = zip(names, triggers or [None], strict=True)
    return [{"id": name, "trigger": trigger, "flow": {"id": start_flow_id(name)}} for name, trigger in named]


def start_flow_id(start: str) -> str:
    """Return how the flow from a start event is called that is made."""
    return f"Flow-{start}"


def said_starts(scope: Scope, roots: Roots, *, is_inside: bool) -> Starts:
    """Return the start events of a scope that need not be steps; none where one of them must be."""
    events = [node for node in scope.nodes if local_name(node) == "startEvent"]
    ids = set(map(xml_id, events))
    leading = {one: [f for f in scope.flows if f.get("sourceRef") == one] for one in ids}
    targets = {flow.get("targetRef") for flows in leading.values() for flow in flows}
    is_plain = all(len(flows) == 1 and not len(flows[0]) for flows in leading.values())
    is_entered = any(flow.get("targetRef") in ids for flow in scope.flows)
    is_linked = any({link.get("sourceRef"), link.get("targetRef")} & ids for link in scope.links)
    is_joined = is_entered or is_linked or bool(ids & scope.boundaries.keys())
    if not is_plain or len(targets) != 1 or is_joined or (is_inside and len(events) > 1):
        return Starts(roots)
    return Starts(roots, [(event, leading[xml_id(event)][0], _taken_trigger(event, roots)) for event in events])


def _taken_trigger(event: Element, roots: Roots) -> JsonObject | None:
    residue, said = take_residue(event, "trigger"), said_trigger(event, roots) or {}
    trigger = plain_trigger(said | filled(residue)) if residue else None
    return trigger or plain_trigger(said)


def natural_start(scope: Scope, left_out: frozenset[str]) -> str:
    """Return the id of the node that a scope begins with where no start event says so; some are no steps."""
    entered = {flow.get("targetRef") for flow in scope.flows if flow.get("sourceRef") not in left_out}
    entered |= {xml_id(catch) for _, catch in scope.link_pairs()}
    nodes = [node for node in scope.nodes if xml_id(node) not in left_out]
    ranked = [node for node in nodes if local_name(node) == "startEvent"]
    free = [node for node in nodes if xml_id(node) not in entered]
    # An event sub-process begins when something happens, not when the scope does.
    ranked += sorted(free, key=lambda node: node.get("triggeredByEvent") == "true")
    return xml_id((ranked or nodes)[0])


def said_trigger(start: Element, roots: Roots) -> JsonObject | None:
    """Return the trigger a start event stands for; None where nothing in particular starts it."""
    about = definition_of(start, roots)
    if about.kind == "timer":
        cycle = about.every.get("timeCycle", "")
        if cycle and len(cycle) <= 200 and cron_problem(cycle) is None:
            return {"type": "schedule", "cron": cycle}
        cycle = cycle.rpartition("/")[2]
        return {"type": "schedule", "every": cycle} if is_duration(cycle) else None
    name = about.name or fit(start.get("name", ""))
    return {"type": "event", "event": name} if about.kind and name else None


def made_start(trigger: Mapping[str, Any], roots: Roots) -> Element:
    """Return the start event for a trigger, from the model alone."""
    element = Element(bpmn("startEvent"))
    if trigger.get("type") == "schedule":
        timer = add(element, "timerEventDefinition")
        every = trigger.get("every")
        add(timer, "timeCycle", f"R/{every}" if every else str(trigger.get("cron")))
    elif trigger.get("type") == "event":
        add(element, "messageEventDefinition", messageRef=roots.named("message", str(trigger["event"])))
    return element
