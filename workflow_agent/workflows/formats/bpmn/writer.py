"""A workflow as a BPMN document."""

import re
from collections.abc import Container, Mapping, Sequence
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

from workflow_agent.values import grouped
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Report
from workflow_agent.workflows.formats.bpmn import document, events
from workflow_agent.workflows.formats.bpmn.diagram import diagrams_of
from workflow_agent.workflows.formats.bpmn.document import Translation, xml_id
from workflow_agent.workflows.formats.bpmn.edges import EdgeWriter, deadline_among
from workflow_agent.workflows.formats.bpmn.elements import SCOPES, made, said
from workflow_agent.workflows.formats.bpmn.xml import Roots, all_parsed, bpmn, local_name, parsed_or_none, xml_text
from workflow_agent.workflows.formats.fidelity import kept_in
from workflow_agent.workflows.formats.flow import Flow
from workflow_agent.workflows.formats.plain import list_in, object_in, without
from workflow_agent.workflows.model.parser import take_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

_XML_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]{0,200}")
_PREFIX = re.compile(r"(?!xml)[A-Za-z_][A-Za-z0-9_.\-]{0,60}")
_ATTRIBUTE = re.compile(rf"(\{{[^{{}}\s]{{1,500}}\}})?{_XML_ID.pattern}")
_AFTER_FLOW = ("textAnnotation", "association", "group", "resourceRole", "correlationSubscription", "supports")
_TOP = ("aliases", "tags", "automations")


def without_diagrams(text: str) -> str:
    """Return a document that was written here without its diagrams, which come last."""
    end, _, _ = text.rpartition("</bpmn:process>")
    return f"{end}</bpmn:process></bpmn:definitions>"


def undrawn(workflow: Workflow, format_name: str) -> Workflow:
    """Return a workflow without what is kept of its diagrams, and the prefixes that may be in them alone."""
    kept = kept_in(workflow.extensions, format_name)
    left = without(kept, "diagrams", "prefixes")
    others = without(workflow.extensions, format_name)
    return workflow.model_copy(update={"extensions": {**others, format_name: left} if left else others})


