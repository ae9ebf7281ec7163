"""Search over workflows in SQLite FTS5, kept in step with the catalogue by version."""

import asyncio
import logging
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from typing_extensions import override

from workflow_agent.errors import CorruptDocument, StorageFailed, WorkflowNotFound
from workflow_agent.storage.files.file_system import check_tenant, tenant_directory
from workflow_agent.storage.files.search.answer import Request, answer
from workflow_agent.storage.files.search.database import SearchDatabase
from workflow_agent.storage.files.search.index_file import is_damage, remove_database
from workflow_agent.storage.files.workflow_heads import Heads
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.search import Entry, Indexed
from workflow_agent.workflows.search.document import search_document
from workflow_agent.workflows.store import (
    ANY_WORKFLOW,
    SearchAnswer,
    WorkflowCatalog,
    WorkflowFilters,
    WorkflowHead,
    WorkflowSearch,
)

_log = logging.getLogger(__name__)


class TenantIndex:
    """What one tenant's workflows are found by. Calls block; threads may share it.

    Without a path it is kept in memory.

    Raises:
        sqlite3.Error: From every method but `start_over`, which is to be called then.
        OSError: Likewise.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = Lock()
        self._opened: SearchDatabase | None = None
        self._indexed: dict[str, WorkflowHead] | None = None
        """Which content of each workflow the index has, where that had to be found out one by one."""
        self._seen: Mapping[str, WorkflowHead] | None = None
        """What the index is in step with as a whole."""
        self._missing: tuple[Mapping[str, WorkflowHead], set[str]] | None = None
        """What the index will be in step with once it is given the content of these."""

    def outdated(self, heads: Mapping[str, WorkflowHead]) -> set[str]:
        """Return the workflows whose content must be given to `put`; all others are now as in `heads`."""
        with self._lock:
            database = self._database()
            if database.was_changed_elsewhere():
                self._indexed = self._seen = self._missing = None
            if heads is self._seen:
                return set()
            changed = heads.changed_since(self._seen) if isinstance(heads, Heads) else None
            if changed is None and isinstance(heads, Heads) and database.total() == heads.total:
                missing = set[str]()
            else:
                missing = self._follow(heads, changed, database)
            self._seen = None if missing else heads
            self._missing = (heads, missing) if missing else None
            return missing

    def _follow(
        self, heads: Mapping[str, WorkflowHead], changed: set[str] | None, database: SearchDatabase
    ) -> set[str]:
        """Forget what is gone, and return those whose content is needed.

        `changed` are those that may be other than the index has them; None where any may be.
        """
        if changed is None:
            if self._indexed is None:
                self._indexed = database.heads()
            known = self._indexed
            news = {one: head for one, head in heads.items() if known.get(one) != head}
            gone = [one for one in known if one not in heads]
        else:
            news = {one: heads[one] for one in changed if one in heads}
            gone = [one for one in changed if one not in heads]
        if gone:
            database.delete(gone)
            for one in gone:
                (self._indexed or {}).pop(one, None)
        missing = set(news)
        for entry in database.entries_of(missing) if missing else ():
            if _is_current(entry.head, news[entry.id]):
                missing.discard(entry.id)
        return missing

    def put(self, workflows: Sequence[Workflow], heads: Mapping[str, WorkflowHead]) -> None:
        """Index workflows in place of what was known of them.

        They are read after their heads, so that what changed in between is read again.
        """
        documents = [indexed(workflow, heads[workflow.id]) for workflow in workflows]
        with self._lock:
            stored = self._database().put(documents)
            if self._indexed is not None:
                self._indexed.update((entry.id, entry.head) for entry in stored)
            awaited, missing = self._missing or (None, set[str]())
            is_whole = awaited is heads and missing <= {entry.id for entry in stored}
            self._seen = heads if is_whole else None

    def search(self, request: Request) -> SearchAnswer:
        """Return the answer to a request."""
        with self._lock:
            return answer(request, self._database())

    def start_over(self, error: Exception, *, in_memory: bool) -> None:
        """Begin with an empty index after an error: in a new file where that may help, else in memory."""
        with self._lock:
            opened = self._reset()
            if not in_memory and isinstance(error, sqlite3.Error) and is_damage(error):
                _log.warning("The search index %s is damaged and is made anew: %s", self._path, error)
                self._discard(opened)
                return
            _log.warning("The search index is kept in memory from now on: %s", error)
            self._path = None
            if opened is not None:
                opened.close()

    def _discard(self, opened: SearchDatabase | None) -> None:
        try:
            if opened is not None:
                opened.discard()
            elif self._path is not None:
                remove_database(self._path)
        except OSError as error:
            _log.warning("The search index is kept in memory from now on: %s", error)
            self._path = None

    def _reset(self) -> SearchDatabase | None:
        """Forget everything; return the database that was open."""
        opened, self._opened = self._opened, None
        self._indexed = self._seen = self._missing = None
        return opened

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            opened = self._reset()
            if opened is not None:
                opened.close()

    def _database(self) -> SearchDatabase:
        if self._opened is None:
            self._opened = SearchDatabase(self._path)
        return self._opened


def _is_current(indexed: WorkflowHead, wanted: WorkflowHead) -> bool:
    """Say whether indexed content is what is wanted, or newer, since then another process knew more."""
    if indexed.changed is None or wanted.changed is None:
        return indexed == wanted
    return indexed == wanted or indexed.changed > wanted.changed


def indexed(workflow: Workflow, head: WorkflowHead) -> Indexed:
    """Return a workflow as the index takes it in."""
    document = search_document(workflow)
    entry = Entry(
        row=0,
        id=workflow.id,
        head=head,
        name=workflow.name,
        description=workflow.description,
        aliases=workflow.aliases,
        facets=document.facets,
    )
    return Indexed(entry, document.words)


_FILE = Path(".index") / "workflows.sqlite"
_FEW = 50
"""So many workflows are read one by one rather than all at once."""


class SqliteWorkflowSearch(WorkflowSearch):
    """Finds workflows by id, name, alias, words and spelling; several processes may share its files.

    The index is made from the catalogue alone: a missing or damaged file is built anew, and where
    no file can be used it is kept in memory.
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
        request, index = Request(query, filters, limit, datetime.now(UTC)), self._index(tenant)
        # Without it everybody who waits for a rebuild would hold a thread.
        async with self._queues.setdefault(tenant, asyncio.Lock()):
            for in_memory in (False, True):
                try:
                    return await self._answer(tenant, index, request)
                except (sqlite3.Error, OSError) as error:
                    await asyncio.to_thread(index.start_over, error, in_memory=in_memory)
            try:
                return await self._answer(tenant, index, request)
            except sqlite3.Error as error:
                raise StorageFailed(f"The search index does not work, not even in memory: {error}") from error

    def close(self) -> None:
        """Close every file; a later search opens it again."""
        for index in self._indexes.values():
            index.close()

    def _index(self, tenant: str) -> TenantIndex:
        check_tenant(tenant)
        if tenant not in self._indexes:
            path = None if self._root is None else tenant_directory(self._root, tenant) / _FILE
            self._indexes[tenant] = TenantIndex(path)
        return self._indexes[tenant]

    async def _answer(self, tenant: str, index: TenantIndex, request: Request) -> SearchAnswer:
        """Return the answer of an index that was brought in step with the catalogue."""
        heads = await self._catalog.heads(tenant)
        missing = await asyncio.to_thread(index.outdated, heads)
        if missing:
            await asyncio.to_thread(index.put, await self._newest(tenant, missing), heads)
        return await asyncio.to_thread(index.search, request)

    async def _newest(self, tenant: str, ids: Collection[str]) -> Sequence[Workflow]:
        if len(ids) > _FEW:
            return [workflow for workflow in await self._catalog.all(tenant) if workflow.id in ids]
        found: list[Workflow] = []
        for workflow_id in ids:
            # Deleted meanwhile, or set aside as damaged: the catalogue does not list it again.
            with suppress(WorkflowNotFound, CorruptDocument):
                found.append(await self._catalog.get(tenant, workflow_id))
        return found
