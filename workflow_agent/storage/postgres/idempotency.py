"""Which resource an idempotency key stands for, on PostgreSQL."""

import hashlib
import secrets
from dataclasses import dataclass

from typing_extensions import override

from workflow_agent.conversations.idempotency import Claim, IdempotencyKeys, other_request
from workflow_agent.storage.postgres.database import Database
from workflow_agent.storage.postgres.row_security import change_of_tenant, of_tenant

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
    """Keys that were sent with a creation, shared between hosts.

    Args:
        database: Where.
        tenant: Whose keys they are.
        kept_seconds: For how long a key is remembered.
    """

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
                _CLAIM, self.tenant, _digest(key), fingerprint, resource_id, token, self.kept_seconds
            )
        if row["fingerprint"] != fingerprint:
            raise other_request(key, row["resource_id"])
        return Claim(row["resource_id"], is_first=row["token"] == token)

    @override
    async def release(self, key: str) -> None:
        await self.database.rows(_RELEASE, self.tenant, _digest(key))

    @override
    async def find(self, key: str) -> str | None:
        row = await self.database.row(_FIND, self.tenant, _digest(key), self.kept_seconds)
        return row["resource_id"] if row else None

    @override
    async def set(self, key: str, fingerprint: str, resource_id: str) -> None:
        await self.database.rows(_SET, self.tenant, _digest(key), fingerprint, resource_id)

    @override
    async def sweep(self) -> int:
        return len(await self.database.rows(_SWEEP, self.tenant, self.kept_seconds))


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
