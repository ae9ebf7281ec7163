"""What was said in the conversations of one tenant, in SQLite: any part of a word is found."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from workflow_agent.conversations.store import MessageHit, MessageQuery
from workflow_agent.storage.files.search import ranked_messages
from workflow_agent.storage.files.search.index_file import IndexFile
from workflow_agent.storage.files.search.ranked_messages import Stemmer
from workflow_agent.storage.files.search.vectors import telling_words
from workflow_agent.values.stored import iso_milliseconds
from workflow_agent.workflows.search.passages import excerpt, joined_ranks

_SCHEMA = 3
_SHORTEST_INDEXED_CHARS = 3
"""The index knows sequences of three characters; a shorter word is looked for in the texts themselves."""
TITLE = -1
"""The number that stands for a conversation's title."""

_TABLES = (
    "DROP TABLE IF EXISTS texts",
    "DROP TABLE IF EXISTS words",
    "DROP TABLE IF EXISTS messages",
    "DROP TABLE IF EXISTS conversations",
    """CREATE TABLE conversations(
        rowid INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, stamp TEXT NOT NULL, began TEXT NOT NULL,
        title TEXT NOT NULL, last_number INTEGER NOT NULL, last_turn INTEGER NOT NULL)""",
    """CREATE TABLE messages(
        rowid INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, number INTEGER NOT NULL,
        turn INTEGER NOT NULL, event TEXT NOT NULL, type TEXT NOT NULL, author TEXT NOT NULL,
        at TEXT NOT NULL, run TEXT, place INTEGER, UNIQUE(conversation, number),
        UNIQUE(conversation, place))""",
    # Folded before it is stored, because SQLite folds fewer letters than Python.
    "CREATE VIRTUAL TABLE texts USING fts5(folded, content UNINDEXED, tokenize='trigram case_sensitive 1')",
    *ranked_messages.TABLES,
)
_KNOWN = "SELECT id, stamp, began, last_number, last_turn FROM conversations"
_STORE_CONVERSATION = """INSERT INTO conversations(id, stamp, began, title, last_number, last_turn)
    VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET stamp = excluded.stamp, began = excluded.began,
    title = excluded.title, last_number = excluded.last_number, last_turn = excluded.last_turn
    RETURNING rowid"""
_STORE_MESSAGE = """INSERT OR IGNORE INTO messages(conversation, number, turn, event, type, author, at, run,
    place) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING rowid"""
_STORE_TEXT = "INSERT INTO texts(rowid, folded, content) VALUES(?, ?, ?)"
_FORGET_TEXTS = """DELETE FROM texts WHERE rowid IN (SELECT rowid FROM messages
    WHERE conversation = (SELECT rowid FROM conversations WHERE id = ?) AND number >= ? AND number < ?)"""
_FORGET_MESSAGES = """DELETE FROM messages
    WHERE conversation = (SELECT rowid FROM conversations WHERE id = ?) AND number >= ? AND number < ?"""
_EVERY_NUMBER = (TITLE, 2**62)
_HOLDING = """SELECT DISTINCT conversations.id FROM texts JOIN messages ON messages.rowid = texts.rowid
    JOIN conversations ON conversations.rowid = messages.conversation WHERE """
_ROWS = """SELECT conversations.id, conversations.title, messages.turn, messages.number, messages.event,
    messages.type, messages.author, messages.at, messages.run, texts.content
    FROM json_each(?) AS asked CROSS JOIN messages ON messages.rowid = asked.value
    JOIN texts ON texts.rowid = messages.rowid JOIN conversations ON conversations.rowid = messages.conversation
    ORDER BY asked.key"""
_HOLDERS = """SELECT messages.rowid FROM texts JOIN messages ON messages.rowid = texts.rowid
    JOIN conversations ON conversations.rowid = messages.conversation WHERE messages.number >= 0 AND {where}
    ORDER BY {order} LIMIT ? OFFSET ?"""
_NEWEST = "messages.at DESC, messages.number DESC"
_PAGED = "messages.at DESC, conversations.id DESC, messages.number DESC"
"""Also what was said at the same time has an order, so that pages hold each once; it takes longer."""
_AT_PLACES = """SELECT messages.rowid, conversation, place FROM json_each(?) AS asked CROSS JOIN messages
    ON conversation = asked.value ->> 0 AND place = asked.value ->> 1"""
"""One statement for all of them: two hundred take as long as ranking does."""
_SAID_IN = """SELECT conversation, min(place), max(place) FROM messages
    WHERE {among}at >= ? AND at < ? AND place IS NOT NULL GROUP BY conversation"""
"""Places are in the order of time."""
_MOST_RANKED = 200
"""So many are ranked by what they say; after them come others that hold every word, newest first."""
_MOST_WORDS = 40
_WORD = re.compile(r"\w+")


