"""BPMN 2.0, the diagrams of business processes, in XML: its formats, and how their documents are read."""

import re
from typing import Any, ClassVar
from xml.etree.ElementTree import Element

from typing_extensions import override

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Exported, Format, Imported, unreadable
from workflow_agent.workflows.formats.bpmn.camunda import into_bpmn, into_camunda, is_for_camunda
from workflow_agent.workflows.formats.bpmn.diagram import drawn_by_people, kept_diagrams
from workflow_agent.workflows.formats.bpmn.document import (
    Document,
    Scope,
    Translation,
    bare,
    joins_among,
    made_shell,
    said_shell,
    xml_id,
)
from workflow_agent.workflows.formats.bpmn.edges import (
    deadline_among,
    made_boundary,
    plain_edge,
    said_boundary,
    said_flow,
)
from workflow_agent.workflows.formats.bpmn.elements import SCOPES, made, said
from workflow_agent.workflows.formats.bpmn.events import OF_FLOW, natural_start, said_starts, take_residue
from workflow_agent.workflows.formats.bpmn.writer import BpmnWriter, undrawn, without_diagrams
from workflow_agent.workflows.formats.bpmn.xml import BPMN, is_as_made, is_same, local_name, xml_text
from workflow_agent.workflows.formats.builder import Draft
from workflow_agent.workflows.formats.fidelity import checked_export, completed
from workflow_agent.workflows.formats.plain import without
from workflow_agent.workflows.model.parser import json_pointer
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.terms import ID_PATTERN, WORKFLOW_ID_PATTERN
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_EDGE = {"id": "go", "from": "here", "to": "there"}
_OF_NODE = ("id", "default")
"""The attributes of a node that are about its place, and are made anew."""
_WORKFLOW_ID = re.compile(WORKFLOW_ID_PATTERN)
_OUR_ID = re.compile(ID_PATTERN)


