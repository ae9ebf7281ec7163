"""Strike hosts on PostgreSQL at every point of a turn, and count what was lost or doubled.

    python -m benchmarks.kill_matrix --turns 2000 --faults 300
    python -m benchmarks.kill_matrix --turns 60 --faults 14 --hosts 2
    python -m benchmarks.kill_matrix --old-release ../workflow-agent-before

Each turn is a message with an idempotency key, sent to two hosts at once, that takes a step of the model, a
tool that changes a workflow, and another step of the model; some are followed as streams, some cancelled. A
fault strikes the host that comes first to a point: after the accept, in the model, after the tool's write,
before and after the commit, in a compaction, in a takeover. It is killed, and started again, with the right
clock or one that is an hour off; stopped for three leases; loses its connections; cannot reach the database for
three leases. Or PostgreSQL dies and recovers, is out of reach of all hosts for ten seconds, or Redis is killed
or emptied. With --old-release, one of the hosts is of the release in that directory.

WORKFLOW_AGENT_TEST_DATABASE_URL names the server; without it one is started, and only that one is made to die.
Redis is one of the matrix's own, where there is a redis-server.
"""

import argparse
import asyncio
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx
from redis import Redis as RedisClient
from redis.exceptions import RedisError

from benchmarks.kill_storm import free_port
from benchmarks.postgres_wire import Sent, Wire
from tests.support.postgres import a_database_of_ones_own
from tests.support.provider import Answer, CallsTools, Hangs, JsonObject, ProviderStub, Refuses, Says, served
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.document import AgentReply, Event, UserMessage
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.database import Database, DatabaseOptions
from workflow_agent.storage.postgres.row_security import of_all_tenants

LEASE_SECONDS = 2.0
SWEEP_SECONDS = 2.0
"""How long after a lease is over a run may wait for somebody to go on with it."""
PATIENCE_SECONDS = 600.0
POINTS = (
    "accepted",
    "in the model",
    "after the tool's write",
    "before the commit",
    "after the commit",
    "in a compaction",
    "in a takeover",
)
KINDS = (
    "killed",
    "stopped",
    "connections terminated",
    "cut off",
    "back with another clock",
    "PostgreSQL died",
    "PostgreSQL away",
    "Redis killed",
    "Redis emptied",
)
OF_ALL = ("PostgreSQL died", "PostgreSQL away", "Redis killed", "Redis emptied")
"""What strikes no single host."""
AWAY_SECONDS = 10.0
HOUR = 3_600.0
_ORDER = re.compile(r"order-([0-9]+)")
_HELD = "wait for me"
_MOST_ARMED = 4
_WAKING_SECONDS = 0.1
_ORDERS_EACH = 100_000
"""Orders of a conversation are numbered from its own number times this."""
# Everything is imported once; a host is a copy of that process.
_NURSERY = """
import json, os, signal, sys, datetime
import workflow_agent.main.clock as clock
shift = {"seconds": 0.0}
clock.now = lambda: datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=shift["seconds"])
from workflow_agent.main import run
import workflow_agent.main.composition, workflow_agent.main.hosts, workflow_agent.main.serve
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(log, 1), os.dup2(log, 2)
        os.environ.update(order["environment"])
        shift["seconds"] = order["clock_seconds"]
        sys.argv = ["workflow-agent", "serve"]
        run()
        os._exit(0)
    print(child, flush=True)
"""


