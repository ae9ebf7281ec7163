"""Hosts under fire: what they are seen to do, and what strikes them."""

import asyncio
import itertools
import os
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from benchmarks.kill_matrix.hosts import LEASE_SECONDS, Host, Nursery, Redis, waited_seconds
from benchmarks.kill_matrix.provider import Provider
from benchmarks.postgres_wire import Sent, Wire
from workflow_agent.storage.postgres.database import Database, DatabaseOptions

POINTS = (
    "accepted",
    "in the model",
    "after the tool's write",
    "before the commit",
    "after the commit",
    "in a compaction",
    "in a takeover",
)
OF_ALL = ("PostgreSQL died", "PostgreSQL away", "Redis killed", "Redis emptied")
"""What strikes no single host."""
KINDS = ("killed", "stopped", "connections terminated", "cut off", "back with another clock", *OF_ALL)
_RARE = ("in a compaction", "in a takeover")
"""Points that few come to: their faults are always armed."""
_PATIENT_SECONDS = 60.0
_AWAY_SECONDS = 10.0
_HOUR = 3_600.0
_MOST_ARMED = 16
"""Faults that wait for somebody to come to their points; more would have the first points struck first."""
# The takeover is judged by when the database was told, on the clock by which it counts leases.
_NOTE_ATTEMPTS = """
CREATE TABLE matrix_attempt (run_id text NOT NULL, fence int NOT NULL, at timestamptz DEFAULT clock_timestamp());
CREATE FUNCTION matrix_noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO matrix_attempt (run_id, fence) VALUES (NEW.run_id, NEW.fence);
    RETURN NULL;
END $$;
CREATE TRIGGER matrix_noted AFTER UPDATE ON conversation FOR EACH ROW
    WHEN (NEW.run_id IS NOT NULL AND (OLD.run_id, OLD.fence) IS DISTINCT FROM (NEW.run_id, NEW.fence))
    EXECUTE FUNCTION matrix_noted()"""
_ATTEMPTS = "SELECT run_id, fence, extract(epoch FROM at)::float8 AS at FROM matrix_attempt"
_ALIVE = "SELECT FROM host WHERE owner LIKE $1 AND lease_until > clock_timestamp()"


@dataclass(eq=False)
class Ownership:
    """Who works on a run, as the database was told."""

    run_id: str
    host: Host
    fence: int
    struck_at: float | None = None
    """Since when another host has to go on with it, on the database's clock, which is this machine's."""
    waited_before: dict[str, float] = field(default_factory=dict[str, float])
    """How long each host had waited for a processor when it was struck."""
    taken_by: str = ""
    starved_seconds: float = 0.0
    """How long whoever took it over was ready to run before that and got no processor."""


