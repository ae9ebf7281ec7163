"""What a search knows of workflows, in SQLite: their words in FTS5, and the facts a hit shows."""

from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import orjson

from workflow_agent.storage.files.search import directory
from workflow_agent.storage.files.search.index_file import IndexFile
from workflow_agent.storage.files.workflow_heads import token_of, told_of
from workflow_agent.workflows.search import (
    FACT_COLUMNS,
    WEIGHTS,
    Candidate,
    Entry,
    Indexed,
    entry_of,
    facts_of,
    head_in,
)
from workflow_agent.workflows.search.document import FIELDS
from workflow_agent.workflows.search.query import Query, expressions, last_resort, postings
from workflow_agent.workflows.store import WorkflowHead

_SCHEMA = 5
_BATCH = 500
_MOST_RANKED = 2_000
"""Documents that one look-up ranks: of more with its words, those that were indexed last."""
_FEW_POSTINGS = 10_000
_OF_FEW = 200
"""How many of the likeliest are compared closely where so few have words of the query that all are ranked."""
_TABLES = (
    "DROP TABLE IF EXISTS vocabulary",
    "DROP TABLE IF EXISTS texts",
    "DROP TABLE IF EXISTS documents",
    "DROP TABLE IF EXISTS followed",
    "CREATE TABLE followed(total TEXT NOT NULL)",
    "INSERT INTO followed VALUES('0')",
    """CREATE TABLE documents(
        rowid INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, version INTEGER NOT NULL, changed TEXT NOT NULL,
        mark TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, aliases TEXT NOT NULL,
        facets TEXT NOT NULL)""",
    f"CREATE VIRTUAL TABLE texts USING fts5({', '.join(FIELDS)}, tokenize='ascii')",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(texts, 'row')",
    *directory.TABLES,
)
# Made of the names of columns alone; what was typed or stored is always bound.
_FACTS = ", ".join(FACT_COLUMNS)
_COLUMNS = ", ".join(FIELDS)
_RANK = f"bm25(texts, {', '.join(str(WEIGHTS[name]) for name in FIELDS)})"
_SELECT_HEAD = "SELECT version, changed, mark FROM documents WHERE id = ?"
_SELECT_SOME_FACTS = f"{directory.SELECT_FACTS} WHERE id IN (SELECT value FROM json_each(?))"
_STORE_FACTS = (
    f"INSERT INTO documents({_FACTS}) VALUES({', '.join('?' * len(FACT_COLUMNS))}) "
    f"ON CONFLICT(id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in FACT_COLUMNS)} "
    "RETURNING rowid"
)
_STORE_WORDS = f"INSERT INTO texts(rowid, {_COLUMNS}) VALUES(?, {', '.join('?' * len(FIELDS))})"
_FORGET_WORDS = "DELETE FROM texts WHERE rowid = (SELECT rowid FROM documents WHERE id = ?)"
_SELECT_RANKED = f"SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY {_RANK}"
_SELECT_NEWEST_RANKED = f"SELECT rowid FROM texts WHERE texts MATCH ? AND rowid > ? ORDER BY {_RANK} LIMIT ?"
_SELECT_FIRST_BEFORE = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?"
_SELECT_WORDS = (
    f"SELECT documents.id, {', '.join(f'texts.{name}' for name in FIELDS)} FROM texts "
    "JOIN documents ON documents.rowid = texts.rowid "
    "WHERE texts.rowid IN (SELECT value FROM json_each(?))"
)
_SELECT_FREQUENCIES = "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))"


