"""How the nodes of a flowchart are written: as they were, but for what is told of them anew."""

from workflow_agent.workflows.diagrams.mermaid import escaped
from workflow_agent.workflows.formats.mermaid.changes import Changes
from workflow_agent.workflows.formats.mermaid.chart import END, SHAPES, START, Line, Node
from workflow_agent.workflows.formats.mermaid.reader import OWNER
from workflow_agent.workflows.formats.mermaid.writer import OPENINGS, PLAIN_LABEL, label_of, owner_of


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
