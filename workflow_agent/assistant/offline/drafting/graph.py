"""The graph of a draft while it is drawn, always valid, and where in it the telling stands."""

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from workflow_agent.assistant.offline.drafting.conditions import Condition
from workflow_agent.assistant.offline.drafting.phrases import capitalized
from workflow_agent.assistant.offline.lexicon import word_set
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


@dataclass(slots=True)
class Arm:
    """One way out of a decision."""

    polarity: int
    """1 for a good outcome, -1 for a bad one, 0 where the words do not say."""
    is_else: bool = False
    ends: list[End] = field(default_factory=list[End])
    verb: str = ""
    """Of its last step."""
    steps: int = 0

    @property
    def is_final(self) -> bool:
        """Whether a bad outcome ends the work here: somebody is told, and nothing else is left to do."""
        return self.polarity < 0 and self.verb in word_set("verb.terminal")


@dataclass(slots=True)
class Decision:
    """A question that parts the flow, and the arms told so far."""

    node: str
    conditions: list[Condition]
    arms: list[Arm]
    rejects: bool = False
    """Whether the step before it approves or rejects, so that who is not approved is rejected."""
    negates: bool = False
    """Whether it was asked with "unless"."""

    @property
    def has_else(self) -> bool:
        """Whether every case has an arm: by "otherwise", or by opposite outcomes, or by amounts."""
        signs = {arm.polarity for arm in self.arms}
        compared = word_set("doubts.compared")
        bounds = sum(one.bounds or bool(one.content & compared) for one in self.conditions) > 1
        denied = any(one.denies(other) for one, other in combinations(self.conditions, 2))
        return any(arm.is_else for arm in self.arms) or {1, -1} <= signs or bounds or denied


