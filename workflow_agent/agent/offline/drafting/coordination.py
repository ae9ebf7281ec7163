"""Reading several who do the same: "legal and finance review it"."""

from dataclasses import replace
from typing import Final

from workflow_agent.agent.offline.drafting.actors import Actor, Memory, actor_of
from workflow_agent.agent.offline.drafting.clause_heads import ADVERBS, BE_FORMS, Head
from workflow_agent.agent.offline.drafting.clauses import Clause
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, is_role
from workflow_agent.agent.offline.drafting.phrases import capitalised, keywords
from workflow_agent.agent.offline.drafting.statements import Parallel, Statement, Task
from workflow_agent.agent.offline.drafting.tasks import task_of
from workflow_agent.agent.offline.drafting.tokens import Token, Tokens, lows
from workflow_agent.agent.offline.drafting.words import word_set

_RUN: Final = word_set("run runs executed done performed")
_TOGETHER: Final = (
    "in parallel",
    "at the same time",
    "simultaneously",
    "concurrently",
    "side by side",
    "together",
)
_MOST_LISTED: Final = 24
_MOST_NAME: Final = 4


def each_of(clause: Clause, head: Head, memory: Memory) -> list[Statement]:
    """Return one step, or one for each of "legal and finance" side by side."""
    runs = _things_that_run(clause)
    if runs:
        return runs
    actors = _coordinated(clause, memory)
    if len(actors) < 2:
        return [task_of(clause, head, memory)]
    tasks = [task_of(replace(clause, actor=actor), head, memory) for actor in actors]
    named = [replace(task, name=_by(task)) for task in tasks]
    return [Parallel(tuple((task,) for task in named))]


def _things_that_run(clause: Clause) -> list[Statement]:
    """Read "unit tests and integration tests run"."""
    if clause.lemma != "run" or clause.rest or clause.head is None or "and" not in lows(clause.head.subject):
        return []
    said = " ".join(token.text for token in clause.head.subject).split(" and ")
    tasks = [
        Task(capitalised(["Run", *part.split()]), lemma="run", words=keywords(["run", *part.split()]))
        for part in said
    ]
    return [Parallel(tuple((task,) for task in tasks))]


def listed_runs(tokens: Tokens) -> tuple[list[Statement], Tokens] | None:
    """Return the steps of "lint and unit tests run in parallel", and the words after it, or None."""
    at = next((at for at, token in enumerate(tokens[:_MOST_LISTED]) if token.low in _RUN), None)
    words = lows(tokens)
    end = next((to for phrase in _TOGETHER if at and (to := _after(words, at + 1, phrase))), None)
    if not at or end is None:
        return None
    parts: list[list[str]] = [[]]
    for token in tokens[: at - (tokens[at - 1].low in BE_FORMS)]:
        if token.low in (",", "and", "&"):
            parts.append([])
        elif token.kind != "word":
            return None
        elif token.low not in DETERMINERS:
            parts[-1].append(token.text)
    named = [part for part in parts if part]
    if len(named) < 2 or any(len(part) > _MOST_NAME or is_role(part[-1].lower()) for part in named):
        return None
    tasks = [Task(capitalised(["Run", *part]), lemma="run", words=keywords(["run", *part])) for part in named]
    return [Parallel(tuple((task,) for task in tasks))], tokens[end:]


def _after(words: list[str], at: int, phrase: str) -> int | None:
    size = len(phrase.split())
    return at + size if words[at : at + size] == phrase.split() else None


def _by(task: Task) -> str:
    return f"{task.name} ({task.assignee})"[:120]


def _coordinated(clause: Clause, memory: Memory) -> list[Actor]:
    """Return the people who do one thing together; none where it is not people who do it."""
    subject = clause.head.subject if clause.head else ()
    groups: list[list[Token]] = [[]]
    for token in subject:
        if token.low in ("and", ",", "&"):
            groups.append([])
        elif token.low not in ADVERBS | {"both"}:
            groups[-1].append(token)
    actors = [actor_of(group, memory) for group in groups if group]
    return (
        actors
        if clause.head and clause.head.voice == "active" and all(a.kind == "person" for a in actors)
        else []
    )
