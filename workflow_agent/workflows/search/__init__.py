"""How well a document answers a query: BM25 over weighted fields, neighbours, and how much is covered."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from workflow_agent.values.stored import iso_milliseconds
from workflow_agent.workflows.search.document import FIELDS, Facets
from workflow_agent.workflows.search.query import Form, Query, QueryWord
from workflow_agent.workflows.search.words import STOP_WORDS
from workflow_agent.workflows.store import WorkflowHead

WEIGHTS = {"id": 1.0, "name": 5.0, "aliases": 4.0, "description": 2.0, "steps": 1.5, "roles": 1.5,
           "services": 1.5, "tags": 2.0, "details": 1.0}  # fmt: skip
"""How much a word counts by the field it is in."""
_SATURATION = 1.2
_LENGTH_MATTERS = 0.6
_NAME_COVERED = 0.7
_NEIGHBOURS = 0.3
_EXTRA_DOCUMENTS = 50
"""Added to every count of documents, so that few workflows do not make every word look common."""
_LEAST_ASKED = 1.5
_MOST_ASKED = 4.0
_COVERED_BY_FEW_WORDS = 0.5
_COVERED_BY_MANY_WORDS = 0.1
_COVERED_BY_A_RESPELLED_WORD = 0.65
_COVERED_WORDS = 1.1
"""The share of a query that a good answer covers: about so many words' worth, within those bounds."""
_NAME = FIELDS.index("name")
_WEIGHTS = tuple(WEIGHTS[name] for name in FIELDS)


class Candidate(NamedTuple):
    """A document to rank: its stems by field, each joined by spaces."""

    id: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """How a document answers a query."""

    id: str
    score: float
    """From 0 to 1; comparable within one query."""
    is_good: bool
    """Whether enough of the query is in it to show it as an answer."""
    is_typed: bool
    """Whether a word was found as typed, or by a synonym."""
    is_respelled: bool
    """Whether a word was found in another spelling."""
    fields: tuple[str, ...]


def rank(query: Query, candidates: Sequence[Candidate], documents: int) -> list[Match]:
    """Return the candidates that hold any word of the query, best first.

    Lengths are compared among the candidates; `documents` is how many the whole index has.
    """
    read = [_document(candidate) for candidate in candidates]
    total = max(len(read), 1)
    averages = [max(sum(one.lengths[at] for one in read) / total, 1.0) for at in range(len(FIELDS))]
    scale = _Scale(query, documents)
    matches = (_match(one, _norms(one, averages), scale) for one in read)
    return sorted((one for one in matches if one is not None), key=lambda one: (-one.score, one.id))


class _Document(NamedTuple):
    """A candidate taken apart."""

    id: str
    texts: tuple[str, ...]
    """With a space on both sides, so that a stem is found between two."""
    stems: frozenset[str]
    lengths: tuple[int, ...]


def _document(candidate: Candidate) -> _Document:
    texts = tuple(f" {text} " for text in candidate.fields)
    stems = frozenset("".join(texts).split())
    return _Document(candidate.id, texts, stems, tuple(text.count(" ") - 1 for text in texts))


def _norms(document: _Document, averages: Sequence[float]) -> list[float]:
    pairs = zip(document.lengths, averages, strict=True)
    return [1 - _LENGTH_MATTERS + _LENGTH_MATTERS * length / average for length, average in pairs]


class _Scale:
    """What the words of one query are worth."""

    def __init__(self, query: Query, documents: int) -> None:
        self.words = query.words
        # In the order of the query: a sum of floats is the same in every process then.
        self.topic = tuple(dict.fromkeys(word.stem for word in query.words if word.share == 1.0))
        self.worth = {word.stem: word.share * _rarity(word.frequency, documents) for word in query.words}
        self.repeated = {word.stem: math.log2(1 + word.times) for word in query.words}
        self.neighbours = [
            (f" {first} {second} ", _NEIGHBOURS * min(self.worth[first], self.worth[second]))
            for first, second in query.neighbours
            if first in self.worth and second in self.worth
        ]
        self.total = sum(self.worth.values())
        self.asked = sum(_asked(self.worth[stem]) for stem in self.topic)
        self.usual = sum(self.worth[stem] for stem in self.topic) / max(len(self.topic), 1)
        """What a word is worth of which nothing is known."""
        self.most = (
            sum(worth * self.repeated[stem] for stem, worth in self.worth.items())
            + sum(worth for _, worth in self.neighbours)
            + self.total * _NAME_COVERED
        )
        by_count = _COVERED_WORDS / max(len(self.topic), 1)
        self.needed = min(max(by_count, _COVERED_BY_MANY_WORDS), _COVERED_BY_FEW_WORDS)


def _rarity(frequency: int, documents: int) -> float:
    """Return what a word in so many documents tells: the fewer, the more."""
    all_documents = documents + _EXTRA_DOCUMENTS
    return math.log(1 + (all_documents - frequency + 0.5) / (frequency + 0.5))


def _asked(worth: float) -> float:
    """Return how much of what was asked a word is: a word that nobody uses may be a slip or small talk."""
    return min(max(worth, _LEAST_ASKED), _MOST_ASKED)


