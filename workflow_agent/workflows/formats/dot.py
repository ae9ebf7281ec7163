"""Graphviz's DOT, as far as it is a plain directed graph: nodes, edges, and the words on them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from typing_extensions import override

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats import base
from workflow_agent.workflows.formats.builder import Draft, fit
from workflow_agent.workflows.formats.fidelity import checked_export, kept_in, step_with
from workflow_agent.workflows.formats.plain import object_in, without
from workflow_agent.workflows.formats.text import DOT_BEGINS
from workflow_agent.workflows.model.parser import take_id
from workflow_agent.workflows.model.steps import Step, StepType
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_TITLE = "DOT"
_TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/|(?m:^)\#[^\n]*"""
    r"""|(?P<text>"(?:[^"\\]|\\.)*")|(?P<word>[A-Za-z_\u0080-\U0010ffff][\w\u0080-\U0010ffff]*|-?(?:\.\d+|\d+(?:\.\d*)?))"""
    r"""|(?P<sign>->|--|[{}\[\]=;,:+])""",
    re.DOTALL,
)
_SHAPES: Mapping[StepType, str] = {
    "action": "box",
    "human": "house",
    "decision": "diamond",
    "fork": "triangle",
    "join": "invtriangle",
    "loop": "octagon",
    "wait": "invhouse",
    "event": "cds",
    "subworkflow": "component",
    "state": "circle",
    "end": "doublecircle",
}
_OTHERS: Mapping[str, StepType] = {"Mdiamond": "decision", "doubleoctagon": "end", "Msquare": "end"}
_TYPES: Mapping[str, StepType] = {**{shape: kind for kind, shape in _SHAPES.items()}, **_OTHERS}
_OTHERWISE = frozenset({"otherwise", "else", "default"})
_START = "start of the workflow"
"""The node from which our own graphs lead to the first step; it is no step."""
Attributes = dict[str, str]


class _Graph:
    """What a text of DOT says, read from its first word to its last bracket."""

    def __init__(self, text: str) -> None:
        self.name = ""
        self.attributes: Attributes = {}
        self.nodes: dict[str, Attributes] = {}
        self.edges: list[tuple[str, str, Attributes]] = []
        self.groups = 0
        self._tokens = list(_tokens(text))
        self._at = 0
        self._takes("strict")
        self._next()
        if self._peek() != "{":
            self.name = self._id()
        if (found := self._next()) != "{":
            raise base.unreadable(_TITLE, f"needs '{{' where it has {found[:40]!r}")
        self._statements({}, {}, 0)
        if self._at < len(self._tokens):
            raise base.unreadable(_TITLE, f"has more text after its end: {self._peek()[:40]!r}")

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        if not token:
            raise base.unreadable(_TITLE, "ends before its last bracket")
        self._at += 1
        return token

    def _takes(self, *wanted: str) -> bool:
        """Pass the next token if it is one of these, and say whether it was."""
        if self._peek().casefold() not in wanted:
            return False
        self._at += 1
        return True

    def _id(self) -> str:
        token = self._next()
        if token[0] in "{}[]=;,:+-" and not token.lstrip("-.").isalnum():
            raise base.unreadable(_TITLE, f"needs a name where it has {token[:40]!r}")
        parts = [token]
        while token[0] == '"' and self._takes("+"):
            parts.append(self._next())
        return "".join(re.sub(r'\\"', '"', one[1:-1]) if one[0] == '"' else one for one in parts)

    def _statements(self, of_nodes: Attributes, of_edges: Attributes, depth: int) -> list[str]:
        """Read up to the closing bracket, and return the nodes that were named."""
        if depth > base.MAX_DEPTH:
            raise base.unreadable(_TITLE, f"is nested deeper than {base.MAX_DEPTH}")
        named: list[str] = []
        wanted = {"graph": {} if depth else self.attributes, "node": of_nodes, "edge": of_edges}
        while not self._takes("}"):
            word = self._peek().casefold()
            if self._takes(*wanted):
                wanted[word].update(self._attributes())
            elif not self._takes(";"):
                named += self._chain(of_nodes, of_edges, depth)
        return list(dict.fromkeys(named))

    def _chain(self, of_nodes: Attributes, of_edges: Attributes, depth: int) -> list[str]:
        """Read `a -> {b c} -> d [..]`, or `a = b`, and return the nodes that were named."""
        ends = [self._end(of_nodes, of_edges, depth)]
        if len(ends[0]) == 1 and self._takes("="):
            value = self._id()
            if not depth:
                self.attributes[ends[0][0]] = value
            return []
        while self._takes("->"):
            ends.append(self._end(of_nodes, of_edges, depth))
        if self._peek() == "--":
            raise base.unreadable(_TITLE, "joins nodes by `--`; only directed edges, `->`, are read")
        self._say(ends, self._attributes(), of_nodes, of_edges)
        return [one for end in ends for one in end]

    def _say(self, ends: list[list[str]], own: Attributes, of_nodes: Attributes, of_edges: Attributes) -> None:
        for one in (one for end in ends for one in end):
            self.nodes.setdefault(one, dict(of_nodes))
        if len(ends) == 1:
            for one in ends[0] if own else ():
                self.nodes[one].update(own)
        for sources, targets in pairwise(ends):
            self.edges += [(one, other, {**of_edges, **own}) for one in sources for other in targets]
        if len(self.nodes) + len(self.edges) > base.MAX_NODES:
            raise base.unreadable(_TITLE, f"has more than {base.MAX_NODES} nodes and edges")

    def _end(self, of_nodes: Attributes, of_edges: Attributes, depth: int) -> list[str]:
        """Read a node, with its port, or a subgraph."""
        if self._takes("subgraph"):
            self.groups += 1
            if self._peek() != "{":
                self._id()
        if self._takes("{"):
            return self._statements(dict(of_nodes), dict(of_edges), depth + 1)
        node = self._id()
        while self._takes(":"):
            self._id()
        return [node]

    def _attributes(self) -> Attributes:
        found: Attributes = {}
        while self._takes("["):
            while not self._takes("]"):
                name = self._id()
                found[name] = self._id() if self._takes("=") else "true"
                self._takes(",", ";")
        return found


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            line = text.count("\n", 0, at) + 1
            raise base.unreadable(_TITLE, f"has {text[at : at + 20]!r} at line {line}, which is not read")
        at = match.end()
        if match.lastgroup:
            yield match[match.lastgroup]