@dataclass
class Provider(ProviderStub):
    """A model that changes the workflow as it is told, says so, and remembers what it was asked and when."""

    asked: list[tuple[int, int, float, str]] = field(default_factory=list[tuple[int, int, float, str]])
    """Order, step, time and host of each request."""
    held: dict[int, asyncio.Event] = field(default_factory=dict[int, asyncio.Event])
    begun: Callable[[str], None] = lambda _: None
    """Is told of each host that asks."""

    def __post_init__(self) -> None:
        """Answer by what is asked."""
        self.chooses = self.answer_to

    def answer_to(self, request: JsonObject) -> Answer:
        """Return what comes next in the order that a request is about."""
        messages = request["messages"]
        last = max(at for at, one in enumerate(messages) if one["role"] == "user")
        said = str(messages[last]["content"])
        named = _ORDER.search(said)
        if named is None or not any(tool["function"]["name"] == "edit_workflow" for tool in request["tools"]):
            # A summary: without one the oldest turns are left out of the window, which is a compaction too.
            return Refuses(500)
        number = int(named[1])
        step = 1 + sum(one["role"] == "tool" for one in messages[last:])
        self.asked.append((number, step, time.monotonic(), request["model"]))
        self.begun(request["model"])
        if _HELD in said:
            self.held.setdefault(number, asyncio.Event()).set()
            return Hangs()
        if step > 1:
            return Says(["The description says", f" state {number}."])
        edit = {"op": "set_description", "description": f"state {number}"}
        workflow = re.search(r"wf_matrix-[0-9]+", said)
        assert workflow is not None
        return CallsTools([("edit_workflow", json.dumps({"workflow": workflow[0], "edits": [edit]}))])


@dataclass(eq=False)
class Host:
    """A host, and how it is struck."""

    name: str
    folder: Path
    wire: Wire
    port: int = field(default_factory=free_port)
    process: int | None = None
    clock_seconds: float = 0.0
    """How far its clock is ahead."""
    is_old: bool = False
    """Whether it is of the release before."""
    is_struck: bool = False
    """Whether it is away, or on its way back."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/v1"

    def waited_seconds(self) -> float:
        """Return how long its event loop was ready to run and got no processor since it began; 0 where unknown."""
        return _waited_seconds(self.process or 0)

    @property
    def is_running(self) -> bool:
        """Say whether its process has not ended."""
        try:
            os.kill(self.process or 0, 0)
        except ProcessLookupError:
            return False
        return self.process is not None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to its process; fine where it has ended."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.kill(self.process, number)


@dataclass
class Redis:
    """A Redis of the matrix's own, which keeps nothing."""

    port: int
    process: "subprocess.Popen[bytes] | None" = None

    @classmethod
    def started(cls) -> "Redis | None":
        """Return one that runs; None where there is no redis-server."""
        if shutil.which("redis-server") is None:
            return None
        made = cls(free_port())
        made.start()
        return made

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it."""
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def kill(self) -> None:
        """End it at once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def empty(self) -> None:
        """Remove everything in it; fine where it is away."""
        with suppress(RedisError), RedisClient(port=self.port) as client:
            client.flushall()  # pyright: ignore[reportUnknownMemberType] - its options


@dataclass
class Ownership:
    """Who works on a run, as the database was told."""

    host: Host
    fence: int
    struck_at: float | None = None
    waited_before: dict[str, float] = field(default_factory=dict[str, float])
    """How long each host had waited for a processor when it was struck, and the matrix itself as "matrix"."""


@dataclass(frozen=True)
class TakenOver:
    """How long a run waited for another host after its own was struck."""

    run_id: str
    by: str
    seconds: float
    starved_seconds: float
    """How much of it that host, or the line to its database, was ready to go on and got no processor."""

    @property
    def is_late(self) -> bool:
        """Say whether it was later than a lease and a sweep, had there been a processor for whoever was ready."""
        return self.seconds - self.starved_seconds > LEASE_SECONDS + SWEEP_SECONDS


