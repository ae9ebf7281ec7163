"""The graph of a draft while it is drawn, always valid, and where in it the telling stands."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from workflow_agent.assistant.offline.drafting.conditions import Condition
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.phrases import capitalized
from workflow_agent.assistant.offline.references import akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.parser import slug


@dataclass(slots=True)
class Node:
    """A step, and what later clauses know it by."""

    id: str
    document: dict[str, Any]
    role: str = ""
    verb: str = ""
    words: frozenset[str] = frozenset()
    is_passive: bool = False
    """Whether it was told without who does it: "the form is checked"."""


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
    parent: str | None = None
    """The loop whose body is drawn at the moment."""
    numbered: dict[int, Node] = field(default_factory=dict[int, Node])
    """The steps of a list, by the numbers in front of them."""
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
        told = {key: value for key, value in (*fields.items(), ("parent", self.parent)) if value is not None}
        node = Node(own_id, {"id": own_id, "name": name, "type": kind, **told})
        self.nodes.append(node)
        self.by_id[own_id] = node
        return node

    def place_last_before(self, node: Node) -> None:
        """Let the step that was added last stand in front of another one."""
        self.nodes.insert(self.nodes.index(node), self.nodes.pop())

    def lead(self, end: End, to: str) -> None:
        """Draw a transition, unless the same one is there."""
        for edge in self.into.get(to, ()):
            if edge["from"] != end.step or (edge["type"] == "error") != (end.type == "error"):
                continue
            if edge.get("when") is None or end.when is None:
                edge.pop("when", None)
                edge["type"] = "sequence" if edge["type"] == "condition" else edge["type"]
            elif edge["when"] != end.when:
                edge["when"] = f"{edge['when']} or {end.when}"
            return
        edge: dict[str, Any] = {"from": end.step, "to": to, "type": end.type}
        if end.when is not None:
            edge["when"] = end.when
        self.edges.append(edge)
        self.into.setdefault(to, []).append(edge)

    def worked(self) -> list[Node]:
        """Return the steps that are no mere turnings of the way."""
        return [node for node in self.nodes if node.document["type"] not in ("decision", "fork", "join")]

    def tasks(self) -> list[Node]:
        """Return the steps in which somebody or something works."""
        return [node for node in self.nodes if node.document["type"] in ("human", "action")]

    def named(self, tokens: Tokens) -> Node | None:
        """Return the step that words lead back to: by a number, by its words, by who does it, or the first."""
        worked = self.worked()
        if not worked:
            return None
        numbers = [int(token.value) for token in tokens if token.value is not None and token.kind == "number"]
        if numbers and numbers[0] in self.numbered:
            return self.numbered[numbers[0]]
        words = [token for token in tokens if token.is_content or token.has("verb")]
        does = any(akin(token.lower, node.verb) for token in words for node in worked if node.verb)
        if not does and (done := self._done_by_just(words)) is not None:
            return done
        best = max(worked, key=lambda node: _known(node, words))
        if _known(best, words):
            return best
        starts = any({token.lower, token.lemma} & word_set("graph.starts") or token.is_("first") for token in tokens)
        return self.done_by(words) or (worked[0] if starts else None)

    def _done_by_just(self, words: Sequence[Token]) -> Node | None:
        """Return the last step that is done by somebody whom words name and nothing else: "back to the temp"."""
        for node in reversed(self.worked()):
            own = content_of(node.role or "")
            if own and words and all(any(akin(token.lower, one) for one in own) for token in words):
                return node
        return None

    def done_by(self, tokens: Sequence[Token]) -> Node | None:
        """Return the last step that is done by somebody whom words name."""
        for node in reversed(self.worked()):
            if node.role and any(akin(token.lower, node.role.split()[-1].lower()) for token in tokens):
                return node
        return None

    def redirect(self, old: str, new: str) -> None:
        """Let what leads to one step lead to another."""
        for edge in self.into.pop(old, []):
            edge["to"] = new
            self.into.setdefault(new, []).append(edge)

    def documents(self) -> tuple[list[JsonObject], list[JsonObject]]:
        """Return the steps and the transitions as `create_workflow` takes them."""
        told = (edge.items() for edge in self.edges)
        edges = [{key: value for key, value in some if (key, value) != ("type", "sequence")} for some in told]
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
    words: frozenset[str] = frozenset()
    """Of its last step, too."""
    steps: int = 0

    @property
    def is_final(self) -> bool:
        """Whether a bad outcome ends the work here: somebody is told, and nothing else is left to do."""
        return self.polarity < 0 and self.verb in word_set("verb.terminal")


@dataclass(slots=True)
class Decision:
    """A question that parts the flow, and the arms told so far."""

    node: str
    conditions: list[Condition] = field(default_factory=list[Condition])
    arms: list[Arm] = field(default_factory=list[Arm])
    about: str = ""
    """What "it" stood for when it was asked."""
    rejects: bool = False
    """Whether the step before it approves or rejects, so that who is not approved is rejected."""
    is_labelled: bool = False
    """Whether its answers are labels in front of what they lead to: "granted: ..."."""

    @property
    def is_whole(self) -> bool:
        """Whether "otherwise" was told, so that no further answer fits."""
        return any(arm.is_else for arm in self.arms)

    @property
    def has_else(self) -> bool:
        """Whether every case has an arm: by "otherwise", or by opposite outcomes, or by amounts."""
        signs = {arm.polarity for arm in self.arms}
        compared = word_set("doubts.compared")
        bounds = sum(one.bounds or bool(one.content & compared) for one in self.conditions) > 1
        denied = any(one.denies(other) for one, other in combinations(self.conditions, 2))
        return self.is_whole or {1, -1} <= signs or bounds or denied


class Track:
    """The open ends of a graph while it is drawn."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.frontier: list[End] = []
        self.ended: list[End] = []
        """Ends of arms that a bad outcome closes."""
        self.open: list[Decision] = []
        """The questions whose arms are told, one inside the other."""
        self.resume: list[End] | None = None
        """The ends of the main way while an exception from it is told."""
        self.doubts: list[str] = []
        self._parked: list[End] = []
        self._past_loop: list[End] = []
        self._looped_on: Condition | None = None
        self._must_join = False
        self._unit: tuple[str, list[End], str | None] | None = None
        """The first step, the ends and the fork of what was told last."""

    @property
    def arm(self) -> Arm | None:
        """The arm that is told."""
        return self.open[-1].arms[-1] if self.open and self.open[-1].arms else None

    @property
    def joins(self) -> bool:
        """Whether the next step waits for several that run at once."""
        return self._must_join and len(self.frontier) > 1

    def enter(self, node: Node) -> None:
        """Lead everything that is open to a step."""
        self._join(node)
        for end in self.frontier:
            self.graph.lead(end, node.id)
        self.frontier = [End(node.id)]
        self._unit = (node.id, list(self.frontier), None)
        if (arm := self.arm) is not None:
            arm.verb, arm.words, arm.steps = node.verb, node.words, arm.steps + 1

    def _join(self, before: Node | None = None) -> None:
        """Wait for what runs at once, in front of a step or where the telling stands."""
        if not self.joins:
            return
        join = self.graph.add("All done", "join")
        if before is not None:
            self.graph.place_last_before(before)
        for end in self.frontier:
            self.graph.lead(end, join.id)
        self.frontier, self._must_join = [End(join.id)], False

    # ---- branches

    def ask(self, condition: Condition) -> None:
        """Ask a question, inside the arm that is told if one is, and go on with its first answer."""
        holds, _ = self.question(condition)
        self.open.append(Decision(holds.step))
        self._answer(condition)

    def answer(self, condition: Condition) -> None:
        """Go on with a further answer to the question asked last."""
        self._end_arm()
        self._answer(condition)

    def _answer(self, condition: Condition) -> None:
        decision = self.open[-1]
        decision.conditions.append(condition)
        decision.arms.append(Arm(condition.polarity))
        self._unit = None
        self.frontier = [End(decision.node, condition.text, "condition")]

    def otherwise(self) -> bool:
        """Go on with what happens otherwise; False where every open question was told that already."""
        while self.open and self.open[-1].is_whole:
            if len(self.open) == 1:
                return False
            self.leave_question()
        if not self.open:
            return False
        decision = self.open[-1]
        self._end_arm()
        signs = {arm.polarity for arm in decision.arms}
        decision.arms.append(Arm(-1 if signs == {1} else 1 if signs == {-1} else 0, is_else=True))
        self.frontier = [End(decision.node, None, "default")]
        return True

    def take_else_back(self) -> None:
        """Forget "otherwise" again, which only led to a further case: "otherwise, if ..."."""
        decision = self.open[-1]
        decision.arms.pop()
        self.frontier = decision.arms[-1].ends

    def forget_answer(self) -> None:
        """Forget the first answer of a question, which was the question itself."""
        decision = self.open[-1]
        decision.arms.pop()
        decision.conditions.pop()
        self.frontier = []

    def _end_arm(self) -> None:
        if (arm := self.arm) is not None:
            self._join()
            arm.ends, self.frontier, self._unit = self.frontier, [], None

    def leave_question(self, *, is_last: bool = False, is_for_all: bool = False) -> None:
        """Lead the arms of the question asked last on to what follows them.

        Args:
            is_last: Whether nothing follows.
            is_for_all: Whether what follows is told to be done in each case: "then", "in any case".
        """
        self._end_arm()
        decision = self.open.pop()
        if not decision.has_else:
            is_rejected = decision.rejects and all(arm.polarity > 0 for arm in decision.arms)
            (self.ended if is_rejected else self.frontier).append(End(decision.node, None, "default"))
        verdict = any(is_verdict(one) for one in decision.conditions)
        for arm in decision.arms:
            final = arm.is_final and bool(arm.ends)
            if final and not (verdict or decision.has_else or is_last or is_for_all):
                self.doubts.append(f"what follows after {decision.conditions[0].text!r}")
            (self.ended if final and verdict and not is_for_all else self.frontier).extend(arm.ends)

    def rejoin(self, *, is_last: bool = False, is_for_all: bool = False) -> None:
        """Lead everything that is told apart on to what follows: exceptions, and the arms of all questions."""
        self.end_exception()
        while self.open:
            self.leave_question(is_last=is_last, is_for_all=is_for_all)
        self.frontier += [end for end in self._parked if end not in self.frontier]
        self._parked = []

    def stop(self) -> None:
        """End what is told here."""
        self.ended += self.frontier
        self.stop_here()

    def stop_here(self) -> None:
        """Go on with nothing: what was open leads elsewhere."""
        self.frontier = []
        if (arm := self.arm) is not None:
            arm.steps += 1

    def leave(self, step: str) -> None:
        """Go on from an exception of a step: its time is over, or it failed."""
        self._join()
        if self.resume is None:
            self.resume = self.frontier
        else:
            self.resume = [*self.resume, *(end for end in self.frontier if (end.step, end.type) != (step, "error"))]
        self.frontier = [End(step, None, "error")]

    def end_exception(self) -> None:
        """Go on with the main way behind an exception, which leads there too."""
        if self.resume is not None:
            self.frontier = self.resume + [one for one in self.frontier if one not in self.resume]
            self.resume = None

    def drop_exception(self) -> None:
        """Go on with the main way, as if no exception had been told."""
        if self.resume is not None:
            self.frontier, self.resume = self.resume, None

    def park_exception(self) -> None:
        """Go on with the main way behind an exception, which leads to what follows the question that is asked next."""
        if self.resume is not None:
            self._parked += self.frontier
            self.drop_exception()

    def lead_back(self, step: str) -> None:
        """Lead everything that is open back to a step."""
        for end in self.frontier:
            self.graph.lead(end, step)
        self.stop_here()

    def question(self, condition: Condition) -> tuple[End, End]:
        """Ask a question and return the ways on: where the condition holds, and otherwise."""
        node = self.graph.add(f"{capitalized(condition.text.removeprefix('not: '))}?", "decision")
        self.enter(node)
        return End(node.id, condition.text, "condition"), End(node.id, None, "default")

    def repeat(self, first: str, condition: Condition, *, is_until: bool) -> None:
        """Ask behind a loop's last step whether it is done again from its first."""
        before = (self.graph.by_id[edge["from"]] for edge in self.graph.into.get(first, ()))
        first = next((node.id for node in before if node.document["type"] == "fork"), first)
        holds, other = self.question(condition)
        self.graph.lead(other if is_until else holds, first)
        self.frontier = self._past_loop = [holds if is_until else other]
        self._looped_on = condition

    def leaves_loop(self, condition: Condition | None = None) -> bool:
        """Say whether a condition, or "otherwise", only tells where the loop is left that was told right before."""
        if not self.frontier or self.frontier is not self._past_loop or self._looped_on is None:
            return False
        own = self._looped_on
        return condition is None or condition.parts_from(own) or condition.denies(own) or condition.text == own.text

    # ---- beside each other

    @contextmanager
    def beside(self) -> Generator[None]:
        """Draw beside what was told last, if anything was; the next step waits for both."""
        if self._unit is None:
            yield
            return
        first, ends, fork = self._unit
        if fork is None:
            fork = self.graph.add("In parallel", "fork").id
            self.graph.place_last_before(self.graph.by_id[first])
            self.graph.redirect(first, fork)
            self.graph.lead(End(fork), first)
        self.frontier = [End(fork)]
        yield
        self.frontier, self._must_join = [*ends, *self.frontier], True
        self._unit = (fork, self.frontier, fork)


def is_verdict(condition: Condition) -> bool:
    """Say whether somebody said yes or no to the whole: "approved", "the manager rejects it"."""
    return bool(condition.content & word_set("verb.verdict")) or condition.text in ("yes", "no")


def _known(node: Node, tokens: Sequence[Token]) -> int:
    """Return how many of some words a step is known by."""
    known = (node.words | {node.verb}) - {""}
    return sum(
        not known.isdisjoint((token.lower, token.lemma, token.entry.verb, token.entry.noun))
        or any(akin(token.lower, one) for one in known)
        for token in tokens
    )
