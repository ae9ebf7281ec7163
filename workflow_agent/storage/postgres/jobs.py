"""Work that comes round for the whole cluster: one host at a time does it, and a stalled one is replaced."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress

from workflow_agent.errors import StorageFailed
from workflow_agent.storage.postgres.database import Database

_log = logging.getLogger(__name__)
_LEASE_SECONDS = 60.0
"""How long a host that died keeps others from its job."""
_RENEWALS_A_LEASE = 3
_TAKE = """
INSERT INTO periodic_job AS known VALUES ($1, clock_timestamp(), clock_timestamp() + make_interval(secs => $3), $2)
ON CONFLICT (name) DO UPDATE SET taken_until = excluded.taken_until, token = excluded.token
WHERE known.due_at <= clock_timestamp() AND coalesce(known.taken_until < clock_timestamp(), true) RETURNING 1"""
_RENEW = """UPDATE periodic_job SET taken_until = clock_timestamp() + make_interval(secs => $3)
WHERE name = $1 AND token = $2"""
_DONE = """UPDATE periodic_job SET due_at = clock_timestamp() + make_interval(secs => $3), taken_until = NULL
WHERE name = $1 AND token = $2"""
_FAILED = "UPDATE periodic_job SET taken_until = NULL WHERE name = $1 AND token = $2"


class PostgresPeriodicJobs:
    """Keeps a row for each job: when it is due, and who does it until when, on the database's clock.

    Args:
        database: Where.
        lease_seconds: How long whoever does a job may be silent before another takes it.
    """

    def __init__(self, database: Database, lease_seconds: float = _LEASE_SECONDS) -> None:
        self._database = database
        self._lease_seconds = lease_seconds

    async def run(self, name: str, every_seconds: float, work: Callable[[], Awaitable[int]]) -> int | None:
        """Do a job if it is due and nobody is at it; return what it gives, or None where it was not for us.

        A job that fails is due at once: the next host that looks does it.

        Raises:
            StorageFailed: The database does not answer, or the work fails of it.
        """
        token = secrets.token_hex(8)
        if await self._database.row(_TAKE, name, token, self._lease_seconds) is None:
            return None
        renewing = asyncio.create_task(self._renew(name, token), name=f"job {name}")
        try:
            done = await work()
        except BaseException:
            with suppress(StorageFailed):
                await self._database.rows(_FAILED, name, token)
            raise
        finally:
            renewing.cancel()
        await self._database.rows(_DONE, name, token, every_seconds)
        return done

    async def _renew(self, name: str, token: str) -> None:
        while True:
            await asyncio.sleep(self._lease_seconds / _RENEWALS_A_LEASE)
            try:
                await self._database.rows(_RENEW, name, token, self._lease_seconds)
            except StorageFailed:
                _log.warning("a job's lease was not renewed", extra={"job": name}, exc_info=True)
