"""A Mermaid diagram as a workflow."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from workflow_agent.values import grouped
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.formats.builder import Draft, fit
from workflow_agent.workflows.formats.mermaid.chart import END, START, Chart, Link, Node
from workflow_agent.workflows.formats.mermaid.scanner import plain_label, unescaped
from workflow_agent.workflows.model.steps import STEP_TYPES, StepType

BEGIN = "begin"
"""The id of the node from which our own diagrams lead to the first step; it is no step."""
STEP_PREFIX, SCOPE_PREFIX = "s_", "g_"
OTHERWISE = frozenset({"otherwise", "else", "default"})
_OWN_ID = re.compile(r"s_[a-z0-9][a-z0-9_D]*")
OWNER = re.compile(r"<br\s*/?>\s*<i>(?P<who>[^<>]{1,300})</i>\s*$")
"""The last line of a label that says who does a step, as our own diagrams say it."""
_ON_ERROR = re.compile(r"on error|(?:error|failure|failed|on failure|timeout)", re.IGNORECASE)
_TERMINALS = frozenset({"([", "((", "((("})
_OF_SHAPE: Mapping[str, StepType] = {
    "{": "decision",
    "[[": "subworkflow",
    "state": "state",
    "fork": "fork",
    "join": "join",
    "choice": "decision",
}


@dataclass(slots=True)
class _Seen:
    """What is known of a node from all its mentions."""

    node: Node
    scope: str
    links_in: int = 0
    links_out: int = 0


def links_of(chart: Chart) -> Iterator[tuple[Link, str, str]]:
    """Yield each link with the nodes that it joins: of a subgraph its first or its last node."""
    named = ((line.scope, node.id) for line in chart.lines for node in line.nodes)
    members = grouped((scope, node_id) for scope, node_id in named if node_id not in chart.scopes)
    known = {node.id for line in chart.lines for node in line.nodes} | chart.scopes.keys()
    for scope in reversed(chart.within):
        members.setdefault(chart.within[scope], []).extend(members.get(scope, [])[:1])
    for line in chart.lines:
        for link in line.links:
            is_group = [end in chart.scopes and not chart.is_state for end in (link.source, link.target)]
            source = (members.get(link.source) or [""])[-1] if is_group[0] else link.source
            target = (members.get(link.target) or [""])[0] if is_group[1] else link.target
            if source in known and target in known:
                yield link, source, target


def nodes_of(chart: Chart) -> dict[str, _Seen]:
    """Return what is known of each node, in the order of their first mentions."""
    found: dict[str, _Seen] = {}
    for line in chart.lines:
        for node in line.nodes:
            if node.id in chart.scopes and not chart.is_state:
                continue
            seen = found.setdefault(node.id, _Seen(node, line.scope))
            if node.label is not None or (node.opening and not seen.node.opening):
                style = node.style or seen.node.style
                seen.node = Node(node.id, node.opening, node.closing, node.label, style)
                seen.scope = line.scope
    for _, source, target in links_of(chart):
        found[source].links_out += 1
        found[target].links_in += 1
    return found


class DiagramReader:
    """Makes steps of nodes, and transitions of links."""

    def __init__(self, chart: Chart, draft: Draft) -> None:
        self._chart = chart
        self._draft = draft
        self._ids: dict[str, str] = {}
        self._nodes = nodes_of(chart)
        self._kinds: dict[str, StepType] = {}
        self.drawn: list[Link] = []
        """What each transition was drawn as, in their order."""
        self.started: list[tuple[Link, str]] = []
        """What leads to where the whole begins."""
        self.is_ours = BEGIN in self._nodes and not plain_label(self._nodes[BEGIN].node.label or "x")

    def whole(self, kept: JsonObject) -> Imported:
        """Return the workflow."""
        for node_id in self._in_order():
            self._step(node_id, self._nodes[node_id])
        leading = Counter(source for _, source, _ in links_of(self._chart))
        for link, source, target in links_of(self._chart):
            if self._is_start(source):
                inside = source.removeprefix(START) if source != BEGIN else ""
                if not inside and target in self._ids:
                    self.started.append((link, target))
                elif inside in self._ids and target in self._ids:
                    self.drawn.append(link)
                    self._draft.connect(self._ids[inside], self._ids[target])
            elif source in self._ids and target in self._ids and not self._is_entry(link, source, target):
                fields = self._said(link, source, leading[source] > 1)
                self.drawn.append(link)
                self._draft.connect(self._ids[source], self._ids[target], **fields)
        begins = next((self._ids[one] for _, one in self.started), self._natural())
        title = unescaped(self._chart.title) or ("State diagram" if self._chart.is_state else "Flowchart")
        return self._draft.finished(title, kept=kept, start=begins)

    def _in_order(self) -> list[str]:
        """Return the nodes, each after the state that it is inside."""
        waiting = [one for one in self._nodes if not self._is_start(one)]
        if not self._chart.is_state:
            return waiting
        depth: dict[str, int] = {}
        for scope, outer in self._chart.within.items():
            depth[scope] = depth.get(outer, -1) + 1
        return sorted(waiting, key=lambda one: depth.get(self._nodes[one].scope, -1))

    def _is_start(self, node_id: str) -> bool:
        return node_id.startswith(START) or (self.is_ours and node_id == BEGIN)

    def _is_entry(self, link: Link, source: str, target: str) -> bool:
        """Say whether our own diagram shows with a link where a scope begins."""
        scope = SCOPE_PREFIX + source.removeprefix(STEP_PREFIX)
        return self.is_ours and link.arrow == "-.->" and not link.label and self._nodes[target].scope == scope

    def _natural(self) -> str | None:
        """Return the first step that nothing leads to, of the outermost ones if there is any."""
        free = [one for one, seen in self._nodes.items() if not seen.links_in and one in self._ids]
        roots = [one for one in free if not self._chart.is_state or not self._nodes[one].scope]
        return self._ids[(roots or free)[0]] if free else None

    def _step(self, node_id: str, seen: _Seen) -> None:
        fields: JsonObject = {}
        if node_id.startswith(END):
            name, kind = "End", cast("StepType", "end")
        else:
            label = seen.node.label if seen.node.label is not None else node_id
            owner, words = OWNER.search(label), unescaped if self.is_ours else plain_label
            name, kind = words(label[: owner.start()] if owner else label), self._kind(seen)
            fields["assignee"] = fit(unescaped(owner["who"])) if owner else None
        if kind == "subworkflow" and not self.is_ours:
            fields["workflow"] = fit(name)
        own = _OWN_ID.fullmatch(node_id) if self.is_ours else None
        wanted = node_id.removeprefix(STEP_PREFIX).replace("D", "-") if own else None
        parent = self._parent(seen.scope)
        step_id = self._draft.add(name or node_id, kind, parent=parent, wanted_id=wanted, **fields)
        self._ids[node_id], self._kinds[node_id] = step_id, kind
        if node_id != node_id_of(step_id):
            self._draft.steps[-1]["extensions"] = {self._draft.format_name: {"id": node_id}}

    def _kind(self, seen: _Seen) -> StepType:
        styled = seen.node.style.removesuffix("Step")
        if styled != seen.node.style and styled in STEP_TYPES:
            return styled
        opening = seen.node.opening
        if self._chart.is_state:
            return _OF_SHAPE.get(opening, "state")
        if opening in _TERMINALS and not seen.links_out and seen.links_in:
            return "end"
        if opening in _TERMINALS and not seen.links_in:
            return "event"
        if opening == "[/" and OWNER.search(seen.node.label or ""):
            return "human"
        return _OF_SHAPE.get(opening, "action")

    def _parent(self, scope: str) -> str | None:
        if self._chart.is_state:
            return self._ids.get(scope)
        # A subgraph of others is a frame around steps, and no step; it stays in the text that is kept.
        own = STEP_PREFIX + scope.removeprefix(SCOPE_PREFIX)
        return self._ids.get(own) if self.is_ours and scope.startswith(SCOPE_PREFIX) else None

    def _said(self, link: Link, source: str, is_one_of_several: bool) -> JsonObject:
        said = unescaped(link.label) if self.is_ours else plain_label(link.label)
        plain = said.casefold()
        if link.arrow == "-.-":
            return {"type": "data", "label": fit(said)}
        if link.arrow.startswith("-.") and self.is_ours and plain == "undo":
            return {"type": "compensation"}
        if link.arrow.startswith("-.") and (_ON_ERROR.match(said) or (self.is_ours and plain.startswith("on "))):
            named = said[3:].split(", ") if plain.startswith("on ") and plain != "on error" else []
            return {"type": "error", "errors": named or None}
        if not said:
            return {}
        if plain in OTHERWISE:
            return {"type": "default", "label": None if said == "otherwise" else fit(said)}
        if self._kinds[source] == "decision" or (is_one_of_several and self._kinds[source] != "state"):
            return {"type": "condition", "when": {"text": said}}
        return {"label": fit(said)}


def node_id_of(step_id: str) -> str:
    """Return an id that no keyword or arrow of Mermaid can hide in; two steps never get the same."""
    return STEP_PREFIX + step_id.replace("-", "D")
