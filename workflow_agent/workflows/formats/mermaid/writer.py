"""A workflow as a Mermaid flowchart, from the model alone; and how the nodes of one that was read are written again."""

import re
from collections.abc import Iterator, Mapping, Sequence

from workflow_agent.workflows.diagrams import said
from workflow_agent.workflows.diagrams.mermaid import ARROWS, escaped
from workflow_agent.workflows.diagrams.mermaid import SHAPES as STEP_SHAPES
from workflow_agent.workflows.formats.mermaid.changes import Changes
from workflow_agent.workflows.formats.mermaid.chart import END, SHAPES, START, Line, Node
from workflow_agent.workflows.formats.mermaid.reader import BEGIN, OWNER, SCOPE_PREFIX, node_id_of
from workflow_agent.workflows.formats.shapes import without
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

OPENINGS = {kind: opening for kind, (opening, _) in STEP_SHAPES.items()}
PLAIN_LABEL = re.compile(r"[^\W_][\w .,?!'/:+-]*")
"""What needs no quotes."""


def bare(workflow: Workflow, format_name: str) -> Workflow:
    """Return a workflow without the text and the node ids that are kept beside it."""

    def left(extensions: Mapping[str, object]) -> dict[str, object]:
        return without(extensions, format_name)

    steps = tuple(
        step.model_copy(update={"extensions": left(step.extensions)}) if step.extensions else step
        for step in workflow.steps
    )
    return workflow.model_copy(update={"steps": steps, "extensions": left(workflow.extensions)})


def plain_diagram(workflow: Workflow) -> str:
    """Return a flowchart from the model alone."""
    members: dict[str | None, list[Step]] = {}
    for step in workflow.steps:
        members.setdefault(step.parent, []).append(step)
    lines = [*front(workflow.name), "flowchart TD", f'    {BEGIN}((" "))', *_nested(members, None, "    ")]
    lines.append(f"    {BEGIN} --> {node_id_of(workflow.start)}")
    for edge in workflow.transitions:
        arrow = f"{ARROWS.get(edge.type, '-->')}{_label(words_of(edge))}"
        lines.append(f"    {node_id_of(edge.from_)} {arrow} {node_id_of(edge.to)}")
    return "\n".join(lines) + "\n"


def front(title: str) -> list[str]:
    """Return the lines before a diagram that name it."""
    return ["---", f'title: "{escaped(title)}"', "---"]


def _nested(members: Mapping[str | None, Sequence[Step]], parent: str | None, indent: str) -> Iterator[str]:
    for step in members.get(parent, ()):
        opening = OPENINGS[step.type]
        label = f'{opening}"{label_of(step)}"{SHAPES[opening][0]}:::{step.type}Step'
        yield f"{indent}{node_id_of(step.id)}{label}"
        if step.id in members:
            yield f'{indent}subgraph {SCOPE_PREFIX}{step.id.replace("-", "D")}["{escaped(step.name)}"]'
            yield from _nested(members, step.id, indent + "    ")
            yield f"{indent}end"


def label_of(step: Step) -> str:
    """Return what stands in the node of a step: its name, and below it who does it."""
    return escaped(step.name) + owner_of(step)


def owner_of(step: Step) -> str:
    """Return the line of a label that says who does a step; nothing where nobody is named."""
    return f"<br/><i>{escaped(step.assignee)}</i>" if step.assignee else ""


def _label(words: str) -> str:
    return f'|"{escaped(words)}"|' if words else ""


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
        if loose := self._changes.loose(node_id):
            text = self.text(loose[1], loose[0])
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
            style = f":::{seen.node.style}" if seen.node.style else ""
        else:
            opening = OPENINGS[step.type]
            is_told_by_shape = step.type in ("action", "decision") or (step.type == "human" and step.assignee)
            is_told = is_told_by_shape and not self._changes.reader.is_ours
            closing, style = SHAPES[opening][0], "" if is_told else f":::{step.type}Step"
        return f'{node_id}{opening}"{label_of(step)}"{closing}{style}'

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
        words = OWNER.sub("", node.label or "") if has_its_name else escaped(step.name)
        told = words + owner_of(step)
        is_plain = bool(PLAIN_LABEL.fullmatch(told)) or (has_its_name and told == words)
        return told if is_plain and not as_was.startswith('"') else f'"{told}"'
