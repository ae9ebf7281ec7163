"""Reading `when`, `after` and `before`: verdicts, events to wait for, and order."""

from dataclasses import replace
from typing import Final

from workflow_agent.agent.offline.drafting.actors import actor_of, agent_of
from workflow_agent.agent.offline.drafting.branching import conditional, is_other_way, meant_by
from workflow_agent.agent.offline.drafting.chunks import Chunk
from workflow_agent.agent.offline.drafting.clause_heads import Head
from workflow_agent.agent.offline.drafting.clauses import split_clauses
from workflow_agent.agent.offline.drafting.condition_ends import split_condition, split_phrase
from workflow_agent.agent.offline.drafting.conditions import read_condition
from workflow_agent.agent.offline.drafting.durations import ordinal_at, whole_number
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import ARTICLES, SENDERS, is_role, singular
from workflow_agent.agent.offline.drafting.reader import Reader, tasks_of
from workflow_agent.agent.offline.drafting.reading import read_clauses
from workflow_agent.agent.offline.drafting.starts import plain, start
from workflow_agent.agent.offline.drafting.statements import Branch, Parallel, SentenceEnd, Statement, Task
from workflow_agent.agent.offline.drafting.tasks import task_of
from workflow_agent.agent.offline.drafting.tokens import COMMA, Token, Tokens, lows
from workflow_agent.agent.offline.drafting.verbs import NOMINALS, is_form, lemma
from workflow_agent.agent.offline.drafting.waits import event_of
from workflow_agent.agent.offline.drafting.words import word_set

_NOT: Final = word_set("not no nobody nothing none never")
"""What does not happen is no event to wait for."""
_DONE: Final = word_set("done ready complete completed finished over")


def when(reader: Reader, chunk: Chunk) -> None:
    """Read `when`: what starts the process, a verdict, or something to wait for."""
    said, main = split_condition(chunk.tokens)
    if not said:
        plain(reader, chunk)
    elif is_other_way(reader, said) or meant_by(reader, said) is not said:
        conditional(reader, chunk)
    elif not reader.has_work() or (
        chunk.is_glued
        and not reader.triggers
        and reader.is_first_sentence()
        and (not main or _is_news_to_the_first_step(reader, said))
    ):
        start(reader, said, main)
    else:
        _on_event(reader, chunk, said, main)


def _is_news_to_the_first_step(reader: Reader, said: Tokens) -> bool:
    """Say whether this is why the first step is done: "we tell them when a tenant moves out, ..."."""
    tasks = [task for statement in reader.statements for task in tasks_of(statement)]
    return len(tasks) == 1 and said[0].low in ("a", "an", "new", "somebody", "someone")


def _on_event(reader: Reader, chunk: Chunk, said: Tokens, main: Tokens) -> None:
    condition = read_condition(said, reader.memory)
    if condition.kind != "generic" or condition.polarity or not _NOT.isdisjoint(lows(said)):
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
    if said and (read_head(said) is None or (_names_work(said) and split_phrase(said)[1])):
        # "After the visit the nurse writes it down, and ...": the clause begins right after the noun.
        said, begun = split_phrase(said)
        main = [*begun, COMMA, *main] if begun and main else begun or main
    head = read_head(said) if said else None
    if head is None:
        named = [] if reader.has_work() else read_clauses(said, reader.memory, is_item=True) if said else []
        reader.add([*named, *reader.clauses(main)])
    elif reader.has_work():
        _on_event(reader, chunk, said, main)
    elif _is_done_by_somebody(reader, head, said):
        reader.add([*reader.clauses(said), *reader.clauses(main)])
    else:
        start(reader, said, main)


def _names_work(said: Tokens) -> bool:
    """Say whether a phrase names what was done: "after approval", "after two interviews"."""
    at = 1 if said[0].low == "the" else 0
    words = lows(said[at : at + 2])
    is_count = len(words) > 1 and words[0] not in ARTICLES and whole_number(words[0]) is not None
    is_counted = is_count or ordinal_at(words, 0) is not None
    word = singular(words[1]) if is_counted and len(words) > 1 else said[0].low
    return word in NOMINALS or (is_form(word, "base") and not is_role(word))


def _is_done_by_somebody(reader: Reader, head: Head, said: Tokens) -> bool:
    """Say whether "after the writer drafts it", "after it is drafted by the writer" tells a first step."""
    if head.voice == "passive":
        return agent_of(said) is not None
    is_person = actor_of(head.subject, reader.memory).kind == "person"
    return is_person and head.verb.kind == "human" and not head.verb.starts


def before(reader: Reader, chunk: Chunk) -> None:
    """Read `before`: what it introduces comes second."""
    tokens = _as_clause(chunk.tokens)
    if any(isinstance(said, Task | Parallel) for said in reader.statements[reader.sentence :]):
        if not _is_told(reader, tokens):
            plain(reader, replace(chunk, tokens=list(tokens)))
        return
    said, main = split_condition(tokens)
    reader.add(reader.clauses(main))
    reader.add(reader.clauses(said) if read_head(said) is not None else [])


def _as_clause(tokens: Tokens) -> Tokens:
    """Return "shipping it" as the command "ship it"."""
    if not tokens or not is_form(tokens[0].low, "ing"):
        return tokens
    base = lemma(tokens[0].low)
    return [Token(base, base), *tokens[1:]]


def _is_told(reader: Reader, tokens: Tokens) -> bool:
    """End a case before what follows it anyway: "if it is a gift, add a card before shipping it".

    Say whether that was told already: "store it. If it is damaged, take a photo before storing it".
    """
    head = read_head(tokens)
    begun = [
        at
        for at in range(reader.sentence, len(reader.statements))
        if isinstance(reader.statements[at], Branch)
    ]
    if head is None or not begun or head.subject:
        return False
    before_it = [at for at in range(begun[0]) if not isinstance(reader.statements[at], SentenceEnd)]
    last = reader.statements[before_it[-1]] if before_it else None
    is_told = isinstance(last, Task) and last.lemma == head.verb.base
    if is_told:
        del reader.statements[before_it[-1]]
    reader.add([SentenceEnd(), last] if is_told and last else [SentenceEnd()])
    reader.segment = reader.sentence = len(reader.statements)
    return is_told
