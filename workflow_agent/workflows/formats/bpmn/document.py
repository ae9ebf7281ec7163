"""The parts of a BPMN document, by what they are for, after its references were checked."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain
from xml.etree.ElementTree import Element

from workflow_agent.errors import Problem
from workflow_agent.values import grouped
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.bpmn.elements import NODES, SCOPES
from workflow_agent.workflows.formats.bpmn.xml import (
    PREFIXES,
    Roots,
    add,
    bpmn,
    copied,
    in_diagram,
    local_name,
    named_children,
    own,
    parse_xml,
    text_of,
)
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.plain import text_in
from workflow_agent.workflows.model.parser import json_pointer

_DECLARED = re.compile(r"""xmlns:([A-Za-z_][\w.-]{0,60})\s*=\s*["']([^"'<&]{1,500})["']""", re.ASCII)
_REFERRED = frozenset(map(bpmn, (*NODES, "boundaryEvent", "sequenceFlow", "association")))
_STEPS = frozenset(map(bpmn, NODES))
_JOINING = tuple(map(bpmn, ("association", "messageFlow")))
_NEIGHBOURS = frozenset(map(bpmn, ("incoming", "outgoing")))
DEFINITIONS = {"id": "Definitions_1", "targetNamespace": "http://bpmn.io/schema/bpmn", "exporter": "workflow_agent"}
"""The attributes of the documents that are made."""
MAIN = own("main")
"""The attribute by which a process of several is known to be the one that was read."""
Translation = Callable[[Element], None]
"""Turns what a document says in the words of an engine into other words, where it stands."""
MADE_ID = "made-id"
"""The attribute by which elements without an id are told apart while they are read."""


def xml_id(element: Element) -> str:
    """Return the id of an element, or the one it was given for want of one."""
    return element.get("id") or element.get(MADE_ID, "")


def bare(element: Element, *attributes: str) -> Element:
    """Return a copy without these attributes, and without what refers to its neighbours."""
    copy = copied(element, without=_NEIGHBOURS)
    for name in attributes:
        copy.attrib.pop(name, None)
    for one in copy.iter():
        one.attrib.pop(MADE_ID, None)
    return copy


class Scope:
    """What is directly inside a process or a sub-process."""

    def __init__(self, container: Element) -> None:
        self.container = container
        self.nodes = [one for one in container if one.tag in _STEPS]
        self.flows = list(named_children(container, "sequenceFlow"))
        boundaries = named_children(container, "boundaryEvent")
        self.boundaries = grouped((one.get("attachedToRef", ""), one) for one in boundaries)
        self.boundary_of = {xml_id(one): one for one in chain.from_iterable(self.boundaries.values())}
        """The boundary events by their ids."""

    @cached_property
    def ends(self) -> frozenset[str]:
        """The ids that flows of this scope may have as their ends."""
        return frozenset({xml_id(one) for one in self.nodes} | self.boundary_of.keys())

    @cached_property
    def links(self) -> Sequence[Element]:
        """The associations that join steps."""
        found, targets = named_children(self.container, "association"), self.ends - self.boundary_of.keys()
        return [one for one in found if one.get("sourceRef") in self.ends and one.get("targetRef") in targets]

    def link_pairs(self) -> list[tuple[Element, Element]]:
        """Return the link events that throw, each with the one that goes on from it."""
        caught = {_link_of(one): one for one in reversed(self.nodes) if "Catch" in one.tag}
        thrown = [one for one in self.nodes if "Throw" in one.tag and _link_of(one)]
        return [(one, caught[_link_of(one)]) for one in thrown if _link_of(one) in caught]

    def shell(self) -> Element:
        """Return a copy of the container with nothing that is a step or a transition."""
        copy = copied(self.container, without=map(bpmn, (*NODES, "sequenceFlow", "boundaryEvent")))
        links = {xml_id(link) for link in self.links}
        for one in [one for one in named_children(copy, "association") if xml_id(one) in links]:
            copy.remove(one)
        return bare(copy)


def _link_of(event: Element) -> str:
    definition = event.find(bpmn("linkEventDefinition"))
    return "" if definition is None else definition.get("name", "")


def joins_among(flows: Iterable[Element]) -> frozenset[str]:
    """Return the ids of those that several flows lead to, and at most one from."""
    listed = list(flows)
    into = Counter(flow.get("targetRef", "") for flow in listed)
    out = Counter(flow.get("sourceRef", "") for flow in listed)
    return frozenset(one for one, times in into.items() if times > 1 and out[one] < 2)


class Document:
    """A BPMN document whose main process can be read without further checks."""

    def __init__(self, text: str, title: str, translate: Translation | None = None) -> None:
        root = parse_xml(text)
        if translate is not None:
            translate(root)
        processes = list(named_children(root, "process"))
        if local_name(root) != "definitions" or not any(Scope(one).nodes for one in processes):
            raise UnreadableDocument(title, [Problem("", "has no `process` with steps in `definitions`")])
        self.process = max(processes, key=lambda one: (one.attrib.pop(MAIN, ""), len(Scope(one).nodes)))
        self.beside = _beside(root, text)
        for at, element in enumerate(self.process.iter()):
            element.attrib.pop(MADE_ID, None)
            if element.tag in _REFERRED and not element.get("id"):
                element.set(MADE_ID, f"_{local_name(element)}_{at}")
        if problems := _used_twice(root):
            raise UnreadableDocument(title, problems)
        self.left_out = [*_without_dangling(self.process), *prune_references(root)]
        """What was taken out because it refers to something that is not there, and what else is not read."""
        if comments := text.count("<!--"):
            self.left_out.append(Problem("", f"{comments} XML comments are not read"))
        diagram = in_diagram("BPMNDiagram")
        self.others = [copied(one) for one in root if one is not self.process and one.tag != diagram]
        self.roots = Roots(self.others)
        self.defaults = {xml_id(e): e.get("default") for e in self.process.iter() if e.get("default")}
        prune_lanes(self.process)
        self.lanes = lanes_of(self.process)
        self.root = root
        self.leading = {e.get("sourceRef") for e in self.process.iter()}
        """The ids of the elements from which something leads on."""


def _beside(root: Element, text: str) -> JsonObject:
    """Return what a document says of itself, and the prefixes that its values have and not only its names."""
    declared = {prefix: uri for prefix, uri in _DECLARED.findall(text) if prefix not in PREFIXES}
    said: set[str] = set()
    if declared:
        said = {value.partition(":")[0] for one in root.iter() for value in (*one.attrib.values(), one.text or "")}
    prefixes = {prefix: uri for prefix, uri in declared.items() if prefix in said}
    attributes = dict(root.items())
    beside: JsonObject = {} if attributes == DEFINITIONS else {"definitions": attributes}
    return beside | ({"prefixes": prefixes} if prefixes else {})


def _used_twice(root: Element) -> list[Problem]:
    times = Counter(e.get("id", "") for e in root.iter() if e.tag in _REFERRED and e.get("id"))
    return [Problem(json_pointer([one]), f"the id is used {count} times") for one, count in times.items() if count > 1]


def _without_dangling(process: Element) -> Iterable[Problem]:
    """Take out what refers to nothing, and yield what it was: the rest can be read all the same."""
    for container in [e for e in process.iter() if local_name(e) in SCOPES or e is process]:
        nodes = {xml_id(one) for one in container if one.tag in _STEPS}
        for one in [e for e in named_children(container, "boundaryEvent") if e.get("attachedToRef") not in nodes]:
            container.remove(one)
            told = f"there is no step {one.get('attachedToRef', '')[:80]!r} in the same process or sub-process"
            yield Problem(json_pointer(["boundaryEvent", xml_id(one), "attachedToRef"]), told)
        scope = Scope(container)
        for flow in scope.flows:
            if (broken := _broken_end(flow, scope)) is not None:
                container.remove(flow)
                yield broken


def _broken_end(flow: Element, scope: Scope) -> Problem | None:
    for end in ("sourceRef", "targetRef"):
        named = flow.get(end, "")
        if named not in scope.ends:
            told = f"{end} {named[:80]!r} is no step of the same process or sub-process"
        elif end == "targetRef" and named in scope.boundary_of:
            told = "a flow cannot lead to a boundary event"
        else:
            continue
        return Problem(json_pointer(["sequenceFlow", xml_id(flow), end]), told)
    return None


def prune_references(root: Element) -> Iterable[Problem]:
    """Take out the associations and message flows of a document that join what is not there."""
    if not any(True for tag in _JOINING for _ in root.iter(tag)):
        return
    joining = [(parent, one) for parent in root.iter() for one in parent if one.tag in _JOINING]
    ids = {one.get("id") for one in root.iter()} | {one.get(MADE_ID) for one in root.iter()}
    for parent, one in joining:
        ends = [(one.get(end) or "").rpartition(":")[2] for end in ("sourceRef", "targetRef")]
        gone = [end for end in ends if end not in ids]
        if gone:
            parent.remove(one)
            place = json_pointer([local_name(one), xml_id(one)])
            yield Problem(place, f"it leads from or to {gone[0][:80]!r}, which is not there")


def prune_lanes(process: Element) -> None:
    """Take out of the lanes of a process what is no step of it."""
    lanes = list(process.iter(bpmn("lane")))
    known = {xml_id(node) for node in process.iter() if node.tag in _STEPS} if lanes else set[str]()
    for lane in lanes:
        for reference in list(named_children(lane, "flowNodeRef")):
            if "".join(reference.itertext()).strip() not in known:
                lane.remove(reference)


def lanes_of(process: Element) -> dict[str, str]:
    """Return the name of the innermost lane of each node."""
    found: dict[str, str] = {}
    for lane in process.iter(bpmn("lane")):
        for reference in named_children(lane, "flowNodeRef"):
            if lane.get("name", "").strip():
                found["".join(reference.itertext()).strip()] = lane.get("name", "")
    return found


def said_shell(process: Element) -> JsonObject:
    """Return the name and the description that a process has."""
    name = text_in(process.get("name"), 200) or fit(process.get("id", "")) or "Process"
    return {"name": name, "description": text_in(text_of(process, "documentation")) or ""}


def made_shell(name: str, description: str) -> Element:
    """Return the process for a workflow, without what is in it."""
    process = Element(bpmn("process"), {"name": name, "isExecutable": "true"})
    if description:
        add(process, "documentation", description)
    return process