@dataclass
class Matrix:
    """The hosts, their clients, and what strikes them."""

    turns: int
    faults: int
    chance: random.Random
    provider: Provider
    folder: Path
    database: str
    hosts: list[Host] = field(default_factory=list[Host])
    nurseries: dict[bool, asyncio.subprocess.Process] = field(default_factory=dict[bool, asyncio.subprocess.Process])
    """What hosts are copies of: of this release, and of the one before."""
    old_release: Path | None = None
    redis: "Redis | None" = None
    kinds: Sequence[str] = KINDS
    pause_seconds: float = 0.0
    """Between one fault and the next."""
    room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_MOST_ARMED))
    armed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    struck: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    runs: dict[str, Ownership] = field(default_factory=dict[str, Ownership])
    kept: dict[tuple[str, int], float] = field(default_factory=dict[tuple[str, int], float])
    """When the answer to a step of a run was stored."""
    takeovers: list[TakenOver] = field(default_factory=list[TakenOver])
    cancels: list[float] = field(default_factory=list[float])
    replies: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    answers: Counter[str] = field(default_factory=Counter[str])
    reattached: Counter[str] = field(default_factory=Counter[str])
    waking: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    """When which host went on after it was stopped."""
    cancelled: set[int] = field(default_factory=set[int])
    striking: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    # The hosts

    async def begin(self, count: int) -> None:
        """Start the hosts."""
        for is_old, tree in ((False, Path.cwd()), (True, self.old_release)):
            if tree is not None:
                self.nurseries[is_old] = await asyncio.create_subprocess_exec(
                    sys.executable, "-c", _NURSERY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tree
                )
        for number in range(count):
            host = Host(f"host-{number}", self.folder, Wire(self.database, _passed))
            host.is_old = self.old_release is not None and number == count - 1
            host.wire.watch = self._watching(host)
            await host.wire.open()
            self.hosts.append(host)
        await asyncio.gather(*(self.start(host) for host in self.hosts))

    async def start(self, host: Host) -> None:
        """Start a host and wait until it is ready."""
        nursery = self.nurseries[host.is_old]
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        environment = {
            "DATABASE_URL": host.wire.url,
            "HOST_LEASE_SECONDS": str(LEASE_SECONDS),
            "PORT": str(host.port),
            "DATA_DIR": str(self.folder / host.name),
            "MODEL": f"openai:{host.name}",
            "MODEL_BASE_URL": self.provider.base_url,
            "MODEL_API_KEY": "k",
            "MODEL_ATTEMPTS": "1",
            "MAX_TURNS": "6",
            "SEAL_ABOVE_BYTES": "65536",
            "DATABASE_PATIENCE_SECONDS": "3",
            **({"REDIS_URL": self.redis.url} if self.redis else {}),
        }
        order = {
            "environment": {f"WORKFLOW_AGENT_{name}": value for name, value in environment.items()},
            "log": str(self.folder / f"{host.name}.log"),
            "clock_seconds": host.clock_seconds,
        }
        host.process = None
        async with httpx.AsyncClient() as client:
            while True:
                if not host.is_running:
                    # Again where it ended, as whatever keeps services up does: its database may be away.
                    async with self.starting:
                        nursery.stdin.write(json.dumps(order).encode() + b"\n")
                        host.process = int(await nursery.stdout.readline())
                with suppress(httpx.HTTPError):
                    if (await client.get(f"http://127.0.0.1:{host.port}/ready")).status_code == 200:
                        return
                await asyncio.sleep(0.05)

    async def end(self) -> None:
        """Kill every host."""
        await asyncio.gather(*self.striking, return_exceptions=True)
        for host in self.hosts:
            host.signal(signal.SIGKILL)
            await host.wire.close()
        for nursery in self.nurseries.values():
            nursery.kill()
            await nursery.wait()
        if self.redis is not None:
            self.redis.kill()

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
        self.runs[run_id] = Ownership(host, fence)
        if known is None:
            return "accepted"
        if known.struck_at is not None and known.host is not host:
            seconds = time.monotonic() - known.struck_at
            self.takeovers.append(TakenOver(run_id, host.name, seconds, self._starved_since(known, host)))
        return "in a takeover"

    def at_the_model(self, name: str) -> None:
        """Take note that a host asks the model."""
        self.strike("in the model", next(host for host in self.hosts if host.name == name))

    # Faults

    async def arm(self) -> None:
        """Keep a few faults ready for whoever comes to their points, until there were enough."""
        pairs = list(itertools.product(POINTS, self.kinds))
        self.chance.shuffle(pairs)
        for point, kind in itertools.islice(itertools.cycle(pairs), self.faults):
            await self.room.acquire()
            self.armed.append((point, kind))
            # A host that was struck comes back, and has its lease again, before most are struck once more.
            await asyncio.sleep(self.pause_seconds)

    def strike(self, point: str, host: Host) -> bool:
        """Strike a host that is at a point, if that is armed; say whether its connection breaks at once."""
        found = next((one for one in self.armed if one[0] == point), None)
        if found is None or host.is_struck:
            return False
        others = [one for one in self.hosts if one is not host]
        if found[1] == "PostgreSQL away":
            # A host that was struck before would be counted as well again, and let through, when this ends.
            may_strike = not any(one.is_struck for one in others)
        else:
            may_strike = found[1] in OF_ALL or not all(one.is_struck for one in others)
        if not may_strike:
            return False
        self.armed.remove(found)
        self.room.release()
        self.struck[found] += 1
        kind = found[1]
        struck = self.hosts if kind == "PostgreSQL away" else [] if kind in OF_ALL else [host]
        for one in struck:
            one.is_struck = True
        if kind not in ("connections terminated", *OF_ALL):
            self._count_from_now(one for one in self.runs.values() if one.host is host and one.struck_at is None)
        self._hit(kind, host, struck)
        task = asyncio.create_task(self._mended(host, kind) if kind not in OF_ALL else self._of_all(kind))
        self.striking.add(task)
        task.add_done_callback(self.striking.discard)
        return kind not in ("stopped", "PostgreSQL died", "Redis killed", "Redis emptied")

    def _count_from_now(self, runs: Iterable[Ownership]) -> None:
        """Begin to count how long runs wait for another host."""
        waited = {one.name: one.waited_seconds() for one in self.hosts} | {"matrix": _waited_seconds(os.getpid())}
        for one in runs:
            one.struck_at, one.waited_before = time.monotonic(), waited

    @staticmethod
    def _starved_since(known: Ownership, host: Host) -> float:
        # One that began since has waited for all that it has on record.
        waited, before = host.waited_seconds(), known.waited_before.get(host.name, 0.0)
        of_matrix = _waited_seconds(os.getpid()) - known.waited_before.get("matrix", 0.0)
        return max(of_matrix, waited - before if waited >= before else waited)

    def _hit(self, kind: str, host: Host, struck: Sequence[Host]) -> None:
        match kind:
            case "killed" | "back with another clock":
                host.signal(signal.SIGKILL)
            case "stopped":
                host.signal(signal.SIGSTOP)
            case "cut off" | "PostgreSQL away":
                for one in struck:
                    one.wire.cut()
            case _:
                pass

    async def _of_all(self, kind: str) -> None:
        match kind:
            case "PostgreSQL died":
                with suppress(asyncpg.PostgresError, OSError):
                    connection = await asyncpg.connect(self.database)
                    try:
                        # A server whose process dies takes all others down, and recovers from its log.
                        os.kill(await connection.fetchval("SELECT pg_backend_pid()"), signal.SIGKILL)
                    finally:
                        connection.terminate()
                await self._recovered()
                # Nobody could have taken one over before.
                self._count_from_now(one for one in self.runs.values() if one.struck_at is not None)
                return
            case "PostgreSQL away":
                await asyncio.sleep(AWAY_SECONDS)
                self._count_from_now(self.runs.values())
            case "Redis killed" if self.redis is not None:
                self.redis.kill()
                await asyncio.sleep(LEASE_SECONDS)
                self.redis.start()
                return
            case _:
                if self.redis is not None:
                    self.redis.empty()
                return
        for one in self.hosts:
            one.wire.is_cut = False
        await asyncio.sleep(LEASE_SECONDS)
        for one in self.hosts:
            one.is_struck = False

    async def _recovered(self) -> None:
        """Wait until PostgreSQL answers again."""
        while True:
            with suppress(asyncpg.PostgresError, OSError):
                await (await asyncpg.connect(self.database)).close()
                return
            await asyncio.sleep(0.05)

    async def _mended(self, host: Host, kind: str) -> None:
        match kind:
            case "killed" | "back with another clock":
                await asyncio.sleep(self.chance.uniform(0.0, LEASE_SECONDS))
                host.clock_seconds = 0.0 if kind == "killed" else self.chance.choice((-HOUR, HOUR))
                await self.start(host)
            case "stopped":
                await asyncio.sleep(3 * LEASE_SECONDS)
                self.waking.append((host.name, time.monotonic()))
                host.signal(signal.SIGCONT)
            case "cut off":
                await asyncio.sleep(3 * LEASE_SECONDS)
                host.wire.is_cut = False
            case _:
                connection = await asyncpg.connect(self.database)
                try:
                    await connection.execute(
                        "SELECT pg_terminate_backend(p) FROM unnest($1::int[]) p", host.wire.keys()
                    )
                finally:
                    connection.terminate()
        # It is to have its lease again before it is struck again.
        await asyncio.sleep(LEASE_SECONDS)
        host.is_struck = False

    # Clients

    async def talk(self, conversation: int, count: int) -> None:
        """Have the turns of one conversation, one after the other."""
        async with httpx.AsyncClient(timeout=8) as client:
            for at in range(count):
                await self._turn(client, conversation, conversation * _ORDERS_EACH + at)

    async def _turn(self, client: httpx.AsyncClient, conversation: int, number: int) -> None:
        name = f"matrix-{conversation}"
        body = {"message": f"order-{number}: describe wf_{name} anew.", "conversation_id": name, "mode": "modification"}
        if self.chance.random() < 0.05:
            await self._cancelled(client, number, {**body, "message": f"order-{number}: {_HELD}."})
            return
        is_followed = self.chance.random() < 0.25
        one, other = self.chance.sample(self.hosts, 2)
        second = self._followed if is_followed else self._sent
        await asyncio.gather(self._sent(client, one, number, body), second(client, other, number, body))

    async def _sent(self, client: httpx.AsyncClient, host: Host, number: int, body: JsonObject) -> None:
        """Send a message until it is answered, to another host each time."""
        until, answered = time.monotonic() + PATIENCE_SECONDS, None
        while time.monotonic() < until:
            try:
                answered = await client.post(f"{host.url}/chat", json=body, headers=_key(number))
            except httpx.HTTPError as error:
                self.answers[type(error).__name__] += 1
            else:
                self.answers[str(answered.status_code)] += 1
                if answered.status_code == 200:
                    self.replies.setdefault(number, set()).add(answered.json()["response"])
                    return
                if answered.status_code not in (409, 503):
                    raise RuntimeError(f"{number}: {answered.status_code} {answered.text[:500]}")
            await asyncio.sleep(0.1)
            host = self.chance.choice(self.hosts)
        raise RuntimeError(f"{number} was not answered: {answered.text[:300] if answered else None}")

    async def _followed(self, client: httpx.AsyncClient, host: Host, number: int, body: JsonObject) -> None:
        """Follow a message's stream to its end, at another host where one breaks."""
        for attempt in range(200):
            name = None
            with suppress(httpx.HTTPError):
                sending = client.stream("POST", f"{host.url}/chat/stream", json=body, headers=_key(number))
                async with sending as told:
                    async for line in told.aiter_lines():
                        name = line.removeprefix("event: ") if line.startswith("event: ") else name
                        if line.startswith("data: ") and name == "complete":
                            self.reattached["again" if attempt else "at once"] += 1
                            said = json.loads(line.removeprefix("data: "))["response"]
                            self.replies.setdefault(number, set()).add(said)
                            return
            await asyncio.sleep(0.1)
            host = self.chance.choice(self.hosts)
        raise RuntimeError(f"{number} was followed to no end")

    async def _cancelled(self, client: httpx.AsyncClient, number: int, body: JsonObject) -> None:
        """Send a message whose answer does not come, and cancel it at any host."""
        asked = asyncio.create_task(self._until_told(client, number, body))
        await self.provider.held.setdefault(number, asyncio.Event()).wait()
        status, began, host = None, time.monotonic(), self.hosts[0]
        while status != "cancelled":
            await asyncio.sleep(0.1)
            host = self.chance.choice([one for one in self.hosts if not one.is_struck] or self.hosts)
            with suppress(httpx.HTTPError, LookupError):
                talk = await client.get(f"{host.url}/conversations/{body['conversation_id']}")
                run_id = talk.json()["runs"][-1]["run_id"]
                began = time.monotonic()
                told = await client.post(f"{host.url}/runs/{run_id}/cancel")
                status = told.json().get("status")
        if not host.is_struck:
            self.cancels.append(time.monotonic() - began)
        self.cancelled.add(number)
        await asked

    async def _until_told(self, client: httpx.AsyncClient, number: int, body: JsonObject) -> None:
        """Send a message until a host says that it was cancelled."""
        while True:
            with suppress(httpx.HTTPError):
                host = self.chance.choice(self.hosts)
                told = await client.post(f"{host.url}/chat", json=body, headers=_key(number))
                if told.status_code == 409 and number in self.cancelled:
                    return
            await asyncio.sleep(0.1)

    async def run(self, conversations: int) -> JsonObject:
        """Have all turns under fire; return what came of it."""
        async with httpx.AsyncClient(timeout=30) as client:
            for number in range(conversations):
                workflow = {
                    "id": f"wf_matrix-{number}",
                    "name": f"Matrix {number}",
                    "steps": [{"id": "one", "name": "One"}],
                }
                url = self.hosts[0].url
                (await client.post(f"{url}/conversations", json={"id": f"matrix-{number}"})).raise_for_status()
                (await client.post(f"{url}/workflows", json=workflow)).raise_for_status()
        began = time.monotonic()
        arming = asyncio.create_task(self.arm())
        each = self.turns // conversations
        try:
            await asyncio.gather(*(self.talk(number, each) for number in range(conversations)))
        finally:
            arming.cancel()
        seconds = time.monotonic() - began
        return {"seconds": round(seconds), "turns": each * conversations, **await self._judged(conversations)}

    # What is to hold afterwards

    async def _judged(self, conversations: int) -> JsonObject:
        database = Database(DatabaseOptions(self.database))
        store = PostgresConversationStore(database)
        messages: Counter[int] = Counter()
        replies: Counter[int] = Counter()
        runs: dict[str, int] = {}
        for number in range(conversations):
            for event in await _events(store, f"matrix-{number}"):
                if isinstance(event, UserMessage) and event.run_id:
                    runs[event.run_id] = _order_in(event.content)
                    messages[runs[event.run_id]] += 1
                elif isinstance(event, AgentReply):
                    replies[runs[str(event.run_id)]] += 1
        made = Counter(
            int(json.loads(row["body"])["document"]["description"].removeprefix("state "))
            for row in await database.rows(of_all_tenants("SELECT body FROM workflow_version WHERE version > 1"))
        )
        await database.close()
        due = set(self.replies)
        finished = {(runs[run_id], step): at for (run_id, step), at in self.kept.items() if run_id in runs}
        again = [one for one in self.provider.asked if one[2] > finished.get(one[:2], one[2])]
        # Stopped between its look at the lease and the request: it cannot know.
        waking = [
            one
            for one in again
            if any(name == one[3] and at <= one[2] <= at + _WAKING_SECONDS for name, at in self.waking)
        ]
        late = [one for one in self.takeovers if one.is_late]
        slow = [one for one in self.takeovers if one.seconds > LEASE_SECONDS + SWEEP_SECONDS]
        return {
            "faults": sum(self.struck.values()),
            "by point and kind": {f"{point}, {kind}": n for (point, kind), n in sorted(self.struck.items())},
            "answers": dict(self.answers),
            "followed": dict(self.reattached),
            "messages lost": len(due - set(messages)),
            "messages doubled": _beyond_one(messages),
            "replies lost": len(due - set(replies)),
            "replies doubled": _beyond_one(replies),
            "replies that differ": sum(len(said) > 1 for said in self.replies.values()),
            "versions lost": len(due - set(made)),
            "versions doubled": _beyond_one(made),
            "finished model steps repeated": len(again) - len(waking),
            "asked again by a host stopped as it asked": len(waking),
            "model steps asked": len(self.provider.asked),
            "taken over": len(self.takeovers),
            "taken over late": len(late),
            "taken over late for want of a processor": len(slow) - len(late),
            "longest until taken over, s": round(max((one.seconds for one in self.takeovers), default=0.0), 2),
            "cancelled": len(self.cancels),
            "longest cancel, s": round(max(self.cancels, default=0.0), 2),
            "which steps were asked again": [
                f"order {one[0]} step {one[1]} by {one[3]}, {one[2] - finished[one[:2]]:.2f} s after it was kept"
                for one in again
            ],
            "which were taken over late": [
                f"{one.run_id} by {one.by} after {one.seconds:.2f} s, {one.starved_seconds:.2f} s of them starved"
                for one in slow
            ],
        }


