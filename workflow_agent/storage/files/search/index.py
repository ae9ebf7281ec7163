"""Search over workflows in SQLite FTS5, kept in step with the catalogue by version."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from typing_extensions import override

from workflow_agent.errors import CorruptDocument, StorageFailed, WorkflowNotFound
from workflow_agent.storage.files.file_system import check_tenant, tenant_directory
from workflow_agent.storage.files.search.answer import Request
from workflow_agent.storage.files.search.tenant import TenantIndex
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import ANY_WORKFLOW, SearchAnswer, WorkflowCatalog, WorkflowFilters, WorkflowSearch

T = TypeVar("T")

_FILE = Path(".index") / "workflows.sqlite"
_FEW = 50
"""So many workflows are read one by one rather than all at once."""


class SqliteWorkflowSearch(WorkflowSearch):
    """Finds workflows by id, name, alias, words and spelling; several processes may share its files.

    The index is made from the catalogue alone: a missing or damaged file is built anew, and where
    no file can be used it is kept in memory.

    Args:
        catalog: What is searched.
        root: The data directory, for `<tenant>/.index/workflows.sqlite`; None keeps indexes in memory.
    """

    def __init__(self, catalog: WorkflowCatalog, *, root: Path | None = None) -> None:
        self._catalog = catalog
        self._root = root
        self._indexes: dict[str, TenantIndex] = {}
        self._queues: dict[str, asyncio.Lock] = {}

    @override
    async def search(
        self, tenant: str, query: str, filters: WorkflowFilters = ANY_WORKFLOW, *, limit: int = 10
    ) -> SearchAnswer:
        request = Request(query, filters, limit, datetime.now(UTC))

        async def look(index: TenantIndex) -> SearchAnswer:
            await self._catch_up(tenant, index)
            return await asyncio.to_thread(index.search, request)

        return await self._with_index(tenant, look)

    def close(self) -> None:
        """Close every file; a later search opens it again."""
        for index in self._indexes.values():
            index.close()

    async def _with_index(self, tenant: str, use: Callable[[TenantIndex], Awaitable[T]]) -> T:
        index = self._index(tenant)
        # Without it everybody who waits for a rebuild would hold a thread.
        async with self._queues.setdefault(tenant, asyncio.Lock()):
            for in_memory in (False, True):
                try:
                    return await use(index)
                except (sqlite3.Error, OSError) as error:
                    await asyncio.to_thread(index.start_over, error, in_memory=in_memory)
            try:
                return await use(index)
            except sqlite3.Error as error:
                raise StorageFailed(f"The search index does not work, not even in memory: {error}") from error

    def _index(self, tenant: str) -> TenantIndex:
        check_tenant(tenant)
        if tenant not in self._indexes:
            path = None if self._root is None else tenant_directory(self._root, tenant) / _FILE
            self._indexes[tenant] = TenantIndex(path)
        return self._indexes[tenant]

    async def _catch_up(self, tenant: str, index: TenantIndex) -> None:
        heads = await self._catalog.heads(tenant)
        missing = await asyncio.to_thread(index.outdated, heads)
        if missing:
            await asyncio.to_thread(index.put, await self._newest(tenant, missing), heads)

    async def _newest(self, tenant: str, ids: Collection[str]) -> Sequence[Workflow]:
        if len(ids) > _FEW:
            return [workflow for workflow in await self._catalog.all(tenant) if workflow.id in ids]
        found: list[Workflow] = []
        for workflow_id in ids:
            # Deleted meanwhile, or set aside as damaged: the catalogue does not list it again.
            with suppress(WorkflowNotFound, CorruptDocument):
                found.append(await self._catalog.get(tenant, workflow_id))
        return found
