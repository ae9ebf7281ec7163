"""Drawing the graph of what was read, statement by statement."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from workflow_agent.agent.offline.drafting.amending import amend_step
from workflow_agent.agent.offline.drafting.choices import Choices
from workflow_agent.agent.offline.drafting.graph import MAX_STEPS, Graph, Loose
from workflow_agent.agent.offline.drafting.paths import Paths
from workflow_agent.agent.offline.drafting.returns import (
    back_target,
    is_taken_up,
    loop_start,
    repeated_step,
    rework_target,
)
from workflow_agent.agent.offline.drafting.silences import enters_silence, escalates, late_step
from workflow_agent.agent.offline.drafting.skipping import skips
from workflow_agent.agent.offline.drafting.statements import (
    Amend,
    Branch,
    Condition,
    GoBack,
    Otherwise,
    Parallel,
    Proceed,
    SentenceEnd,
    Statement,
    Stop,
    Task,
    Then,
    Until,
)


class Flow:
    """Draws statements one after the other.

    `frontier` holds the loose ends that the next step is joined to; `choices` knows where the
    path parted. A statement that only adds to an earlier step touches neither.
    """

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.statements = statements
        self.graph = Graph()
        self.paths = Paths(self.graph)
        self.choices = Choices(self.paths)
        self._placeholder: tuple[str, str | None] | None = None
        """A step that only says where the work went, and who has it."""
        self.assumptions: list[str] = []
        self.is_cut = False
        """Whether there are more statements than are drawn."""
        self._at = 0
        self._sentence = 0
        self._sentence_first: list[str] = []
        """The first step of each sentence, for what is repeated."""
        self._is_new_sentence = True
        self._last_additive = False
        self._reworked: str | None = None  # where the step drawn next leads back to

    def draw(self) -> Graph:
        """Return the graph of all statements, its loose ends still loose."""
        for at, statement in enumerate(self.statements):
            self._at = at
            if len(self.graph.steps) >= MAX_STEPS and isinstance(statement, Task | Parallel | Branch | Until):
                self.is_cut = True
                break
            _DRAW[type(statement)](self, statement)
        return self.graph

    def _settle(self) -> None:
        """Leave the branches that a new sentence ends."""
        if self._is_new_sentence:
            self.paths.settle(self.statements[self._at :])
        self._is_new_sentence = False

    def task(self, task: Task) -> None:
        """Draw a step after the frontier."""
        if escalates(self.paths, task):
            return
        self._settle()
        if self._replaces_placeholder(task) or self._is_done_again(task):
            return
        step_id = self._place(task)
        if self._reworked is not None:
            self._lead_to(self._reworked)
            self._reworked = None
        elif task.outcomes:
            self.paths.open_verdict(step_id, task)

    def _is_done_again(self, task: Task) -> bool:
        """Lead the path back to the step that is to be done once more: "and submits it again"."""
        target = repeated_step(self.paths, task)
        if target is not None:
            self._lead_to(target)
        return target is not None

    def _lead_to(self, step_id: str) -> None:
        """Join the frontier to an earlier step."""
        for loose in self.paths.frontier:
            self.paths.take(loose)
            self.graph.join(loose, step_id)
        self.paths.frontier = []

    def _place(self, task: Task) -> str:
        step_id = self.graph.add(task)
        self.paths.connect(step_id)
        self._note_first(step_id)
        self._last_additive = task.additive
        return step_id

    def _note_first(self, step_id: str) -> None:
        if len(self._sentence_first) == self._sentence:
            self._sentence_first.append(step_id)

    def _replaces_placeholder(self, task: Task) -> bool:
        """Let "it goes to the manager" give way to what the manager does."""
        last = self._placeholder
        self._placeholder = None
        frontier = self.paths.frontier
        if last is None or task.assignee != last[1] or task.type != "human" or len(frontier) != 1:
            who = task.handed_to or task.assignee
            if task.tentative and who and not task.outcomes:
                self._placeholder = (self._place(task), who)
                return True
            return False
        if frontier[0].from_id != last[0]:
            return False
        step_id = self.graph.replace(last[0], task)
        self._sentence_first = [step_id if first == last[0] else first for first in self._sentence_first]
        self.paths.frontier = [replace(frontier[0], from_id=step_id)]
        if task.outcomes:
            self.paths.open_verdict(step_id, task)
        return True

    def parallel(self, parallel: Parallel) -> None:
        """Draw branches between a fork and a join; their verdicts are asked for after the join."""
        self._settle()
        fork = self._place(Task("In parallel", "fork"))
        ends: list[Loose] = []
        verdicts: list[Task] = []
        for branch in parallel.branches:
            before = Loose(fork)
            for task in branch:
                step_id = self.graph.add(task)
                self.graph.join(before, step_id)
                before = Loose(step_id)
                verdicts += [task] if task.outcomes else []
            ends.append(before)
        self.paths.frontier = ends
        self._place(Task("Both done" if len(ends) == 2 else "All done", "join"))
        if verdicts:
            agreed = self._place(Task("All approved?", "decision", words=frozenset({"approve"})))
            self.paths.open_verdict(agreed, verdicts[0])

    def branch(self, branch: Branch) -> None:
        """Begin what happens under a condition."""
        condition = branch.condition
        if self._is_new_sentence:
            self.paths.leave_side_paths()
        if (
            self._is_new_sentence
            and not self.choices.is_sibling(condition)
            and not self.choices.has_verdict(condition)
        ):
            self.paths.settle(self.statements[self._at :])
        if condition.kind == "timeout" and enters_silence(self.choices, condition):
            self._is_new_sentence = False
            return
        self.choices.enter(condition, self._sentence)
        self._is_new_sentence = False
        self._last_additive = False

    def otherwise(self, _: Otherwise) -> None:
        """Begin the alternative of the innermost open choice."""
        late = late_step(self.paths, is_new_sentence=self._is_new_sentence)
        if late is not None:
            silence = Condition("not done in time", "timeout")
            self.choices.enter_side_path(late, silence, "timeout")
        else:
            self.choices.enter_alternative()
        self._is_new_sentence = False
        self._last_additive = False

    def then(self, then: Then) -> None:
        """Go on, out of a branch that only added something."""
        if then.rejoins:
            self.paths.rejoin_all()
        elif then.meets and self.paths.active:
            self.paths.active[-1].continues = True
            self.paths.close()
        elif self._last_additive and not self._is_new_sentence:
            self.paths.leave_addition(self.statements[self._at :])

    def sentence_end(self, _: SentenceEnd) -> None:
        """Note that the next statement begins a sentence."""
        self._is_new_sentence = True
        if len(self._sentence_first) == self._sentence:
            self._sentence_first.append(self._sentence_first[-1] if self._sentence_first else "")
        self._sentence += 1

    def go_back(self, back: GoBack) -> None:
        """Lead the path back to an earlier step."""
        self._settle()
        if is_taken_up(back, self.statements[self._at + 1 : self._at + 2]):
            self._reworked = rework_target(self.paths)
            return
        target = back_target(self.paths, back)
        if target is None:
            if not back.name:
                return
            if back.given and self._is_fine():
                self._place(Task(back.given, "human", "return", words=back.words | {"return"}))
                return
            target = rework_target(self.paths)
            self._place(Task(back.name, "human", "revise", back.actor, words=back.words | {"revise"}))
            if target is None:
                return
        self._lead_to(target)

    def _is_fine(self) -> bool:
        """Say whether this is the good case, in which nothing is done again."""
        told = self.paths.active[-1].conditions if self.paths.active else []
        return bool(told) and told[-1].polarity == "approved"

    def stop(self, stop: Stop) -> None:
        """End the path, unless the sentence goes on."""
        self._settle()
        following = self.statements[self._at + 1] if self._at + 1 < len(self.statements) else None
        outcome = stop.outcome
        self.paths.frontier = [
            replace(loose, outcome=outcome) if outcome and self.paths.take(loose) is None else loose
            for loose in self.paths.frontier
        ]
        if isinstance(following, Task | Parallel | GoBack):
            return
        self.paths.end_frontier()

    def proceed(self, said: Proceed) -> None:
        """Let a branch go on with the main line."""
        if skips(self.paths, said):
            return
        if self.paths.active:
            self.paths.active[-1].continues = True
        self._is_new_sentence = False

    def until(self, until: Until) -> None:
        """Repeat the last step, or the last sentence, until a condition holds."""
        work = self.graph.work
        if not work:
            return
        first = loop_start(until, work, self._sentence_first)
        name = until.condition.text[:1].upper() + until.condition.text[1:80] + "?"
        decision = self._place(Task(name, "decision", words=until.condition.words))
        self.graph.join(Loose(decision, "default"), first)
        self.paths.frontier = [Loose(decision, "condition", until.condition.text)]

    def amend(self, said: Amend) -> None:
        """Add fields to the step spoken of."""
        amend_step(self.paths, said)


_DRAW: Final[dict[type[Statement], Callable[[Flow, Any], None]]] = {
    Task: Flow.task, Parallel: Flow.parallel, Branch: Flow.branch, Otherwise: Flow.otherwise, Then: Flow.then,
    SentenceEnd: Flow.sentence_end, GoBack: Flow.go_back, Stop: Flow.stop, Proceed: Flow.proceed,
    Until: Flow.until, Amend: Flow.amend,
}  # fmt: skip