class BpmnWriter:
    """Writes one workflow, once."""

    def __init__(self, workflow: Workflow, format_name: str) -> None:
        self._workflow = workflow
        self.report = Report()
        """What was lost, once the document is written."""
        self._kept = kept_in(workflow.extensions, format_name)
        self._taken = {"Diagram_1", "Plane_1", "Definitions_1"}
        self._others = all_parsed(self._kept.get("roots"))
        self._taken |= {e.get("id", "") for one in self._others for e in one.iter()}
        self._written = workflow_document(workflow)
        self._documents: Mapping[str, JsonObject] = {step["id"]: step for step in self._written["steps"]}
        self._flow = Flow(workflow, format_name)
        self._ids = {step.id: self._id(self._flow.kept(step).get("id"), step.id) for step in workflow.steps}
        self._roots = Roots(self._others, self._taken)
        transitions = {edge["id"]: edge for edge in self._written["transitions"]}
        self._edges = EdgeWriter(self._flow, transitions, self._ids, self._roots, self._id)
        scopes = {step.id: step.parent for step in workflow.steps}
        within = (edge for edge in workflow.transitions if scopes[edge.from_] == scopes[edge.to])
        self._within = grouped((scopes[edge.from_], edge) for edge in within)
        self._lanes: dict[str, str] = {}

    def _id(self, kept: object, wanted: str) -> str:
        if not isinstance(kept, str) or not _XML_ID.fullmatch(kept) or kept in self._taken:
            return take_id(wanted if _XML_ID.fullmatch(wanted) else f"_{wanted}", self._taken)
        self._taken.add(kept)
        return kept

    def text(self, translate: Translation | None) -> str:
        """Return the document of the workflow."""
        process = self.process()
        given = object_in(self._kept.get("definitions"))
        attributes = {k: v for k, v in given.items() if isinstance(v, str) and _ATTRIBUTE.fullmatch(k)}
        root = Element(bpmn("definitions"), attributes or document.DEFINITIONS)
        referred = {value for one in process.iter() for value in one.attrib.values()}
        root.extend([*self._others, *(one for one in self._roots.made if one.get("id") in referred), process])
        for lost in document.prune_references(root):
            self.report.lose(lost.pointer, f"{lost.message}; it is left out")
        root.extend(diagrams_of(root, process, all_parsed(self._kept.get("diagrams"))))
        if translate is not None:
            translate(root)
        prefixes = object_in(self._kept.get("prefixes"))
        declared = {k: v for k, v in prefixes.items() if isinstance(v, str) and _PREFIX.fullmatch(k)}
        return xml_text(root, pretty=True, declared=declared)

    def process(self) -> Element:
        """Return the process of the workflow alone, without its diagram and without looking at what is lost."""
        workflow = self._workflow
        plain, written = document.made_shell(workflow.name, workflow.description), self._written
        process = events.settled(plain, self._kept.get("process"), document.said_shell, written)
        if local_name(process) != "process":
            process = plain
        process.set("id", self._id(self._kept.get("id"), workflow.id))
        if any(local_name(one) == "process" for one in self._others):
            process.set(document.MAIN, "true")
        residue = {name: written[name] for name in _TOP if written[name]}
        events.put_residue(process, "workflow", residue | {"name": workflow.name}, {"name": workflow.name})
        self._lanes = document.lanes_of(process)
        self._fill(process, None)
        document.prune_lanes(process)
        return process

    def _fill(self, container: Element, parent: str | None) -> None:
        """Put into a process or sub-process the steps of its scope, and what joins them."""
        members = self._flow.children.get(parent, [])
        attached: dict[str, list[Element]] = {}
        within = [edge for edge in self._within.get(parent, []) if not self._is_link(edge)]
        edge_elements = [(edge, self._edges.placed(edge, attached)) for edge in within]
        for one in (one for step in members for one in self._silent(step)):
            attached.setdefault(one.get("attachedToRef", ""), []).append(one)
        boundaries = [one for ones in attached.values() for one in ones]
        flows = [one for _, one in edge_elements if local_name(one) == "sequenceFlow"]
        starts, start_flows = self._starts(members, flows, parent)
        joins = document.joins_among([*start_flows, *flows])
        nodes = [self._node(step, attached, joins) for step in members]
        sources = {xml_id(one): one for one in (*nodes, *boundaries)}
        for edge, element in edge_elements:
            self._edges.settle(edge, element, sources[element.get("sourceRef", "")])
        _tell_ends({**sources, **{xml_id(one): one for one in starts}}, [*start_flows, *flows])
        links = [one for _, one in edge_elements if local_name(one) == "association"]
        at = next((i for i, one in enumerate(container) if local_name(one) in _AFTER_FLOW), len(container))
        for child in reversed([*starts, *nodes, *boundaries, *start_flows, *flows, *links]):
            container.insert(at, child)

    def _is_link(self, edge: Transition) -> bool:
        """Say whether a transition is what two link events say already."""
        if self._flow.kept(edge).get("link") is not True:
            return False
        steps = (self._flow.steps[edge.from_], self._flow.steps[edge.to])
        ends = [parsed_or_none(self._flow.kept(one).get("xml")) for one in steps]
        return all(one is not None and one.find(bpmn("linkEventDefinition")) is not None for one in ends)

    def _node(self, step: Step, attached: Mapping[str, Sequence[Element]], joins: Container[str]) -> Element:
        element_id, kept = self._ids[step.id], self._flow.kept(step)
        has_inside = step.id in self._flow.children
        deadline = deadline_among(attached.get(element_id, ()), self._roots)
        lane = self._lanes.get(element_id)
        speaks = partial(said, roots=self._roots, is_join=element_id in joins, deadline=deadline, lane=lane)
        plain, written = made(step, self._roots, has_inside=has_inside), self._documents[step.id]
        is_usable = not has_inside or self._is_kept_as(step, *SCOPES)
        element = events.settled(plain, kept.get("xml") if is_usable else None, speaks, written)
        element.set("id", element_id)
        events.put_residue(element, "step", written, speaks(element))
        if has_inside:
            self._fill(element, step.id)
        return element

    def _is_kept_as(self, step: Step, *locals_: str) -> bool:
        return parsed_or_none(self._flow.kept(step).get("xml"), *locals_) is not None

    def _silent(self, step: Step) -> list[Element]:
        found = all_parsed(self._flow.kept(step).get("boundaries"), "boundaryEvent")
        for one in found:
            one.set("id", self._id(one.get("id"), "Boundary"))
            one.set("attachedToRef", self._ids[step.id])
        return found

    def _starts(
        self, members: Sequence[Step], flows: Sequence[Element], parent: str | None
    ) -> tuple[list[Element], list[Element]]:
        """Return the start events of a scope, and the flows from them to where it begins."""
        first = self._first(members, flows, parent)
        kept = self._kept if parent is None else self._flow.kept(self._flow.steps[parent])
        given = [object_in(one) for one in list_in(kept.get("starts"))]
        if kept.get("starts") == [] and first is None:
            return [], []
        first = first or self._natural(members, flows).id
        triggers = [events.plain_trigger(one.model_dump(by_alias=True)) for one in self._workflow.triggers]
        wanted = triggers if parent is None else []
        known = [t for one in given if (t := events.plain_trigger(one.get("trigger")))]
        if not given or (parent is None and known != wanted):
            given = events.plain_starts(wanted, parent)
        made_ones = [self._start(one, first) for one in given]
        return [event for event, _ in made_ones], [flow for _, flow in made_ones]

    def _start(self, given: Mapping[str, Any], first: str) -> tuple[Element, Element]:
        trigger = events.plain_trigger(given.get("trigger"))
        event = parsed_or_none(given.get("xml"), "startEvent")
        if event is None:
            event = events.made_start(trigger or {}, self._roots)
        events.put_residue(event, "trigger", trigger or {}, events.said_trigger(event, self._roots) or {})
        event.set("id", self._id(given.get("id"), "Start"))
        link = object_in(given.get("flow"))
        flow = parsed_or_none(link.get("xml"), "sequenceFlow")
        if flow is None or len(flow):
            flow = Element(bpmn("sequenceFlow"))
        flow.set("id", self._id(link.get("id"), events.start_flow_id(xml_id(event))))
        flow.set("sourceRef", xml_id(event))
        flow.set("targetRef", self._ids[first])
        return event, flow

    def _first(self, members: Sequence[Step], flows: Sequence[Element], parent: str | None) -> str | None:
        """Return the step a scope begins with; None where that is plain from the flows alone."""
        inside = {step.id for step in members}
        if parent is not None:
            entering = (e.to for e in self._workflow.transitions if e.from_ == parent and e.to in inside)
            return next(entering, None)
        start = self._flow.start
        return None if start == self._natural(members, flows).id else start

    def _natural(self, members: Sequence[Step], flows: Sequence[Element]) -> Step:
        """Return the step that a reader takes for the first where no start event says so."""
        entered = {flow.get("targetRef") for flow in flows}
        inside = {step.id for step in members}
        entered |= {self._ids[e.to] for e in self._workflow.transitions if e.to in inside and self._is_link(e)}
        starting = [step for step in members if step.type == "event" and self._is_kept_as(step, "startEvent")]
        free = [step for step in members if self._ids[step.id] not in entered]
        free.sort(key=lambda step: step.type == "event" and step.id in self._flow.children)
        return (starting + free or [*members])[0]


_HEADS = ("documentation", "extensionElements", "auditing", "monitoring", "categoryValueRef")


def _tell_ends(elements: Mapping[str, Element], flows: Sequence[Element]) -> None:
    """Say in each element which flows lead to it and from it; engines read that and not the flows."""
    ends = (("incoming", "targetRef"), ("outgoing", "sourceRef"))
    pairs = ((flow.get(end, ""), (local, xml_id(flow))) for local, end in ends for flow in flows)
    for element_id, told in grouped(pairs).items():
        element = elements[element_id]
        at = sum(local_name(child) in _HEADS for child in element)
        for local, flow_id in reversed(told):
            reference = Element(bpmn(local))
            reference.text = flow_id
            element.insert(at, reference)
