"""Taking texts out of all rows of a conversation: its lists, sealed turns, contents and messages."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from workflow_agent.conversations.archive import SealedTurns
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.conversations.seals import unsealed
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.storage.files.archives import checked_part, parsed_entries, parsed_part
from workflow_agent.storage.files.redaction import with_references
from workflow_agent.storage.postgres.database import Database
from workflow_agent.storage.postgres.row_security import of_tenant
from workflow_agent.values.digests import content_json, parse_canonical

_PARTS = of_tenant("SELECT name, body FROM conversation_part WHERE tenant = $1 AND conversation_id = $2")
_BLOBS = of_tenant("SELECT digest, body FROM conversation_blob WHERE tenant = $1 AND conversation_id = $2")
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


@dataclass(frozen=True, slots=True)
class ConversationRedaction:
    """Makes a conversation without some texts. What is removed is removed last: done again, it goes on.

    Args:
        database: Where.
        store: Keeps the conversations.
    """

    database: Database
    store: ConversationStore

    async def redact(self, tenant: str, conversation_id: str, gone: Redaction) -> bool:
        """Take texts out of a conversation; see `ConversationStore.redact`."""
        while True:
            known = await self.store.load(tenant, conversation_id)
            try:
                return await self._redacted(known, gone)
            except _Changed:
                continue

    async def _redacted(self, known: Conversation, gone: Redaction) -> bool:
        key = known.tenant, known.id
        parts = {row["name"]: row["body"] for row in await self.database.rows(_PARTS, *key)}
        opened = _opened(known, parts, gone)
        replaced = await self._contents(known, gone)
        plain = json.loads(to_json(opened, by_alias=True, inf_nan_mode="null"))
        changed = with_references(gone.in_data(plain), replaced)
        after = Conversation.model_validate_json(json.dumps(changed))
        named = {one.file for one in (*after.archive, *_entries(after, parts))}
        obsolete = [name for name in parts if name not in named]
        if changed == plain and not obsolete and not replaced:
            return False

        def change(now: Conversation) -> Conversation:
            if now != known:
                raise _Changed
            return after

        # Before too: were the process to die after the save, nothing would be left that tells to.
        await self.database.rows(_UNINDEX, *key)
        await self.store.update(*key, change)
        await self.database.rows(_UNINDEX, *key)
        digests = [bytes.fromhex(one.removeprefix("sha256:")) for one in replaced]
        await self.database.rows(_REMOVE, *key, obsolete, digests)
        return True

    async def _contents(self, known: Conversation, gone: Redaction) -> Mapping[str, str]:
        """Store contents without what is to be gone; return the new reference of each."""
        replaced: dict[str, str] = {}
        for row in await self.database.rows(_BLOBS, known.tenant, known.id):
            if not gone.may_change(row["body"]):
                continue
            content = parse_canonical(row["body"])
            # A content is free text wherever it is one.
            changed: Any = gone.in_data(content, "content")
            if content_json(changed) != content_json(content):
                reference = f"sha256:{hashlib.sha256(row['body']).hexdigest()}"
                replaced[reference] = await self.store.put_blob(known.tenant, known.id, changed)
        return replaced


def _entries(conversation: Conversation, parts: Mapping[str, bytes]) -> tuple[SealedTurns, ...]:
    """Return the entries of all parts with turns, oldest first."""
    found = list(conversation.archive)
    while (at := next((place for place, one in enumerate(found) if one.kind == "index"), None)) is not None:
        found[at : at + 1] = parsed_entries(_checked(conversation, found[at], parts))
    return tuple(found)


def _checked(conversation: Conversation, entry: SealedTurns, parts: Mapping[str, bytes]) -> bytes:
    return checked_part(f"{conversation.id}/{entry.file}", entry, parts.get(entry.file))


def _opened(conversation: Conversation, parts: Mapping[str, bytes], gone: Redaction) -> Conversation:
    """Return a conversation with the sealed turns in it that may hold what goes, and all later ones."""
    entries = _entries(conversation, parts)
    bodies = [_checked(conversation, entry, parts) for entry in entries]
    first = next((at for at, body in enumerate(bodies) if gone.may_change(body)), None)
    if first is None:
        return conversation
    back = [parsed_part(body) for body in bodies[first:]]
    return unsealed(conversation.model_copy(update={"archive": entries}), back)
