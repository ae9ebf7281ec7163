"""Reading `until`: what is repeated."""

from dataclasses import replace
from typing import Final

from workflow_agent.agent.offline.drafting.chunks import Chunk
from workflow_agent.agent.offline.drafting.clause_heads import BE_FORMS
from workflow_agent.agent.offline.drafting.condition_ends import split_condition
from workflow_agent.agent.offline.drafting.conditions import read_condition
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nominals import nominal_task
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS
from workflow_agent.agent.offline.drafting.reader import Reader, tasks_of
from workflow_agent.agent.offline.drafting.reading import read_clauses
from workflow_agent.agent.offline.drafting.statements import Branch, GoBack, Statement, Task, Until
from workflow_agent.agent.offline.drafting.tokens import Tokens, tokens_of
from workflow_agent.agent.offline.drafting.words import word_set

_DATES: Final = word_set("""
    january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday noon midnight tomorrow christmas easter today
    """)
_ELLIPTIC: Final = 2


def until(reader: Reader, chunk: Chunk) -> None:
    """Read `until`: repeat what came before."""
    said, main = split_condition(chunk.tokens)
    last = reader.statements[-1] if reader.statements else None
    if said and _is_date(said):
        reader.add(reader.clauses(main))
        return
    if not said or last is None:
        reader.add(reader.clauses(chunk.tokens))
        return
    if isinstance(last, Task) and len(said) <= _ELLIPTIC and said[-1].low in BE_FORMS | {"does", "do"}:
        # "If it is not right the author corrects it until it is": what is asked is asked again.
        reader.add([GoBack("the same step", retries=True), *reader.clauses(main)])
        return
    if isinstance(last, GoBack) and not last.retries and not _is_known(reader, last):
        named = nominal_task(tokens_of(last.text), reader.memory)
        reader.statements[-1:] = [named] if named is not None else []
        last = named or last
    repeats = isinstance(last, GoBack) and last.retries
    if repeats or isinstance(last, Until):
        reader.statements.pop()
    loop = None if repeats else _review_loop(reader, said, last)
    reader.add(
        loop
        or [
            Until(
                read_condition(said, reader.memory),
                whole=repeats,
                steps=last.steps if isinstance(last, Until) else 1,
            )
        ]
    )
    reader.add(reader.clauses(main))


def _is_date(said: Tokens) -> bool:
    """Say whether "until" gives a date: "can apply until June", "until the 15th"."""
    first = said[1 if said[0].low in DETERMINERS and len(said) > 1 else 0]
    return first.low in _DATES or first.low[:1].isdigit() or first.kind in ("duration", "schedule")


def _is_known(reader: Reader, back: GoBack) -> bool:
    tasks = [task for statement in reader.statements for task in tasks_of(statement)]
    return back.restarts or back.item is not None or any(task.words & back.words for task in tasks)


def _review_loop(reader: Reader, said: Tokens, last: Statement) -> list[Statement] | None:
    """Return the loop of "revises it until the editor approves it"."""
    condition = read_condition(said, reader.memory)
    head = read_head(said)
    if (
        not isinstance(last, Task)
        or condition.actor is None
        or condition.polarity != "approved"
        or head is None
    ):
        return None
    if head.verb.verdict != "approved":
        return None
    review = read_clauses(said, reader.memory)
    rejected = replace(condition, text="rejected", kind="outcome", polarity="rejected", actor=None)
    return [*review, Branch(rejected), GoBack(last.name, last.words, last.assignee)]
