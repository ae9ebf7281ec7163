"""Telling a description of work, said without the word workflow, from news, wishes and small talk."""

import re
from collections.abc import Iterator
from typing import Final, Literal

from workflow_agent.agent.offline.drafting.actors import Memory
from workflow_agent.agent.offline.drafting.chunks import Chunk, chunks_of
from workflow_agent.agent.offline.drafting.clauses import Clause, split_clauses
from workflow_agent.agent.offline.drafting.condition_ends import split_condition
from workflow_agent.agent.offline.drafting.nouns import is_role, looks_like_person
from workflow_agent.agent.offline.drafting.questions import told_as_cases
from workflow_agent.agent.offline.drafting.repeated import without_loops
from workflow_agent.agent.offline.drafting.starts import without_time
from workflow_agent.agent.offline.drafting.subsets import spelled_out
from workflow_agent.agent.offline.drafting.tokens import (
    Token,
    Tokens,
    clean,
    lines_of,
    lows,
    sentences_of,
    strip_marks,
    tokens_of,
)
from workflow_agent.agent.offline.drafting.verbs import is_form
from workflow_agent.agent.offline.drafting.words import word_set

Certainty = Literal["surely", "perhaps", ""]

_MOST_CHARS: Final = 4_000
"""A description shows by then that it is one."""
_CONDITIONED: Final = frozenset({"if", "unless", "when", "after", "until", "before"})
_SPEAKERS: Final = word_set("i my me you your")
_TO_US: Final = word_set("me us you")
_ABOUT_ONE: Final = re.compile(
    r"\?\s*$|\b(?:workflows?|process(?:es)?|flows?|pipelines?|steps?|lifecycles?|please|undo)\b",
    re.IGNORECASE,
)
"""Whoever asks, or speaks of a workflow, wants something done with one."""
_LEAST_COMMANDS: Final = 3
"""Fewer commands in a row may as well be meant for the assistant."""


def tells_work(text: str) -> Certainty:
    """Return whether a text tells what people do one after the other, as a rule and not once.

    "The librarian registers the book and labels it" surely does; what somebody did yesterday does not.
    """
    if _ABOUT_ONE.search(text[:_MOST_CHARS]):
        return ""
    acts, others, commands, named = 0, 0, 0, 0
    for clause in _clauses(without_loops(text[:_MOST_CHARS])):
        head = clause.head
        if head is None or head.voice == "state" or head.verb.kind == "event" or head.negated:
            others += 1
        elif _is_past(clause) or _is_to_the_assistant(clause):
            return ""
        elif not head.subject and head.voice == "imperative":
            commands += 1
        else:
            acts += 1
            named += _names_who(clause)
    if acts >= 2 and named and others <= acts and not _speaks_of_oneself(text):
        return "surely"
    work = acts + commands
    return "perhaps" if work >= (2 if acts else _LEAST_COMMANDS) and others <= work else ""


def _clauses(text: str) -> Iterator[Clause]:
    for line in lines_of(clean(text)):
        for sentence in told_as_cases(sentences_of(tokens_of(line.text)), has_work=False):
            for part in _parted(spelled_out(without_time(sentence))):
                for chunk in chunks_of(part):
                    yield from split_clauses(_main(chunk), Memory())


def _parted(sentence: Tokens) -> list[list[Token]]:
    """Return a sentence without schedules, in the parts before and after colons."""
    parts: list[list[Token]] = [[]]
    for token in sentence:
        if token.low == ":":
            parts.append([])
        elif token.kind != "schedule":
            parts[-1].append(token)
    return [part for part in parts if part]


def _main(chunk: Chunk) -> Tokens:
    """Return what is done, of a chunk that begins with a condition what is done under it."""
    main = split_condition(chunk.tokens)[1] if chunk.link in _CONDITIONED else chunk.tokens
    main = strip_marks(main)
    comma = next((at for at, token in enumerate(main) if token.low == ","), None)
    if comma is not None and lows(main[:2]) == ["depending", "on"]:
        return main[comma + 1 :]
    return without_time(main)


def _is_past(clause: Clause) -> bool:
    form = clause.head.form if clause.head else ""
    happened = clause.head is not None and clause.head.voice == "active" and is_form(form, "past")
    return (happened and not is_form(form, "base", "s")) or not {"was", "were"}.isdisjoint(clause.words)


def _is_to_the_assistant(clause: Clause) -> bool:
    return clause.head is not None and not clause.head.subject and not _TO_US.isdisjoint(clause.words[1:3])


def _names_who(clause: Clause) -> bool:
    subject = clause.head.subject if clause.head else ()
    by_whom = clause.words[clause.words.index("by") + 1 :] if "by" in clause.words else ()
    words = [*(token.low for token in subject), *by_whom]
    return any(is_role(word) or looks_like_person(word) for word in words)


def _speaks_of_oneself(text: str) -> bool:
    return not _SPEAKERS.isdisjoint(text[:_MOST_CHARS].lower().split())
