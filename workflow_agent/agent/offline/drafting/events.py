"""Reading `when`, `after` and `before`: verdicts, events to wait for, and order."""

from typing import Final

from workflow_agent.agent.offline.drafting.actors import actor_of
from workflow_agent.agent.offline.drafting.branching import conditional
from workflow_agent.agent.offline.drafting.chunks import Chunk
from workflow_agent.agent.offline.drafting.clause_heads import Head
from workflow_agent.agent.offline.drafting.clauses import split_clauses
from workflow_agent.agent.offline.drafting.conditions import read_condition, split_condition, split_phrase
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import SENDERS, singular
from workflow_agent.agent.offline.drafting.reader import Reader, tasks_of
from workflow_agent.agent.offline.drafting.reading import read_clauses
from workflow_agent.agent.offline.drafting.starts import plain, start
from workflow_agent.agent.offline.drafting.statements import Parallel, Statement, Task
from workflow_agent.agent.offline.drafting.tasks import task_of
from workflow_agent.agent.offline.drafting.tokens import COMMA, Tokens, lows
from workflow_agent.agent.offline.drafting.verbs import lemma
from workflow_agent.agent.offline.drafting.waits import event_of
from workflow_agent.agent.offline.drafting.words import word_set

_DONE: Final = word_set("done ready complete completed finished over")


def when(reader: Reader, chunk: Chunk) -> None:
    """Read `when`: what starts the process, a verdict, or something to wait for."""
    said, main = split_condition(chunk.tokens)
    if not said:
        plain(reader, chunk)
    elif not reader.has_work() or (
        chunk.is_glued and not reader.triggers and reader.is_first_sentence() and not main
    ):
        start(reader, said, main)
    else:
        _on_event(reader, chunk, said, main)


def _on_event(reader: Reader, chunk: Chunk, said: Tokens, main: Tokens) -> None:
    condition = read_condition(said, reader.memory)
    if condition.kind != "generic" or condition.polarity:
        conditional(reader, chunk)
        return
    before = reader.take_last_clause() if chunk.is_glued and not main else []
    reader.end_segment()
    reader.add(_waited_for(reader, said))
    reader.segment = len(reader.statements)
    reader.add([*before, *reader.clauses(main)])


def _waited_for(reader: Reader, said: Tokens) -> list[Statement]:
    """Return the step that "when the goods arrive" adds in the middle of a process, if it is news."""
    head = read_head(said)
    words = set(lows(said))
    if not _DONE.isdisjoint(words) or head is None or _was_said(reader, head, said):
        return []
    actor = actor_of(head.subject, reader.memory)
    is_internal = actor.kind == "person" and singular(head.subject[-1].low) not in SENDERS
    if is_internal and head.verb.kind in ("human", "action") and head.voice == "active":
        clause = split_clauses(said, reader.memory)[0]
        return [task_of(clause, clause.head or head, reader.memory)]
    return [event_of(said, reader.memory)]


def _was_said(reader: Reader, head: Head, said: Tokens) -> bool:
    """Say whether a step already does what a clause refers to: "once the payment is made"."""
    mentioned = {lemma(token.low) for token in said} & {
        lemma(token.low) for token in [*head.subject, said[head.at]]
    }
    tasks = [task for statement in reader.statements for task in tasks_of(statement)]
    return any(task.lemma in mentioned or head.verb.base in task.words for task in tasks)


def after(reader: Reader, chunk: Chunk) -> None:
    """Read `after`: a step done before, or one to do first."""
    said, main = split_condition(chunk.tokens)
    if said and read_head(said) is None:
        # "After the visit the nurse writes it down, and ...": the clause begins right after the noun.
        said, begun = split_phrase(said)
        main = [*begun, COMMA, *main] if begun and main else begun or main
    head = read_head(said) if said else None
    if head is None:
        named = [] if reader.has_work() else read_clauses(said, reader.memory, is_item=True) if said else []
        reader.add([*named, *reader.clauses(main)])
    elif reader.has_work():
        _on_event(reader, chunk, said, main)
    elif (
        actor_of(head.subject, reader.memory).kind == "person"
        and head.verb.kind == "human"
        and not head.verb.starts
    ):
        reader.add([*reader.clauses(said), *reader.clauses(main)])
    else:
        start(reader, said, main)


def before(reader: Reader, chunk: Chunk) -> None:
    """Read `before`: what it introduces comes second."""
    if any(isinstance(said, Task | Parallel) for said in reader.statements[reader.sentence :]):
        plain(reader, chunk)
        return
    said, main = split_condition(chunk.tokens)
    reader.add(reader.clauses(main))
    reader.add(reader.clauses(said) if read_head(said) is not None else [])
