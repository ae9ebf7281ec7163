"""Workflows and all their versions on PostgreSQL: one statement a write, compare-and-set on the version."""

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import asyncpg
from pydantic_core import to_json
from typing_extensions import override

from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import CorruptDocument, InvalidInput
from workflow_agent.storage.files import rules
from workflow_agent.storage.files.file_system import check_tenant, is_workflow_id
from workflow_agent.storage.postgres.conversations import check_fence
from workflow_agent.storage.postgres.database import Database, change_of_tenant, of_tenant
from workflow_agent.values.caches import CacheKey, TtlCache
from workflow_agent.values.stored import JsonObject, Revision, RunFence, content_json, parse_canonical
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.store import Change, WorkflowCatalog, WorkflowHead, WorkflowVersion, check_expected

# The conversation stays as it is until the write is stored: no other attempt at the run begins meanwhile.
_FENCED = """
fenced AS (SELECT FROM conversation
    WHERE tenant = $1 AND id = $3 AND run_id = $4 AND fence = $5 FOR SHARE),
may AS (SELECT WHERE $3::text IS NULL OR EXISTS (SELECT FROM fenced)),"""
_VERSION = """
version AS (INSERT INTO workflow_version
        (tenant, workflow_id, life, version, run_id, digest, write_id, body)
    SELECT $1, $2, life, version, $8, $9, $6, $10 FROM written),
change AS (INSERT INTO catalogue AS known SELECT $1, 1 FROM written
    ON CONFLICT (tenant) DO UPDATE SET changes = known.changes + 1)
SELECT EXISTS (SELECT FROM may) AS is_let_through, EXISTS (SELECT FROM written) OR EXISTS
    (SELECT FROM workflow_version WHERE tenant = $1 AND write_id = $6 AND workflow_id = $2) AS is_written"""
_CREATE = of_tenant(f"""
WITH {_FENCED}
written AS (INSERT INTO workflow (tenant, id, version, changed_at, body)
    SELECT $1, $2, 1, $7, $11 FROM may ON CONFLICT (tenant, id) DO NOTHING RETURNING life, version),
{_VERSION}""")
_UPDATE = of_tenant(f"""
WITH {_FENCED}
written AS (UPDATE workflow SET version = version + 1, changed_at = $7, body = $11
    WHERE tenant = $1 AND id = $2 AND version = $12 AND life = $13 AND EXISTS (SELECT FROM may)
    RETURNING life, version),
{_VERSION}""")
_DELETE = of_tenant(f"""
WITH {_FENCED}
gone AS (DELETE FROM workflow
    WHERE tenant = $1 AND id = $2 AND ($6::bigint IS NULL OR version = $6 AND life = $7::bigint)
        AND EXISTS (SELECT FROM may)
    RETURNING 1),
change AS (UPDATE catalogue SET changes = changes + 1 WHERE tenant = $1 AND EXISTS (SELECT FROM gone))
SELECT EXISTS (SELECT FROM may) AS is_let_through, EXISTS (SELECT FROM gone) AS is_written""")
_READ = of_tenant("SELECT id, life, version, body FROM workflow WHERE tenant = $1 AND id = $2")
_ALL = of_tenant("SELECT id, life, version, body FROM workflow WHERE tenant = $1 ORDER BY id")
_HEADS = of_tenant("SELECT id, version, changed_at FROM workflow WHERE tenant = $1 ORDER BY id")
_CHANGES = of_tenant("SELECT changes FROM catalogue WHERE tenant = $1")
_RECORDS = """SELECT v.body FROM workflow_version AS v JOIN workflow AS w
    ON w.tenant = v.tenant AND w.id = v.workflow_id AND w.life = v.life"""
_VERSIONS = f"""{_RECORDS}
WHERE v.tenant = $1 AND v.workflow_id = $2{{where}} ORDER BY v.version"""
_EARLIER = of_tenant(f"""{_RECORDS}
WHERE v.tenant = $1 AND v.digest = $2 AND v.run_id IS NOT DISTINCT FROM $3
    AND ($4::text IS NULL AND v.version = 1 OR v.workflow_id = $4) ORDER BY v.version LIMIT 1""")