def _label(text: str) -> str:
    """Return what people see of a label."""
    signs = {"n": "\n", "l": "\n", "r": "\n"}
    return re.sub(r"\\(.)", lambda match: signs.get(match[1], match[1]), text, flags=re.DOTALL).strip()


def _kind_of(attributes: Attributes) -> StepType:
    return _TYPES.get(attributes.get("shape", ""), "action")


def _said_step(node: str, attributes: Attributes) -> JsonObject:
    label = _label(attributes.get("label", "\\N").replace("\\N", node.replace("\\", "\\\\")))
    name = fit(" ".join(label.split())) or fit(node) or "Step"
    return {"name": name, "type": _kind_of(attributes), "assignee": fit(attributes.get("assignee", ""))}


def _said_edge(attributes: Attributes, source: str) -> JsonObject:
    label = fit(" ".join(_label(attributes.get("label", "")).split()))
    if attributes.get("style") == "dashed" and (label or "error").casefold().startswith("error"):
        return {"type": "error"}
    if label and label.casefold() in _OTHERWISE:
        return {"type": "default"}
    if label and source in ("decision", "fork"):
        return {"type": "condition", "when": {"text": label}}
    return {"label": label} if label else {}


def _made_step(step: Step, kept: Attributes, node: str) -> Attributes:
    said = _said_step(node, kept) if kept else {}
    made = dict(kept)
    if said.get("name") != step.name:
        made["label"] = step.name.replace("\\", "\\\\")
    if said.get("type") != step.type:
        made["shape"] = _SHAPES[step.type]
    if said.get("assignee") != step.assignee:
        made["assignee"] = step.assignee or ""
    return made


def _made_edge(edge: Transition, kept: Attributes, source: str) -> Attributes:
    plain = edge.as_plain()
    wanted = {key: plain[key] for key in ("type", "label", "when") if key in plain}
    if _said_edge(kept, source) == wanted:
        return kept
    made = without(kept, "label", "style")
    words = edge.label or ""
    if edge.type in ("error", "default"):
        words = {"error": "error", "default": "otherwise"}[edge.type]
    elif edge.when is not None:
        words = edge.when.text or edge.when.formula
    if words:
        made["label"] = words.replace("\\", "\\\\")
    return made | ({"style": "dashed"} if edge.type == "error" else {})


