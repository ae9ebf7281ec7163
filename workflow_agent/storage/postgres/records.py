"""Small things of a tenant, on PostgreSQL, one row each: documents, idempotency keys, and steps of runs under way."""

import logging
import secrets
from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from itertools import takewhile

import orjson
from pydantic import ValidationError
from typing_extensions import override

from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.idempotency import Claim, IdempotencyKeys, other_request
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.message_records import conversation_of_run
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import LeftBehind, RunJournal
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.file_system import check_tenant
from workflow_agent.storage.files.journals import parsed_step, step_of
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
        return {row["id"]: orjson.loads(row["body"]) for row in await self._database.rows(_ALL, self._tenant, kind)}

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


_log = logging.getLogger(__name__)
# Once another attempt has begun, nothing more is kept of this one: the other has read what there is. The save
# that ends a run removes its steps, so none are kept after it.
_KEEP = change_of_tenant("""
WITH talk AS (SELECT run_id, fence FROM conversation WHERE tenant = $1 AND id = $2 FOR SHARE)
INSERT INTO run_step AS known SELECT $1, $2, $3, $4, $5, $6, $7
WHERE NOT EXISTS (SELECT FROM talk WHERE run_id IS DISTINCT FROM $3 OR fence <> $4)
ON CONFLICT (tenant, conversation_id, run_id, fence, number)
DO UPDATE SET body = excluded.body, response = coalesce(excluded.response, known.response)""")
_LEFT = of_tenant("""SELECT fence, number, body, response FROM run_step
WHERE tenant = $1 AND conversation_id = $2 AND run_id = $3 AND fence <= $4 ORDER BY number, fence DESC""")


class PostgresRunJournal(RunJournal):
    """Keeps each step of a run in a row; the save that ends the run removes them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def keep(
        self, tenant: str, run: Run, iteration: Iteration, calls: Iterable[CallRecord], response: bytes | None = None
    ) -> None:
        try:
            values = (iteration.number, orjson.dumps(step_of(iteration, calls)), response)
            await self._database.rows(_KEEP, *_key(tenant, run), *values)
        except StorageFailed:
            _log.warning("the step of a run was not kept", extra={"run_id": run.run_id}, exc_info=True)

    @override
    async def left_by(self, tenant: str, run: Run) -> LeftBehind:
        steps: list[Iteration] = []
        calls: list[CallRecord] = []
        said: dict[int, bytes | None] = {}
        rows = await self._database.rows(_LEFT, *_key(tenant, run))
        for row in rows:
            # An attempt that died before it came so far kept less than the one before, whose steps it was at.
            said[row["number"]] = said.get(row["number"]) or row["response"]
        for row in (row for row in rows if row["fence"] == run.fence):
            try:
                step, calls = parsed_step(orjson.loads(row["body"]))
            except ValidationError:
                # Of another release; what was done before it still counts.
                break
            steps.append(step)
        responses = takewhile(lambda one: one is not None, said.values())
        return LeftBehind(tuple(steps), tuple(calls), responses=tuple(filter(None, responses)))

    @override
    async def forget(self, tenant: str, run: Run) -> None:
        """Do nothing: the save that ends a run removes its steps."""


def _key(tenant: str, run: Run) -> tuple[str, str, str, int]:
    return tenant, conversation_of_run(run.run_id), run.run_id, run.fence
