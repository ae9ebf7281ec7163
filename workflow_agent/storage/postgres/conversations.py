"""Conversations on PostgreSQL: one statement a save, compare-and-set on the version."""

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any
from weakref import WeakValueDictionary

import asyncpg
from cachetools import LRUCache
from typing_extensions import override

from workflow_agent.conversations.archive import Position, SealedTurns, entry_holding
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.outcome import current_run
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.seals import SealedPart, SealRule, no_longer_sealed
from workflow_agent.conversations.store import ConversationPage, ConversationStore, MessageHit, MessageQuery
from workflow_agent.errors import ConversationNotFound, CorruptDocument, StorageFailed
from workflow_agent.storage.files.archives import checked_part, parsed_entries, parsed_part
from workflow_agent.storage.files.conversation_list import summary_of
from workflow_agent.storage.files.file_system import check_tenant, is_conversation_id
from workflow_agent.storage.files.rules import check_new_id, id_taken, no_content, no_conversation, not_sealed
from workflow_agent.storage.files.search.messages import storable
from workflow_agent.storage.postgres.conversation_rows import (
    BLOB,
    CREATE,
    DELETE,
    PART,
    PUT_BLOB,
    READ,
    UPDATE,
    KeptConversation,
    Saving,
    StoredList,
    kept_anew,
    kept_conversation,
    sealed_saving,
)
from workflow_agent.storage.postgres.database import Database
from workflow_agent.storage.postgres.leases import locked
from workflow_agent.storage.postgres.message_search import MessageSearch
from workflow_agent.storage.postgres.redaction import redact
from workflow_agent.values.stored import RunFence, content_json, digest_in, parse_canonical

_CACHE_BYTES = 32 * 2**20
_KNOWN_BLOBS = 20_000
_KNOWN_TO_BE_SHARED = 20_000
_MOST_READ_IN_VAIN = 4
"""As often in a row a conversation is looked at before a turn though nobody else had a turn of it."""

_Key = tuple[str, str]