_FIRST_SEED = change_of_tenant("INSERT INTO catalogue VALUES ($1, 1) ON CONFLICT DO NOTHING")
_SEED = of_tenant("""
WITH written AS (INSERT INTO workflow (tenant, id, version, changed_at, body) VALUES ($1, $2, 1, $3, $4)
    RETURNING life),
first AS (INSERT INTO workflow_version (tenant, workflow_id, life, version, write_id, body)
    SELECT $1, $2, life, 1, $5, $6 FROM written)
SELECT 1""")


class PostgresWorkflowCatalog(WorkflowCatalog):
    """Keeps the newest version of each workflow in one row, every version in another."""

    def __init__(
        self,
        database: Database,
        specs: TtlCache[Workflow],
        *,
        now: Callable[[], datetime],
        conversations: ConversationStore,
    ) -> None:
        self._database = database
        self._specs = specs
        self._now = now
        self._conversations = conversations
        self._heads: dict[str, tuple[int, Mapping[str, WorkflowHead]]] = {}

    @override
    async def create(self, tenant: str, workflow: Workflow, change: Change) -> Workflow:
        check_tenant(tenant)
        rules.check_new_workflow_id(workflow.id)
        # Under whatever id: finding its first choice taken, a repeated run asks for another.
        made = await self._earlier(tenant, change, None) if change.author.run_id else None
        if made is not None:
            return made
        stored = rules.first_version(workflow, self._now())
        if not await self._written(_CREATE, tenant, stored, change):
            raise rules.id_taken("workflow", workflow.id)
        return stored

    @override
    async def get(self, tenant: str, workflow_id: str) -> Workflow:
        return (await self._read(tenant, workflow_id))[0]

    @override
    async def update(
        self,
        tenant: str,
        workflow_id: str,
        apply: Callable[[Workflow], tuple[Workflow, Change]],
        *,
        expected: Revision | None = None,
        beforehand: Change | None = None,
    ) -> Workflow:
        while True:
            current, life = await self._read(tenant, workflow_id)
            made = await self._earlier(tenant, beforehand, workflow_id) if beforehand else None
            if made is not None:
                return made
            check_expected(current, expected)
            changed, change = apply(current)
            if changed is current:
                return current
            stored = rules.next_version(current, changed, self._now())
            if await self._written(_UPDATE, tenant, stored, change, current.version, life):
                return stored

    @override
    async def delete(
        self, tenant: str, workflow_id: str, *, expected: Revision | None = None, fence: RunFence | None = None
    ) -> None:
        while True:
            current, life = await self._read(tenant, workflow_id)
            check_expected(current, expected)
            wanted = (None, None) if expected is None else (current.version, life)
            if await self._let_through(_DELETE, tenant, workflow_id, fence, *wanted):
                return

    @override
    async def all(self, tenant: str) -> Sequence[Workflow]:
        check_tenant(tenant)
        return [self._parsed(tenant, row) for row in await self._database.rows(_ALL, tenant)]

    @override
    async def heads(self, tenant: str) -> Mapping[str, WorkflowHead]:
        check_tenant(tenant)
        # Counted before they are read: what changes between is seen by the next look.
        counted = await self._database.row(_CHANGES, tenant)
        changes = counted["changes"] if counted else 0
        known = self._heads.get(tenant)
        if known is None or known[0] != changes:
            rows = await self._database.rows(_HEADS, tenant)
            heads = {row["id"]: WorkflowHead(row["version"], row["changed_at"]) for row in rows}
            known = self._heads[tenant] = changes, heads
        return known[1]

    @override
    async def versions(self, tenant: str, workflow_id: str) -> Sequence[WorkflowVersion]:
        _check(tenant, workflow_id)
        rows = await self._database.rows(of_tenant(_VERSIONS.format(where="")), tenant, workflow_id)
        if not rows:
            raise rules.no_workflow(workflow_id)
        return [_record(row) for row in rows]

    @override
    async def version(self, tenant: str, workflow_id: str, number: int) -> WorkflowVersion:
        newest = await self.get(tenant, workflow_id)
        statement = of_tenant(_VERSIONS.format(where=" AND v.version = $3"))
        is_there = 1 <= number <= newest.version
        found = await self._database.row(statement, tenant, workflow_id, number) if is_there else None
        if found is None:
            raise rules.no_version(newest, number)
        return _record(found)

    async def seed(self, tenant: str, documents: Iterable[JsonObject]) -> int:
        """Give a tenant that never had a workflow these; return how many, all or none.

        Raises:
            InvalidWorkflow: One of the documents is not valid.
            StorageFailed: They could not be stored; the tenant still has none.
        """
        check_tenant(tenant)
        workflows = [rules.first_version(parse_workflow(document), self._now()) for document in documents]
        await self._database.rows("SELECT 1")
        async with self._database.connection() as connection, connection.transaction():
            if await connection.fetchrow(_FIRST_SEED, tenant) is None:
                return 0
            for one in workflows:
                record = rules.record_of(one, rules.SAMPLE, one.updated_at or self._now())
                values = (one.updated_at, _body(one), secrets.token_hex(8), _text(record))
                await connection.execute(_SEED, tenant, one.id, *values)
        return len(workflows)

    async def _read(self, tenant: str, workflow_id: str) -> tuple[Workflow, int]:
        """Return the newest version, and which of those that had its id this is."""
        _check(tenant, workflow_id)
        row = await self._database.row(_READ, tenant, workflow_id)
        if row is None:
            raise rules.no_workflow(workflow_id)
        return self._parsed(tenant, row), row["life"]

    def _parsed(self, tenant: str, row: asyncpg.Record) -> Workflow:
        key = CacheKey(tenant, row["id"], (row["life"], row["version"]))
        return self._specs.get_or_load(key, lambda: _parsed(row["id"], row["body"]))

    async def _earlier(self, tenant: str, change: Change, workflow_id: str | None) -> Workflow | None:
        """Return what the same write made, by whichever attempt of the same run, or None."""
        if not rules.may_repeat(change):
            return None
        row = await self._database.row(_EARLIER, tenant, change.digest, change.author.run_id, workflow_id)
        return parse_workflow(_record(row).document) if row else None

    async def _written(
        self, statement: str, tenant: str, workflow: Workflow, change: Change, *standing_on: int
    ) -> bool:
        record = rules.record_of(workflow, change, workflow.updated_at or self._now())
        facts = (secrets.token_hex(8), workflow.updated_at, change.author.run_id, change.digest)
        values = (*facts, _text(record), _body(workflow), *standing_on)
        return await self._let_through(statement, tenant, workflow.id, change.fence, *values)

    async def _let_through(
        self, statement: str, tenant: str, workflow_id: str, fence: RunFence | None, *values: Any
    ) -> bool:
        """Say whether a write was made: not where the workflow is another by now. Raises as `check_fence` does."""
        run = fence or (None, None, None)
        row = await self._database.row(statement, tenant, workflow_id, *run, *values)
        if row is not None and not row["is_let_through"] and fence is not None:
            await check_fence(self._conversations, tenant, fence)
        return row is not None and row["is_written"]


def _check(tenant: str, workflow_id: str) -> None:
    check_tenant(tenant)
    if not is_workflow_id(workflow_id):
        raise rules.no_workflow(workflow_id)


def _body(workflow: Workflow) -> bytes:
    return content_json(workflow_document(workflow))


def _text(record: WorkflowVersion) -> bytes:
    return to_json(record, inf_nan_mode="null")


def _record(row: asyncpg.Record) -> WorkflowVersion:
    return WorkflowVersion.model_validate_json(row["body"])


def _parsed(workflow_id: str, body: bytes) -> Workflow:
    try:
        return parse_workflow(parse_canonical(body))
    except (ValueError, InvalidInput) as error:
        raise CorruptDocument(
            f"Workflow {workflow_id!r} does not parse: restore it from a backup, or one of its versions.",
            document=workflow_id,
        ) from error
