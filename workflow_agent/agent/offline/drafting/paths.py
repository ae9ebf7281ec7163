"""The paths of a graph being drawn: their loose ends, and the choices whose branches are being described."""

from collections.abc import Sequence
from typing import Final

from workflow_agent.agent.offline.drafting.cases import closes_every_case, excludes, negates
from workflow_agent.agent.offline.drafting.graph import OUTCOME_OF, Choice, Graph, Key, Loose, polarity_key
from workflow_agent.agent.offline.drafting.statements import Branch, Condition, Otherwise, Statement, Task
from workflow_agent.agent.offline.drafting.words import word_set

_TELLING: Final = word_set("tell inform notify email send cancel close reject warn call remind message")


class Paths:
    """The frontier of loose ends, and the choices that led to it.

    `frontier` holds the loose ends that the next step is joined to. `active` are the choices one of whose
    branches is being described, outermost first; `all` also has those that the path only passed.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.frontier: list[Loose] = []
        self.all: list[Choice] = []
        self.active: list[Choice] = []

    def connect(self, step_id: str) -> None:
        """Join the frontier to a step, which becomes the frontier."""
        if not self.frontier and len(self.graph.steps) > 1:
            self._find_a_way_in(step_id)
        outcomes = {loose.outcome for loose in self.frontier}
        for loose in self.frontier:
            self.take(loose)
            self.graph.join(loose, step_id)
        self.frontier = [Loose(step_id, outcome=outcomes.pop() if len(outcomes) == 1 else "ok")]

    def _find_a_way_in(self, step_id: str) -> None:
        """Reach a step that follows ended paths from the last choice or step, so that nothing hangs loose."""
        while self.active and not self.frontier:
            self.close()
        if not self.frontier:
            free = [loose for choice in reversed(self.all) for loose in choice.free.values()]
            before = [
                step["id"] for step in self.graph.steps if step["id"] != step_id and step["type"] != "end"
            ]
            self.frontier = free[:1] or [Loose(before[-1], "default")]

    def take(self, loose: Loose) -> None:
        """Note that a loose end is used."""
        for choice in self.all:
            for key, free in list(choice.free.items()):
                if free is loose:
                    del choice.free[key]
                    choice.taken.add(key)

    def open_verdict(self, step_id: str, task: Task) -> None:
        """Open the ways of a step that decides; the path goes on where it approves."""
        came_with = self.frontier[0].outcome if self.frontier else "ok"
        free: dict[Key, Loose] = {"approved": Loose(step_id, "condition", "approved", came_with)}
        wanted: list[Key] = [polarity_key(outcome) for outcome in task.outcomes if outcome != "approved"]
        for key in wanted or ["rejected"]:
            text = "changes needed" if key == "changes" else "rejected"
            free[key] = Loose(step_id, "condition", text, OUTCOME_OF[key])
        choice = Choice(step_id, "verdict", free, task.assignee)
        self.all.append(choice)
        self.frontier = [free["approved"]]

    def switch(self, choice: Choice, key: Key, condition: Condition | None) -> None:
        """Leave the branch being described and go into another of a choice."""
        while self.active and choice in self.active and self.active[-1] is not choice:
            self.close()
        others = [] if key != "rejected" or (condition and condition.actor) else self._open_rejections(choice)
        if choice.branch is not None:
            choice.tails += self.frontier
        elif choice not in self.active and not any(loose in choice.free.values() for loose in self.frontier):
            choice.tails += [loose for loose in self.frontier if loose.from_id != choice.step_id]
        if choice not in self.active:
            self.active.append(choice)
        if condition is not None and choice.kind == "generic":
            choice.conditions.append(condition)
            outcome = "rejected" if condition.polarity == "rejected" else "ok"
            loose = choice.free.pop(key, None) or Loose(choice.step_id, "condition", condition.text, outcome)
        else:
            loose = choice.free.pop(key)
            choice.conditions += [condition] if condition is not None else []
        choice.taken.add(key)
        choice.branch = key
        self.frontier = [loose, *others]

    def _open_rejections(self, choice: Choice) -> list[Loose]:
        """Return the reject ways of earlier approvals in the same line: "if rejected" speaks of them all."""
        found: list[Loose] = []
        for other in self.all:
            passed_by = other is not choice and other.kind == "verdict" and other.branch is None
            if passed_by and "rejected" in other.free and "approved" in other.taken:
                found.append(other.free.pop("rejected"))
                other.taken.add("rejected")
        return found

    def close(self, coming: Sequence[Statement] = ()) -> None:
        """Leave the innermost active choice; its branches meet again unless they ended."""
        choice = self.active.pop()
        if choice.kind in ("error", "timeout"):
            self.frontier = [] if self._is_untouched(choice) and choice.is_amended else self.frontier
            kept = self.frontier if choice.continues else []
            self.end_all([] if choice.continues else self.frontier)
            self.frontier = [*(choice.resume or []), *kept]
            return
        tails = self._without_ended(choice, [*choice.tails, *self.frontier], coming)
        choice.branch, choice.tails = None, []
        if choice.kind == "verdict" and "approved" in choice.free:
            if not choice.continues:
                self.end_all(tails)
                tails = []
            self.frontier = [*tails, choice.free["approved"]]
        elif choice.kind == "generic" and "else" in choice.free:
            self.frontier = [*tails, choice.free["else"]]
        else:
            self.frontier = tails

    def _is_untouched(self, choice: Choice) -> bool:
        return all(loose.from_id == choice.step_id for loose in self.frontier)

    def _without_ended(self, choice: Choice, tails: list[Loose], coming: Sequence[Statement]) -> list[Loose]:
        """Return the tails without the rejections that only told somebody, which end here."""
        if choice.kind != "verdict" or choice.continues or not coming or closes_every_case(coming):
            return tails
        ended = [loose for loose in tails if loose.outcome == "rejected" and self._tells(loose.from_id)]
        if len(ended) == len(tails):
            return tails
        self.end_all(ended)
        return [loose for loose in tails if loose not in ended]

    def _tells(self, step_id: str) -> bool:
        step = self.graph.step(step_id)
        return str(step.get("uses", "")).endswith(".send") or not _TELLING.isdisjoint(
            step["name"].lower().split()[:1]
        )

    def leave_side_paths(self) -> None:
        """Come back to the main line from errors and silences."""
        while self.active and self.active[-1].kind in ("error", "timeout"):
            self.close()

    def settle(self, coming: Sequence[Statement]) -> None:
        """Leave the branches that end with their sentence, innermost first."""
        while self.active and not self._stays(self.active[-1], coming):
            self.close(coming)

    def _stays(self, choice: Choice, coming: Sequence[Statement]) -> bool:
        if choice.kind in ("error", "timeout"):
            return False
        if choice.kind == "verdict" and choice.branch == "approved" and "rejected" in choice.free:
            return True
        for at, statement in enumerate(coming[:40]):
            if isinstance(statement, Otherwise):
                return bool(choice.free)
            if isinstance(statement, Branch):
                return self._belongs(statement.condition, choice)
            if isinstance(statement, Task) and statement.outcomes and at:
                return False
        return False

    @staticmethod
    def _belongs(condition: Condition, choice: Choice) -> bool:
        if choice.kind == "verdict":
            return condition.kind == "outcome" and polarity_key(condition.polarity) in choice.free
        return any(excludes(condition, other) or negates(condition, other) for other in choice.conditions)

    def leave_addition(self, coming: Sequence[Statement]) -> None:
        """Leave a branch that only added a step: "if it is over 500 the CFO signs too, then finance pays"."""
        if self.active and self.active[-1].kind == "generic" and not any(
            isinstance(statement, Otherwise) for statement in coming[:6]
        ):  # fmt: skip
            self.close()

    def rejoin_all(self) -> None:
        """Bring every branch back together, rejections included."""
        while self.active:
            self.active[-1].continues = True
            self.close()
        for choice in self.all:
            if choice.kind == "verdict":
                self.frontier += [loose for loose in choice.free.values() if loose not in self.frontier]

    def end_frontier(self) -> None:
        """End the paths of the frontier."""
        self.end_all(self.frontier)
        self.frontier = []

    def end_all(self, loose_ends: list[Loose]) -> None:
        """End these paths."""
        for loose in loose_ends:
            self.take(loose)
            self.graph.end(loose)
