"""A workflow as a Mermaid flowchart, from the model alone; and what became of the nodes and links that were read."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from workflow_agent.values import grouped
from workflow_agent.workflows.diagrams import said
from workflow_agent.workflows.diagrams.mermaid import ARROWS, escaped
from workflow_agent.workflows.diagrams.mermaid import SHAPES as STEP_SHAPES
from workflow_agent.workflows.formats.builder import Draft
from workflow_agent.workflows.formats.fidelity import kept_in
from workflow_agent.workflows.formats.mermaid import reader
from workflow_agent.workflows.formats.mermaid.chart import (
    END,
    SHAPES,
    START,
    TITLE,
    Arrow,
    Chart,
    Line,
    Link,
    Node,
    Statement,
)
from workflow_agent.workflows.model.parser import take_id
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

Path = tuple[Transition, ...]
_Key = tuple[str, str, str, str]


class Changes:
    """Which nodes and links of a diagram are there still, which are new, and what new ones stand for old ones."""

    def __init__(self, workflow: Workflow, chart: Chart, format_name: str) -> None:
        self.workflow = workflow
        self.chart = chart
        self.reader = reader.DiagramReader(chart, Draft(format_name, TITLE))
        self.base = self.reader.whole({}).workflow
        self.seen = reader.nodes_of(chart)
        self.before = {self._node_of(step, format_name): step for step in self.base.steps}
        self.nodes: dict[str, str] = {}
        """The node of each step."""
        taken = {one for one in self.seen if one not in self.before}
        for step in workflow.steps:
            self.nodes[step.id] = take_id(self._node_of(step, format_name), taken)
        self.steps: Mapping[str, Step] = {self.nodes[step.id]: step for step in workflow.steps}
        self.gone = self.before.keys() - self.steps.keys()
        own = {reader.SCOPE_PREFIX + one.removeprefix(reader.STEP_PREFIX) for one in self.gone}
        self.gone_scopes = self.gone | own if chart.is_state or self.reader.is_ours else set[str]()
        told = attrgetter("name", "type", "assignee")
        self.fresh = {
            one for one, step in self.steps.items() if one not in self.before or told(self.before[one]) != told(step)
        }
        """The nodes that have to be declared anew."""
        self.was = {id(link): edge for link, edge in zip(self.reader.drawn, self.base.transitions, strict=True)}
        """The transition that each link was, by what the link is in memory."""
        self.dropped, self.new = self._compared()
        self.turned = self._turned()
        start = self.nodes[workflow.start]
        self.dropped |= {id(link) for link, target in self.reader.started if target != start}
        self.is_begun = not self.reader.started or any(one == start for _, one in self.reader.started)
        """Whether what is drawn leads to where the workflow starts."""
        self.loose = {node.id: (line, node) for line, node in self._declared_alone()}
        """Where those nodes are declared of which nothing that they are joined to there stays."""

    def _node_of(self, step: Step, format_name: str) -> str:
        kept = kept_in(step.extensions, format_name).get("id")
        return kept if isinstance(kept, str) and kept in self.seen else reader.node_id_of(step.id)

    def ends(self, edge: Transition) -> tuple[str, str]:
        """Return the nodes that a transition joins."""
        return self.nodes[edge.from_], self.nodes[edge.to]

    def _compared(self) -> tuple[set[int], list[Transition]]:
        """Return the links that are no longer there, by what they are in memory, and the transitions that are new."""
        keys: list[_Key] = [(*self.ends(edge), edge.type, said(edge)) for edge in self.workflow.transitions]
        left = Counter(keys)
        names = {step.id: node for node, step in self.before.items()}
        dropped: set[int] = set()
        for link, edge in zip(self.reader.drawn, self.base.transitions, strict=True):
            key = (names[edge.from_], names[edge.to], edge.type, said(edge))
            if left[key] > 0:
                left[key] -= 1
            else:
                dropped.add(id(link))
        new: list[Transition] = []
        for key, edge in zip(keys, self.workflow.transitions, strict=True):
            if left[key] > 0:
                left[key] -= 1
                new.append(edge)
        return dropped, new

    def _turned(self) -> dict[int, Path]:
        """Return for dropped links the new transitions that stand in their places, and take these from the new."""
        single = {id(arrow.links[0]) for arrow in self.chart.arrows() if len(arrow.links) == 1}
        waiting = [
            (link, edge)
            for link, edge in zip(self.reader.drawn, self.base.transitions, strict=True)
            if id(link) in self.dropped and id(link) in single and link.source in self.steps
        ]
        leading = grouped((self.ends(edge)[0], edge) for edge in self.new)
        found: dict[int, Path] = {}
        for is_relabelled in (True, False):
            for link, edge in (one for one in waiting if id(one[0]) not in found):
                if path := self._path(link, edge, leading, is_relabelled=is_relabelled):
                    found[id(link)] = path
                    for one in path:
                        leading[self.ends(one)[0]].remove(one)
        self.new = [edge for edge in self.new if edge in leading[self.ends(edge)[0]]]
        return found

    def _path(
        self, link: Link, edge: Transition, leading: Mapping[str, Sequence[Transition]], *, is_relabelled: bool
    ) -> Path:
        for one in leading.get(link.source, ()):
            words = (one.type, said(one)) == (edge.type, said(edge))
            if self.ends(one)[1] == link.target if is_relabelled else words:
                return self._through(one, link.target, leading)
        return ()

    def _through(self, first: Transition, last: str, leading: Mapping[str, Sequence[Transition]]) -> Path:
        """Return a transition and those that lead on from it through new nodes, up to the node it led to before."""
        path = [first]
        while (here := self.ends(path[-1])[1]) != last and here not in self.seen:
            following = leading.get(here, ())
            if len(following) != 1 or following[0] in path:
                break
            path.append(following[0])
        return tuple(path) if self.ends(path[-1])[1] == last else (first,)

    def path_of(self, arrow: Arrow) -> Path:
        """Return what stands in the place of an arrow between two nodes; nothing where it is as it was or gone."""
        return self.turned.get(id(arrow.links[0]), ()) if len(arrow.links) == 1 else ()

    def stays(self, arrow: Arrow) -> bool:
        """Say whether an arrow joins what it joined, but for nodes that are gone."""
        left = [link for link in arrow.links if not {link.source, link.target} & self.gone]
        is_seen_joining = any(not {*pair} & self.gone for pair in arrow.pairs)
        return is_seen_joining and not any(id(link) in self.dropped for link in left)

    def _declared_alone(self) -> Iterator[tuple[Line, Node]]:
        for line in self.chart.lines:
            for statement in line.statements if not self.chart.is_state else ():
                for at, group in enumerate(statement.groups):
                    if len(group) == 1 and group[0].opening and statement.arrows and self._is_cut_off(statement, at):
                        yield line, group[0]

    def _is_cut_off(self, statement: Statement, at: int) -> bool:
        around = statement.arrows[max(at - 1, 0) : at + 1]
        into = self.path_of(statement.arrows[at - 1]) if at else ()
        leads_here = bool(into) and self.ends(into[-1])[1] == statement.groups[at][0].id
        leads_on = bool(at < len(statement.arrows) and self.path_of(statement.arrows[at]))
        return not leads_here and not leads_on and not any(map(self.stays, around))


_OPENINGS = {kind: opening for kind, (opening, _) in STEP_SHAPES.items()}
PLAIN_LABEL = re.compile(r"[^\W_][\w .,?!'/:+-]*")
"""What needs no quotes."""


def plain_diagram(workflow: Workflow) -> str:
    """Return a flowchart from the model alone."""
    members = grouped((step.parent, step) for step in workflow.steps)
    lines = [*front(workflow.name), "flowchart TD", f'    {reader.BEGIN}((" "))', *_nested(members, None, "    ")]
    lines.append(f"    {reader.BEGIN} --> {reader.node_id_of(workflow.start)}")
    for edge in workflow.transitions:
        label = f'|"{escaped(words)}"|' if (words := words_of(edge)) else ""
        arrow = ARROWS.get(edge.type, "-->") + label
        lines.append(f"    {reader.node_id_of(edge.from_)} {arrow} {reader.node_id_of(edge.to)}")
    return "\n".join(lines) + "\n"


def front(title: str) -> list[str]:
    """Return the lines before a diagram that name it."""
    return ["---", f'title: "{escaped(title)}"', "---"]


def _nested(members: Mapping[str | None, Sequence[Step]], parent: str | None, indent: str) -> Iterator[str]:
    for step in members.get(parent, ()):
        opening = _OPENINGS[step.type]
        label = f'{opening}"{label_of(step)}"{SHAPES[opening][0]}:::{step.type}Step'
        yield f"{indent}{reader.node_id_of(step.id)}{label}"
        if step.id in members:
            yield f'{indent}subgraph {reader.SCOPE_PREFIX}{step.id.replace("-", "D")}["{escaped(step.name)}"]'
            yield from _nested(members, step.id, indent + "    ")
            yield f"{indent}end"


def label_of(step: Step) -> str:
    """Return what stands in the node of a step: its name, and below it who does it."""
    return escaped(step.name) + owner_of(step)


def owner_of(step: Step) -> str:
    """Return the line of a label that says who does a step; nothing where nobody is named."""
    return f"<br/><i>{escaped(step.assignee)}</i>" if step.assignee else ""


def words_of(edge: Transition) -> str:
    """Return what stands at the link for a transition."""
    if edge.type == "error" and not edge.label and edge.errors:
        return f"on {', '.join(edge.errors)}"
    return said(edge)


class Mentions:
    """The nodes of a text that is written from its beginning to its end."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._texts: dict[int, str] = {}
        """How each mention is written now, by what it is in memory: asked for twice where a statement is cut."""
        self.declared: set[str] = set()
        """The nodes that the text written so far declares."""
        self.pulled: set[str] = set()
        """Those that are declared further up than they were."""
        self.waiting: dict[str, str] = {}
        """Mentions of nodes that nothing on the line at hand is joined to any more."""

    def is_told_anew(self, node: Node) -> bool:
        """Say whether a mention is one that says what a node is, and what it says is no longer so."""
        # The pseudo-state in which a scope ends has no name in the text.
        if node.id not in self._changes.fresh or node.id.startswith(END):
            return False
        is_plain = not self._changes.seen[node.id].node.opening and node.id not in self.declared | self.pulled
        return bool(node.opening) or is_plain

    def text(self, node: Node, line: Line) -> str:
        """Return a mention as it is written, but for the label where that is another one now."""
        if id(node) not in self._texts:
            self._texts[id(node)] = self._written(node, line)
            self.declared.add(node.id)
        return self._texts[id(node)]

    def mention(self, node_id: str) -> str:
        """Return the id of a node, with its label where it has to be said here."""
        if node_id.startswith((START, END)):
            return "[*]"
        if node_id in self.waiting:
            return self.waiting.pop(node_id)
        if node_id in self.declared or node_id not in self._changes.steps or self._changes.chart.is_state:
            return node_id
        if loose := self._changes.loose.get(node_id):
            line, node = loose
            text = self.text(node, line)
            self.pulled.add(node_id)
            return text
        if node_id in self._changes.seen:
            return node_id
        self.declared.add(node_id)
        return self.made(node_id)

    def made(self, node_id: str) -> str:
        """Return a node with its label and shape; the shape that it had where it is of the same type."""
        step, seen = self._changes.steps[node_id], self._changes.seen.get(node_id)
        before = self._changes.before.get(node_id)
        if seen is not None and before is not None and before.type == step.type:
            opening, closing = seen.node.opening or "[", seen.node.closing or "]"
            style = seen.node.style
        else:
            opening = _OPENINGS[step.type]
            closing = SHAPES[opening][0]
            is_told_by_shape = step.type in ("action", "decision") or (step.type == "human" and step.assignee)
            style = "" if is_told_by_shape and not self._changes.reader.is_ours else f"{step.type}Step"
        return f'{node_id}{opening}"{label_of(step)}"{closing}{style and ":::"}{style}'

    def _written(self, node: Node, line: Line) -> str:
        if not self.is_told_anew(node):
            return line.text[slice(*node.at)]
        step, before = self._changes.steps[node.id], self._changes.before.get(node.id)
        if before is None or before.type != step.type or node.label_at is None:
            return self.made(node.id)
        begins, ends = node.label_at
        label = self._label(node, line.text[begins:ends], before.name == step.name)
        return line.text[node.at[0] : begins] + label + line.text[ends : node.at[1]]

    def _label(self, node: Node, as_was: str, has_its_name: bool) -> str:
        step = self._changes.steps[node.id]
        words = reader.OWNER.sub("", node.label or "") if has_its_name else escaped(step.name)
        told = words + owner_of(step)
        is_plain = bool(PLAIN_LABEL.fullmatch(told)) or (has_its_name and told == words)
        return told if is_plain and not as_was.startswith('"') else f'"{told}"'