def damage_in(told: JsonObject) -> JsonObject:
    """Return what was lost, doubled or made twice."""
    bad = ("lost", "doubled", "differ", "repeated")
    return {name: count for name, count in told.items() if name.endswith(bad) and count}


async def _without_row_security(url: str) -> None:
    """Let hosts of the release before work on a database: they name no tenant."""
    database = Database(DatabaseOptions(url))
    await database.rows("SELECT row_security_of_tenants(false)")
    await database.close()


async def _passed(_sent: Sent, _is_done: bool) -> bool:
    return True


def _waited_seconds(process: int) -> float:
    try:
        _, waited, _ = Path(f"/proc/{process}/schedstat").read_text().split()
    except OSError:
        return 0.0
    return int(waited) / 1e9


def _key(number: int) -> dict[str, str]:
    return {"Idempotency-Key": f"key-{number}"}


def _order_in(text: str) -> int:
    named = _ORDER.search(text)
    assert named is not None
    return int(named[1])


def _beyond_one(counted: Counter[int]) -> int:
    return sum(times - 1 for times in counted.values())


async def _events(store: PostgresConversationStore, conversation_id: str) -> list[Event]:
    talk = await store.load("default", conversation_id)
    events: list[Event] = []
    while len(events) < talk.sealed_events:
        part = await store.sealed("default", conversation_id, Position("event", len(events)))
        events += part.events
    return [*events, *talk.events]


