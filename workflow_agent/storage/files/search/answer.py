"""From a request to an answer: every way of finding, in the order in which they are trusted."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from heapq import nsmallest
from typing import NamedTuple

from workflow_agent.storage.files.search.database import SearchDatabase
from workflow_agent.storage.files.search.directory import Directory
from workflow_agent.workflows.search import Entry, Match, rank
from workflow_agent.workflows.search.listing import merged, said_filters
from workflow_agent.workflows.search.query import parse_query
from workflow_agent.workflows.store import ANY_WORKFLOW, LEAST_GOOD_SCORE, SearchAnswer, WorkflowFilters, WorkflowHit

_FEWEST_CANDIDATES = 40
_MOST_SUGGESTIONS = 5
_SPELLED_ALIKE = 0.84
_SPELLED_NEARLY_ALIKE = 0.6
_EXACT_SCORE = 1.0
_ALIAS_SCORE = 0.95
_FULL_TEXT_SCORES = (0.5, 0.9)
_FUZZY_SCORES = (LEAST_GOOD_SCORE, 0.5)
_NEAR_SCORES = (0.05, LEAST_GOOD_SCORE - 0.01)
"""Scores from and to; the bands do not overlap, so that an order by score is one by trust."""


class Request(NamedTuple):
    """What is looked for, and how many answers are wanted."""

    query: str
    filters: WorkflowFilters
    limit: int
    now: datetime


@dataclass(slots=True)
class _Found:
    """One workflow on its way to becoming a hit."""

    entry: Entry
    score: float = 0.0
    strategies: list[str] = field(default_factory=list[str])
    matched: list[str] = field(default_factory=list[str])

    def add(self, strategy: str, score: float, matched: Iterable[str]) -> None:
        """Note one way in which it was found."""
        self.score = max(self.score, score)
        self.strategies += [] if strategy in self.strategies else [strategy]
        self.matched += [name for name in matched if name not in self.matched]

    def order(self) -> tuple[float, bool, str]:
        """Return what is less the better it was found; an id is trusted more than a name."""
        return (-self.score, "exact_id" not in self.strategies, self.entry.id)

    def hit(self) -> WorkflowHit:
        """Return what is shown of it."""
        entry = self.entry
        return WorkflowHit(
            entry.id, entry.name, entry.description, round(self.score, 4), tuple(self.strategies), tuple(self.matched)
        )


class _Findings:
    """What was found so far among the workflows that may be shown."""

    def __init__(self, directory: Directory, allowed: set[str] | None) -> None:
        self._entries = directory
        self._allowed = allowed
        self.by_id: dict[str, _Found] = {}

    def add(self, workflow_id: str, strategy: str, score: float, matched: Iterable[str] = ()) -> None:
        """Note one way in which a workflow was found; one that is filtered out is passed over."""
        entry = self._entries.get(workflow_id)
        if entry is not None and (self._allowed is None or workflow_id in self._allowed):
            self.by_id.setdefault(workflow_id, _Found(entry)).add(strategy, score, matched)

    def hits(self, limit: int) -> tuple[WorkflowHit, ...]:
        """Return the best, best first."""
        best = sorted(self.by_id.values(), key=_Found.order)[:limit]
        if self._allowed is not None:
            for one in best:
                one.add("filter", 0.0, ())
        return tuple(one.hit() for one in best)


def answer(request: Request, database: SearchDatabase) -> SearchAnswer:
    """Return the hits for a request, or suggestions where none is good enough."""
    directory = database.directory
    if request.limit <= 0:
        return SearchAnswer(())
    directory.refresh()
    request = _with_said_filters(request, directory)
    allowed = directory.passing(request.filters) if request.filters.ask else None
    if not request.query.strip():
        return SearchAnswer(_latest(directory, allowed, request.limit))
    search = _Search(request, database, allowed)
    search.look_up()
    if request.query.strip() not in search.good.by_id:
        search.look_into_texts()
    hits = search.hits()
    return SearchAnswer(hits) if hits else SearchAnswer((), _suggestions(request, database, allowed))


def _with_said_filters(request: Request, directory: Directory) -> Request:
    """Return a request with the filters its query says in words, where some workflow passes them."""
    if directory.with_name(request.query) or directory.with_alias(request.query):
        return request
    query, said = said_filters(request.query, request.now)
    filters = merged(request.filters, said)
    if filters == request.filters or not directory.passing(filters):
        return request
    return request._replace(query=query, filters=filters)


class _Search:
    """One search under way: what it found that is good enough, and what nearly is."""

    def __init__(self, request: Request, database: SearchDatabase, allowed: set[str] | None) -> None:
        self._request = request
        self._database = database
        self._directory = database.directory
        self._allowed = allowed
        self.good = _Findings(database.directory, allowed)
        self.near = _Findings(database.directory, allowed)

    def hits(self) -> tuple[WorkflowHit, ...]:
        """Return the best, and after them what has only little of the query."""
        limit = self._request.limit
        good = self.good.hits(limit)
        if any(hit.score >= _ALIAS_SCORE for hit in good):
            return good
        return (*good, *(hit for hit in self.near.hits(limit) if hit.id not in self.good.by_id))[:limit]

    def look_up(self) -> None:
        """Add what is called exactly as the query."""
        text = self._request.query
        self._add_all(self._directory.with_id(text), "exact_id", _EXACT_SCORE, "id")
        self._add_all(self._directory.with_name(text), "exact_name", _EXACT_SCORE, "name")
        self._add_all(self._directory.with_alias(text), "alias", _ALIAS_SCORE, "aliases")

    def _add_all(self, ids: set[str], strategy: str, score: float, field_name: str) -> None:
        allowed = ids if self._allowed is None else ids & self._allowed
        # Of many that share a name no more than can be shown.
        for workflow_id in nsmallest(self._request.limit, allowed):
            self.good.add(workflow_id, strategy, score, (field_name,))

    def look_into_texts(self) -> None:
        """Add what has the words of the query, or is called nearly as the query."""
        directory = self._directory
        query = parse_query(self._request.query, self._database.frequencies, directory.corrected)
        rows = None if self._allowed is None else {entry.row for entry in map(directory.get, self._allowed) if entry}
        candidates = self._database.candidates(query, rows, max(_FEWEST_CANDIDATES, self._request.limit))
        for match in rank(query, candidates, directory.count()):
            self._add_match(match)
        # Where some workflow knows every word, another spelling is not what was meant.
        if not all(word.forms[0].frequency for word in query.words):
            self._compare_spelling(query.content)

    def _add_match(self, match: Match) -> None:
        findings = self.good if match.is_good else self.near
        if match.is_typed:
            score = _within(_FULL_TEXT_SCORES if match.is_good else _NEAR_SCORES, match.score)
            findings.add(match.id, "full_text", score, match.fields)
        if match.is_respelled:
            score = _within(_FUZZY_SCORES if match.is_good else _NEAR_SCORES, match.score)
            findings.add(match.id, "fuzzy", score, match.fields)

    def _compare_spelling(self, text: str) -> None:
        for workflow_id, likeness in self._directory.spelled_like(text, _SPELLED_NEARLY_ALIKE).items():
            if likeness >= _SPELLED_ALIKE:
                self.good.add(workflow_id, "fuzzy", _within(_FUZZY_SCORES, likeness), ("name",))
            else:
                self.near.add(workflow_id, "fuzzy", _within(_NEAR_SCORES, likeness), ("name",))


def _within(scores: tuple[float, float], share: float) -> float:
    low, high = scores
    return low + (high - low) * share


def _suggestions(request: Request, database: SearchDatabase, allowed: set[str] | None) -> tuple[WorkflowHit, ...]:
    """Return what was the filters kept out, then whatever changed last."""
    count = min(request.limit, _MOST_SUGGESTIONS)
    offered: list[WorkflowHit] = []
    if allowed is not None:
        offered += answer(request._replace(filters=ANY_WORKFLOW), database).hits
        offered += _latest(database.directory, allowed, count)
    offered += _latest(database.directory, None, count)
    first: dict[str, WorkflowHit] = {}
    for hit in offered:
        first.setdefault(hit.id, hit)
    return tuple(first.values())[:count]


def _latest(directory: Directory, allowed: set[str] | None, count: int) -> tuple[WorkflowHit, ...]:
    strategies = ("recent",) if allowed is None else ("filter", "recent")
    return tuple(
        WorkflowHit(entry.id, entry.name, entry.description, 0.0, strategies, ())
        for entry in directory.latest(allowed, count)
    )
