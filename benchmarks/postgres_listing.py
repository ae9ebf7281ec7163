"""How long PostgreSQL takes for the newest 50 of many conversations, and for the 50 before a place among them.

    python -m benchmarks.postgres_listing --conversations 50000

What is timed is the statement as the server runs it (`EXPLAIN (ANALYZE)`, its execution time): planning and the way
there and back are not in it. The median of twenty is told.
"""

import argparse
import asyncio
import json
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import asyncpg

from tests.support.postgres import a_database_of_ones_own
from workflow_agent.conversations.document import Conversation
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.database import Database, DatabaseOptions, change_of_all_tenants
from workflow_agent.storage.postgres.message_search import NEWEST

_TENANT = "acme"
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_PAGE = 50
_COLUMNS = """version, saves, head, title, title_folded, phase, turns, bound_workflow_id, created_at"""
_COPIES = change_of_all_tenants(f"""INSERT INTO conversation (tenant, id, updated_at, {_COLUMNS})
    SELECT tenant, 'copy-' || number, updated_at + make_interval(secs => number), {_COLUMNS}
    FROM conversation, generate_series(1, $1::int - 1) AS number""")  # noqa: S608 - of constants


async def _measured(url: str, count: int) -> dict[str, float]:
    database = Database(DatabaseOptions(url))
    await database.migrate()
    talk = Conversation(id="first", tenant=_TENANT, created_at=_BEGAN, updated_at=_BEGAN)
    await PostgresConversationStore(database).create(talk)
    await database.rows(_COPIES, count)
    await database.close()
    connection = await asyncpg.connect(url)
    await connection.execute("ANALYZE")
    places = {"the newest": _BEGAN + timedelta(days=365), "from the middle": _BEGAN + timedelta(seconds=count / 2)}
    told = {name: await _median_ms(connection, place) for name, place in places.items()}
    await connection.close()
    return told


async def _median_ms(connection: "asyncpg.Connection[asyncpg.Record]", before: datetime) -> float:
    taken: list[float] = []
    for _ in range(20):
        values: tuple[Any, ...] = (_TENANT, before, "", _PAGE + 1)
        plan = json.loads(await connection.fetchval(f"EXPLAIN (ANALYZE, FORMAT JSON) {NEWEST}", *values))
        assert plan[0]["Plan"]["Actual Rows"] == _PAGE + 1
        taken.append(plan[0]["Execution Time"])
    return median(taken)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--conversations", type=int, default=50_000)
    count = options.parse_args().conversations
    told = asyncio.run(_measured(a_database_of_ones_own(), count))
    print(json.dumps({f"{_PAGE} of {count}, {name}, ms": round(ms, 3) for name, ms in told.items()}, indent=2))


if __name__ == "__main__":
    main()
