"""What a list of found workflows shows of each, and where it says the words of the query."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from workflow_agent.values.stored import JsonObject, iso_milliseconds
from workflow_agent.workflows.model.triggers import describe_trigger
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.search.words import SMALL_TALK, STOP_WORDS, chunks, spread, stem, synonyms, words
from workflow_agent.workflows.store import WorkflowHit

_WORD = re.compile(r"[^\W_]+")
_MOST = 5
_MOST_CHARS = 160
_BEFORE_CHARS = 40


class Highlight(NamedTuple):
    """A stretch of a text in which words of a query are."""

    field: str
    """name, aliases, description, steps or tags"""
    text: str
    """The text, or the part of a long one around the first word."""
    spans: tuple[tuple[int, int], ...]
    """Where the words begin and end in `text`, in characters."""


def listed_workflow(workflow: Workflow, hit: WorkflowHit, query: str = "") -> JsonObject:
    """Return a workflow as a list of those found by a query shows it."""
    return {
        "id": workflow.id,
        "name": workflow.name,
        "description": workflow.description,
        "version": workflow.version,
        "tags": list(workflow.tags),
        "aliases": list(workflow.aliases),
        "step_count": len(workflow.steps),
        "triggers": [describe_trigger(one) for one in workflow.triggers],
        "updated_at": iso_milliseconds(workflow.updated_at) if workflow.updated_at else None,
        "score": round(hit.score, 4),
        "strategies": list(hit.strategies),
        "matched": list(hit.matched),
        "highlights": [one._asdict() for one in highlights(workflow, query)],
    }


def highlights(workflow: Workflow, query: str) -> tuple[Highlight, ...]:
    """Return where a workflow says the words of a query or what they also may be called, at most five."""
    wanted = _wanted(query)
    found: list[Highlight] = []
    for field, text in _texts(workflow) if wanted else ():
        spans = [match.span() for match in _WORD.finditer(text) if wanted.intersection(map(stem, spread(match[0])))]
        if spans:
            found.append(_shown(field, text, spans))
        if len(found) == _MOST:
            break
    return tuple(found)


def _wanted(query: str) -> set[str]:
    said = [word.casefold() for chunk in chunks(query[:4_000]) for word in spread(chunk)]
    telling = [word for word in said if word not in STOP_WORDS]
    topic = [word for word in telling if word not in SMALL_TALK] or telling or said
    other = {part for _, phrases in synonyms(words(query[:4_000])) for one in phrases for part in one}
    return {*map(stem, topic), *other}


def _texts(workflow: Workflow) -> Iterator[tuple[str, str]]:
    yield "name", workflow.name
    yield from (("aliases", alias) for alias in workflow.aliases)
    yield "description", workflow.description
    yield from (("steps", step.name) for step in workflow.steps)
    yield from (("tags", tag) for tag in workflow.tags)


def _shown(field: str, text: str, spans: list[tuple[int, int]]) -> Highlight:
    start = max(0, spans[0][0] - _BEFORE_CHARS) if len(text) > _MOST_CHARS else 0
    shown = text[start : start + _MOST_CHARS]
    return Highlight(
        field, shown, tuple((begin - start, end - start) for begin, end in spans if end <= start + len(shown))
    )