class _Reader:
    def __init__(self, document: Document, draft: Draft) -> None:
        self._document = document
        self._roots = document.roots
        self._draft = draft
        self._ids: dict[str, str] = {}
        self._steps: dict[str, Step] = {}
        self._texts: list[str] = []
        for one in document.left_out:
            draft.report.lose(one.pointer, f"{one.message}; it is left out")
        for other in (one for one in document.others if local_name(one) == "process"):
            called = other.get("name") or other.get("id") or "without a name"
            told = f"the process {called[:80]!r} is kept beside the workflow of {document.process.get('id')!r}"
            draft.report.keep(json_pointer(["process", other.get("id") or ""]), told)

    def whole(self) -> Imported:
        process = self._document.process
        diagrams = kept_diagrams(self._document.root, process)
        scope = Scope(process)
        residue = take_residue(process, "workflow")
        starts = said_starts(scope, self._roots, is_inside=False)
        start = self._scope(scope, None, starts.elements)
        kept: JsonObject = self._document.beside
        if (kept_starts := starts.kept(None)) is not None:
            kept["starts"] = kept_starts
        process_id = process.get("id", "")
        if _WORKFLOW_ID.fullmatch(process_id) or not process_id:
            # Like ours, and so given by the workflow when it is written.
            process.attrib.pop("id", None)
        else:
            kept["id"] = process_id
        shell = scope.shell()
        said_top = said_shell(process)
        own = made_shell(**said_top)
        own.attrib |= {"id": process_id} if "id" in process.attrib else {}
        self._texts.append(xml_text(shell))
        if not is_same(shell, own):
            kept["process"] = self._texts[-1]
        kept |= self._kept_roots()
        if diagrams:
            kept["diagrams"] = diagrams
        elif drawn_by_people(self._document.root):
            told = "shows no step, has no sensible places or is of elements without ids; it is drawn anew"
            self._draft.report.lose("/BPMNDiagram", f"the diagram {told}")
        others = {"id": "wf_x", "start": "x", "steps": [{"id": "x", "name": "x"}]}
        top = completed(said_top | {"triggers": starts.triggers}, residue, Workflow, others)
        first = self._ids[starts.target] if starts.target else start
        return self._draft.finished(start=first, kept=kept, **top)

    def _kept_roots(self) -> JsonObject:
        """Return what is defined beside the process, save what would be made again when it is needed."""
        texts = "\n".join(self._texts)
        kept = [xml_text(one) for one in self._document.others if not is_as_made(one) or (one.get("id") or "") in texts]
        return {"roots": kept} if kept else {}

    def _scope(self, scope: Scope, parent: str | None, left_out: frozenset[str]) -> str:
        """Read the nodes and flows of a scope, and return the step it begins with."""
        joins = joins_among(scope.flows)
        nodes = [node for node in scope.nodes if xml_id(node) not in left_out]
        for node in nodes:
            self._node(scope, node, parent, is_join=xml_id(node) in joins)
        flows = [one for one in scope.flows if one.get("sourceRef") not in left_out]
        for element in (*flows, *scope.links):
            self._edge(scope, element)
        for throw, catch in scope.link_pairs():
            self._draft.connect(self._ids[xml_id(throw)], self._ids[xml_id(catch)], kept={"link": True})
        return self._ids[natural_start(scope, left_out)]

    def _node(self, scope: Scope, node: Element, parent: str | None, *, is_join: bool) -> None:
        element_id = xml_id(node)
        residue = take_residue(node, "step")
        boundaries = scope.boundaries.get(element_id, [])
        deadline, lane = deadline_among(boundaries, self._roots), self._document.lanes.get(element_id)
        told = said(node, self._roots, is_join=is_join, deadline=deadline, lane=lane)
        fields = completed(told, residue, Step, {"id": "x"})
        inner = Scope(node) if local_name(node) in SCOPES else None
        wanted = element_id if _OUR_ID.fullmatch(element_id) else None
        step_id = self._draft.add(parent=parent, wanted_id=wanted, **fields)
        self._ids[element_id] = step_id
        step = self._steps[step_id] = Step.model_validate({**self._draft.steps[-1], "parent": None})
        at = len(self._draft.steps) - 1
        kept = self._kept_node(node, step, boundaries, inner)
        if inner is not None and inner.nodes:
            starts = said_starts(inner, self._roots, is_inside=True)
            self._inside(inner, step_id, starts.target, starts.elements)
            if (kept_starts := starts.kept(step_id)) is not None:
                kept["starts"] = kept_starts
        if kept:
            self._draft.steps[at]["extensions"] = {self._draft.format_name: kept}
            self._draft.note_kept((local_name(node), element_id), kept)

    def _inside(self, inner: Scope, step_id: str, target: str | None, left_out: frozenset[str]) -> None:
        at = len(self._draft.transitions)
        natural = self._scope(inner, step_id, left_out)
        first = target and self._ids[target]
        if first and (first != natural or any(e["to"] == first for e in self._draft.transitions[at:])):
            self._draft.connect(step_id, first)

    def _kept_node(self, node: Element, step: Step, boundaries: list[Element], inner: Scope | None) -> JsonObject:
        shell = bare(inner.shell() if inner is not None else node, *_OF_NODE)
        element_id = node.get("id", "")
        has_inside = inner is not None and bool(inner.nodes)
        kept: JsonObject = {} if element_id in ("", step.id) else {"id": element_id}
        kept |= self._kept_xml(shell, made(step, self._roots, has_inside=has_inside))
        silent = [one for one in boundaries if xml_id(one) not in self._document.leading]
        if silent:
            kept["boundaries"] = [xml_text(bare(one, "attachedToRef")) for one in silent]
            self._texts += kept["boundaries"]
        return kept

    def _kept_xml(self, said: Element, plain: Element) -> JsonObject:
        """Return the text of an element, where it is another than the model alone gives."""
        if is_same(said, plain):
            return {}
        self._texts.append(xml_text(said))
        return {"xml": self._texts[-1]}

    def _edge(self, scope: Scope, element: Element) -> None:
        """Add the transition that a flow or an association is."""
        source, edge_id = element.get("sourceRef", ""), element.get("id", "")
        boundary = scope.boundary_of.get(source)
        host = self._ids[source if boundary is None else boundary.get("attachedToRef", "")]
        residue = take_residue(element, "transition")
        fields = completed(self._said_edge(element, boundary), residue, Transition, _EDGE)
        edge = Transition.model_validate({**_EDGE, **fields})
        is_ours = _OUR_ID.fullmatch(edge_id) is not None
        kept: JsonObject = {} if is_ours or not edge_id else {"id": edge_id}
        said = bare(element, *OF_FLOW)
        if not is_same(said, plain_edge(edge, boundary)):
            kept["xml"] = xml_text(said)
        if boundary is not None:
            made_id = f"Boundary-{edge_id}" if is_ours else ""
            about: JsonObject = {} if boundary.get("id") == made_id else {"id": xml_id(boundary)}
            plain = made_boundary(edge, self._steps[host], self._roots)
            about |= self._kept_xml(bare(boundary, "id", "attachedToRef"), plain)
            kept |= {"boundary": about} if about else {}
        given = {"id": edge_id} if is_ours else {}
        self._draft.connect(host, self._ids[element.get("targetRef", "")], kept=kept, **given, **fields)

    def _said_edge(self, element: Element, boundary: Element | None) -> JsonObject:
        of_boundary = said_boundary(boundary, self._roots) if boundary is not None else None
        if local_name(element) == "association":
            return of_boundary or {"type": "data"}
        default = self._document.defaults.get(element.get("sourceRef", ""))
        said = said_flow(element, is_default=default == element.get("id", "") != "")
        return said if of_boundary is None else of_boundary | without(said, "type")