@dataclass(slots=True)
class _Found:
    """The form of a query's word that a document says best."""

    form: Form
    strength: float
    """Between 0 and the weight of the form."""
    columns: list[int]


def _match(document: _Document, norms: Sequence[float], scale: _Scale) -> Match | None:
    found = {word.stem: best for word in scale.words if (best := _best_form(word, document, norms))}
    topic = {stem: one for stem, one in found.items() if stem in scale.topic}
    if not topic:
        return None
    of_name, name_worth = _name_covered(found, document, scale)
    score = (
        sum(scale.worth[stem] * scale.repeated[stem] * one.strength for stem, one in found.items())
        + sum(worth for pair, worth in scale.neighbours if any(pair in text for text in document.texts))
        + _NAME_COVERED * name_worth * of_name
    )
    covered = sum(_asked(scale.worth[stem]) * one.form.weight for stem, one in topic.items())
    coverage = covered / scale.asked
    columns = sorted({column for one in found.values() for column in one.columns})
    reasons = {one.form.reason for one in found.values()}
    is_typed = reasons != {"spelling"}
    needed = scale.needed if is_typed or len(found) > 1 else _COVERED_BY_A_RESPELLED_WORD
    return Match(
        id=document.id,
        score=min(score / scale.most, 1.0),
        is_good=coverage >= needed or (is_typed and of_name == 1.0),
        is_typed=is_typed,
        is_respelled="spelling" in reasons,
        fields=tuple(FIELDS[column] for column in columns),
    )


def _best_form(word: QueryWord, document: _Document, norms: Sequence[float]) -> _Found | None:
    best: _Found | None = None
    for form in word.forms:
        if form.stems[0] not in document.stems or (best is not None and best.strength >= form.weight):
            continue
        weight, columns = _occurrences(f" {' '.join(form.stems)} ", document, norms)
        strength = form.weight * weight / (_SATURATION + weight)
        if columns and (best is None or strength > best.strength):
            best = _Found(form, strength, columns)
    return best


def _occurrences(phrase: str, document: _Document, norms: Sequence[float]) -> tuple[float, list[int]]:
    weight = 0.0
    columns: list[int] = []
    for column, text in enumerate(document.texts):
        if times := text.count(phrase):
            columns.append(column)
            weight += _WEIGHTS[column] * times / norms[column]
    return weight, columns


def _name_covered(found: Mapping[str, _Found], document: _Document, scale: _Scale) -> tuple[float, float]:
    """Return how much of the name the query says, from 0 to 1, and what that is worth."""
    said = {part: scale.worth[stem] for stem, one in found.items() for part in one.form.stems}
    telling = frozenset(document.texts[_NAME].split()) - STOP_WORDS
    worth = sum(said[part] for part in telling if part in said)
    missing = sum(1 for part in telling if part not in said)
    return (worth / (worth + missing * scale.usual), worth) if worth else (0.0, 0.0)


FACT_COLUMNS = ("id", "version", "changed", "mark", "name", "description", "aliases", "facets")
"""The facts that `facts_of` gives and `entry_of` reads, the latter after a row number."""
_SUMMARY_CHARS = 1_000


class Entry(NamedTuple):
    """What is known of an indexed workflow without reading it."""

    row: int
    id: str
    head: WorkflowHead
    name: str
    description: str
    aliases: tuple[str, ...]
    facets: Facets


class Indexed(NamedTuple):
    """A workflow on its way into the index."""

    entry: Entry
    words: tuple[str, ...]
    """By field, in the order of FIELDS."""


def facts_of(entry: Entry) -> tuple[Any, ...]:
    """Return an entry as the columns of its row, in the order of FACT_COLUMNS."""
    *sets, triggers, has_deadline = entry.facets
    facets = [*(sorted(one) for one in sets), [sorted(words) for words in triggers], has_deadline]
    return (
        entry.id,
        entry.head.version,
        iso_milliseconds(entry.head.changed) if entry.head.changed else "",
        entry.head.mark,
        entry.name,
        entry.description[:_SUMMARY_CHARS],
        orjson.dumps(entry.aliases).decode(),
        orjson.dumps(facets).decode(),
    )


def head_in(version: int, changed: str, mark: str) -> WorkflowHead:
    """Return the head that the columns of a row tell of."""
    return WorkflowHead(version, datetime.fromisoformat(changed) if changed else None, mark)


def entry_of(row: tuple[Any, ...]) -> Entry:
    """Return the entry that a row number and its facts tell of."""
    number, workflow_id, version, changed, mark, name, description, aliases, facets = row
    tags, roles, services, step_types, triggers, has_deadline = orjson.loads(facets)
    return Entry(
        number,
        workflow_id,
        head_in(version, changed, mark),
        name,
        description,
        tuple(orjson.loads(aliases)),
        Facets(
            frozenset(tags),
            frozenset(roles),
            frozenset(services),
            frozenset(step_types),
            tuple(map(frozenset, triggers)),
            has_deadline,
        ),
    )