class PostgresConversationStore(ConversationStore):
    """Keeps each conversation as a head and a row for each event, run and call.

    What a process read or wrote last it keeps; a save says on which version it stands, and one that stands
    on an old version is made again on the newest.

    Compacted turns are moved into rows of their own, which are read only when asked for; of the latest conversations
    `cache_bytes` stay parsed, by the length of their texts.
    """

    def __init__(self, database: Database, *, seal: SealRule | None = None, cache_bytes: int = _CACHE_BYTES) -> None:
        self._database = database
        self._rule = seal or SealRule()
        self._kept: LRUCache[_Key, KeptConversation] = LRUCache(cache_bytes, getsizeof=lambda kept: kept.size_bytes)
        self._known_blobs: LRUCache[tuple[str, str, int, bytes], bool] = LRUCache(_KNOWN_BLOBS)
        self._read_first: LRUCache[_Key, int] = LRUCache(_KNOWN_TO_BE_SHARED)
        self._queues: WeakValueDictionary[_Key, asyncio.Lock] = WeakValueDictionary()
        self.messages = MessageSearch(database, self)

    @override
    async def create(self, conversation: Conversation) -> Conversation:
        return await self._created(conversation, 0)

    async def adopt(self, conversation: Conversation) -> Conversation:
        """Store a conversation that another store kept, at its version; raises AlreadyExists if its id is taken."""
        return await self._created(conversation, conversation.version - 1)

    async def _created(self, conversation: Conversation, version: int) -> Conversation:
        check_tenant(conversation.tenant)
        check_new_id(conversation.id)
        nothing = KeptConversation(
            Conversation(
                id=conversation.id,
                tenant=conversation.tenant,
                created_at=conversation.created_at,
                updated_at=conversation.updated_at,
                version=version,
            ),
            0,
        )
        stored = await self._save(CREATE, nothing, conversation)
        if stored is None:
            raise id_taken("conversation", conversation.id)
        return stored.conversation

    @override
    async def load(self, tenant: str, conversation_id: str) -> Conversation:
        return (await self._newest(_existing(tenant, conversation_id))).conversation

    @override
    async def update(
        self, tenant: str, conversation_id: str, change: Callable[[Conversation], Conversation]
    ) -> Conversation:
        key = _existing(tenant, conversation_id)
        # In turn within the process: each would find that another was faster.
        async with self._queues.setdefault(key, asyncio.Lock()):
            return (await self._updated(key, change)).conversation

    async def _updated(self, key: _Key, change: Callable[[Conversation], Conversation]) -> KeptConversation:
        current, is_newest = await self._to_change(key)
        while True:
            try:
                changed = change(current.conversation)
            except Exception:
                # What is kept may be old: then it was asked of the wrong state.
                newest = current if is_newest else await self._newest(key)
                if newest is current:
                    raise
                current, is_newest = newest, True
                continue
            if changed is not current.conversation:
                stored = await self._save(UPDATE, current, changed)
                if stored is not None:
                    return stored
                self._read_first[key] = _MOST_READ_IN_VAIN
            elif is_newest:
                return current
            newest = await self._newest(key)
            if newest is current and changed is current.conversation:
                return current
            current, is_newest = newest, True

    async def _to_change(self, key: _Key) -> tuple[KeptConversation, bool]:
        """Return what a change is made of, and whether it is the newest for sure.

        Where other hosts take turns of a conversation too, its next turn begins with a look at what they stored:
        that costs less than a save on an old version, which is made again. Within a turn nobody else saves.
        """
        kept, left = self._kept.get(key), self._read_first.get(key, 0)
        if kept is not None and (not left or kept.conversation.active_run() is not None):
            return kept, False
        newest = await self._newest(key)
        if left:
            self._read_first[key] = left - 1 if newest is kept else _MOST_READ_IN_VAIN
        return newest, True

    @override
    async def delete(self, tenant: str, conversation_id: str) -> None:
        key = _existing(tenant, conversation_id)
        self._kept.pop(key, None)
        if await self._database.row(DELETE, *key) is None:
            raise no_conversation(conversation_id)

    @override
    async def redact(self, tenant: str, conversation_id: str, gone: Redaction) -> bool:
        return await redact(self._database, self, *_existing(tenant, conversation_id), gone)

    @override
    async def sealed(self, tenant: str, conversation_id: str, position: Position) -> SealedPart:
        key = _existing(tenant, conversation_id)
        entries = (await self._newest(key)).conversation.archive
        while True:
            entry = entry_holding(entries, position)
            if entry is None:
                raise not_sealed(conversation_id, position)
            body = await self._part(key, entry)
            if entry.kind == "turns":
                return parsed_part(body)
            entries = parsed_entries(body)

    async def _part(self, key: _Key, entry: SealedTurns) -> bytes:
        found = await self._database.row(PART, *key, entry.file)
        return checked_part(f"{key[1]}/{entry.file}", entry, found["body"] if found else None)

    @override
    async def listed(self, tenant: str, conversation_id: str, index: SealedTurns) -> Sequence[SealedTurns]:
        return parsed_entries(await self._part(_existing(tenant, conversation_id), index))

    @override
    async def put_blob(self, tenant: str, conversation_id: str, content: Any, fence: RunFence | None = None) -> str:
        check_tenant(tenant)
        check_new_id(conversation_id)
        body = content_json(content)
        digest = hashlib.sha256(body).digest()
        kept = self._kept.get((tenant, conversation_id))
        known = (tenant, conversation_id, kept.life if kept else 0, digest)
        if kept is None or known not in self._known_blobs:
            run = (fence.run_id, fence.number) if fence else (None, None)
            stored = await self._database.row(PUT_BLOB, tenant, conversation_id, digest, body, *run)
            if fence is not None and not (stored and stored["is_let_through"]):
                await check_fence(self, tenant, fence)
            self._known_blobs[known] = True
        return f"sha256:{digest.hex()}"

    @override
    async def blob(self, tenant: str, conversation_id: str, content_ref: str) -> Any:
        key = _existing(tenant, conversation_id)
        digest = digest_in(content_ref)
        found = await self._database.row(BLOB, *key, bytes.fromhex(digest)) if digest else None
        if found is None:
            raise no_content(conversation_id, content_ref)
        if hashlib.sha256(found["body"]).hexdigest() != digest:
            raise CorruptDocument(
                f"Content {content_ref!r} of conversation {conversation_id!r} is not what was stored: its "
                "digest differs. Restore it from a backup.",
                content_ref=content_ref,
            )
        return parse_canonical(found["body"])

    @override
    async def page(
        self, tenant: str, *, query: str = "", cursor: str | None = None, limit: int = 50
    ) -> ConversationPage:
        check_tenant(tenant)
        return await self.messages.page(tenant, query, cursor, limit)

    @override
    async def find(self, tenant: str, query: MessageQuery) -> Sequence[MessageHit]:
        check_tenant(tenant)
        if query.conversation_id is not None:
            await self.load(tenant, query.conversation_id)
        return await self.messages.find(tenant, query)

    def compacting(self, tenant: str, conversation_id: str) -> AbstractAsyncContextManager[None]:
        """Return what keeps every other process from compacting a conversation as long as the block lasts."""
        key = _existing(tenant, conversation_id)
        return locked(self._database, tenant, f"compacting {key[1]}")

    async def _newest(self, key: _Key) -> KeptConversation:
        kept = self._kept.get(key)
        head, stored = await self._read(key, kept)
        if kept is not None:
            if head["body"] is None:
                return kept
            if (later := kept_anew(kept, head["life"], head["body"], stored)) is not None:
                return self._keep(key, later)
            head, stored = await self._read(key, None)
        return self._keep(key, kept_conversation(*key, head["life"], head["body"], stored))

    async def _read(self, key: _Key, kept: KeptConversation | None) -> tuple[asyncpg.Record, dict[int, StoredList]]:
        """Return the head of a conversation, and its lists; of what is kept only what is new."""
        known = (kept.life, kept.conversation.version, kept.known_transactions()) if kept else (None, None, list[int]())
        head, *lists = await self._database.rows(READ, *key, *known) or (None,)
        if head is None:
            self._kept.pop(key, None)
            raise no_conversation(key[1])
        return head, {row["list"]: StoredList(*(each or () for each in row[3:])) for row in lists}

    async def _save(
        self, statement: str, before: KeptConversation, conversation: Conversation
    ) -> KeptConversation | None:
        """Store one version up; None where the stored version is not the one before."""
        version = before.conversation.version
        made = sealed_saving(before, conversation.model_copy(update={"version": version + 1}), self._rule)
        row = await self._database.row(statement, *_values(before, made, version))
        if row is None:
            return None
        made.by.number = row["written_by"]
        return self._keep((conversation.tenant, conversation.id), replace(made.kept, life=row["life"]))

    def _keep(self, key: _Key, kept: KeptConversation) -> KeptConversation:
        if kept.size_bytes <= self._kept.maxsize:
            self._kept[key] = kept
        return kept


