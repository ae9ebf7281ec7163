"""Small things of a tenant, on PostgreSQL, one row each: documents, and idempotency keys."""

import secrets
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import orjson
from typing_extensions import override

from workflow_agent.conversations.idempotency import Claim, IdempotencyKeys, other_request
from workflow_agent.storage.files.file_system import check_tenant
from workflow_agent.storage.postgres.database import Database, change_of_tenant, digest_of_text, of_tenant
from workflow_agent.storage.postgres.leases import locked
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.store import RecordKind, Records

_PUT = change_of_tenant("""INSERT INTO record VALUES ($1, $2, $3, $4)
ON CONFLICT (tenant, kind, id) DO UPDATE SET body = excluded.body""")
_GET = of_tenant("SELECT body FROM record WHERE tenant = $1 AND kind = $2 AND id = $3")
_ALL = of_tenant("SELECT id, body FROM record WHERE tenant = $1 AND kind = $2 ORDER BY id")
_REMOVE = change_of_tenant("DELETE FROM record WHERE tenant = $1 AND kind = $2 AND id = $3")


class PostgresRecords(Records):
    """Keeps each document in a row."""

    def __init__(self, database: Database, tenant: str) -> None:
        check_tenant(tenant)
        self._database = database
        self._tenant = tenant

    @override
    async def put(self, kind: RecordKind, record_id: str, document: JsonObject) -> None:
        await self._database.rows(_PUT, self._tenant, kind, record_id, orjson.dumps(document))

    @override
    async def get(self, kind: RecordKind, record_id: str) -> JsonObject | None:
        if "\0" in record_id:
            return None
        name = record_id.encode("utf-8", "replace").decode()
        row = await self._database.row(_GET, self._tenant, kind, name)
        return orjson.loads(row["body"]) if row else None

    @override
    async def all(self, kind: RecordKind) -> Mapping[str, JsonObject]:
        rows = await self._database.rows(_ALL, self._tenant, kind)
        return {row["id"]: orjson.loads(row["body"]) for row in rows}

    @override
    async def remove(self, kind: RecordKind, record_id: str) -> None:
        await self._database.rows(_REMOVE, self._tenant, kind, record_id)

    @override
    def alone(self, kind: RecordKind) -> AbstractAsyncContextManager[None]:
        return locked(self._database, self._tenant, f"records {kind}")


_CLAIM = of_tenant("""
WITH claimed AS (INSERT INTO idempotency AS known
        VALUES ($1, $2, $3, $4, $5, clock_timestamp())
    ON CONFLICT (tenant, key_digest) DO UPDATE
    SET fingerprint = excluded.fingerprint, resource_id = excluded.resource_id, token = excluded.token,
        at = excluded.at
    WHERE known.at < clock_timestamp() - make_interval(secs => $6)
    RETURNING fingerprint, resource_id, token)
SELECT fingerprint, resource_id, token FROM claimed
UNION ALL SELECT fingerprint, resource_id, token FROM idempotency
    WHERE tenant = $1 AND key_digest = $2 AND NOT EXISTS (SELECT FROM claimed)""")
_SET = change_of_tenant("""INSERT INTO idempotency VALUES ($1, $2, $3, $4, '', clock_timestamp())
ON CONFLICT (tenant, key_digest) DO UPDATE
SET fingerprint = excluded.fingerprint, resource_id = excluded.resource_id, at = excluded.at""")
_FIND = of_tenant("""SELECT resource_id FROM idempotency
WHERE tenant = $1 AND key_digest = $2 AND at >= clock_timestamp() - make_interval(secs => $3)""")
_RELEASE = change_of_tenant("DELETE FROM idempotency WHERE tenant = $1 AND key_digest = $2")
_SWEEP = change_of_tenant("""DELETE FROM idempotency
WHERE tenant = $1 AND at < clock_timestamp() - make_interval(secs => $2)""")


@dataclass(frozen=True, slots=True)
class PostgresIdempotencyKeys(IdempotencyKeys):
    """Keys that were sent with a creation, shared between hosts."""

    database: Database
    tenant: str
    kept_seconds: float

    @override
    async def claim(self, key: str, fingerprint: str, resource_id: str) -> Claim:
        token = secrets.token_hex(8)
        row = None
        while row is None:
            # Two who claim it at once: the later sees neither its own nor the other's, and looks again.
            row = await self.database.row(
                _CLAIM, self.tenant, digest_of_text(key), fingerprint, resource_id, token, self.kept_seconds
            )
        if row["fingerprint"] != fingerprint:
            raise other_request(key, row["resource_id"])
        return Claim(row["resource_id"], is_first=row["token"] == token)

    @override
    async def release(self, key: str) -> None:
        await self.database.rows(_RELEASE, self.tenant, digest_of_text(key))

    @override
    async def find(self, key: str) -> str | None:
        row = await self.database.row(_FIND, self.tenant, digest_of_text(key), self.kept_seconds)
        return row["resource_id"] if row else None

    @override
    async def set(self, key: str, fingerprint: str, resource_id: str) -> None:
        await self.database.rows(_SET, self.tenant, digest_of_text(key), fingerprint, resource_id)

    @override
    async def sweep(self) -> int:
        return len(await self.database.rows(_SWEEP, self.tenant, self.kept_seconds))
