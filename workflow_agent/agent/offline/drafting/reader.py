"""What has been read of a description so far, and where the reading stands."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from workflow_agent.agent.offline.drafting.actors import Memory
from workflow_agent.agent.offline.drafting.condition_ends import split_phrase
from workflow_agent.agent.offline.drafting.depending import with_cases
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nominals import nominal_task
from workflow_agent.agent.offline.drafting.parallel import side_by_side
from workflow_agent.agent.offline.drafting.phrases import capitalised, keywords
from workflow_agent.agent.offline.drafting.reading import read_clauses
from workflow_agent.agent.offline.drafting.statements import (
    Branch,
    GoBack,
    Parallel,
    Proceed,
    SentenceEnd,
    Statement,
    Task,
    Then,
)
from workflow_agent.agent.offline.drafting.tokens import Tokens, strip_marks, tokens_of
from workflow_agent.agent.offline.drafting.triggers import Trigger, is_started_by_hand, schedules_in
from workflow_agent.agent.offline.drafting.verbs import lemma
from workflow_agent.agent.offline.drafting.waits import wait_of
from workflow_agent.agent.offline.drafting.words import word_set

_LEAD_WORDS: Final = 2
"""A schedule this early in a sentence starts it all; a later one is how often something is repeated."""
_REPEATING: Final = word_set("remind chase retry try repeat ping")


@dataclass(slots=True)
class Reader:
    """Reads the sentences of one description, in order."""

    has_alternatives: bool = False
    """The text says "otherwise" somewhere, so a leading `if` is a choice and no trigger."""
    memory: Memory = field(default_factory=Memory)
    statements: list[Statement] = field(default_factory=list[Statement])
    triggers: list[Trigger] = field(default_factory=list[Trigger])
    segment: int = 0
    """Where the current run of clauses began; parallel work does not reach before it."""
    sentence: int = 0
    is_together: bool = False
    is_by_several: bool = False
    """The sentence begins with "two", "both" or the like: they do one step."""
    joins_previous: bool = False
    roles: frozenset[str] = frozenset()
    """Those who take over in one case each, told of before: "it goes to billing or sales"."""
    is_item: bool = False
    item: str | None = None
    thing_before: str | None = None
    """What "it" meant before the branches being read."""

    person_before: str | None = None
    """Who "she" was before the branches being read."""

    def entitle(self, title: str) -> None:
        """Give the only step of a titled item its title; without a step the title is one."""
        said = self.statements[self.sentence :]
        tasks = [statement for statement in said if isinstance(statement, Task)]
        named = capitalised(title.split())
        if len(tasks) == 1 and not any(isinstance(statement, Parallel) for statement in said):
            at = self.statements.index(tasks[0], self.sentence)
            self.statements[at] = replace(
                tasks[0], name=named, words=tasks[0].words | keywords(title.split())
            )
        elif not said:
            self.add([task for task in [nominal_task(tokens_of(title), self.memory)] if task is not None])

    def scheduled(self, tokens: Tokens) -> Tokens:
        """Return the sentence without the schedules that start the process, noting them."""
        if is_started_by_hand(tokens) and not self.has_work():
            self.trigger({"type": "manual"})
        loops = any(token.low == "until" for token in tokens)
        kept = [
            token for at, token in enumerate(tokens)
            if token.kind != "schedule" or _repeats(tokens[:at]) or (loops and at > _LEAD_WORDS)
        ]  # fmt: skip
        for schedule in schedules_in([token for token in tokens if token not in kept]):
            self.trigger(schedule)
        return kept

    def trigger(self, trigger: Trigger) -> None:
        """Note what starts the process, once."""
        if trigger not in self.triggers and len(self.triggers) < 10:
            self.triggers.append(trigger)

    def has_work(self) -> bool:
        """Say whether anything to do was read."""
        return any(isinstance(statement, Task | Parallel | Branch) for statement in self.statements)

    def add(self, statements: list[Statement]) -> None:
        """Add statements, under the label of the list item being read."""
        labelled = [
            replace(said, item=self.item) if isinstance(said, Task) and self.item else said
            for said in statements
        ]
        if self.roles:
            labelled = with_cases(labelled, self.roles)
            self.roles = self.roles - {said.assignee for said in labelled if isinstance(said, Task)}
        if _is_wait(labelled) and _ends_trying_again(self.statements):
            # "Try again after two days": the wait is on the way back.
            self.statements[-2:] = [*labelled, self.statements[-2]]
            return
        self.statements.extend(labelled)

    def clauses(self, tokens: Tokens) -> list[Statement]:
        """Return what words without connectives say."""
        tokens = strip_marks(tokens)
        if not tokens:
            return []
        if len(tokens) == 1 and tokens[0].kind == "duration":
            return [wait_of(tokens[0])]
        short = len(tokens) <= 6 and read_head(tokens) is None
        said = read_clauses(tokens, self.memory, is_item=self.is_item or (short and self.has_work()))
        if said or read_head(tokens) is not None:
            return said
        # What cannot be read must not swallow the clause after it.
        _, rest = split_phrase(tokens)
        return read_clauses(rest, self.memory) if rest else []

    def end_segment(self) -> None:
        """Make the clauses since the last connective parallel where that was said, and begin anew."""
        if self.is_together:
            side_by_side(self.statements, self.segment, joins_previous=self.joins_previous)
        self.is_together = self.joins_previous = False
        self.segment = len(self.statements)

    def begin_branch(self) -> None:
        """Let "it" mean on each branch what it meant before the first."""
        if self.thing_before is None:
            self.thing_before, self.person_before = self.memory.thing, self.memory.person
        self.memory.thing, self.memory.person = self.thing_before, self.person_before

    def take_last_clause(self) -> list[Statement]:
        """Take back the clause before a trailing `if`, to put it under the condition."""
        start = max(self.segment, self.sentence)
        taken = self.statements[-1:] if len(self.statements) > start else []
        if taken and isinstance(taken[0], Task | Parallel | GoBack | Proceed):
            self.statements.pop()
            return list(taken)
        return []

    def is_first_sentence(self) -> bool:
        """Say whether no sentence was completed yet."""
        return not any(isinstance(statement, SentenceEnd) for statement in self.statements)


def tasks_of(statement: Statement) -> list[Task]:
    """Return the tasks of a statement, those of parallel branches included."""
    if isinstance(statement, Task):
        return [statement]
    return (
        [task for branch in statement.branches for task in branch] if isinstance(statement, Parallel) else []
    )


def _repeats(before: Tokens) -> bool:
    """Say whether a schedule after these words is how often something is repeated."""
    return any(lemma(token.low) in _REPEATING for token in before[-10:])


def _is_wait(statements: Sequence[Statement]) -> bool:
    return len(statements) == 1 and isinstance(statements[0], Task) and statements[0].type == "wait"


def _ends_trying_again(statements: Sequence[Statement]) -> bool:
    before, last = statements[-2:] if len(statements) > 1 else (None, None)
    return isinstance(before, GoBack) and before.retries and isinstance(last, Then)
