"""Which hosts are alive: each renews its lease, and one that cannot stops working by itself."""

import asyncio
import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import asyncpg
from typing_extensions import override

from workflow_agent.conversations.store import Owners
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.postgres.database import Database, change_of_all_tenants, of_all_tenants, of_tenant

_log = logging.getLogger(__name__)
_BEATS_A_LEASE = 5
_LAST_SHARE = 0.25
"""How much of a lease that was not renewed is left when its host begins nothing more."""
_LOOKS_BEFORE_DEAD = 2
"""A host that is in no row may be one that has just begun: it counts as dead once it is not seen so often."""
# On the database's clock: the hosts' own may be wrong. A lease that is over is not renewed.
_BEAT = """
WITH mine AS (INSERT INTO host AS known VALUES
        ($1, clock_timestamp() + make_interval(secs => $2), clock_timestamp())
    ON CONFLICT (owner) DO UPDATE SET lease_until = excluded.lease_until, seen_at = excluded.seen_at
    WHERE known.lease_until > clock_timestamp() RETURNING owner)
SELECT owner, lease_until > clock_timestamp() AS is_alive, seen_at FROM host WHERE owner <> $1
UNION ALL SELECT owner, true, clock_timestamp() FROM mine"""
_LEAVE = "DELETE FROM host WHERE owner = $1"
_ABANDONED = of_all_tenants("""SELECT tenant, id FROM conversation AS talk WHERE owner IS NOT NULL AND NOT EXISTS
    (SELECT FROM host WHERE host.owner = talk.owner AND lease_until > clock_timestamp()) LIMIT 100""")
_WORKING_ON = of_all_tenants("SELECT tenant, id, run_id FROM conversation WHERE owner = $1")
_RUNNING = of_tenant("SELECT count(*) FROM conversation WHERE tenant = $1 AND owner IS NOT NULL")
_FORGET = change_of_all_tenants("""DELETE FROM host WHERE lease_until < clock_timestamp() - interval '1 hour'
    AND NOT EXISTS (SELECT FROM conversation WHERE conversation.owner = host.owner)""")
