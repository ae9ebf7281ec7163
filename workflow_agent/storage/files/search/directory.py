"""The workflows of one tenant by what identifies them: ids, names and aliases, also misspelled ones."""

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from heapq import nlargest
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from workflow_agent.workflows.search import FACT_COLUMNS, Entry, entry_of
from workflow_agent.workflows.search.document import filter_words
from workflow_agent.workflows.search.words import chunks, fold, squashed
from workflow_agent.workflows.store import WorkflowFilters

_LEADING = frozenset({"the", "a", "an", "our", "my", "this", "that"})
_TRAILING = frozenset({"workflow", "workflows", "process", "flow"})
_SERVICE_PARTS = re.compile(r"[./@:]")
_CORRECTIONS = 3
_SHORTEST_CORRECTED_CHARS = 4
_LONG_WORD_CHARS = 8
_LIKENESS = 0.75
_MIDDLING_LIKENESS = 0.8
"""Of words of five to seven letters, so that one may be wrong in them, and two only in longer ones."""
_SHORTEST_NAME_CHARS = 4
_LONGEST_NAME_CHARS = 100
_NAMES_COMPARED = 20
_NAME, _LOOSE, _ALIAS, _SQUASHED, _WORD = range(5)
"""Kinds of keys: a name as it is, or without punctuation; an alias likewise; either unspaced; a word."""
TABLES = (
    "DROP TABLE IF EXISTS names",
    """CREATE TABLE names(kind INTEGER NOT NULL, key TEXT NOT NULL, document INTEGER NOT NULL,
        PRIMARY KEY(kind, key, document)) WITHOUT ROWID""",
    "CREATE INDEX names_of ON names(document)",
    "CREATE INDEX by_time ON documents(changed, version, id)",
)
_CALLED = "SELECT id FROM documents WHERE rowid IN (SELECT document FROM names WHERE kind = ? AND key = ?)"
_HOLDING = """SELECT id FROM documents WHERE instr(replace(replace(id, '_', ''), '-', ''), ?1) > 0
    OR rowid IN (SELECT document FROM names WHERE kind = ?2 AND instr(key, ?1) > 0)"""
SELECT_FACTS = f"SELECT rowid, {', '.join(FACT_COLUMNS)} FROM documents"
_LATEST = f"{SELECT_FACTS} ORDER BY changed DESC, version DESC, id DESC LIMIT ?"


def forget_names(connection: sqlite3.Connection, workflow_id: str) -> None:
    """Take the names of a workflow out; fine when it is not known."""
    connection.execute("DELETE FROM names WHERE document = (SELECT rowid FROM documents WHERE id = ?)", (workflow_id,))


def store_names(connection: sqlite3.Connection, row: int, entry: Entry) -> None:
    """Index what people know a workflow by."""
    keys = {(_NAME, fold(entry.name)), (_LOOSE, _loose(entry.name)), (_SQUASHED, squashed(entry.name))}
    for alias in entry.aliases:
        keys |= {(_ALIAS, _loose(alias)), (_SQUASHED, squashed(alias))}
    keys |= {(_WORD, word) for word in _name_words(entry)}
    connection.executemany("INSERT OR IGNORE INTO names VALUES(?, ?, ?)", [(*key, row) for key in keys])


