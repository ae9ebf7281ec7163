"""How many hosts, and what of the database, a load needs: what turns cost here, carried to a load and played by months.

    python -m benchmarks.capacity --conversations 10000000 --turns-a-second 1000 --months-kept 3

First turns are measured against a PostgreSQL of this process's own: processor time of the host and of the server, WAL,
bytes and dead rows by table. Then months are played: turns come in and go by retention, and each month says
what is needed and what no longer fits one server. What one server has is assumed, by options.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

import asyncpg
import uvloop
from pydantic import SecretStr

from benchmarks.measured.starting import processor_ms
from benchmarks.measured.workers import children_of
from benchmarks.reading_model import MESSAGE, ReadingModel
from workflow_agent.assistant.providers import Models
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.conversations.store import MessageQuery
from workflow_agent.main.composition import build
from workflow_agent.settings import Settings
from workflow_agent.storage.postgres.database import embedded_url

_MONTH = 30 * 86_400
_PEAK = 2.5
"""Times the mean that the busiest hour has: what is needed at peak is sized by it, what is kept by the mean."""
_FRAMES_A_SECOND = 1_000 / 75
"""Deltas of a run go to Redis in frames of 75 ms (docs/scaling.md, Live streams)."""
_TABLES = """
SELECT coalesce(parent.relname, one.relname) AS name, sum(pg_total_relation_size(one.oid))::bigint AS bytes,
       sum(pg_indexes_size(one.oid))::bigint AS indexes
FROM pg_class one
LEFT JOIN pg_inherits ON inhrelid = one.oid LEFT JOIN pg_class parent ON parent.oid = inhparent
WHERE one.relkind = 'r' AND one.relnamespace = current_schema()::regnamespace GROUP BY 1"""
_WRITTEN = """
SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal,
       (SELECT coalesce(sum(n_tup_upd + n_tup_del), 0) FROM pg_stat_user_tables) AS dead"""


@dataclass(frozen=True)
class Turn:
    """What one turn costs, by the mean of those measured."""

    host_ms: float
    """Processor time of the host's process."""
    database_ms: float
    """Processor time of all processes of PostgreSQL."""
    wal_bytes: float
    dead_rows: float
    stored_bytes: dict[str, float]
    """By table, with its indexes."""


@dataclass(frozen=True)
class Load:
    """What is asked for."""

    turns_a_second: float
    """By the mean of a month."""
    months_kept: float
    """How long a turn stays, by the retention that tenants set."""
    model_seconds: float
    """How long a reply streams."""


@dataclass(frozen=True)
class Server:
    """What one database server, one host and one Redis are taken to have."""

    processors: float
    wal_megabytes_a_second: float
    terabytes: float
    dead_rows_a_second: float
    """What autovacuum clears, with its cost limit raised."""
    host_processors: float
    frames_a_second: float
    """What one Redis takes."""


def needs(turn: Turn, load: Load, turns_kept: float, server: Server) -> dict[str, float]:
    """Return how much is needed of what one server has (1.0 is all of it), and how many hosts.

    Rates are those of the busiest hour.
    """
    peak = _PEAK * load.turns_a_second
    return {
        "hosts": peak * turn.host_ms / 1_000 / server.host_processors,
        "database processors": peak * turn.database_ms / 1_000 / server.processors,
        "WAL": peak * turn.wal_bytes / 1e6 / server.wal_megabytes_a_second,
        "vacuum": peak * turn.dead_rows / server.dead_rows_a_second,
        "storage": turns_kept * sum(turn.stored_bytes.values()) / 1e12 / server.terabytes,
        "message index": turns_kept * turn.stored_bytes.get("message", 0.0) / 1e12 / server.terabytes,
        "deltas": peak * load.model_seconds * _FRAMES_A_SECOND / server.frames_a_second,
    }


def months(turn: Turn, load: Load, server: Server, count: int) -> Iterator[dict[str, Any]]:
    """Yield what each month needs, from an empty database on: turns come at one rate, and go when they are old."""
    monthly = load.turns_a_second * _MONTH
    for month in range(1, count + 1):
        kept = monthly * min(month, load.months_kept)
        needed = needs(turn, load, kept, server)
        over = [name for name, share in needed.items() if name != "hosts" and share > 1]
        shares = {name: round(share, 2) for name, share in needed.items()}
        yield {"month": month, "turns kept": round(kept), "exceeded": over} | shares


