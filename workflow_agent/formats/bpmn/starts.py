"""The start events that stand for triggers, and are no steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

from pydantic import TypeAdapter, ValidationError

from workflow_agent.domain.durations import is_duration
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Trigger, cron_problem
from workflow_agent.formats.bpmn.content import definition_of
from workflow_agent.formats.bpmn.document import Scope, bare, xml_id
from workflow_agent.formats.bpmn.residue import take_residue
from workflow_agent.formats.bpmn.roots import Roots
from workflow_agent.formats.bpmn.xml import add, bpmn, local_name, xml_text
from workflow_agent.formats.drafting import fit

_TRIGGER: TypeAdapter[Any] = TypeAdapter(Trigger)


def plain_trigger(trigger: Any) -> JsonObject | None:
    """Return a trigger in its one plain form, or None where it is none."""
    try:
        read = _TRIGGER.validate_python(trigger)
    except ValidationError:
        return None
    plain: JsonObject = read.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return plain


@dataclass(frozen=True, slots=True)
class Starts:
    """Start events from which one flow each leads to one and the same step."""

    scope: Scope
    roots: Roots
    found: list[tuple[Element, Element, JsonObject | None]] = field(
        default_factory=list[tuple[Element, Element, JsonObject | None]]
    )
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

    def kept(self, step_id: str | None, bounds: Mapping[str, list[float]]) -> list[JsonObject] | None:
        """Return what to keep of them; None where the same would be made of the triggers alone."""
        kept = [self._kept(start, flow, trigger, bounds) for start, flow, trigger in self.found]
        made: list[JsonObject] = []
        names = start_ids(max(1, len(self.triggers)), step_id)
        for name, trigger in zip(names, self.triggers or [None], strict=True):
            event = xml_text(made_start(trigger or {}, self.roots))
            link = {"id": start_flow_id(name), "xml": _FLOW}
            made.append({"id": name, "xml": event, "flow": link, "trigger": trigger})
        return None if kept == made else kept

    def _kept(
        self, start: Element, flow: Element, trigger: JsonObject | None, bounds: Mapping[str, list[float]]
    ) -> JsonObject:
        link = {
            "id": flow.get("id") or start_flow_id(start.get("id") or "Start"),
            "xml": xml_text(bare(flow, "id", "sourceRef", "targetRef")),
        }
        event = {
            "id": start.get("id") or "Start",
            "xml": xml_text(bare(start, "id")),
            "flow": link,
            "trigger": trigger,
        }
        return event | ({"bounds": bounds[xml_id(start)]} if xml_id(start) in bounds else {})


_FLOW = xml_text(Element(bpmn("sequenceFlow")))


def start_ids(count: int, step_id: str | None) -> list[str]:
    """Return how the start events are called that are made for a process, or for the scope of a step."""
    first = "Start" if step_id is None else f"Start-{step_id}"
    return [first, *(f"{first}_{number}" for number in range(2, count + 1))]


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
    is_linked = any({link.get("sourceRef"), link.get("targetRef")} & ids for link in scope.links)
    if not is_plain or len(targets) != 1 or targets & ids or is_linked or ids & scope.boundaries.keys():
        return Starts(scope, roots)
    if is_inside and len(events) > 1:
        return Starts(scope, roots)
    found = Starts(scope, roots)
    for event in events:
        residue = take_residue(event, "trigger")
        said = said_trigger(event, roots) or {}
        trigger = (
            plain_trigger(said | {k: v for k, v in residue.items() if v is not None}) if residue else None
        )
        found.found.append((event, leading[xml_id(event)][0], trigger or plain_trigger(said)))
    return found


def natural_start(scope: Scope, nodes: list[Element]) -> str:
    """Return the id of the node that a scope begins with where no start event says so."""
    entered = {flow.get("targetRef") for flow in scope.flows}
    ranked = [node for node in nodes if local_name(node) == "startEvent"]
    ranked += [node for node in nodes if xml_id(node) not in entered]
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