class Said(NamedTuple):
    """A message as the index takes it in."""

    number: int
    turn: int
    event_id: str
    type: str
    author: str
    at: str
    run_id: str | None
    content: str


class Indexed(NamedTuple):
    """Up to where a conversation is indexed."""

    stamp: str
    """Which state of the conversation that was; empty when some of it could not be read."""
    began: str
    last_number: int
    last_turn: int


@dataclass(frozen=True, slots=True)
class Lookup:
    """A query as the index takes it."""

    query: MessageQuery
    words: tuple[str, ...]
    """Folded; a message that holds them all is found."""
    telling: tuple[str, ...]
    """Where given, messages that hold some of these are found too, and come by how much they say of them."""
    periods: tuple[tuple[str, str], ...]
    """As messages have their times; the end of each is not in it."""


def lookup_of(query: MessageQuery) -> Lookup | None:
    """Return a query as the index takes it; None for one that finds nothing, because it names no word and no time."""
    words = tuple(storable(query.text).casefold().split())
    if not words and not query.periods:
        return None
    telling = (tuple(telling_words(query.text)) or words) if query.is_ranked else ()
    periods = tuple((iso_milliseconds(one.start), iso_milliseconds(one.end)) for one in query.periods)
    return Lookup(query, words, telling, periods)


def hit_of(found: Iterable[Any], lookup: Lookup) -> MessageHit:
    """Return a message that was found as it is told: of its text, the last of its facts, the piece around a word."""
    *facts, content = found
    return MessageHit(*facts, snippet=excerpt(content, _word_in(content, lookup)))


def _word_in(content: str, lookup: Lookup) -> str:
    """Return the first of the words looked for that a message holds; the first of all where it holds none."""
    folded = content.casefold()
    asked_for = (*lookup.words, *lookup.telling)
    return next((one for one in asked_for if one in folded and one), next(iter(asked_for), ""))


