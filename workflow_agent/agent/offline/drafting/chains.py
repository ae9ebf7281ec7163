"""Reading arrows: `draft → review → publish`, several lines of them, labels, and side-by-side parts."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Final

from workflow_agent.agent.offline.drafting.actors import Memory
from workflow_agent.agent.offline.drafting.ends import compact
from workflow_agent.agent.offline.drafting.graph import MAX_STEPS, STOPPED, Graph, Loose
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.items import is_only_role
from workflow_agent.agent.offline.drafting.nouns import role_name
from workflow_agent.agent.offline.drafting.phrases import capitalised, keywords
from workflow_agent.agent.offline.drafting.reading import read_clauses
from workflow_agent.agent.offline.drafting.results import Drawing
from workflow_agent.agent.offline.drafting.statements import Task
from workflow_agent.agent.offline.drafting.tokens import lines_of, tokens_of
from workflow_agent.agent.offline.drafting.triggers import event_trigger
from workflow_agent.agent.offline.drafting.verbs import verb_of
from workflow_agent.agent.offline.drafting.words import word_set
from workflow_agent.domain.workflow_parsing import slug

_LABEL: Final = re.compile(
    r"^\s*(?:\((?P<round>[^()]{1,80})\)|\[(?P<square>[^\[\]]{1,80})\]|\|(?P<bar>[^|]{1,80})\|)\s*(?=\S)"
)
_TRAILING: Final = re.compile(
    r"^(?P<node>.{1,120}?)\s*(?:\((?:if |when )?(?P<round>[^()]{1,80})\)|: (?P<colon>[^:]{1,80})|,? "
    r"(?:if|when|on) (?P<word>.{1,80}))\s*$",
    re.IGNORECASE,
)
_GROUP: Final = re.compile(r"^\s*[(\[{](?P<inside>[^()\[\]{}]{1,300})[)\]}]\s*$")
_SEPARATORS: Final = re.compile(r"\s*(?:,|&|\+|\||\band\b|/ )\s*")
_SIDE_BY_SIDE: Final = re.compile(r"\s+(?:&|\+|\|\|)\s+")
_CLAUSES: Final = re.compile(
    r"(?:→|^)\s*(?:if|when|otherwise|else)\b|,\s*(?:and|but)\s+(?:if|when)\b|,\s*(?:otherwise|else)\b|\.\s+[A-Z]",
    re.IGNORECASE | re.MULTILINE,
)
"""Running text between the arrows, which the grammar of sentences reads better."""
_ASIDE: Final = re.compile(
    r"(?P<node>[^→()]{1,80}?)\s*\((?:if )?(?P<label>[^→()]{1,60}?)\s*→\s*(?P<target>[^→()]{1,80}?)\s*\)"
)
_NEGATIVE: Final = word_set("rejected reject declined denied failed fail fails invalid")
_ERRORS: Final = word_set("error failure exception timeout")


@dataclass(frozen=True, slots=True)
class _Edge:
    source: str
    target: str
    label: str | None


def key_of(text: str) -> str:
    """Return what a node is known by."""
    return slug(text, fallback="")


class _Chains:
    """Nodes and edges as they are read, nodes of one name being one."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.edges: list[_Edge] = []
        self.memory = Memory()
        self.asides: list[tuple[str, str, str]] = []
        """Branches in brackets: the node, the label, where it leads."""
        self.open_outcomes: dict[str, Task] = {}
        self.is_cut = False
        """Whether there are more nodes than are drawn."""
        self._by_name: dict[str, str] = {}

    def node(self, text: str) -> str | None:
        """Return the id of a node, made when it is new."""
        key = key_of(text)
        if not key:
            return None
        known = self._by_name.get(key)
        if known is not None:
            return known
        if len(self.graph.steps) >= MAX_STEPS:
            self.is_cut = True
            return None
        task = self._task(text)
        step_id = self.graph.add(task)
        self._by_name[key] = step_id
        if task.outcomes:
            self.open_outcomes[step_id] = task
        return step_id

    def _task(self, text: str) -> Task:
        said = read_clauses(tokens_of(text), self.memory, is_item=True)
        task = next((statement for statement in said if isinstance(statement, Task)), None)
        name = capitalised(text.split())
        if is_only_role(text):
            return Task(name, "human", assignee=role_name(text.split()), words=keywords(text.split()))
        if text.rstrip().endswith("?"):
            return Task(name, "decision", words=keywords(text.split()))
        if task is not None and (verb := verb_of(task.lemma)) is not None and verb.kind == "event":
            return Task(
                name,
                "event",
                fields={"event": (event_trigger(tokens_of(text)) or {}).get("event", key_of(text))},
            )
        if (
            task is not None
            and task.assignee is not None
            and (head := read_head(tokens_of(text))) is not None
            and head.subject
        ):
            return task
        return replace(task, name=name) if task is not None else Task(name, words=keywords(text.split()))

    def group(self, text: str) -> list[str]:
        """Return the nodes of one part between arrows; several are side by side."""
        inside = _GROUP.match(text)
        parts = _SEPARATORS.split(inside["inside"]) if inside is not None else _SIDE_BY_SIDE.split(text)
        return [
            node for part in parts if part.strip() and (node := self.node(part.strip(" .;,"))) is not None
        ]


