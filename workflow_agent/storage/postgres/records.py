"""Small documents of a tenant, on PostgreSQL: one row each."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

import orjson
from typing_extensions import override

from workflow_agent.storage.files.file_system import check_tenant
from workflow_agent.storage.postgres.database import Database
from workflow_agent.storage.postgres.locks import locked
from workflow_agent.storage.postgres.row_security import change_of_tenant, of_tenant
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.store import RecordKind, Records

_PUT = change_of_tenant("""INSERT INTO record VALUES ($1, $2, $3, $4)
ON CONFLICT (tenant, kind, id) DO UPDATE SET body = excluded.body""")
_GET = of_tenant("SELECT body FROM record WHERE tenant = $1 AND kind = $2 AND id = $3")
_ALL = of_tenant("SELECT id, body FROM record WHERE tenant = $1 AND kind = $2 ORDER BY id")
_REMOVE = change_of_tenant("DELETE FROM record WHERE tenant = $1 AND kind = $2 AND id = $3")


class PostgresRecords(Records):
    """Keeps each document in a row.

    Args:
        database: Where.
        tenant: Whose documents.
    """

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