def _natural_start(nodes: Sequence[str], edges: Sequence[tuple[str, str, Attributes]]) -> str:
    entered = {target for source, target, _ in edges if source != target}
    return next((one for one in nodes if one not in entered), nodes[0])


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"' if not re.fullmatch(r"[A-Za-z_]\w{0,60}", text, re.ASCII) else text


def _listed(attributes: Attributes) -> str:
    told = ", ".join(f"{_quoted(name)}={_quoted(value)}" for name, value in attributes.items())
    return f" [{told}]" if told else ""


class Dot(base.Format):
    """Directed graphs of Graphviz; their attributes are kept, their clusters are not."""

    name = "dot"
    title = _TITLE
    media_type = "text/vnd.graphviz"
    extension = "dot"

    @override
    def recognises(self, document: Any) -> float:
        return 0.95 if isinstance(document, str) and DOT_BEGINS.match(document) else 0.0

    @override
    def read(self, document: Any) -> base.Imported:
        if not isinstance(document, str) or not DOT_BEGINS.match(document):
            raise base.unreadable(self.title, "is no text that begins with `digraph`")
        graph = _Graph(document.lstrip("\ufeff"))
        draft = Draft(self.name, self.title)
        if graph.groups:
            draft.report.lose("", f"{graph.groups} subgraphs are read as the nodes in them")
        kept: JsonObject = {"attributes": graph.attributes} if graph.attributes else {}
        started = [target for source, target, _ in graph.edges if source == _START and target in graph.nodes]
        nodes = without(graph.nodes, _START)
        edges = [edge for edge in graph.edges if edge[0] != _START and edge[1] != _START]
        if not nodes:
            raise base.unreadable(self.title, "has no nodes")
        ids: dict[str, str] = {}
        for node, attributes in nodes.items():
            fields = _said_step(node, attributes)
            is_plain = attributes == _made_step(step_with(fields), {}, node)
            own: JsonObject = {} if is_plain else {"attributes": attributes}
            wanted = node if len(node) <= 60 else None
            step_id = draft.free_id(wanted or fields["name"])
            own |= {} if node == step_id else {"id": node}
            ids[node] = draft.add(wanted_id=wanted, kept=own, at=(node,), **fields)
        for source, target, attributes in edges:
            fields = _said_edge(attributes, _kind_of(nodes[source]))
            own = {"attributes": attributes} if attributes else {}
            draft.connect(ids[source], ids[target], kept=own, **fields)
        first = started[0] if started else _natural_start(list(nodes), edges)
        return draft.finished(graph.name or self.title, kept=kept, start=ids[first])

    @override
    def write(self, workflow: Workflow) -> base.Exported:
        nodes: dict[str, str] = {}
        taken: set[str] = set()
        for step in workflow.steps:
            kept = kept_in(step.extensions, self.name).get("id")
            nodes[step.id] = take_id(kept if isinstance(kept, str) and kept not in taken else step.id, taken)
        types = {step.id: step.type for step in workflow.steps}
        edges = [(nodes[edge.from_], nodes[edge.to], self._kept(edge.extensions)) for edge in workflow.transitions]
        lines = [f"digraph {_quoted(workflow.name)} {{"]
        lines += [f"  {_quoted(key)}={_quoted(value)};" for key, value in self._kept(workflow.extensions).items()]
        if _natural_start(list(nodes.values()), edges) != nodes[workflow.start]:
            lines += [
                f'  {_quoted(_START)} [shape=point, label=""];',
                f"  {_quoted(_START)} -> {_quoted(nodes[workflow.start])};",
            ]
        for step in workflow.steps:
            made = _made_step(step, self._kept(step.extensions), nodes[step.id])
            lines.append(f"  {_quoted(nodes[step.id])}{_listed(made)};")
        for edge, (source, target, kept) in zip(workflow.transitions, edges, strict=True):
            made = _made_edge(edge, kept, types[edge.from_])
            lines.append(f"  {_quoted(source)} -> {_quoted(target)}{_listed(made)};")
        return checked_export("\n".join([*lines, "}", ""]), workflow, self.read, self.title)

    def _kept(self, extensions: Mapping[str, Any]) -> Attributes:
        kept = object_in(kept_in(extensions, self.name).get("attributes"))
        return {key: value for key, value in kept.items() if isinstance(value, str)}