def draw_chains(text: str) -> Drawing | None:
    """Return the graph of lines of arrows, or None when some line is no chain."""
    lines = [line.text for line in lines_of(text)]
    if not lines or not all("→" in line for line in lines) or "; " in text or _CLAUSES.search(text):
        return None
    chains = _Chains()
    for line in lines:
        _read_line(chains, line.strip(" .;"))
    for node, label, target in chains.asides:
        source, to = chains.node(node.strip()), chains.node(target)
        chains.edges += [_Edge(source, to, label)] if source and to else []
    if len(chains.graph.steps) < 2:
        return None
    assumptions = _draw_edges(chains)
    steps, edges = compact(chains.graph)
    left_out = [STOPPED] if chains.is_cut else []
    return Drawing(steps, edges, [], assumptions, is_evident=True, left_out=left_out)


def _read_line(chains: _Chains, line: str) -> None:
    for aside in _ASIDE.finditer(line):
        chains.asides.append((aside["node"], aside["label"], aside["target"]))
    line = _ASIDE.sub(r"\g<node>", line)
    before: list[str] = []
    for part in line.split("→"):
        label = _LABEL.match(part)
        rest = part[label.end() :] if label is not None and not _GROUP.match(part) else part
        said = (
            next((found for found in label.groups() if found), None)
            if label is not None and rest is not part
            else None
        )
        rest, trailing = _without_trailing_label(rest) if said is None and before else (rest, None)
        nodes = chains.group(rest)
        if not nodes:
            continue
        before = _connect(chains, before, nodes, said or trailing)


def _without_trailing_label(part: str) -> tuple[str, str | None]:
    found = _TRAILING.match(part.strip())
    if found is None or _GROUP.match(part):
        return part, None
    return found["node"], found["round"] or found["colon"] or found["word"]


def _connect(chains: _Chains, before: list[str], nodes: list[str], label: str | None) -> list[str]:
    """Note the edges to a part, with a fork and a join around several nodes; return what leads on."""
    if len(nodes) == 1:
        chains.edges += [_Edge(source, nodes[0], label) for source in before]
        return nodes
    fork = chains.graph.add(Task("In parallel", "fork"))
    chains.graph.move_before(fork, nodes[0])
    join = chains.graph.add(Task("Both done" if len(nodes) == 2 else "All done", "join"))
    chains.edges += [_Edge(source, fork, label) for source in before]
    chains.edges += [_Edge(fork, node, None) for node in nodes] + [_Edge(node, join, None) for node in nodes]
    return [join]


def _draw_edges(chains: _Chains) -> list[str]:
    graph, assumptions = chains.graph, list[str]()
    forks = {step["id"] for step in graph.steps if step["type"] == "fork"}
    leaving: dict[str, set[str]] = {}
    for edge in chains.edges:
        leaving.setdefault(edge.source, set()).add(edge.target)
    unlabelled = Counter(edge.source for edge in chains.edges if edge.label is None)
    for edge in chains.edges:
        parts = len(leaving[edge.source]) > 1 and edge.source not in forks
        named = "else" if unlabelled[edge.source] == 1 else graph.step(edge.target)["name"].lower()
        label = edge.label or (named if parts else None)
        if label is None and edge.source in chains.open_outcomes:
            label = "approved"
        graph.join(_loose(edge.source, label), edge.target)
    for step_id in chains.open_outcomes:
        if len(leaving.get(step_id, ())) < 2:
            graph.end(Loose(step_id, "condition", "rejected", "rejected"))
            name = graph.step(step_id)["name"]
            assumptions.append(
                f"You did not say what happens after a rejection at {name!r}; I end the process there."
            )
    _end_nodes(chains, set(leaving))
    return assumptions


def _end_nodes(chains: _Chains, leaving: set[str]) -> None:
    """End the nodes that lead nowhere, and those that lead on only under a condition."""
    graph, refused = chains.graph, _refused(chains)
    for step in list(graph.steps):
        step_id = step["id"]
        approves = step_id in chains.open_outcomes
        ways = [edge.get("type") for edge in graph.edges if edge["from"] == step_id]
        if step["type"] == "end":
            continue
        if step_id not in leaving:
            outcome = "rejected" if step_id in refused else "ok"
            graph.end(
                Loose(step_id, "condition", "approved") if approves else Loose(step_id, outcome=outcome)
            )
        elif ways == ["condition"] and not approves:
            graph.end(Loose(step_id, "default"))


def _refused(chains: _Chains) -> set[str]:
    """Return the nodes that only a refusal leads to."""
    labels: dict[str, list[str]] = {}
    for edge in chains.edges:
        labels.setdefault(edge.target, []).append((edge.label or "").lower())
    return {
        target for target, said in labels.items() if all(_NEGATIVE & set(label.split()) for label in said)
    }


def _loose(source: str, label: str | None) -> Loose:
    if label is None:
        return Loose(source)
    words = set(label.lower().split())
    if label.lower() in ("else", "otherwise", "default"):
        return Loose(source, "default")
    return Loose(source, "error" if words & _ERRORS else "condition", label)