class Track:
    """The open ends of a graph while it is drawn."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.frontier: list[End] = []
        self.ended: list[End] = []
        """Ends of arms that a bad outcome closes."""
        self.decision: Decision | None = None
        self.arm: Arm | None = None
        self.resume: list[End] | None = None
        """The ends of the main way while an exception from it is told."""
        self.doubts: list[str] = []
        self._must_join = False
        self._unit: tuple[str, list[End], str | None] | None = None
        """The first step, the ends and the fork of what was told last."""

    def enter(self, node: Node, *, verb: str = "") -> None:
        """Lead everything that is open to a step."""
        if self.arm is None:
            self.close()
        if self._must_join and len(self.frontier) > 1:
            join = self.graph.add("All done", "join")
            nodes = self.graph.nodes
            nodes.insert(nodes.index(node), nodes.pop())
            for end in self.frontier:
                self.graph.lead(end, join.id)
            self.frontier, self._must_join = [End(join.id)], False
        for end in self.frontier:
            self.graph.lead(end, node.id)
        self.frontier = [End(node.id)]
        self._unit = (node.id, list(self.frontier), None)
        if self.arm is not None:
            self.arm.verb, self.arm.steps = verb, self.arm.steps + 1

    @property
    def joins(self) -> bool:
        """Whether the next step waits for several that run at once."""
        return self._must_join and len(self.frontier) > 1

    # ---- branches

    @property
    def is_refused(self) -> bool:
        """Whether an arm of the open question is a refusal, behind which nothing more is done."""
        decision = self.decision
        if decision is None or not any(_is_verdict(one) for one in decision.conditions):
            return False
        return any(arm.is_final and (arm.ends or (arm is self.arm and self.frontier)) for arm in decision.arms)

    def open(self, condition: Condition, *, rejects: bool = False) -> Decision:
        """Ask a question, and go on with the arm of its first answer."""
        self.close()
        node = self.graph.add(f"{capitalized(condition.text.removeprefix('not: '))}?", "decision")
        self.enter(node)
        self.frontier = []
        self.decision = Decision(node.id, [], [], rejects)
        self.next_arm(condition)
        return self.decision

    def next_arm(self, condition: Condition) -> None:
        """Go on with a further answer to the open question."""
        assert self.decision is not None  # noqa: S101
        self.end_arm()
        self.decision.conditions.append(condition)
        self.arm = Arm(condition.polarity)
        self.decision.arms.append(self.arm)
        self.frontier = [End(self.decision.node, condition.text, "condition")]

    def else_arm(self) -> bool:
        """Go on with what happens otherwise; False where no question is open, or it was told already."""
        if self.decision is None or any(arm.is_else for arm in self.decision.arms):
            return False
        self.end_arm()
        signs = {arm.polarity for arm in self.decision.arms}
        self.arm = Arm(-1 if signs == {1} else 1 if signs == {-1} else 0, is_else=True)
        self.decision.arms.append(self.arm)
        self.frontier = [End(self.decision.node, None, "default")]
        return True

    def end_arm(self) -> None:
        """Keep where the arm that is told ends."""
        if self.arm is not None:
            self.arm.ends, self.frontier, self.arm = self.frontier, [], None
            self._must_join = False

    def close(self, *, is_last: bool = False) -> None:
        """Lead the arms of the open question on to what follows them; `is_last` where nothing does."""
        self.end_arm()
        decision, self.decision = self.decision, None
        if decision is None:
            return
        if not decision.has_else:
            other = End(decision.node, None, "default")
            is_rejected = decision.rejects and all(arm.polarity > 0 for arm in decision.arms)
            (self.ended if is_rejected else self.frontier).append(other)
        verdict = any(_is_verdict(one) for one in decision.conditions)
        for arm in decision.arms:
            final = arm.is_final and bool(arm.ends)
            if final and not verdict and not decision.has_else and not is_last:
                self.doubts.append(f"what follows after {decision.conditions[0].text!r}")
            (self.ended if final and verdict else self.frontier).extend(arm.ends)

    def end_sentence(self) -> None:
        """End what lasts for a sentence: an arm, an exception, the body of a loop."""
        if self.resume is not None:
            self.frontier = self.resume + [one for one in self.frontier if one not in self.resume]
            self.resume = None
        self.end_arm()

    def leave(self, step: str) -> None:
        """Go on from an exception of a step: its time is over, or it failed."""
        if self.resume is None:
            self.resume = self.frontier
        self.frontier = [End(step, None, "error")]

    def lead_back(self, step: str, note: str = "") -> None:
        """Lead everything that is open back to a step."""
        for end in self.frontier:
            when = f"{end.when}, {note}" if end.when and note else end.when
            self.graph.lead(End(end.step, when, end.type), step)
        self.frontier = []
        if self.arm is not None:
            self.arm.steps += 1

    # ---- beside each other

    def fork(self) -> str:
        """Part the flow, so that what is told next runs at once."""
        if self.arm is None:
            self.close()
        node = self.graph.add("In parallel", "fork")
        self.enter(node)
        self._unit = None
        return node.id

    def join_next(self, ends: list[End], fork: str) -> None:
        """Take the ends of what runs at once as what the next step waits for."""
        self.frontier, self._must_join = ends, True
        self._unit = (fork, ends, fork)

    def beside(self) -> tuple[str, list[End]] | None:
        """Return a fork around what was told last and its ends, None where nothing was."""
        if self._unit is None:
            return None
        first, ends, fork = self._unit
        if fork is None:
            node = self.graph.add("In parallel", "fork")
            nodes = self.graph.nodes
            nodes.insert(nodes.index(self.graph.by_id[first]), nodes.pop())
            self.graph.redirect(first, node.id)
            self.graph.lead(End(node.id), first)
            fork = node.id
        return fork, list(ends)


def _is_verdict(condition: Condition) -> bool:
    """Say whether somebody said yes or no to the whole: "approved", "the manager rejects it"."""
    return bool(condition.content & word_set("verb.verdict")) or condition.text in ("yes", "no")
