"""Locks that other hosts respect: rows with a time, renewed for as long as the work goes on."""

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from workflow_agent.errors import StorageFailed
from workflow_agent.storage.postgres.database import Database
from workflow_agent.storage.postgres.row_security import change_of_tenant

_log = logging.getLogger(__name__)
_POLL_SECONDS = 0.2
_LEASE_SECONDS = 15.0
"""How long a process that died keeps others waiting."""
_RENEWALS_A_LEASE = 3
_TAKE = change_of_tenant("""
INSERT INTO lock AS held VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
ON CONFLICT (tenant, name) DO UPDATE SET token = excluded.token, until = excluded.until
WHERE held.until < clock_timestamp() OR held.token = excluded.token""")
_RELEASE = change_of_tenant("DELETE FROM lock WHERE tenant = $1 AND name = $2 AND token = $3")


@asynccontextmanager
async def locked(database: Database, tenant: str, name: str) -> AsyncGenerator[None]:
    """Hold a name of a tenant against every other process, waiting for whoever holds it.

    It is no fence: who holds it for longer than the database is away may not be alone any more.

    Raises:
        StorageFailed: The database does not answer.
    """
    taken = (tenant, name, secrets.token_hex(8))
    while await database.row(_TAKE, *taken, _LEASE_SECONDS) is None:  # noqa: ASYNC110 - another host holds it
        await asyncio.sleep(_POLL_SECONDS)
    renewing = asyncio.create_task(_renew(database, taken), name=f"lock {name}")
    try:
        yield
    finally:
        renewing.cancel()
        await asyncio.shield(database.rows(_RELEASE, *taken))


async def _renew(database: Database, taken: tuple[str, str, str]) -> None:
    while True:
        await asyncio.sleep(_LEASE_SECONDS / _RENEWALS_A_LEASE)
        try:
            await database.rows(_TAKE, *taken, _LEASE_SECONDS)
        except StorageFailed:
            _log.warning("a lock was not renewed", extra={"lock": taken[1]}, exc_info=True)
