"""What one host at a time does or holds: locks and periodic jobs, each a row with a time that is renewed."""

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Literal

from workflow_agent.errors import StorageFailed
from workflow_agent.storage.postgres.database import Database, change_of_all_tenants, change_of_tenant

_log = logging.getLogger(__name__)
_POLL_SECONDS = 0.2
_LOCK_SECONDS = 15.0
"""How long a process that died keeps others waiting."""
_JOB_SECONDS = 60.0
"""How long a host that died keeps others from its job."""
_RENEWALS_A_LEASE = 3
_LOCK = change_of_tenant("""
INSERT INTO lock AS held VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
ON CONFLICT (tenant, name) DO UPDATE SET token = excluded.token, until = excluded.until
WHERE held.until < clock_timestamp() OR held.token = excluded.token""")
_RELEASE = change_of_tenant("DELETE FROM lock WHERE tenant = $1 AND name = $2 AND token = $3")
_TAKE = """
INSERT INTO periodic_job AS known VALUES ($1, clock_timestamp(), clock_timestamp() + make_interval(secs => $3), $2)
ON CONFLICT (name) DO UPDATE SET taken_until = excluded.taken_until, token = excluded.token
WHERE known.due_at <= clock_timestamp() AND coalesce(known.taken_until < clock_timestamp(), true) RETURNING 1"""
_RENEW = """UPDATE periodic_job SET taken_until = clock_timestamp() + make_interval(secs => $3)
WHERE name = $1 AND token = $2"""
_DONE = """UPDATE periodic_job SET due_at = clock_timestamp() + make_interval(secs => $3), taken_until = NULL
WHERE name = $1 AND token = $2"""
_FAILED = "UPDATE periodic_job SET taken_until = NULL WHERE name = $1 AND token = $2"
_LEFTOVERS = (
    # A content is kept before the conversation that refers to it: of a younger one that may be to come.
    """DELETE FROM conversation_blob AS one WHERE at < clock_timestamp() - interval '1 hour' AND NOT EXISTS
        (SELECT FROM conversation WHERE tenant = one.tenant AND id = one.conversation_id)""",
    # The message of an interrupted run may be sent again, and what the model said is not asked for twice.
    """DELETE FROM run_step AS one WHERE at < clock_timestamp() - interval '1 day' AND NOT EXISTS
        (SELECT FROM conversation WHERE tenant = one.tenant AND id = one.conversation_id AND run_id = one.run_id)""",
    "DELETE FROM lock WHERE until < clock_timestamp()",
)


@asynccontextmanager
async def locked(database: Database, tenant: str, name: str) -> AsyncGenerator[None]:
    """Hold a name of a tenant against every other process, waiting for whoever holds it.

    It is no fence: who holds it for longer than the database is away may not be alone any more. Raises as
    `Database.rows` does.
    """
    taken = (tenant, name, secrets.token_hex(8))
    while await database.row(_LOCK, *taken, _LOCK_SECONDS) is None:  # noqa: ASYNC110 - another host holds it
        await asyncio.sleep(_POLL_SECONDS)
    try:
        async with _renewed(database, "lock", (_LOCK, *taken), _LOCK_SECONDS):
            yield
    finally:
        await asyncio.shield(database.rows(_RELEASE, *taken))


@asynccontextmanager
async def _renewed(
    database: Database, kind: Literal["lock", "job"], renewal: tuple[str, ...], lease_seconds: float
) -> AsyncGenerator[None]:
    """Renew a lease for as long as the block lasts; its name and token are what the renewal ends with."""
    name = renewal[-2]

    async def keep_on() -> None:
        while True:
            await asyncio.sleep(lease_seconds / _RENEWALS_A_LEASE)
            try:
                await database.rows(*renewal, lease_seconds)
            except StorageFailed:
                _log.warning("a %s was not renewed", kind, extra={kind: name}, exc_info=True)

    renewing = asyncio.create_task(keep_on(), name=f"{kind} {name}")
    try:
        yield
    finally:
        renewing.cancel()


class PostgresPeriodicJobs:
    """Keeps a row for each job: when it is due, and who does it until when, on the database's clock."""

    def __init__(self, database: Database, lease_seconds: float = _JOB_SECONDS) -> None:
        self._database = database
        self._lease_seconds = lease_seconds

    async def run(self, name: str, every_seconds: float, work: Callable[[], Awaitable[int]]) -> int | None:
        """Do a job if it is due and nobody is at it; return what it gives, or None where it was not for us.

        A job that fails is due at once: the next host that looks does it. Raises as `Database.rows` and the work do.
        """
        taken = (name, secrets.token_hex(8))
        if await self._database.row(_TAKE, *taken, self._lease_seconds) is None:
            return None
        try:
            async with _renewed(self._database, "job", (_RENEW, *taken), self._lease_seconds):
                done = await work()
        except BaseException:
            with suppress(StorageFailed):
                await self._database.rows(_FAILED, *taken)
            raise
        await self._database.rows(_DONE, *taken, every_seconds)
        return done


async def swept(database: Database) -> int:
    """Remove what processes left that died before they could need it; return how much."""
    return sum([len(await database.rows(change_of_all_tenants(statement))) for statement in _LEFTOVERS])
