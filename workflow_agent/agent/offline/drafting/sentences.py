"""Reading a sentence: what its connectives say about order, choice, repetition and simultaneity."""

import itertools
from collections.abc import Callable
from typing import Final

from workflow_agent.agent.offline.drafting.asides import is_aside
from workflow_agent.agent.offline.drafting.branching import conditional, otherwise, unless
from workflow_agent.agent.offline.drafting.chunks import Chunk, chunks_of
from workflow_agent.agent.offline.drafting.condition_ends import split_condition
from workflow_agent.agent.offline.drafting.connectives import Link
from workflow_agent.agent.offline.drafting.coordination import listed_runs
from workflow_agent.agent.offline.drafting.depending import Parting, case_of, parting
from workflow_agent.agent.offline.drafting.events import after, before, when
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.inserted import with_subjects_kept
from workflow_agent.agent.offline.drafting.loops import until
from workflow_agent.agent.offline.drafting.phrases import keywords
from workflow_agent.agent.offline.drafting.questions import is_decision
from workflow_agent.agent.offline.drafting.reader import Reader
from workflow_agent.agent.offline.drafting.rewording import reworded
from workflow_agent.agent.offline.drafting.starts import plain
from workflow_agent.agent.offline.drafting.statements import Otherwise, Proceed, SentenceEnd, Task, Then
from workflow_agent.agent.offline.drafting.subsets import spelled_out
from workflow_agent.agent.offline.drafting.tokens import Tokens, spoken, strip_marks
from workflow_agent.agent.offline.drafting.words import word_set

_SEVERAL: Final = word_set("two three four five both several all")
"""Of whom one step is done at the same time: "two professors review it in parallel"."""


def read_sentence(
    reader: Reader,
    tokens: Tokens,
    *,
    is_item: bool = False,
    item: str | None = None,
    title: str | None = None,
    coming: Tokens = (),
) -> None:
    """Add what a sentence says.

    Args:
        tokens: The sentence.
        is_item: A list item or part of a chain, where a noun alone is a step.
        item: The label it is listed under.
        title: What its step is called, where it is only one.
        coming: The sentence after it.
    """
    reader.is_item, reader.item = is_item, item
    reader.segment = reader.sentence = len(reader.statements)
    reader.is_by_several = bool(tokens) and tokens[0].low in _SEVERAL
    if is_decision(tokens):
        reader.add([Task(tokens[0].text, "decision", words=keywords(tokens[0].low.split())), SentenceEnd()])
        return
    if not is_item and is_aside(tokens, is_first=not reader.has_work() and bool(coming)):
        return
    tokens = reworded(tokens)
    parts = parting(tokens, coming)
    if parts is not None:
        _read_parting(reader, parts)
        return
    tokens = _without_runs(reader, tokens)
    tokens = with_subjects_kept(tokens)
    tokens = spelled_out(tokens, is_first=not reader.has_work())
    chunks = chunks_of(reader.scheduled(tokens))
    if not any(chunk.link in ("if", "else", "unless", "when") for chunk in chunks):
        reader.thing_before = None
    for chunk in chunks:
        _READ[chunk.link](reader, chunk)
    reader.end_segment()
    if title is not None:
        reader.entitle(title)
    if len(reader.statements) > reader.sentence:
        reader.statements.append(SentenceEnd())


def _without_runs(reader: Reader, tokens: Tokens) -> Tokens:
    """Read what a sentence lists that runs side by side, and return what follows it."""
    listed = listed_runs(tokens)
    if listed is None:
        return tokens
    reader.add(listed[0])
    reader.segment = len(reader.statements)
    return listed[1]


def _read_parting(reader: Reader, parts: Parting) -> None:
    """Read a question with a way for each of several people."""
    reader.add([parts.question])
    reader.roles = parts.roles
    for clause in parts.clauses:
        said = reader.clauses(clause)
        who = next((one.assignee for one in said if isinstance(one, Task)), None)
        reader.add([case_of(who or spoken(clause)), *said])
    reader.add([SentenceEnd()])


def then(reader: Reader, chunk: Chunk) -> None:
    """Read what comes next."""
    reader.end_segment()
    if reader.has_work():
        reader.add([Then(meets=_meets_other_case(reader, chunk), is_last=chunk.is_last)])
    plain(reader, chunk)


def _meets_other_case(reader: Reader, chunk: Chunk) -> bool:
    """Say whether "if not I order it, then I ship it" goes on where the other case goes on at once."""
    said = reader.statements[reader.sentence :]
    passes = any(
        isinstance(first, Proceed) and isinstance(second, Otherwise)
        for first, second in itertools.pairwise(said)
    )
    head = read_head(strip_marks(chunk.tokens)) if passes else None
    return head is not None and bool(head.subject)


def anyway(reader: Reader, chunk: Chunk) -> None:
    """Read what comes next whatever happened before."""
    reader.end_segment()
    reader.add([Then(rejoins=True)])
    plain(reader, chunk)


def together(reader: Reader, chunk: Chunk) -> None:
    """Read what happens at the same time as its neighbours in the sentence."""
    reader.is_together = not (reader.is_by_several and not chunk.tokens)
    plain(reader, chunk)


def meanwhile(reader: Reader, chunk: Chunk) -> None:
    """Read what happens at the same time as what came before."""
    reader.is_together = True
    reader.joins_previous = len(reader.statements) == reader.segment
    plain(reader, chunk)


def during(reader: Reader, chunk: Chunk) -> None:
    """Read `while`: two clauses at the same time."""
    reader.is_together = True
    said, main = split_condition(chunk.tokens)
    reader.add([*reader.clauses(said), *reader.clauses(main)])


_READ: Final[dict[Link, Callable[[Reader, Chunk], None]]] = {
    "plain": plain, "filler": plain, "then": then, "if": conditional,
    "unless": unless, "else": otherwise, "until": until, "when": when,
    "after": after, "before": before, "while": during, "together": together,
    "meanwhile": meanwhile, "anyway": anyway,
}  # fmt: skip