class Directory:
    """Every indexed workflow, by id, and by the names people know it by; read as far as it is asked for."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._entries: dict[str, Entry] = {}
        self._is_whole = False
        self._spellings: dict[int, list[str]] = {}
        self._change = (-1, -1)

    def refresh(self) -> None:
        """Forget what was read where the index changed since, by this process or by another."""
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        change = (version, self._connection.total_changes)
        if change != self._change:
            self._entries, self._spellings = {}, {}
            self._is_whole = False
            self._change = change

    def get(self, workflow_id: str) -> Entry | None:
        """Return what is known of a workflow; None of one that is not known."""
        if workflow_id not in self._entries and not self._is_whole:
            for row in self._connection.execute(f"{SELECT_FACTS} WHERE id = ?", (_bindable(workflow_id),)):
                self._entries[workflow_id] = entry_of(row)
        return self._entries.get(workflow_id)

    def count(self) -> int:
        """Return about how many workflows there are: some that are gone count, so that nothing has to be counted."""
        return self._connection.execute("SELECT max(rowid) FROM documents").fetchone()[0] or 0

    def _all(self) -> Iterable[Entry]:
        if not self._is_whole:
            self._entries = {row[1]: entry_of(row) for row in self._connection.execute(SELECT_FACTS)}
            self._is_whole = True
        return self._entries.values()

    def _known_as(self, kind: int, key: str) -> set[str]:
        return {one for (one,) in self._connection.execute(_CALLED, (kind, _bindable(key)))}

    def _keys(self, kind: int) -> list[str]:
        if kind not in self._spellings:
            found = self._connection.execute("SELECT DISTINCT key FROM names WHERE kind = ?", (kind,))
            self._spellings[kind] = [key for (key,) in found]
        return self._spellings[kind]

    def with_id(self, text: str) -> set[str]:
        """Return the id that a text is, if it is one."""
        wanted = fold(text)
        return {one for one in (wanted, f"wf_{wanted}") if self.get(one)}

    def with_name(self, text: str) -> set[str]:
        """Return the workflows whose name a text is; punctuation and words around it count last."""
        return (
            self._known_as(_NAME, fold(text))
            or self._known_as(_LOOSE, _loose(text))
            or self._known_as(_LOOSE, _bare(text))
        )

    def with_alias(self, text: str) -> set[str]:
        """Return the workflows one of whose aliases a text is."""
        return self._known_as(_ALIAS, _loose(text)) or self._known_as(_ALIAS, _bare(text))

    def spelled_like(self, text: str, likeness: float) -> dict[str, float]:
        """Return the workflows with a name or alias spelled like a text, spaces aside, and how much."""
        wanted = squashed(text)
        if not _SHORTEST_NAME_CHARS <= len(wanted) <= _LONGEST_NAME_CHARS:
            return {}
        found: dict[str, float] = {}
        for name, score in _spelled_like(wanted, self._keys(_SQUASHED), likeness, _NAMES_COMPARED):
            for workflow_id in self._known_as(_SQUASHED, name):
                found[workflow_id] = max(score, found.get(workflow_id, 0.0))
        return found

    def corrected(self, word: str) -> Sequence[tuple[str, float]]:
        """Return the words of names and aliases that are spelled like one, and how much."""
        if len(word) < _SHORTEST_CORRECTED_CHARS:
            return ()
        is_middling = _SHORTEST_CORRECTED_CHARS < len(word) < _LONG_WORD_CHARS
        likeness = _MIDDLING_LIKENESS if is_middling else _LIKENESS
        return _spelled_like(word, self._keys(_WORD), likeness, _CORRECTIONS)

    def passing(self, filters: WorkflowFilters) -> set[str]:
        """Return the ids of the workflows that have all that is asked."""
        tests = [test(wanted) for name, test in _TESTS.items() if (wanted := getattr(filters, name)) is not None]
        called = None
        if filters.called is not None:
            held = self._connection.execute(_HOLDING, (_bindable(squashed(filters.called)), _SQUASHED))
            called = {one for (one,) in held}
        passing = (entry.id for entry in self._all() if all(test(entry) for test in tests)) if tests else ()
        return set(passing) if called is None else called.intersection(passing) if tests else called

    def latest(self, among: Collection[str] | None, count: int) -> list[Entry]:
        """Return the workflows that changed last, all or some of them, latest first."""
        if among is None:
            return [entry_of(row) for row in self._connection.execute(_LATEST, (count,))]
        return nlargest(count, filter(None, map(self.get, among)), key=_newest_last)


def _bindable(text: str) -> str:
    """Return a text as SQLite takes it: half a character is in no name."""
    return text.encode("utf-8", "replace").decode()


def _newest_last(entry: Entry) -> tuple[bool, datetime | int, int, str]:
    version, changed, _ = entry.head
    return (changed is not None, changed or 0, version, entry.id)


def _spelled_like(wanted: str, known: Iterable[str], likeness: float, count: int) -> list[tuple[str, float]]:
    found = process.extract(wanted, known, scorer=OSA.normalized_similarity, score_cutoff=likeness, limit=count)
    return [(text, score) for text, score, _ in found]


def _loose(text: str) -> str:
    """Return a name without punctuation; a name of nothing else stays as it is."""
    return fold(" ".join(chunks(text))) or fold(text)


def _bare(text: str) -> str:
    """Return what is left of "the expense approval workflow": its name."""
    words = _loose(text).split()
    while len(words) > 1 and words[0] in _LEADING:
        del words[0]
    while len(words) > 1 and words[-1] in _TRAILING:
        del words[-1]
    return " ".join(words)


def _name_words(entry: Entry) -> set[str]:
    said = " ".join((entry.name, *entry.aliases)).replace("_", " ")
    words = fold(" ".join(chunks(said))).split()
    return {word for word in words if len(word) >= _SHORTEST_CORRECTED_CHARS and not word.isdigit()}


def _in_facet(facet: str) -> Callable[[str], Callable[[Entry], bool]]:
    def test(text: str) -> Callable[[Entry], bool]:
        wanted = fold(text)
        return lambda entry: wanted in getattr(entry.facets, facet)

    return test


def _of_service(text: str) -> Callable[[Entry], bool]:
    wanted = fold(text)
    return lambda entry: any(wanted in (one, *_SERVICE_PARTS.split(one)) for one in entry.facets.services)


def _started_by(text: str) -> Callable[[Entry], bool]:
    wanted = filter_words(text)
    return lambda entry: any(wanted <= words for words in entry.facets.triggers)


def _among(ids: Collection[str]) -> Callable[[Entry], bool]:
    wanted = frozenset(ids)
    return lambda entry: entry.id in wanted


def _changed_since(since: datetime) -> Callable[[Entry], bool]:
    return lambda entry: entry.head.changed is not None and entry.head.changed >= since


_TESTS: Mapping[str, Callable[[Any], Callable[[Entry], bool]]] = {
    "among": _among,
    "tag": _in_facet("tags"),
    "role": _in_facet("roles"),
    "step_type": _in_facet("step_types"),
    "service": _of_service,
    "trigger": _started_by,
    "has_deadline": lambda wanted: lambda entry: entry.facets.has_deadline == wanted,
    "changed_since": _changed_since,
}
"""For each filter, what makes a test of what it asks for."""