def _values(before: KeptConversation, made: Saving, version: int) -> list[Any]:
    """Return what a save binds; a creation takes no notice of what is removed."""
    one = made.kept.conversation
    listed, run, was_active = summary_of(one), one.active_run(), before.conversation.active_run()
    ended = one.run(was_active.run_id) if was_active and (run is None or run.run_id != was_active.run_id) else None
    values: list[Any] = [
        one.tenant,
        one.id,
        version,
        before.life or None,
        secrets.token_hex(8),
        made.head,
        one.title.encode("utf-8", "surrogatepass"),
        storable(one.title).casefold(),
        one.phase,
        listed.turns,
        one.bound_workflow_id,
        one.created_at,
        one.updated_at,
        *((run.run_id, run.fence, run.owner) if run else (None, None, None)),
        [put.list for put in made.put],
        [put.ord for put in made.put],
        [put.body for put in made.put],
        list(made.parts),
        list(made.parts.values()),
    ]
    if not before.life:
        return values
    return [
        *values,
        [number for number, _ in made.removed],
        [place for _, place in made.removed],
        list(no_longer_sealed(before.conversation, one)),
        ended.run_id if ended and not _may_go_on(ended) else None,
    ]


def _may_go_on(ended: Run) -> bool:
    """Say whether a run's steps stay: its message may be sent again, and what the model said is not asked for twice."""
    is_of_store = ended.error is not None and ended.error.type == StorageFailed.code
    return ended.status == "interrupted" or (ended.status == "failed" and is_of_store)


async def check_fence(store: ConversationStore, tenant: str, fence: RunFence) -> None:
    """Raise StaleRun, which says what became of the run, for an attempt that is not the run's any more."""
    try:
        found = await store.load(tenant, fence.conversation_id)
    except ConversationNotFound:
        found = None
    current_run(found, fence.run_id, fence.number)


def _existing(tenant: str, conversation_id: str) -> _Key:
    check_tenant(tenant)
    if not is_conversation_id(conversation_id):
        raise no_conversation(conversation_id)
    return tenant, conversation_id