@asynccontextmanager
async def a_matrix(
    turns: int, faults: int, hosts: int, seed: int, database: str, old_release: Path | None = None
) -> AsyncGenerator[Matrix]:
    """Give the hosts, ready for it."""
    provider = Provider([])
    # Left where it is: the logs tell why, should anything not hold.
    folder = Path(tempfile.mkdtemp(prefix="kill-matrix-"))
    async with served(provider):
        matrix = Matrix(turns, faults, random.Random(seed), provider, folder, database)
        provider.begun = matrix.at_the_model
        matrix.old_release = old_release
        if old_release is not None:
            await _without_row_security(database)
        matrix.redis = Redis.started()
        # A server that others use is left alone.
        away = {"PostgreSQL died"} if "WORKFLOW_AGENT_TEST_DATABASE_URL" in os.environ else set[str]()
        away |= set() if matrix.redis else {"Redis killed", "Redis emptied"}
        matrix.kinds = [kind for kind in KINDS if kind not in away]
        try:
            await matrix.begin(hosts)
            yield matrix
        finally:
            await matrix.end()


async def measured(
    turns: int,
    faults: int,
    hosts: int,
    conversations: int,
    seed: int,
    url: str,
    old_release: Path | None = None,
    pause_seconds: float = 0.0,
) -> JsonObject:
    """Return what came of turns under fire."""
    async with a_matrix(turns, faults, hosts, seed, url, old_release) as matrix:
        matrix.pause_seconds = pause_seconds
        return await matrix.run(conversations)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=int, default=2_000)
    options.add_argument("--faults", type=int, default=300)
    options.add_argument("--hosts", type=int, default=3)
    options.add_argument("--conversations", type=int, default=8)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--old-release", type=Path, help="a checkout of another release, for the last host")
    options.add_argument("--pause", type=float, default=0.0, help="seconds between one fault and the next")
    given = options.parse_args()
    asked = (given.turns, given.faults, given.hosts, given.conversations, given.seed)
    told = asyncio.run(measured(*asked, a_database_of_ones_own(), given.old_release, given.pause))
    print(json.dumps(told, indent=2))
    is_late = told["taken over late"] or told["longest cancel, s"] >= 1
    return 1 if damage_in(told) or is_late else 0


if __name__ == "__main__":
    raise SystemExit(main())
