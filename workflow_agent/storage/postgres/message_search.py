"""What was said, found by any part of its words: an index of messages that follows the conversations."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

import asyncpg
from cachetools import LRUCache

from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.document import AgentReply, Conversation, Event, UserMessage
from workflow_agent.conversations.store import (
    ConversationPage,
    ConversationStore,
    ConversationSummary,
    MessageHit,
    MessageQuery,
)
from workflow_agent.errors import ConversationNotFound, StorageFailed
from workflow_agent.storage.files.conversation_list import page_with, position_before
from workflow_agent.storage.files.search.messages import (
    Indexed,
    Lookup,
    MessageDatabase,
    Said,
    hit_of,
    lookup_of,
    storable,
)
from workflow_agent.storage.postgres.database import Database, of_all_tenants, of_tenant
from workflow_agent.values.stored import iso_milliseconds

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AT_ONCE = 100
_MOST_RANKED = 5_000
"""In all conversations, so many messages that say any of the words are ranked, the newest."""
_KEPT_MESSAGES = 50_000
"""Of all conversations together whose messages a process keeps ranked: about a kilobyte each."""
_PAGE = """SELECT id, title, phase, version, turns, created_at, updated_at, bound_workflow_id
FROM conversation WHERE tenant = $1 AND (updated_at, id) < ($2, $3){where}
ORDER BY updated_at DESC, id DESC LIMIT $4"""
NEWEST = of_tenant(_PAGE.format(where=""))
_HOLDING = """ AND (title_folded LIKE $5 OR id IN
    (SELECT conversation_id FROM message WHERE tenant = $1 AND folded LIKE $5))"""
_NAMED = of_tenant(_PAGE.format(where=_HOLDING))
_LAGGING = """SELECT tenant, id, life, version, indexed_event FROM conversation
    WHERE indexed_version < version {where} LIMIT $1"""
_INDEX = of_tenant("""
WITH taken AS (UPDATE conversation
    SET indexed_version = greatest(indexed_version, $4), indexed_event = greatest(indexed_event, $14)
    WHERE tenant = $1 AND id = $2 AND life = $3 RETURNING 1),
put AS (INSERT INTO message
    SELECT $1, $2, said.* FROM taken, unnest($5::int[], $6::int[], $7::text[], $8::text[], $9::text[],
    $10::text[], $11::text[], $12::text[], $13::text[]) AS said
    ON CONFLICT DO NOTHING)
SELECT 1""")
_STATE = of_tenant("""SELECT
    (SELECT title FROM conversation WHERE tenant = $1 AND id = $2) AS title,
    (SELECT xmin::text FROM message WHERE tenant = $1 AND conversation_id = $2 ORDER BY number LIMIT 1) AS began,
    (SELECT max(number) FROM message WHERE tenant = $1 AND conversation_id = $2) AS last""")
_SINCE = of_tenant("""SELECT number, turn, event_id, type, author, at, run_id, content FROM message
    WHERE tenant = $1 AND conversation_id = $2 AND number > $3 ORDER BY number""")
_FOUND = """SELECT conversation_id,
    (SELECT title FROM conversation WHERE tenant = $1 AND id = conversation_id) AS title,
    turn, number, event_id, type, author, at, run_id, content