@dataclass
class Matrix:
    """The hosts, and what strikes them."""

    chance: random.Random
    provider: Provider
    folder: Path
    url: str
    redis: Redis | None
    pending: list[tuple[str, str]]
    """The faults that are still to strike: the first few are armed."""
    database: Database
    hosts: list[Host] = field(default_factory=list[Host])
    struck: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    runs: dict[str, Ownership] = field(default_factory=dict[str, Ownership])
    left: list[Ownership] = field(default_factory=list[Ownership])
    """Each attempt whose host was struck."""
    kept: dict[tuple[str, int], float] = field(default_factory=dict[tuple[str, int], float])
    """When the answer to a step of a run was stored."""
    waking: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    """When which host went on after it was stopped."""
    is_away: bool = False
    """Whether PostgreSQL is out of reach of all hosts, or was until now."""
    is_recovering: bool = False
    """Whether PostgreSQL died and does not answer yet."""
    _striking: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    # The hosts

    async def begin(self, nurseries: Sequence[Nursery]) -> None:
        """Start a host of each."""
        async with self.database.connection() as connection:
            await connection.execute(_NOTE_ATTEMPTS)
        for number, nursery in enumerate(nurseries):
            host = Host(f"host-{number}", self.folder, Wire(self.url, _passed), nursery)
            host.wire.watch = self._watching(host)
            await host.wire.open()
            self.hosts.append(host)
        await asyncio.gather(*(self.start(host) for host in self.hosts))

    async def start(self, host: Host) -> None:
        """Start a host and wait until it is ready."""
        host.process = None
        async with httpx.AsyncClient() as client:
            while True:
                if not host.is_running:
                    # Again where it ended, as whatever keeps services up does: its database may be away.
                    host.begin(self.provider.base_url, self.redis.url if self.redis else None)
                with suppress(httpx.HTTPError):
                    if (await client.get(f"http://127.0.0.1:{host.port}/ready")).status_code == 200:
                        return
                await asyncio.sleep(0.05)

    async def end(self) -> None:
        """Let faults pass, and kill every host."""
        await asyncio.gather(*self._striking, return_exceptions=True)
        for host in self.hosts:
            host.signal(signal.SIGKILL)
            await host.wire.close()
        await self.database.close()

    async def attempts(self) -> dict[str, list[tuple[int, float]]]:
        """Return the attempts at each run by their fences, and when the database was told of them."""
        found: dict[str, list[tuple[int, float]]] = {}
        for row in await self.database.rows(_ATTEMPTS):
            found.setdefault(row["run_id"], []).append((row["fence"], row["at"]))
        return found

    # What the hosts are seen to do

    def _watching(self, host: Host) -> Any:
        async def watch(sent: Sent, is_done: bool) -> bool:
            point = self._noted(host, sent) if is_done else self._foreseen(sent)
            return point is None or not self.strike(point, host)

        return watch

    @staticmethod
    def _foreseen(sent: Sent) -> str | None:
        is_save = "UPDATE conversation SET version" in sent.text
        return "before the commit" if is_save and sent.word(25) is not None else None

    def _noted(self, host: Host, sent: Sent) -> str | None:
        """Take note of what a host has just had stored; return the point that it is at."""
        if "INSERT INTO workflow_version" in sent.text and "UPDATE workflow SET" in sent.text:
            return "after the tool's write"
        if "INSERT INTO lock" in sent.text:
            return "in a compaction" if str(sent.word(2)).startswith("compacting") else None
        if "INSERT INTO run_step" in sent.text:
            run_id, step = sent.word(3), sent.integer(5)
            # Nothing is kept any more of an attempt once another has begun.
            if run_id and step is not None and sent.values[6] is not None and sent.rows:
                self.kept.setdefault((run_id, step), time.monotonic())
            return None
        # One that stood on an old version changes nothing, and gives no row.
        is_saved = "UPDATE conversation SET version" in sent.text and sent.rows
        return self._saved(host, sent) if is_saved else None

    def _saved(self, host: Host, sent: Sent) -> str | None:
        ended, run_id, fence = sent.word(25), sent.word(14), sent.integer(15)
        if ended is not None:
            self.runs.pop(ended, None)
            return "after the commit"
        if run_id is None or fence is None:
            return None
        known = self.runs.get(run_id)
        if known is not None and known.fence >= fence:
            return None
        self.runs[run_id] = Ownership(run_id, host, fence)
        if known is None:
            return "accepted"
        known.taken_by = host.name
        known.starved_seconds = self.starved_since(known.waited_before, host)
        return "in a takeover"

    def waited_seconds(self) -> dict[str, float]:
        """Return how long each host, and the matrix itself, was ready to run so far and got no processor."""
        return {one.name: one.waited_seconds() for one in self.hosts} | {"matrix": waited_seconds(os.getpid())}

    def starved_since(self, before: dict[str, float], *hosts: Host) -> float:
        """Return how long one of some hosts, or the line to the database, was ready since and got no processor."""
        waited = self.waited_seconds()
        since = {name: waited[name] - before.get(name, 0.0) for name in ("matrix", *(one.name for one in hosts))}
        # One that began since has waited for all that it has on record.
        return max(seconds if seconds >= 0 else waited[name] for name, seconds in since.items())

    def at_the_model(self, name: str) -> None:
        """Take note that a host asks the model."""
        self.strike("in the model", next(host for host in self.hosts if host.name == name))

    # Faults

    def strike(self, point: str, host: Host) -> bool:
        """Strike a host that is at a point, if that is armed; say whether its connection breaks at once."""
        found = None if host.is_struck or self.is_away else self._armed_at(point, host)
        if found is None:
            return False
        if found in self.pending:
            self.pending.remove(found)
        self.struck[found] += 1
        kind = found[1]
        host.is_struck = kind not in OF_ALL
        if kind not in ("connections terminated", *OF_ALL):
            self._count_from_now(one for one in self.runs.values() if one.host is host and one.struck_at is None)
        self._hit(kind, host)
        task = asyncio.create_task(self._mended(host, kind) if kind not in OF_ALL else self._of_all(kind))
        self._striking.add(task)
        task.add_done_callback(self._striking.discard)
        return kind not in ("stopped", "PostgreSQL died", "Redis killed", "Redis emptied")

    def _armed_at(self, point: str, host: Host) -> tuple[str, str] | None:
        """Return the fault that is to strike a host at a point, if there is one."""
        others = [one for one in self.hosts if one is not host]
        is_last = all(one.is_struck for one in others)
        rest = [one for one in self.pending if one[0] not in _RARE]
        armed = self.pending if point in _RARE else rest[:_MOST_ARMED]
        found = next((one for one in armed if one[0] == point and (one[1] in OF_ALL or not is_last)), None)
        wanted = {one[0] for one in self.pending}
        if found is None and wanted == {"in a takeover"} and point == "in the model" and not is_last:
            # Nothing else is left that would lead to one.
            return point, "killed"
        return found

    def _count_from_now(self, runs: Iterable[Ownership]) -> None:
        """Begin to count how long runs wait for another host."""
        waited = self.waited_seconds()
        for one in runs:
            if one.struck_at is None:
                self.left.append(one)
            one.struck_at, one.waited_before = time.time(), waited

    def _hit(self, kind: str, host: Host) -> None:
        match kind:
            case "killed" | "back with another clock":
                host.signal(signal.SIGKILL)
            case "stopped":
                host.signal(signal.SIGSTOP)
            case "cut off":
                host.is_cut_off = True
                host.wire.cut()
            case "PostgreSQL away":
                self.is_away = True
                for one in self.hosts:
                    one.wire.cut()
            case _:
                pass

    async def _of_all(self, kind: str) -> None:
        match kind:
            case "PostgreSQL died":
                await self._died()
                # Nobody could have taken one over before.
                self._count_from_now(one for one in self.runs.values() if one.struck_at is not None)
            case "PostgreSQL away":
                await asyncio.sleep(_AWAY_SECONDS)
                self._count_from_now(self.runs.values())
                for one in self.hosts:
                    one.wire.is_cut = one.is_cut_off
                # All leases are over: who has one has it anew.
                await self._until_alive("%")
                self.is_away = False
            case "Redis killed" if self.redis is not None:
                self.redis.kill()
                await asyncio.sleep(LEASE_SECONDS)
                self.redis.start()
            case _:
                if self.redis is not None:
                    self.redis.empty()

    async def _died(self) -> None:
        """Kill a process of PostgreSQL, which takes all others down, and wait until it has recovered."""
        is_killed, self.is_recovering = False, True
        while True:
            with suppress(asyncpg.PostgresError, OSError):
                connection = await asyncpg.connect(self.url)
                try:
                    if is_killed:
                        self.is_recovering = False
                        return
                    os.kill(await connection.fetchval("SELECT pg_backend_pid()"), signal.SIGKILL)
                    is_killed = True
                finally:
                    connection.terminate()
            await asyncio.sleep(0.05)

    async def _mended(self, host: Host, kind: str) -> None:
        match kind:
            case "killed" | "back with another clock":
                await asyncio.sleep(self.chance.uniform(0.0, LEASE_SECONDS))
                host.clock_seconds = 0.0 if kind == "killed" else self.chance.choice((-_HOUR, _HOUR))
                await self.start(host)
            case "stopped":
                await asyncio.sleep(3 * LEASE_SECONDS)
                self.waking.append((host.name, time.monotonic()))
                host.signal(signal.SIGCONT)
            case "cut off":
                await asyncio.sleep(3 * LEASE_SECONDS)
                host.is_cut_off, host.wire.is_cut = False, self.is_away
            case _:
                # Sent again if PostgreSQL is struck in the middle of it.
                await self.database.rows("SELECT pg_terminate_backend(p) FROM unnest($1::int[]) p", host.wire.keys())
        await self._until_alive(f"{host.process}-%")
        host.is_struck = False

    async def _until_alive(self, owner: str) -> None:
        """Wait until a host has a lease, and can go on with what another leaves."""
        # Whoever knows is the database.
        while not await self.database.rows(_ALIVE, owner):  # noqa: ASYNC110 - see above
            await asyncio.sleep(0.1)


def faults_of_a_round(chance: random.Random, kinds: Iterable[str], most: int) -> list[tuple[str, str]]:
    """Return every kind at every point in any order, or some of them."""
    faults: list[tuple[str, str]] = list(itertools.product(POINTS, kinds))
    chance.shuffle(faults)
    return faults[:most]


async def _passed(_sent: Sent, _is_done: bool) -> bool:
    return True


@asynccontextmanager
async def a_matrix(
    chance: random.Random,
    provider: Provider,
    folder: Path,
    url: str,
    redis: Redis | None,
    faults: list[tuple[str, str]],
    nurseries: Sequence[Nursery],
) -> AsyncGenerator[Matrix]:
    """Give the hosts, ready for it; they are gone when the block ends."""
    database = Database(DatabaseOptions(url, patience_seconds=_PATIENT_SECONDS))
    matrix = Matrix(chance, provider, folder, url, redis, faults, database)
    provider.begun = matrix.at_the_model
    try:
        await matrix.begin(nurseries)
        yield matrix
    finally:
        await matrix.end()
