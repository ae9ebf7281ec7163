"""Which earlier step a condition speaks of, and the choice that is made of it."""

from typing import Final, Literal

from workflow_agent.agent.offline.drafting.cases import excludes, negates
from workflow_agent.agent.offline.drafting.graph import OUTCOME_OF, Choice, Key, Loose, polarity_key
from workflow_agent.agent.offline.drafting.paths import Paths
from workflow_agent.agent.offline.drafting.statements import Condition, Task
from workflow_agent.agent.offline.drafting.verbs import VERBS
from workflow_agent.agent.offline.drafting.words import word_set

_DECIDING: Final = word_set("decide determine triage classify choose evaluate assess")
_ALTERNATIVES: Final[tuple[Key, ...]] = ("rejected", "changes", "approved", "else")
_OPPOSITE: Final[dict[Key, Key]] = {"approved": "rejected", "rejected": "approved", "changes": "approved"}


class Choices:
    """Finds or makes the choice that a condition belongs to, and leads the paths into its branch."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.graph = paths.graph
        self._sentence = 0

    def enter(self, condition: Condition, sentence: int) -> None:
        """Go into the branch of a condition, at the choice it speaks of or at a new one."""
        self._sentence = sentence
        if condition.kind == "error" and self._enter_error(condition):
            return
        if condition.polarity == "approved" and self._is_after_failure():
            return
        polarity = condition.polarity or ("rejected" if condition.kind == "timeout" else "")
        if condition.kind != "generic" and polarity and not self.is_sibling(condition):
            found = self._verdict_for(condition, polarity_key(polarity))
            if found is not None:
                self.paths.switch(found, polarity_key(polarity), condition)
                return
        sibling = self._sibling(condition)
        if sibling is not None and any(negates(condition, other) for other in sibling.conditions):
            self.paths.switch(sibling, "else", None)
            return
        choice = sibling or self._decision(condition)
        self.paths.switch(choice, "else" if choice.kind == "verdict" else "approved", condition)

    def _enter_error(self, condition: Condition) -> bool:
        """Go into what happens when a step fails; a failed inspection is a verdict instead."""
        work = [
            step["id"] for step in self.graph.steps if step["type"] not in ("end", "fork", "join", "decision")
        ]
        if not work:
            return False
        if any("rejected" in choice.free and choice.branch == "approved" for choice in self.paths.active):
            return False
        named = self.graph.recognise(condition.words - {"fail", "error"}, work[::-1])
        target = named or work[-1]
        judges = any(
            (verb := VERBS.get(word)) is not None and verb.judges for word in self.graph.words[target]
        )
        is_last = target in {loose.from_id for loose in self.paths.frontier}
        if judges and self.graph.step(target)["type"] == "human" and (named is None or is_last):
            return False
        self.enter_side_path(target, condition, "error")
        return True

    def _is_after_failure(self) -> bool:
        """Say whether the path goes on where a step did not fail: "if it fails, ... If it succeeds, ..."."""
        last = self.paths.all[-1] if self.paths.all else None
        here = {loose.from_id for loose in self.paths.frontier}
        return last is not None and last.kind == "error" and here == {last.step_id}

    def enter_side_path(self, step_id: str, condition: Condition, kind: Literal["error", "timeout"]) -> None:
        """Leave the main line at a step that failed or that nobody answered; it is resumed afterwards."""
        self.paths.leave_side_paths()
        outcome = "failed" if kind == "error" else "timed_out"
        choice = Choice(
            step_id, kind, {"success": Loose(step_id)}, conditions=[condition], resume=self.paths.frontier
        )
        choice.branch = "rejected"
        self.paths.all.append(choice)
        self.paths.active.append(choice)
        self.paths.frontier = [Loose(step_id, "error", condition.text, outcome)]

    def _verdict_for(self, condition: Condition, key: Key) -> Choice | None:
        """Return the choice a verdict belongs to: the latest still open one, of the person named."""
        fits = [choice for choice in self.paths.all if choice.kind == "verdict" and key in choice.free]
        if condition.actor is not None:
            fits = [choice for choice in fits if choice.actor in (condition.actor, None)]
        if fits:
            return fits[-1]
        return self._judged(condition, key)

    def has_verdict(self, condition: Condition) -> bool:
        """Say whether a condition is the verdict of a choice that is still open."""
        key = polarity_key(condition.polarity)
        return condition.kind == "outcome" and any(
            c.kind == "verdict" and key in c.free for c in self.paths.all
        )

    def _judged(self, condition: Condition, key: Key) -> Choice | None:
        """Return a choice made of the last human step, whose result is asked for."""
        steps = {loose.from_id for loose in self.paths.frontier}
        step = self.graph.step(next(iter(steps))) if len(steps) == 1 else None
        if step is None or step["type"] not in ("human", "event", "decision") or self._parts_at(step["id"]):
            return None
        if condition.actor is not None and step.get("assignee") != condition.actor:
            return None
        other = _OPPOSITE[key]
        # A question that is answered with no refuses nobody.
        of = OUTCOME_OF if step["type"] != "decision" else dict.fromkeys(OUTCOME_OF, "ok")
        free: dict[Key, Loose] = {
            key: Loose(step["id"], "condition", condition.text, of[key]),
            other: Loose(step["id"], "default", None, of[other]),
        }
        choice = Choice(step["id"], "verdict", free, step.get("assignee"))
        self.paths.all.append(choice)
        self.paths.frontier = [] if key != "approved" else [free["approved"]]
        self.paths.frontier = [free.get("approved", free[key])]
        return choice

    def _parts_at(self, step_id: str) -> bool:
        return any(
            choice.step_id == step_id and choice.kind in ("verdict", "generic") for choice in self.paths.all
        )

    def is_sibling(self, condition: Condition) -> bool:
        """Say whether a condition is one more case of the choice being described."""
        return self._sibling(condition) is not None

    def _sibling(self, condition: Condition) -> Choice | None:
        for choice in reversed(self.paths.active):
            if choice.kind == "generic" and "else" in choice.free and choice.sentence != self._sentence + 1:
                return (
                    choice
                    if any(excludes(condition, o) or negates(condition, o) for o in choice.conditions)
                    else None
                )
        return None

    def _decision(self, condition: Condition) -> Choice:
        """Return a new choice: at the step that was to decide, or at a decision step of its own."""
        steps = {loose.from_id for loose in self.paths.frontier}
        only = self.graph.step(next(iter(steps))) if len(steps) == 1 else None
        decides = (
            only is not None and only["type"] == "human"
            and not _DECIDING.isdisjoint(self.graph.words[only["id"]])
            and not self._parts_at(only["id"])
        )  # fmt: skip
        asks = only is not None and only["type"] == "decision" and not self._parts_at(only["id"])
        if only is not None and (decides or asks):
            step_id = str(only["id"])
        else:
            text = condition.text.removeprefix("the ").removeprefix("The ")
            step_id = self.graph.add(
                Task((text[:1].upper() + text[1:])[:100] + "?", "decision", words=condition.words)
            )
            self.paths.connect(step_id)
        outcome = "rejected" if condition.polarity == "approved" and condition.kind == "outcome" else "ok"
        choice = Choice(
            step_id, "generic", {"else": Loose(step_id, "default", None, outcome)}, sentence=self._sentence
        )
        self.paths.all.append(choice)
        return choice

    def enter_alternative(self) -> None:
        """Go into what is left of the innermost choice that has something left."""
        for choice in [*reversed(self.paths.active), *reversed(self.paths.all)]:
            if choice.kind in ("error", "timeout") and choice in self.paths.active:
                self.paths.close()
                return
            keys: list[Key] = [key for key in choice.free if choice.kind != "verdict" or key != choice.branch]
            if not keys or choice.kind in ("error", "timeout"):
                continue
            ranked: list[Key] = [wanted for wanted in _ALTERNATIVES if wanted in keys] or keys
            self.paths.switch(choice, ranked[0], None)
            return
        self._enter_third_case()

    def _enter_third_case(self) -> None:
        """Go into what is left after yes and no were told: "in all other cases"."""
        verdicts = [choice for choice in self.paths.active if choice.kind == "verdict"]
        if not verdicts or verdicts[-1].branch is None:
            return
        choice = verdicts[-1]
        told = choice.conditions[-1].text if choice.conditions else ""
        for edge in self.graph.edges:
            if edge["from"] == choice.step_id and edge.get("type") == "default" and told:
                edge |= {"type": "condition", "when": {"text": told}}
        choice.free["else"] = Loose(choice.step_id, "default")
        self.paths.switch(choice, "else", None)