class MessageDatabase(IndexFile):
    """The messages of one tenant. The stemmer is to be shared: making one takes a while."""

    def __init__(self, path: Path | None, stemmed: Stemmer | None = None) -> None:
        # Before the file is opened: what fails leaves nothing open.
        self._stemmed = stemmed or Stemmer()
        super().__init__(path, schema=_SCHEMA, tables=_TABLES)

    def known(self) -> dict[str, Indexed]:
        """Return up to where each conversation is indexed."""
        return {row[0]: Indexed(*row[1:]) for row in self.connection.execute(_KNOWN)}

    def known_of(self, conversation_id: str) -> Indexed | None:
        """Return up to where one conversation is indexed; None for one that is not."""
        row = self.connection.execute(f"{_KNOWN} WHERE id = ?", (conversation_id,)).fetchone()
        return None if row is None else Indexed(*row[1:])

    def put(self, conversation_id: str, state: Indexed, title: str, messages: Iterable[Said], *, anew: bool) -> None:
        """Index messages of a conversation, its title, and up to where it is indexed now.

        A message whose number is indexed already stays as it is, unless it is to begin `anew`.
        """
        with self.transaction():
            self._forget(conversation_id, *(_EVERY_NUMBER if anew else (TITLE, TITLE + 1)))
            if anew:
                ranked_messages.forget(self.connection, conversation_id)
            facts = (conversation_id, state.stamp, state.began, title, state.last_number, state.last_turn)
            (row,) = self.connection.execute(_STORE_CONVERSATION, facts).fetchone()
            self._add(row, Said(TITLE, 0, "", "title", "", "", None, title), None)
            first_place = ranked_messages.indexed(self.connection, row)
            told: list[str] = []
            for message in messages:
                if self._add(row, message, first_place + len(told)):
                    told.append(storable(message.content))
            ranked_messages.add(self.connection, row, first_place, self._stemmed(told))

    def _add(self, conversation: int, message: Said, place: int | None) -> bool:
        """Add a message; say whether it was not there."""
        content = storable(message.content)
        # Read to its end: until then the statement holds the table.
        added = self.connection.execute(_STORE_MESSAGE, (conversation, *message[:-1], place)).fetchall()
        for (row,) in added:
            self.connection.execute(_STORE_TEXT, (row, content.casefold(), content))
        return bool(added)

    def forget(self, ids: Iterable[str]) -> None:
        """Take conversations out; fine when they are not known."""
        for conversation_id in ids:
            with self.transaction():
                self._forget(conversation_id, *_EVERY_NUMBER)
                ranked_messages.forget(self.connection, conversation_id)
                self.connection.execute("DELETE FROM conversations WHERE id = ?", (conversation_id,))

    def _forget(self, conversation_id: str, first: int, end: int) -> None:
        """Take the messages of a conversation out whose numbers are in a range."""
        self.connection.execute(_FORGET_TEXTS, (conversation_id, first, end))
        self.connection.execute(_FORGET_MESSAGES, (conversation_id, first, end))

    def holding(self, text: str) -> set[str]:
        """Return the conversations whose title or one of whose messages holds a folded text."""
        where, values = _holds((text,))
        return {row[0] for row in self.connection.execute(f"{_HOLDING}{where}", values)}

    def find(self, lookup: Lookup) -> Sequence[MessageHit]:
        """Return the messages that hold every one of some folded words, newest first; or the best ones."""
        where, values = _asked(lookup)
        start, end = lookup.query.offset, lookup.query.offset + lookup.query.limit
        if lookup.telling:
            rows = self._best(lookup, where, values, end)[start:end]
        else:
            rows = self._holders(where, values, lookup.query.limit, start, order=_PAGED)
        return [hit_of(row, lookup) for row in self.connection.execute(_ROWS, (json.dumps(rows),))]

    def _best(self, lookup: Lookup, where: str, values: Sequence[str], end: int) -> list[int]:
        """Return the rows of messages by what they and those beside them say; holding every word ranks as well."""
        conversation: int | None = None
        if lookup.query.conversation_id is not None:
            asked = "SELECT rowid FROM conversations WHERE id = ?"
            known = self.connection.execute(asked, (lookup.query.conversation_id,)).fetchone()
            conversation = known[0] if known else 0
        wanted = self._stemmed([" ".join(lookup.telling[:_MOST_WORDS])])[0]
        ranked = self._rows(
            ranked_messages.best(
                self.connection,
                wanted,
                conversation,
                _MOST_RANKED,
                with_neighbours=lookup.query.with_neighbours,
                among=self._said_in(lookup, conversation) if lookup.periods else None,
            )
        )
        place = {row: at for at, row in enumerate(ranked)}
        whole = self._holders(where, values, _MOST_RANKED)
        found = joined_ranks(ranked, sorted(whole, key=lambda row: place.get(row, _MOST_RANKED)))
        if end > len(found) and len(whole) == _MOST_RANKED:
            # After the ranked ones, whose order must be the same for every page.
            found = list(dict.fromkeys([*found, *self._holders(where, values, -1)]))
        return found

    def _said_in(self, lookup: Lookup, conversation: int | None) -> list[tuple[int, int, int]]:
        """Return which messages were said in the periods of a lookup: conversation, first and last place in it."""
        among = "" if conversation is None else f"conversation = {conversation:d} AND "
        return [
            row for period in lookup.periods for row in self.connection.execute(_SAID_IN.format(among=among), period)
        ]

    def _holders(
        self, where: str, values: Sequence[str], most: int, start: int = 0, *, order: str = _NEWEST
    ) -> list[int]:
        """Return the rows of the newest messages that hold every word, some of the first passed over."""
        found = self.connection.execute(_HOLDERS.format(where=where, order=order), (*values, most, start))
        return [row for (row,) in found]

    def _rows(self, places: Sequence[tuple[int, int]]) -> list[int]:
        """Return the rows of messages by their places, in the same order."""
        rows = {(holder, at): row for row, holder, at in self.connection.execute(_AT_PLACES, (json.dumps(places),))}
        return [rows[one] for one in places if one in rows]


def storable(text: str) -> str:
    """Return a text as SQLite can keep it: half a character and a zero byte have no place there."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _asked(lookup: Lookup) -> tuple[str, list[str]]:
    """Return the condition that a message holds every word of a lookup, where and when it asks for."""
    parts = [_holds(lookup.words)] if lookup.words else []
    parts += [_said_at(lookup.periods)] if lookup.periods else []
    one = lookup.query.conversation_id
    parts += [("conversations.id = ?", [one])] if one is not None else []
    return " AND ".join(where for where, _ in parts) or "1", [value for _, values in parts for value in values]


def _said_at(periods: Sequence[tuple[str, str]]) -> tuple[str, list[str]]:
    each = " OR ".join(["(messages.at >= ? AND messages.at < ?)"] * len(periods))
    return f"({each})", [moment for period in periods for moment in period]


def _holds(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return the condition that a text holds every word, and what is bound to it."""
    indexed = [word for word in words if len(word) >= _SHORTEST_INDEXED_CHARS]
    short = [word for word in words if len(word) < _SHORTEST_INDEXED_CHARS]
    conditions = ["texts MATCH ?"] if indexed else []
    conditions += ["instr(texts.folded, ?) > 0"] * len(short)
    matched = [" AND ".join('"' + word.replace('"', '""') + '"' for word in indexed)] if indexed else []
    return " AND ".join(conditions), [*matched, *short]
