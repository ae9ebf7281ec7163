"""A data directory opened for one command: no model, no routes, and no run is looked after."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, closing, contextmanager

from workflow_agent.cli.context import DataDirectory, OpenWorkflows
from workflow_agent.main.clock import now
from workflow_agent.settings import Settings
from workflow_agent.storage.files.caches import TtlCache
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
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


@asynccontextmanager
async def open_data(settings: Settings) -> AsyncGenerator[DataDirectory]:
    """Open the conversations of a data directory or a database; nothing is made or written by that alone."""
    if settings.database_url is not None:
        async with _open_database(settings) as data:
            yield data
        return
    # Here, because who only looks at workflows does without.
    from workflow_agent.conversations.seals import SealRule  # noqa: PLC0415 - see above
    from workflow_agent.storage.files.conversations import JsonConversationStore  # noqa: PLC0415 - see above

    seal = SealRule(above_bytes=settings.seal_above_bytes)
    yield DataDirectory(settings, JsonConversationStore(DurableFiles(settings.data_dir), seal=seal))


@asynccontextmanager
async def _open_database(settings: Settings) -> AsyncGenerator[DataDirectory]:
    # Here, because its packages are an extra.
    from workflow_agent.main.hosts import database_of  # noqa: PLC0415 - see above
    from workflow_agent.storage.postgres.conversations import PostgresConversationStore  # noqa: PLC0415 - see above

    database = database_of(settings)
    try:
        yield DataDirectory(settings, PostgresConversationStore(database))
    finally:
        await database.close()