async def measured(conversations: int, turns: int) -> Turn:
    """Return what turns cost: some conversations, each of some turns that read a workflow and answer."""
    with tempfile.TemporaryDirectory(prefix="workflow-agent-capacity-") as folder:
        database = Path(folder) / "postgres"
        url = embedded_url(database)
        settings = Settings(data_dir=Path(folder) / "data", samples=True, database_url=SecretStr(url))
        application = build(settings, Models("reading", {"reading": ReadingModel().model()}, window_tokens=128_000))
        await application.prepare()
        chat = application.services.chat
        line = await asyncpg.connect(url)
        schema = await line.fetchval("SELECT schemaname FROM pg_tables WHERE tablename = 'conversation_item'")
        await line.execute(f"SET search_path TO {schema}")

        async def talk() -> None:
            conversation: str | None = None
            for _ in range(turns):
                started = await chat.start("default", TurnRequest(message=MESSAGE, conversation_id=conversation))
                await started.outcome()
                await chat.worker.runner.compactor.settled()
                conversation = started.conversation_id

        await talk()
        tables, written = await _figures(line)
        spent, served = process_time(), _served_ms(database)
        for _ in range(conversations):
            await talk()
        # Messages are taken into their index by whoever searches.
        await application.services.conversations.find("default", MessageQuery(text=MESSAGE))
        await application.finish()
        spent, served = process_time() - spent, _served_ms(database) - served
        later, rewritten = await _figures(line)
        await line.close()
        await asyncio.to_thread(application.close)
    count = conversations * turns
    return Turn(
        host_ms=1_000 * spent / count,
        database_ms=served / count,
        wal_bytes=float(rewritten["wal"] - written["wal"]) / count,
        dead_rows=float(rewritten["dead"] - written["dead"]) / count,
        stored_bytes={name: (bytes_ - tables[name]) / count for name, bytes_ in later.items() if bytes_ > tables[name]},
    )


async def _figures(line: asyncpg.Connection) -> tuple[dict[str, int], asyncpg.Record]:
    await line.execute("VACUUM")
    await line.execute("SELECT pg_stat_force_next_flush()")
    tables = {row["name"]: row["bytes"] for row in await line.fetch(_TABLES)}
    return tables, await line.fetchrow(_WRITTEN)


def _served_ms(database: Path) -> float:
    """Return the processor time of a server's processes that run, and of those that it has waited for."""
    postmaster = int((database / "postmaster.pid").read_text("utf-8").split()[0])
    return processor_ms(postmaster, with_ended=True) + sum(map(processor_ms, children_of(postmaster)))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--conversations", type=int, default=10_000_000, help="kept at any time")
    options.add_argument("--turns-a-second", type=float, default=1_000, help="by the mean of a month")
    options.add_argument("--months-kept", type=float, default=3, help="that a turn stays")
    options.add_argument("--model-seconds", type=float, default=8, help="that a reply streams")
    options.add_argument("--months", type=int, default=6)
    options.add_argument("--measured", default="20x25", help="conversations x turns that are measured")
    options.add_argument("--processors", type=float, default=32, help="of the database server")
    options.add_argument("--wal", type=float, default=300, help="megabytes a second that its disk takes")
    options.add_argument("--terabytes", type=float, default=16, help="of its storage")
    options.add_argument("--dead-rows", type=float, default=20_000, help="a second that autovacuum clears")
    options.add_argument("--host-processors", type=float, default=4)
    options.add_argument("--frames", type=float, default=200_000, help="a second that one Redis takes")
    given = options.parse_args()
    conversations, turns = map(int, given.measured.split("x"))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        turn = runner.run(measured(conversations, turns))
    load = Load(given.turns_a_second, given.months_kept, given.model_seconds)
    server = Server(given.processors, given.wal, given.terabytes, given.dead_rows, given.host_processors, given.frames)
    played = [*months(turn, load, server, given.months)]
    each = played[-1]["turns kept"] / given.conversations
    print(json.dumps({"a turn": asdict(turn), "turns a conversation": round(each), "months": played}, indent=2))


if __name__ == "__main__":
    main()
