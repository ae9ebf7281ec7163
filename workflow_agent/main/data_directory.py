"""The workflows of a data directory opened for one command: no model, no routes, and no run is looked after."""

from collections.abc import Generator
from contextlib import closing, contextmanager

from workflow_agent.cli.context import OpenWorkflows
from workflow_agent.main.process import now
from workflow_agent.settings import Settings
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.model.workflow import Workflow


@contextmanager
def open_workflows(settings: Settings) -> Generator[OpenWorkflows]:
    """Open the workflows of a data directory; nothing but the search index is made or written by that."""
    files = DurableFiles(settings.data_dir)
    entries = settings.cache_max_entries if settings.caches_enabled else 0
    parsed = TtlCache[Workflow](max_entries=entries, ttl_seconds=settings.cache_ttl_seconds)
    catalog = JsonWorkflowCatalog(files, parsed, now=now)
    with closing(SqliteWorkflowSearch(catalog, root=settings.data_dir)) as search:
        yield OpenWorkflows(settings.tenant, catalog, search)