FROM message WHERE tenant = $1{where} ORDER BY at DESC, conversation_id DESC, number DESC"""


class MessageSearch:
    """Finds conversations and messages; each search takes in first what was said since."""

    def __init__(self, database: Database, store: ConversationStore) -> None:
        self._database = database
        self._store = store
        self._ranked: LRUCache[tuple[str, str], _Ranked] = LRUCache(_KEPT_MESSAGES, getsizeof=lambda one: one.messages)

    async def page(self, tenant: str, query: str, cursor: str | None, limit: int) -> ConversationPage:
        """Return one page; see `ConversationStore.page`."""
        before = position_before(cursor, limit)
        wanted = storable(query.strip()).casefold()
        if wanted:
            await self.take_in(tenant)
        at, last_id = before or (253_402_300_799_999, "")
        statement, pattern = (_NAMED, [_pattern(wanted)]) if wanted else (NEWEST, [])
        values = (tenant, _EPOCH + timedelta(milliseconds=at), last_id, limit + 1, *pattern)
        return page_with([_summary(row) for row in await self._database.rows(statement, *values)], limit)

    async def find(self, tenant: str, query: MessageQuery) -> Sequence[MessageHit]:
        """Return messages; see `ConversationStore.find`."""
        lookup = lookup_of(query)
        if lookup is None:
            return ()
        await self.take_in(tenant, query.conversation_id)
        if lookup.telling and query.conversation_id is not None:
            return await self._best_in(tenant, query.conversation_id, lookup)
        values: list[Any] = [tenant]
        where = _bound(" AND conversation_id = ${}", [query.conversation_id], values)
        if lookup.periods and not query.with_neighbours:
            each = [
                _bound("at >= ${} AND at < ", [start], values) + _bound("${}", [end], values)
                for start, end in lookup.periods
            ]
            where += f" AND ({' OR '.join(each)})"
        if not lookup.telling:
            # One LIKE a word: of an array of patterns the index knows nothing.
            where += _bound(" AND folded LIKE ${}", map(_pattern, lookup.words), values)
            statement = f"{_FOUND.format(where=where)} LIMIT {query.limit:d} OFFSET {query.offset:d}"
            rows = await self._database.rows(of_tenant(f"SELECT * FROM ({statement}) AS page"), *values)
            return [hit_of((row["conversation_id"], _title(row), *row[2:]), lookup) for row in rows]
        any_word = map(_pattern, dict.fromkeys((*lookup.telling, *lookup.words)))
        where += f" AND ({_bound(' OR folded LIKE ${}', any_word, values).removeprefix(' OR ')})"
        rows = await self._database.rows(of_tenant(f"{_FOUND.format(where=where)} LIMIT {_MOST_RANKED}"), *values)
        return await asyncio.to_thread(_best, rows, lookup)

    async def _best_in(self, tenant: str, conversation_id: str, lookup: Lookup) -> Sequence[MessageHit]:
        """Return the best messages of a conversation; all of it is ranked, and stays ranked for the next question."""
        key = tenant, conversation_id
        (state,) = await self._database.rows(_STATE, *key)
        if state["last"] is None:
            self._ranked.pop(key, None)
            return ()
        ranked = self._ranked.get(key)
        if ranked is None or ranked.began != state["began"]:
            # Redacted messages are stored anew, all of them.
            ranked = _Ranked(conversation_id, state["began"])
        rows = await self._database.rows(_SINCE, *key, ranked.last) if ranked.last < state["last"] else []
        found = await asyncio.to_thread(ranked.find, _title(state), rows, lookup)
        if ranked.messages <= _KEPT_MESSAGES:
            self._ranked[key] = ranked
        return found

    async def take_in(self, tenant: str | None = None, conversation_id: str | None = None) -> int:
        """Index what was said since the last time; return in how many conversations there was something.

        Without a tenant it is everybody's, and of those only the first hundred.
        """
        taken = 0
        values: list[Any] = [_AT_ONCE]
        where = _bound(" AND tenant = ${}", [tenant], values)
        where += _bound(" AND id = ${}", [conversation_id], values)
        while True:
            lagging = await self._database.rows(of_all_tenants(_LAGGING.format(where=where)), *values)
            for row in lagging:
                # One that is deleted meanwhile, or that cannot be read, must not hide all others.
                with suppress(ConversationNotFound):
                    await self._index(row)
            taken += len(lagging)
            if tenant is None or len(lagging) < _AT_ONCE:
                return taken

    async def _index(self, row: asyncpg.Record) -> None:
        tenant, conversation_id = row["tenant"], row["id"]
        try:
            conversation = await self._store.load(tenant, conversation_id)
            events = [event async for event in self._events_after(conversation, row["indexed_event"])]
        except StorageFailed:
            # Whoever reads it is told; it is not looked at again before it changes.
            conversation, events = None, []
        said = [_said(event) for event in events if isinstance(event, UserMessage | AgentReply)]
        last = max((event.index for event in events), default=-1)
        version = conversation.version if conversation else row["version"]
        await self._database.rows(
            _INDEX,
            tenant,
            conversation_id,
            row["life"],
            version,
            [one.number for one in said],
            [one.turn for one in said],
            [one.event_id for one in said],
            [one.type for one in said],
            [one.author for one in said],
            [one.at for one in said],
            [one.run_id for one in said],
            [one.content for one in said],
            [one.content.casefold() for one in said],
            last,
        )

    async def _events_after(self, conversation: Conversation, index: int) -> AsyncIterator[Event]:
        following = index + 1
        while following < conversation.sealed_events:
            part = await self._store.sealed(conversation.tenant, conversation.id, Position("event", following))
            for event in part.events:
                if event.index >= following:
                    yield event
            following = part.events[-1].index + 1
        for event in conversation.events:
            if event.index >= following:
                yield event


@dataclass(slots=True)
class _Ranked:
    """The messages of a conversation where they are ranked, for several threads."""

    conversation_id: str
    began: str
    """The transaction that stored the first of them."""
    last: int = -1
    messages: int = 1
    _database: MessageDatabase = field(default_factory=lambda: MessageDatabase(None))
    _lock: Lock = field(default_factory=Lock)

    def __del__(self) -> None:
        # What is kept no more may still be asked in a thread.
        self._database.close()

    def find(self, title: str, rows: Sequence[asyncpg.Record], lookup: Lookup) -> Sequence[MessageHit]:
        """Return the best messages, those that are new taken in."""
        with self._lock:
            said = [Said(*row) for row in rows]
            self._database.put(self.conversation_id, Indexed("", "", -1, 0), title, said, anew=False)
            self.last = max(self.last, *(one.number for one in said)) if said else self.last
            self.messages += len(said)
            return self._database.find(lookup)


def _bound(clause: str, wanted: Any, values: list[Any]) -> str:
    """Return a clause for each value that is there; the values are added to the statement's."""
    clauses = ""
    for one in wanted:
        if one is not None:
            values.append(one)
            clauses += clause.format(len(values))
    return clauses


def _pattern(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _best(rows: Sequence[asyncpg.Record], lookup: Lookup) -> Sequence[MessageHit]:
    """Return those messages that say most of what is asked for."""
    talks: dict[str, list[asyncpg.Record]] = {}
    for row in rows:
        talks.setdefault(row["conversation_id"], []).append(row)
    with closing(MessageDatabase(None)) as ranking:
        for conversation_id, told in talks.items():
            said = [Said(*(row[name] for name in Said._fields)) for row in reversed(told)]
            ranking.put(conversation_id, Indexed("", "", -1, 0), _title(told[0]), said, anew=True)
        return ranking.find(lookup)


def _said(one: UserMessage | AgentReply) -> Said:
    author, content = storable(one.author), storable(one.content)
    return Said(one.index, one.turn, one.id, one.type, author, iso_milliseconds(one.at), one.run_id, content)


def _title(row: asyncpg.Record) -> str:
    return (row["title"] or b"").decode("utf-8", "surrogatepass")


def _summary(row: asyncpg.Record) -> ConversationSummary:
    facts: dict[str, Any] = {**dict(row), "title": _title(row)}
    return ConversationSummary(**facts)
