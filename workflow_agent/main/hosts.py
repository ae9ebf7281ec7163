"""A host among several: all durable data is on PostgreSQL."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from workflow_agent.cli.context import Examined
from workflow_agent.conversations.seals import SealRule
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import Misconfigured, StorageFailed
from workflow_agent.main.process import now
from workflow_agent.main.stores import (
    SECONDS_AN_HOUR,
    AnsweringProcesses,
    Stores,
    Upkeep,
    caches_of,
    redis_of,
    search_of,
    usage_counter_of,
)
from workflow_agent.settings import Settings
from workflow_agent.storage.files.sockets import ProcessSockets
from workflow_agent.storage.holdings import Holdings
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.database import Database, DatabaseOptions, embedded_url, migrations
from workflow_agent.storage.postgres.holdings import PostgresHoldings
from workflow_agent.storage.postgres.hosts import PostgresHosts
from workflow_agent.storage.postgres.leases import PostgresPeriodicJobs, swept
from workflow_agent.storage.postgres.memories import PostgresPersonMemory, PostgresWorkflowMemory
from workflow_agent.storage.postgres.records import PostgresIdempotencyKeys, PostgresRecords, PostgresRunJournal
from workflow_agent.storage.postgres.workflows import PostgresWorkflowCatalog

_EMBEDDED = "embedded"


def database_of(settings: Settings) -> Database:
    """Return the connections to the database that the settings name."""
    url = settings.database_url.get_secret_value() if settings.database_url else _EMBEDDED
    if url == _EMBEDDED:
        url = embedded_url(settings.data_dir.resolve() / ".postgres")
    return Database(
        DatabaseOptions(
            url=url,
            most_connections=settings.database_connections,
            statement_seconds=settings.database_statement_seconds,
            lock_seconds=settings.database_lock_seconds,
            patience_seconds=settings.database_patience_seconds,
        )
    )


@dataclass(frozen=True, slots=True)
class Hosts:
    """What a command or a server does on a database."""

    settings: Settings

    def migrated(self, row_security: bool | None = None) -> int:
        """Bring the schema up to date, row-level security on, off or as it is; return how many migrations were made."""

        async def migrate() -> int:
            database = database_of(self.settings)
            made = await database.migrate()
            if row_security is not None:
                await database.rows("SELECT row_security_of_tenants($1)", row_security)
            await database.close()
            return made

        return asyncio.run(migrate())

    def examined(self) -> Sequence[Examined]:
        """Return what is found of the database and the Redis that the settings name."""
        return asyncio.run(_examined(self.settings))

    @asynccontextmanager
    async def conversations(self) -> AsyncGenerator[ConversationStore]:
        """Open the conversations for one command."""
        database = database_of(self.settings)
        try:
            yield PostgresConversationStore(database)
        finally:
            await database.close()

    async def holdings(self) -> Holdings:
        """Return what the tenant keeps, on a schema that is up to date."""
        database = database_of(self.settings)
        await database.migrate()
        return PostgresHoldings(database, self.settings.tenant, self.settings.max_remembered_references)

    def stores(self, new_owner: Callable[[], str]) -> Stores:
        """Return the stores of a host; opening them registers it as alive."""
        settings = self.settings
        database, caches = database_of(settings), caches_of(settings)
        conversations = PostgresConversationStore(database, seal=SealRule(above_bytes=settings.seal_above_bytes))
        workflows = PostgresWorkflowCatalog(database, caches.specs, now=now, conversations=conversations)
        memory = PostgresWorkflowMemory(database, most=settings.max_remembered_references)
        hosts = PostgresHosts(database, new_owner, settings.host_lease_seconds)
        return Stores(
            conversations=conversations,
            compacting=conversations.compacting,
            journal=PostgresRunJournal(database),
            workflows=workflows,
            search=search_of(settings, workflows, None),
            memory=memory,
            read_known=memory.read_known,
            people=PostgresPersonMemory(database),
            keys_of=partial(
                PostgresIdempotencyKeys, database, kept_seconds=settings.idempotency_kept_hours * SECONDS_AN_HOUR
            ),
            records_of=partial(PostgresRecords, database),
            owners=hosts,
            running_owners=hosts.alive,
            others=_others(settings, hosts),
            caches=caches,
            usage=usage_counter_of(settings),
            upkeep=_upkeep(database, hosts, conversations),
        )


def _others(settings: Settings, hosts: PostgresHosts) -> AnsweringProcesses:
    """Return how processes ask each other: those on one machine over sockets, hosts over Redis."""
    (settings.data_dir / ".owners").mkdir(mode=0o700, parents=True, exist_ok=True)
    near = ProcessSockets(settings.data_dir, hosts.owner)
    redis = redis_of(settings)
    return redis.processes(near, lambda: hosts.owner) if redis else near


def _upkeep(database: Database, hosts: PostgresHosts, conversations: PostgresConversationStore) -> Upkeep:
    async def begin(lost: Callable[[], None]) -> None:
        await database.migrate()
        await hosts.start(lost)

    async def sweep() -> int:
        await conversations.messages.take_in()
        return await swept(database)

    async def check() -> None:
        await database.rows("SELECT 1")

    return Upkeep(begin, sweep, PostgresPeriodicJobs(database).run, check, database.close)


_STATE = """SELECT current_setting('server_version_num')::int AS version,
    extract(epoch FROM clock_timestamp())::float8 AS at,
    current_setting('max_connections')::int AS connections,
    EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') AS has_words,
    to_regclass('schema_migration') IS NOT NULL AS is_made,
    (SELECT relforcerowsecurity FROM pg_class WHERE oid = to_regclass('conversation')) AS has_row_security,
    (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS passes_it"""
_OLDEST = 150_000
_CLOCK_SECONDS = 5


async def _examined(settings: Settings) -> Sequence[Examined]:
    database = database_of(settings)
    try:
        row = await database.row(_STATE)
        known = await database.rows("SELECT number FROM schema_migration") if row and row["is_made"] else []
    except StorageFailed as error:
        return [Examined("database", "failed", error.message, "Look at WORKFLOW_AGENT_DATABASE_URL, and start it.")]
    finally:
        await database.close()
    assert row is not None  # noqa: S101 - it asks for no table
    found = [_version(row["version"]), _schema({one["number"] for one in known}), _words(row["has_words"])]
    found.append(_row_security(row["has_row_security"], row["passes_it"]))
    return [*found, _clocks(row["at"]), _connections(settings, row["connections"]), *await _redis(settings)]


def _version(version: int) -> Examined:
    said = f"PostgreSQL {version // 10_000}.{version % 10_000} answers"
    if version < _OLDEST:
        return Examined("database", "misconfigured", said, "It has to be 15 or newer.")
    return Examined("database", "ok", said)


def _schema(known: set[int]) -> Examined:
    missing = {number for number, _ in migrations()} - known
    if missing:
        advice = "The next server that starts makes them, or `workflow-agent migrate-database`."
        return Examined("schema", "warning", f"{len(missing)} migrations are to be made", advice)
    return Examined("schema", "ok", f"it is up to date, at {max(known)}")


def _words(has_words: bool) -> Examined:
    if has_words:
        return Examined("message search", "ok", "pg_trgm is there")
    advice = "Let somebody who may run CREATE EXTENSION pg_trgm, and make the index message_words."
    return Examined("message search", "warning", "without pg_trgm it reads every message of a tenant", advice)


def _row_security(is_on: bool | None, passes_it: bool) -> Examined:
    if not is_on:
        advice = "Once all hosts are of this release: `workflow-agent migrate-database --row-security`."
        return Examined("row-level security", "warning", "it is off", advice)
    if passes_it:
        advice = "Let the hosts connect as a role that is no superuser and has no BYPASSRLS."
        return Examined("row-level security", "warning", "it does not hold for this user", advice)
    return Examined("row-level security", "ok", "it keeps tenants apart")


def _clocks(at: float) -> Examined:
    ahead = at - time.time()
    if abs(ahead) > _CLOCK_SECONDS:
        said = f"that of the database is {ahead:+.0f} s off from here"
        return Examined("clocks", "warning", said, "Set both by NTP: times in conversations are those of the hosts.")
    return Examined("clocks", "ok", "the database's and this one agree")


def _connections(settings: Settings, most: int) -> Examined:
    own = (settings.database_connections + 1) * settings.workers
    said = f"this host takes up to {own} of {most}"
    if own >= most:
        advice = "Lower WORKFLOW_AGENT_DATABASE_CONNECTIONS, or raise max_connections."
        return Examined("connections", "warning", said, advice)
    return Examined("connections", "ok", said)


async def _redis(settings: Settings) -> Sequence[Examined]:
    try:
        redis = redis_of(settings)
    except Misconfigured as error:
        return [Examined("redis", "misconfigured", error.message, "pip install 'workflow-agent[redis]'")]
    if redis is None:
        return [Examined("redis", "ok", "none is named: no live streams between hosts, limits by host")]
    if await redis.answers():
        return [Examined("redis", "ok", "it answers")]
    advice = "Replies arrive all the same; start it for live streams."
    return [Examined("redis", "failed", "it does not answer", advice)]