_FAILURES = (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError, asyncpg.PostgresError)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the latest beat saw."""

    alive: frozenset[str] = frozenset()
    seen_at: Mapping[str, datetime] = field(default_factory=dict[str, datetime])
    number: int = 0


class PostgresHosts(Owners):
    """Knows the hosts by their rows, and keeps this one's lease from a thread of its own.

    The work of the event loop, however long a step of it takes, keeps no beat waiting. A host whose lease is
    over, or that cannot tell, takes another id: to all others, the one it had is dead.
    """

    def __init__(self, database: Database, new_owner: Callable[[], str], lease_seconds: float) -> None:
        self._database = database
        self._new_owner = new_owner
        self._lease_seconds = lease_seconds
        self._owner = new_owner()
        self._seen = _Seen()
        self._valid_until = math.inf
        """By this process's clock, which goes on while it is stopped; its first lease is still to come."""
        self._last_beat: datetime | None = None
        self._cut_off: tuple[datetime, datetime] | None = None
        """From when to when this process had no lease, by the last beat before and the first one after."""
        self._unknown: dict[str, int] = {}
        """Owners without a row, by the beat after which they were asked for first."""
        self._lost: Callable[[], None] = lambda: None
        self._connection: asyncpg.Connection[asyncpg.Record] | None = None
        self._leaving = threading.Event()
        self._first_beat = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lease", daemon=True)

    async def start(self, lost: Callable[[], None]) -> None:
        """Begin to be alive, and wait until all others can see it.

        `lost` is called in this event loop each time the lease was lost: whatever is worked on belongs to others
        then. Raises StorageFailed where the database does not answer.
        """
        loop = asyncio.get_running_loop()

        def tell() -> None:
            with suppress(RuntimeError):
                # The loop may have ended.
                loop.call_soon_threadsafe(lost)

        self._lost = tell
        self._thread.start()
        if not await asyncio.to_thread(self._first_beat.wait, self._database.options.patience_seconds):
            raise StorageFailed("The database does not take this host's lease.")

    @property
    @override
    def owner(self) -> str:
        return self._owner

    def alive(self) -> frozenset[str]:
        """Return the owners that are alive, this process among them."""
        return self._seen.alive

    @override
    def is_alive(self, owner: str) -> bool:
        if owner == self._owner:
            # A process that was stopped for a while learns of it here first.
            # Some time before others may begin: what is asked of a model now is still on its way for a while.
            return time.monotonic() < self._valid_until - self._lease_seconds * _LAST_SHARE
        seen = self._seen
        if owner in seen.alive:
            return True
        if owner in seen.seen_at:
            return False
        if len(self._unknown) > len(seen.seen_at) + 1_000:
            self._unknown.clear()
        return seen.number < self._unknown.setdefault(owner, seen.number) + _LOOKS_BEFORE_DEAD

    @override
    async def last_seen(self, owner: str) -> datetime | None:
        return self._seen.seen_at.get(owner)

    @override
    def was_lost_with(self, owner: str) -> bool:
        seen_at = self._seen.seen_at.get(owner)
        if self._cut_off is None or seen_at is None:
            return False
        began, ended = self._cut_off
        return began - timedelta(seconds=self._lease_seconds) <= seen_at <= ended

    @override
    def beat(self) -> None:
        """Do nothing: the lease has a thread of its own."""

    @override
    def note(self, tenant: str, conversation_id: str) -> None:
        """Do nothing: the row of a conversation names its owner."""

    @override
    def settle(self, tenant: str, conversation_id: str) -> None:
        """Do nothing, as `note`."""

    @override
    def report(self, tenant: str, conversation_id: str) -> None:
        """Do nothing, as `note`."""

    @override
    async def running(self, tenant: str) -> int:
        found = await self._database.row(_RUNNING, tenant)
        return found["count"] if found else 0

    @override
    async def abandoned(self) -> Sequence[tuple[str, str]]:
        return [(row["tenant"], row["id"]) for row in await self._database.rows(_ABANDONED)]

    @override
    async def working_on(self) -> Sequence[tuple[str, str, str]]:
        rows = await self._database.rows(_WORKING_ON, self._owner)
        return [(row["tenant"], row["id"], row["run_id"]) for row in rows]

    @override
    async def forget_abandoned(self) -> None:
        await self._database.rows(_FORGET)

    def close(self) -> None:
        """Stop being alive: others see it at once."""
        self._leaving.set()
        if self._thread.is_alive():
            self._thread.join(self._lease_seconds)

    def _run(self) -> None:
        asyncio.run(self._keep())

    async def _keep(self) -> None:
        """Renew the lease until the host leaves; say so each time it is lost."""
        self._valid_until = time.monotonic() + self._lease_seconds
        while not self._leaving.is_set():
            began = time.monotonic()
            is_kept = await self._renewed()
            if is_kept:
                self._valid_until = began + self._lease_seconds
            elif is_kept is False or time.monotonic() >= self._valid_until:
                self._lose()
                self._valid_until = time.monotonic() + self._lease_seconds
                continue
            pause_seconds = max(began + self._lease_seconds / _BEATS_A_LEASE - time.monotonic(), 0.0)
            await asyncio.to_thread(self._leaving.wait, pause_seconds)
        await self._leave()

    async def _renewed(self) -> bool | None:
        """Say whether the lease is still this host's; None where the database does not answer."""
        try:
            async with asyncio.timeout(self._lease_seconds / 2):
                if self._connection is None:
                    # With a name for its statement, which a pooler in transaction mode needs.
                    self._connection = await asyncpg.connect(self._database.options.url)
                rows = await self._connection.fetch(_BEAT, self._owner, self._lease_seconds)
        except (TimeoutError, *_FAILURES) as error:
            _log.warning("the lease of this host was not renewed: %s", error)
            if self._connection is not None:
                self._connection.terminate()
            self._connection = None
            return None
        alive = frozenset(row["owner"] for row in rows if row["is_alive"])
        seen_at = {row["owner"]: row["seen_at"] for row in rows}
        if self._owner in alive:
            if self._last_beat is not None and self._owner not in self._seen.seen_at:
                self._cut_off = self._last_beat, seen_at[self._owner]
            self._last_beat = seen_at[self._owner]
            self._first_beat.set()
        self._seen = _Seen(alive, seen_at, self._seen.number + 1)
        return self._owner in alive

    def _lose(self) -> None:
        _log.error("the lease of this host is over: others go on with its runs", extra={"owner": self._owner})
        self._owner = self._new_owner()
        self._lost()

    async def _leave(self) -> None:
        if self._connection is not None:
            try:
                await self._connection.execute(_LEAVE, self._owner, timeout=1)
                await self._connection.close(timeout=1)
            except (TimeoutError, *_FAILURES):
                self._connection.terminate()