class Bpmn(Format):
    """Processes of BPMN 2.0; documents are handed over as text."""

    name = "bpmn"
    title = "BPMN 2.0"
    media_type = "application/xml"
    extension = "bpmn"
    from_engine: ClassVar[Translation | None] = None
    """Turns an engine's own words into BPMN's before a document is read."""
    into_engine: ClassVar[Translation | None] = None
    """Turns BPMN's words into an engine's after a document is written."""

    @override
    def recognises(self, document: Any) -> float:
        if not isinstance(document, str) or not document.lstrip("\ufeff \t\r\n").startswith("<"):
            return 0.0
        return 0.95 if BPMN in document else 0.0

    @override
    def read(self, document: Any) -> Imported:
        if not isinstance(document, str):
            raise unreadable(self.title, "must be the text of an XML document")
        whole = Document(document.lstrip("\ufeff \t\r\n"), self.title, type(self).from_engine)
        return _Reader(whole, Draft(self.name, self.title)).whole()

    @override
    def write(self, workflow: Workflow) -> Exported:
        if Camunda.name in workflow.extensions and self.name not in workflow.extensions:
            # A document of Camunda is BPMN: all that it said is in it.
            return Camunda().write(workflow)
        writer = BpmnWriter(workflow, self.name)
        text = writer.text(type(self).into_engine)

        def read(document: Any) -> Imported:
            imported = self.read(document)
            return Imported(undrawn(imported.workflow, self.name), imported.report)

        # The process is read back alone: a diagram is written as it is kept, or made.
        checked_export(without_diagrams(text), undrawn(workflow, self.name), read, self.title, writer.report)
        return Exported(text, writer.report)


class Camunda(Bpmn):
    """Processes of Camunda 8 (Zeebe) and Camunda 7: BPMN with what their engines read."""

    name = "camunda"
    title = "Camunda BPMN"
    from_engine = staticmethod(into_bpmn)
    into_engine = staticmethod(into_camunda)

    @override
    def recognises(self, document: Any) -> float:
        return 0.97 if super().recognises(document) and is_for_camunda(document) else 0.0
