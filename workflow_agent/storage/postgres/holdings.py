"""What a tenant keeps in a database, piece by piece."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic_core import to_json
from typing_extensions import override

from workflow_agent.conversations.document import UserMessage
from workflow_agent.conversations.memory.person import Person
from workflow_agent.errors import ConversationNotFound, StorageFailed
from workflow_agent.storage.files.holdings import NEVER_SEALED
from workflow_agent.storage.holdings import HeldConversation, HeldKey, HeldWorkflow, Holdings
from workflow_agent.storage.postgres.conversation_rows import BLOBS, PARTS
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.database import Database, change_of_tenant, digest_of_text, of_tenant
from workflow_agent.storage.postgres.memories import PostgresPersonMemory, PostgresWorkflowMemory
from workflow_agent.storage.postgres.records import PostgresRecords
from workflow_agent.storage.postgres.workflows import PostgresWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.values.stored import content_json
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

_PART = change_of_tenant("INSERT INTO conversation_part VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING")
_BLOB = change_of_tenant("INSERT INTO conversation_blob VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING")
_TALKS = of_tenant("SELECT id FROM conversation WHERE tenant = $1 ORDER BY id")
_WORKFLOWS = of_tenant("SELECT id FROM workflow WHERE tenant = $1 ORDER BY id")
_TAKE_WORKFLOW = of_tenant("""
WITH written AS (INSERT INTO workflow (tenant, id, version, changed_at, body)
    VALUES ($1, $2, $3, coalesce($4, clock_timestamp()), $5) ON CONFLICT DO NOTHING RETURNING life),
versions AS (INSERT INTO workflow_version (tenant, workflow_id, life, version, run_id, digest, write_id, body)
    SELECT $1, $2, life, one.* FROM written,
        unnest($6::bigint[], $7::text[], $8::text[], $9::text[], $10::bytea[]) AS one),
change AS (INSERT INTO catalogue AS known SELECT $1, 1 FROM written
    ON CONFLICT (tenant) DO UPDATE SET changes = known.changes + 1)
SELECT 1 FROM written""")
_MEMORY = of_tenant("SELECT user_digest, user_name FROM memory WHERE tenant = $1")
_PEOPLE = of_tenant("SELECT body FROM person WHERE tenant = $1")
_KEYS = of_tenant("""SELECT key_digest, fingerprint, resource_id, extract(epoch FROM at)::float8 AS at
FROM idempotency WHERE tenant = $1""")
_TAKE_KEY = change_of_tenant(
    "INSERT INTO idempotency VALUES ($1, $2, $3, $4, '', to_timestamp($5)) ON CONFLICT DO NOTHING"
)


class PostgresHoldings(Holdings):
    """Reads and writes the rows of a tenant; each read begins anew, so that it shows what is stored."""

    def __init__(self, database: Database, tenant: str, most_references: int) -> None:
        self._database = database
        specs: TtlCache[Workflow] = TtlCache(max_entries=0, ttl_seconds=0)
        workflows = PostgresWorkflowCatalog(database, specs, now=lambda: datetime.now(UTC), conversations=self._talks)
        super().__init__(
            tenant,
            workflows,
            lambda: PostgresWorkflowMemory(database, most=most_references),
            PostgresPersonMemory(database),
            PostgresRecords(database, tenant),
        )

    @property
    def _talks(self) -> PostgresConversationStore:
        return PostgresConversationStore(self._database, seal=NEVER_SEALED)

    @override
    async def conversation_ids(self) -> Sequence[str]:
        return [row["id"] for row in await self._database.rows(_TALKS, self._tenant)]

    @override
    async def conversation(self, conversation_id: str) -> HeldConversation | None:
        try:
            conversation = await self._talks.load(self._tenant, conversation_id)
        except ConversationNotFound:
            return None
        parts = await self._database.rows(PARTS, self._tenant, conversation_id)
        blobs = await self._database.rows(BLOBS, self._tenant, conversation_id)
        return HeldConversation(
            conversation,
            {row["name"]: row["body"] for row in parts},
            {row["digest"].hex(): row["body"] for row in blobs},
        )

    @override
    async def take_conversation(self, kept: HeldConversation) -> None:
        key = (self._tenant, kept.conversation.id)
        # What it names is there before it is: whoever finds it finds all of it.
        for name, body in kept.parts.items():
            await self._database.rows(_PART, *key, name, body)
        for digest, body in kept.blobs.items():
            await self._database.rows(_BLOB, *key, bytes.fromhex(digest), body)
        await self._talks.adopt(kept.conversation)

    @override
    async def workflow_ids(self) -> Sequence[str]:
        return [row["id"] for row in await self._database.rows(_WORKFLOWS, self._tenant)]

    @override
    async def take_workflow(self, kept: HeldWorkflow) -> None:
        newest, versions = kept.newest, kept.versions
        values: list[Any] = [
            self._tenant,
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
        await self._database.row(_TAKE_WORKFLOW, *values)

    @override
    async def remembering(self) -> Sequence[str]:
        rows = await self._database.rows(_MEMORY, self._tenant)
        named = [row["user_name"] for row in rows]
        unnamed = {row["user_digest"] for row in rows if row["user_name"] is None}
        found = {digest_of_text(user): user for user in await self._users()} if unnamed else {}
        if lost := unnamed - found.keys():
            raise StorageFailed(
                f"Of {len(lost)} users nobody can tell the name: an earlier release kept only its digest, and they "
                "said nothing since. Let them say something, or remove their rows from the table memory.",
                digests=[digest.hex() for digest in sorted(lost)][:10],
            )
        names = [name.decode("utf-8", "surrogatepass") for name in named if name is not None]
        return sorted([*names, *(found[digest] for digest in unnamed)])

    async def _users(self) -> set[str]:
        """Return everybody who is named anywhere."""
        users = {"user", *await self.people()}
        for conversation_id in await self.conversation_ids():
            talk = await self._talks.load(self._tenant, conversation_id)
            users |= {event.author for event in talk.events if isinstance(event, UserMessage)}
        return users

    @override
    async def people(self) -> Mapping[str, Person]:
        found = [Person.model_validate_json(row["body"]) for row in await self._database.rows(_PEOPLE, self._tenant)]
        return {one.user: one for one in found}

    @override
    async def keys(self) -> Mapping[str, HeldKey]:
        rows = await self._database.rows(_KEYS, self._tenant)
        found = [HeldKey(row["key_digest"].hex(), row["fingerprint"], row["resource_id"], row["at"]) for row in rows]
        return {one.digest: one for one in found}

    @override
    async def take_key(self, key: HeldKey) -> None:
        facts = (key.fingerprint, key.resource_id, key.at)
        await self._database.rows(_TAKE_KEY, self._tenant, bytes.fromhex(key.digest), *facts)

    @override
    async def close(self) -> None:
        await self._database.close()
