"""What a list of found workflows shows of each, and where it says the words of the query."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from workflow_agent.values.stored import JsonObject, iso_milliseconds
from workflow_agent.workflows.model.terms import WEEKDAYS
from workflow_agent.workflows.model.triggers import describe_trigger
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.search.words import SMALL_TALK, STOP_WORDS, chunks, spread, stem, synonyms, words
from workflow_agent.workflows.store import ANY_WORKFLOW, WorkflowFilters, WorkflowHit

_WORD = re.compile(r"[^\W_]+")
_MOST = 5
_MOST_CHARS = 160
_BEFORE_CHARS = 40
_NAME = r"""(?:"(?P<quoted>[^"]+)"|(?P<plain>[\w.:-]+(?:\s+[\w.:-]+){0,3}?))"""
_END = r"(?=\s*(?:$|[,;.?!]|\b(?:and|or|that|which|with|without|tagged|owned|started|triggered|changed)\b))"

_DAYS = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30, "year": 365}
_WEEKDAY = rf"(?:last\s+)?(?:{'|'.join(WEEKDAYS)})"
_SINCE = rf"today|yesterday|{_WEEKDAY}|(?:this|last)\s+(?:week|month|year)|\d{{4}}-\d\d-\d\d"
_UNIT = rf"(?P<unit>{'|'.join(_DAYS)})s?\b"
_LAST = rf"(?:in|within|during)\s+the\s+(?:last|past)\s+(?:(?P<count>\d{{1,3}})\s+)?{_UNIT}"
_STARTS = r"\b(?:(?:triggered|started)\s+(?:by|on|every)|(?:that\s+)?(?:runs?|starts?)\s+(?:on|every|at))\s+"
_NO = r"(?P<no>(?:has|have|with)\s+no|without(?:\s+an?|\s+any)?)"
_NO_OR_A = rf"\b(?:that\s+)?(?:{_NO}|(?:has|have|with)\s+an?)\s+"
_CHANGED = r"\b(?:that\s+)?(?:was\s+|were\s+)?(?:changed|updated|modified|edited)\s+"


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

    def spans(text: str) -> list[tuple[int, int]]:
        return [match.span() for match in _WORD.finditer(text) if wanted.intersection(map(stem, spread(match[0])))]

    found = (_shown(field, text, at) for field, text in _texts(workflow) if wanted and (at := spans(text)))
    return tuple(islice(found, _MOST))


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


def _deadline(match: re.Match[str], _now: datetime) -> dict[str, Any]:
    return {"has_deadline": match["no"] is None}


def _since(match: re.Match[str], now: datetime) -> dict[str, Any]:
    return {"changed_since": _start_of(" ".join(match["since"].lower().split()), now)}


def _within(match: re.Match[str], now: datetime) -> dict[str, Any]:
    return {"changed_since": now - timedelta(days=int(match["count"] or 1) * _DAYS[match["unit"].lower()])}


_Reading = Callable[[re.Match[str], datetime], dict[str, Any]]


def _named(field: str) -> _Reading:
    return lambda match, _now: {field: (match["quoted"] or match["plain"]).strip()}


_FILTERS: tuple[tuple[str, _Reading], ...] = (
    (rf"\b(?:owner|role):\s*{_NAME}(?=\s|$)", _named("role")),
    (rf"\btag:\s*{_NAME}(?=\s|$)", _named("tag")),
    (rf"\btrigger:\s*{_NAME}(?=\s|$)", _named("trigger")),
    (rf"\b(?:owned\s+by|assigned\s+to)\s+(?:the\s+)?{_NAME}{_END}", _named("role")),
    (rf"\b(?:tagged(?:\s+(?:as|with))?|with\s+(?:the\s+)?tag)\s+{_NAME}{_END}", _named("tag")),
    (rf"{_STARTS}(?:an?\s+|the\s+)?{_NAME}{_END}", _named("trigger")),
    (rf"{_NO_OR_A}(?:deadlines?|timeouts?|time\s+limits?)\b", _deadline),
    (rf"{_CHANGED}(?:since|after)\s+(?P<since>{_SINCE})\b", _since),
    (rf"{_CHANGED}(?P<since>today|yesterday|this\s+(?:week|month|year))\b", _since),
    (rf"{_CHANGED}{_LAST}", _within),
)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), read) for pattern, read in _FILTERS)
_LONGEST_CHARS = 500
"""Longer than that nobody says a filter; it is a text whose like is looked for."""


def said_filters(query: str, now: datetime) -> tuple[str, WorkflowFilters]:
    """Return a query without the filters it says in words, and those filters.

    Whether any workflow passes them is for the caller to see: "assigned to" may also be part of a name. Of `owner:`,
    `tag:` and `trigger:` the value is one word, or quoted.
    """
    if len(query) > _LONGEST_CHARS:
        return query, ANY_WORKFLOW
    rest, found = query, ANY_WORKFLOW
    for pattern, read in _COMPILED:
        match = pattern.search(rest)
        if match is not None:
            found = replace(found, **read(match, now))
            rest = f"{rest[: match.start()]} {rest[match.end() :]}"
    if found == ANY_WORKFLOW:
        return query, found
    has_topic = any(word.casefold() not in STOP_WORDS | SMALL_TALK for word in chunks(rest))
    return (" ".join(rest.split()) if has_topic else ""), found


def merged(asked: WorkflowFilters, said: WorkflowFilters) -> WorkflowFilters:
    """Return the filters of a request with those its words add; what the request asks for itself stays."""
    open_to_words = ("tag", "trigger", "role", "has_deadline", "changed_since")
    return replace(asked, **{name: getattr(said, name) for name in open_to_words if getattr(asked, name) is None})


def _start_of(words: str, now: datetime) -> datetime:
    """Return the moment that words for a day mean, at midnight."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if re.match(r"\d", words):
        try:
            return datetime.fromisoformat(words).replace(tzinfo=now.tzinfo)
        except ValueError:
            return today
    which, _, unit = words.rpartition(" ")
    if unit in WEEKDAYS:
        return today - timedelta(days=(today.isoweekday() - WEEKDAYS.index(unit)) % 7 or 7)
    starts = {
        "today": today,
        "yesterday": today - timedelta(days=1),
        "week": today - timedelta(days=today.weekday()),
        "month": today.replace(day=1),
        "year": today.replace(month=1, day=1),
    }
    # The last week is the week of the day before this week began.
    return _start_of(f"this {unit}", starts[unit] - timedelta(days=1)) if which == "last" else starts[unit]
