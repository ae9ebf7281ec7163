"""Taking texts out of all rows of a conversation: its lists, sealed turns, contents and messages."""

from collections.abc import Mapping

from workflow_agent.conversations.archive import SealedTurns
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.storage.files.archives import checked_part, entries_in
from workflow_agent.storage.files.redaction import content_without, opened_for, without_texts
from workflow_agent.storage.postgres.conversation_rows import BLOBS, PARTS
from workflow_agent.storage.postgres.database import Database, of_tenant

_UNINDEX = of_tenant("""
WITH gone AS (DELETE FROM message WHERE tenant = $1 AND conversation_id = $2),
anew AS (UPDATE conversation SET indexed_version = 0, indexed_event = -1 WHERE tenant = $1 AND id = $2)
SELECT 1""")
_REMOVE = of_tenant("""
WITH parts AS (DELETE FROM conversation_part
    WHERE tenant = $1 AND conversation_id = $2 AND name = ANY ($3::text[])),
blobs AS (DELETE FROM conversation_blob
    WHERE tenant = $1 AND conversation_id = $2 AND digest = ANY ($4::bytea[]))
SELECT 1""")


class _Changed(Exception):
    """The conversation is another than the one that was looked at."""


async def redact(
    database: Database, store: ConversationStore, tenant: str, conversation_id: str, gone: Redaction
) -> bool:
    """Take texts out of a conversation; see `ConversationStore.redact`.

    What is removed is removed last: done again, it goes on.
    """
    while True:
        known = await store.load(tenant, conversation_id)
        try:
            return await _redacted(database, store, known, gone)
        except _Changed:
            continue


async def _redacted(database: Database, store: ConversationStore, known: Conversation, gone: Redaction) -> bool:
    key = known.tenant, known.id
    parts = {row["name"]: row["body"] for row in await database.rows(PARTS, *key)}

    def body_of(entry: SealedTurns) -> bytes:
        return checked_part(f"{known.id}/{entry.file}", entry, parts.get(entry.file))

    opened, replaced = opened_for(gone, known, body_of), await _contents(database, store, known, gone)
    changed = without_texts(gone, opened, replaced)
    # A copy: the store takes the same conversation for one that did not change, and writes none.
    after = changed or opened.model_copy()
    named = {one.file for one in (*after.archive, *entries_in(after.archive, body_of))}
    obsolete = [name for name in parts if name not in named]
    if not (changed or obsolete or replaced):
        return False

    def change(now: Conversation) -> Conversation:
        if now != known:
            raise _Changed
        return after

    # Before too: were the process to die after the save, nothing would be left that tells to.
    await database.rows(_UNINDEX, *key)
    await store.update(*key, change)
    await database.rows(_UNINDEX, *key)
    await database.rows(_REMOVE, *key, obsolete, [bytes.fromhex(one.removeprefix("sha256:")) for one in replaced])
    return True


async def _contents(
    database: Database, store: ConversationStore, known: Conversation, gone: Redaction
) -> Mapping[str, str]:
    """Store contents without what is to be gone; return the new reference of each."""
    replaced: dict[str, str] = {}
    for row in await database.rows(BLOBS, known.tenant, known.id):
        changed = content_without(gone, row["body"])
        if changed is not None:
            replaced[f"sha256:{row['digest'].hex()}"] = await store.put_blob(known.tenant, known.id, changed)
    return replaced
