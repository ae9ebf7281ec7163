"""The graph of a draft while it is drawn: always valid, whatever is told."""

from dataclasses import dataclass, field
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.parser import slug

MOST_STEPS = 200


@dataclass(slots=True)
class Node:
    """A step, and what later clauses know it by."""

    id: str
    document: dict[str, Any]
    role: str = ""
    verb: str = ""
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class End:
    """A way out of a step that leads nowhere yet."""

    step: str
    when: str | None = None
    type: str = "sequence"


@dataclass(slots=True)
class Graph:
    """Steps and transitions; ids are unique, and a transition never leads to a step that is not there."""

    nodes: list[Node] = field(default_factory=list[Node])
    edges: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    by_id: dict[str, Node] = field(default_factory=dict[str, Node])
    by_role: dict[str, list[Node]] = field(default_factory=dict[str, list[Node]])
    by_word: dict[str, list[Node]] = field(default_factory=dict[str, list[Node]])
    parent: str | None = None
    """The loop whose body is drawn at the moment."""
    _counts: dict[str, int] = field(default_factory=dict[str, int])
    into: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])

    def add(self, name: str, kind: str, **fields: Any) -> Node:
        """Return a new step."""
        wanted = slug(name)
        self._counts[wanted] = count = self._counts.get(wanted, 0) + 1
        own_id = wanted if count == 1 else f"{wanted[:56]}_{count}"
        while own_id in self.by_id:
            count += 1
            own_id = f"{wanted[:56]}_{count}"
        document: dict[str, Any] = {"id": own_id, "name": name, "type": kind}
        document |= {key: value for key, value in fields.items() if value is not None}
        if self.parent is not None:
            document["parent"] = self.parent
        node = Node(own_id, document)
        self.nodes.append(node)
        self.by_id[own_id] = node
        return node

    def know(self, node: Node, role: str, verb: str, content: frozenset[str]) -> None:
        """Keep what a step is known by."""
        node.role, node.verb, node.words = role, verb, content
        if role:
            self.by_role.setdefault(slug(role), []).append(node)
        for word in content | {verb}:
            self.by_word.setdefault(word, []).append(node)

    def lead(self, end: End, to: str) -> None:
        """Draw a transition, unless the same one is there."""
        for edge in self.into.get(to, ()):
            if edge["from"] == end.step:
                if edge.get("when") is None or end.when is None:
                    edge.pop("when", None)
                    edge["type"] = "sequence" if edge["type"] == "condition" else edge["type"]
                return
        edge: dict[str, Any] = {"from": end.step, "to": to, "type": end.type}
        if end.when is not None:
            edge["when"] = end.when
        self.edges.append(edge)
        self.into.setdefault(to, []).append(edge)

    def named_role(self, role: str) -> list[Node]:
        """Return the steps of a role, by the whole of its name, else by a part of it."""
        wanted = slug(role)
        whole = self.by_role.get(wanted, [])
        return whole or [
            node
            for name, nodes in self.by_role.items()
            for node in nodes
            if wanted in name.split("_") or name in wanted.split("_")
        ]

    def redirect(self, old: str, new: str) -> None:
        """Let what leads to one step lead to another."""
        for edge in self.into.pop(old, []):
            edge["to"] = new
            self.into.setdefault(new, []).append(edge)

    def documents(self) -> tuple[list[JsonObject], list[JsonObject]]:
        """Return the steps and the transitions as `create_workflow` takes them."""
        edges = [
            {key: value for key, value in edge.items() if (key, value) != ("type", "sequence")} for edge in self.edges
        ]
        return [node.document for node in self.nodes], edges
