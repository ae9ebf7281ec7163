"""Taking in what another store kept, at its versions: stored once, and read back before it counts."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from workflow_agent.conversations.document import Conversation
from workflow_agent.errors import ConversationNotFound, StorageFailed, WorkflowNotFound
from workflow_agent.storage.files.caches import TtlCache
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.database import Database
from workflow_agent.storage.postgres.records import PostgresRecords
from workflow_agent.storage.postgres.workflows import PostgresWorkflowCatalog
from workflow_agent.values.digests import content_json
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.records import RecordKind
from workflow_agent.workflows.store import WorkflowVersion

_PART = "INSERT INTO conversation_part VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"
_PARTS = "SELECT name, body FROM conversation_part WHERE tenant = $1 AND conversation_id = $2"
_BLOB = "INSERT INTO conversation_blob VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"
_BLOBS = "SELECT digest, body FROM conversation_blob WHERE tenant = $1 AND conversation_id = $2"
_WORKFLOW = """
WITH written AS (INSERT INTO workflow (tenant, id, version, changed_at, body)
    VALUES ($1, $2, $3, coalesce($4, clock_timestamp()), $5) ON CONFLICT DO NOTHING RETURNING life),
versions AS (INSERT INTO workflow_version (tenant, workflow_id, life, version, run_id, digest, write_id, body)
    SELECT $1, $2, life, one.* FROM written,
        unnest($6::bigint[], $7::text[], $8::text[], $9::text[], $10::bytea[]) AS one),
change AS (INSERT INTO catalogue AS known SELECT $1, 1 FROM written
    ON CONFLICT (tenant) DO UPDATE SET changes = known.changes + 1)
SELECT 1 FROM written"""
_KEY = """INSERT INTO idempotency VALUES ($1, $2, $3, $4, '', to_timestamp($5)) ON CONFLICT DO NOTHING"""


@dataclass(frozen=True, slots=True)
class Adoption:
    """Takes in what a tenant kept elsewhere.

    Args:
        database: Where.
        tenant: Whose.
    """

    database: Database
    tenant: str

    async def conversation(
        self, conversation: Conversation, parts: Mapping[str, bytes], blobs: Mapping[str, bytes]
    ) -> bool:
        """Store a conversation with its sealed files and its contents by digest; say whether it was new.

        Raises:
            StorageFailed: Another is there under its id, or what is read back is not what was given.
        """
        store, key = PostgresConversationStore(self.database), (self.tenant, conversation.id)
        is_new = False
        try:
            await store.load(*key)
        except ConversationNotFound:
            is_new = True
            # What it names is there before it is: whoever finds it finds all of it.
            for name, body in parts.items():
                await self.database.rows(_PART, *key, name, body)
            for digest, body in blobs.items():
                await self.database.rows(_BLOB, *key, bytes.fromhex(digest), body)
            await store.adopt(conversation)
        kept = {row["name"]: row["body"] for row in await self.database.rows(_PARTS, *key)}
        contents = {row["digest"].hex(): row["body"] for row in await self.database.rows(_BLOBS, *key)}
        # Read by another store: this one knows what it wrote.
        read = await PostgresConversationStore(self.database).load(*key)
        if read != conversation or not parts.items() <= kept.items() or not blobs.items() <= contents.items():
            raise StorageFailed(f"Conversation {conversation.id!r} is in the database with another content.")
        broken = [one for one, body in contents.items() if hashlib.sha256(body).hexdigest() != one]
        if broken:
            raise StorageFailed(f"Contents of conversation {conversation.id!r} are not what was stored: {broken[:3]}.")
        return is_new

    async def workflow(self, newest: Workflow, versions: Sequence[WorkflowVersion]) -> bool:
        """Store a workflow with all its versions; say whether it was new.

        Raises:
            StorageFailed: Another is there under its id.
        """
        values: list[Any] = [
            self.tenant,
            newest.id,
            newest.version,
            newest.updated_at,
            content_json(workflow_document(newest)),
            [one.version for one in versions],
            [one.author.run_id for one in versions],
            [one.digest for one in versions],
            [f"{newest.id}.{one.version}" for one in versions],
            [to_json(one, inf_nan_mode="null") for one in versions],
        ]
        is_new = await self.database.row(_WORKFLOW, *values) is not None
        specs: TtlCache[Workflow] = TtlCache(max_entries=0, ttl_seconds=0)
        at = newest.updated_at
        catalog = PostgresWorkflowCatalog(
            self.database,
            specs,
            now=lambda: at or versions[-1].at,
            conversations=PostgresConversationStore(self.database),
        )
        try:
            read = await catalog.versions(self.tenant, newest.id)
        except WorkflowNotFound:
            read = ()
        if list(read) != list(versions) or await catalog.get(self.tenant, newest.id) != newest:
            raise StorageFailed(f"Workflow {newest.id!r} is in the database with another content.")
        return is_new

    async def record(self, kind: RecordKind, record_id: str, document: JsonObject) -> None:
        """Store a small document."""
        await PostgresRecords(self.database, self.tenant).put(kind, record_id, document)

    async def key(self, digest: str, record: JsonObject) -> None:
        """Store what an idempotency key stands for, by the digest of the key."""
        facts = (record["fingerprint"], record["resource_id"], record["at"])
        await self.database.rows(_KEY, self.tenant, bytes.fromhex(digest), *facts)
