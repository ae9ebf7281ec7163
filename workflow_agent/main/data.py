"""What a command opens without the service: a directory's workflows, or the hosts on a database."""

import asyncio
from collections.abc import Generator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from workflow_agent.cli.context import FindWorkflows, Listed
from workflow_agent.errors import Misconfigured
from workflow_agent.main.process import now
from workflow_agent.settings import Settings
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.search.listing import listed_workflow
from workflow_agent.workflows.store import WorkflowFilters

if TYPE_CHECKING:
    from workflow_agent.main.hosts import Hosts


@contextmanager
def open_workflows(settings: Settings) -> Generator[FindWorkflows]:
    """Open the workflows of a data directory; nothing but the search index is made or written by that."""
    files = DurableFiles(settings.data_dir)
    entries = settings.cache_max_entries if settings.caches_enabled else 0
    parsed = TtlCache[Workflow](max_entries=entries, ttl_seconds=settings.cache_ttl_seconds)
    catalog = JsonWorkflowCatalog(files, parsed, now=now)
    with closing(SqliteWorkflowSearch(catalog, root=settings.data_dir)) as search:

        async def asked(words: str, limit: int, filters: WorkflowFilters) -> Listed:
            answer = await search.search(settings.tenant, words, filters, limit=limit)
            return [listed_workflow(await catalog.get(settings.tenant, hit.id), hit, words) for hit in answer.hits]

        def found(words: str, limit: int, *, tag: str | None = None, trigger: str | None = None) -> Listed:
            return asyncio.run(asked(words, limit, WorkflowFilters(tag=tag, trigger=trigger)))

        yield found


def hosts_of(settings: Settings) -> "Hosts":
    """Return what a command or a server does on the database that the settings name; nothing is asked of it yet.

    Raises:
        Misconfigured: No database is named, or its packages are not installed.
    """
    if settings.database_url is None:
        raise Misconfigured("No database is named: give --database, or set WORKFLOW_AGENT_DATABASE_URL.")
    try:
        from workflow_agent.main.hosts import Hosts  # noqa: PLC0415 - an extra, and who keeps files does without
    except ImportError as error:
        raise Misconfigured(
            f"A database needs more packages ({error}): pip install 'workflow-agent[postgres]'."
        ) from error
    return Hosts(settings)