class SearchDatabase(IndexFile):
    """The index of one tenant's workflows; what changes the heads is written within `_counted`, which sums them."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, schema=_SCHEMA, tables=_TABLES)
        self._frequencies: dict[str, int] = {}
        self.directory = directory.Directory(self.connection)
        self._seen_version = -1
        self._added = 0
        """What the total of the heads grows by in the transaction at hand."""

    @contextmanager
    def _counted(self) -> Generator[None]:
        """Do all of a block's writes, or none, and take in what they add to the total of the heads."""
        self._frequencies.clear()
        self._added = 0
        with self.transaction():
            yield
            total = (self.total() + self._added) % 2**128
            self.connection.execute("UPDATE followed SET total = ?", (f"{total:x}",))

    def was_changed_elsewhere(self) -> bool:
        """Say whether another process may have written since this was last asked; so it is the first time."""
        before, (self._seen_version,) = (self._seen_version, self.connection.execute("PRAGMA data_version").fetchone())
        return before != self._seen_version

    def heads(self) -> dict[str, WorkflowHead]:
        """Return which content of each workflow is indexed."""
        rows = self.connection.execute("SELECT id, version, changed, mark FROM documents")
        return {one: head_in(*head) for one, *head in rows}

    def total(self) -> int:
        """Return the sum of the tokens of all heads that are indexed, as `Heads.total` has it."""
        return int(self.connection.execute("SELECT total FROM followed").fetchone()[0], 16)

    def entries_of(self, ids: Iterable[str]) -> list[Entry]:
        """Return what is known of some workflows."""
        return [entry_of(row) for row in self.connection.execute(_SELECT_SOME_FACTS, (_listed(ids),))]

    def put(self, documents: Sequence[Indexed]) -> list[Entry]:
        """Store workflows in place of what was known of them; return them as stored."""
        stored: list[Entry] = []
        for start in range(0, len(documents), _BATCH):
            with self._counted():
                stored += [self._put(one) for one in documents[start : start + _BATCH]]
        return stored

    def _put(self, document: Indexed) -> Entry:
        facts = facts_of(document.entry)
        self._forget_words(document.entry.id)
        (number,) = self.connection.execute(_STORE_FACTS, facts).fetchone()
        self._added += token_of(document.entry.id, *told_of(document.entry.head))
        self.connection.execute(_STORE_WORDS, (number, *document.words))
        directory.store_names(self.connection, number, document.entry)
        return entry_of((number, *facts))

    def _forget_words(self, workflow_id: str) -> None:
        """Take out what a workflow is found by, and its head of the total."""
        for head in self.connection.execute(_SELECT_HEAD, (workflow_id,)):
            self._added -= token_of(workflow_id, *head)
        self.connection.execute(_FORGET_WORDS, (workflow_id,))
        directory.forget_names(self.connection, workflow_id)

    def delete(self, ids: Iterable[str]) -> None:
        """Forget workflows; fine when they are not known."""
        with self._counted():
            for workflow_id in ids:
                self._forget_words(workflow_id)
                self.connection.execute("DELETE FROM documents WHERE id = ?", (workflow_id,))

    def frequencies(self, stems: Iterable[str]) -> Mapping[str, int]:
        """Return in how many workflows each stem is, or lately was; those in none are missing."""
        wanted = set(stems)
        # Only of words that some workflow has: another process may bring in a new one at any time.
        unknown = wanted.difference(self._frequencies)
        if unknown:
            self._frequencies.update(self.connection.execute(_SELECT_FREQUENCIES, (_listed(unknown),)))
        return {stem: self._frequencies[stem] for stem in wanted if stem in self._frequencies}

    def candidates(self, query: Query, rows: Collection[int] | None, limit: int) -> list[Candidate]:
        """Return the likeliest documents for a query, in no order.

        Looks everywhere unless given rows, and returns at most `limit` for each way of looking.
        """
        found: set[int] = set()
        anything = last_resort(query)
        is_small = self.directory.count() <= _MOST_RANKED and postings(query) <= _FEW_POSTINGS
        if anything is not None and is_small:
            found.update(self._likeliest(anything, rows, max(limit, _OF_FEW)))
        else:
            for expression in expressions(query):
                found.update(self._likeliest(expression, rows, limit))
        if not found and anything is not None:
            found.update(self._likeliest(anything, rows, limit))
        read = self.connection.execute(_SELECT_WORDS, (_listed(found),))
        return [Candidate(workflow_id, tuple(words)) for workflow_id, *words in read]

    def _likeliest(self, expression: str, rows: Collection[int] | None, limit: int) -> list[int]:
        if rows is None:
            last_left_out = self._last_left_out(expression)
            ranked = self.connection.execute(_SELECT_NEWEST_RANKED, (expression, last_left_out, limit))
            return [row for (row,) in ranked]
        ranked = self.connection.execute(_SELECT_RANKED, (expression,))
        return list(islice((row for (row,) in ranked if row in rows), limit))

    def _last_left_out(self, expression: str) -> int:
        """Return the row after which no more documents with an expression come than are ranked."""
        if self.directory.count() <= _MOST_RANKED:
            return 0
        found = self.connection.execute(_SELECT_FIRST_BEFORE, (expression, _MOST_RANKED)).fetchone()
        return found[0] if found else 0


def _listed(values: Iterable[str | int]) -> str:
    return orjson.dumps(list(values)).decode()
