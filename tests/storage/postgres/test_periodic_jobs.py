"""Work that comes round is done by one host of all, and a stalled one is replaced."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.support.postgres import an_empty_database
from workflow_agent.storage.postgres.database import Database
from workflow_agent.storage.postgres.leases import PostgresPeriodicJobs


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    async with an_empty_database() as opened:
        yield opened


async def one() -> int:
    return 1


async def test_of_many_hosts_that_look_at_once_one_does_the_job(database: Database) -> None:
    hosts = [PostgresPeriodicJobs(database) for _ in range(8)]

    done = await asyncio.gather(*(host.run("sweep", 600, one) for host in hosts))

    assert sorted(done, key=str) == [1, *[None] * 7]
    assert await hosts[0].run("sweep", 600, one) is None
    assert await hosts[0].run("another", 600, one) == 1


async def test_it_comes_round_when_it_is_due_again(database: Database) -> None:
    jobs = PostgresPeriodicJobs(database)

    assert [await jobs.run("sweep", 0, one) for _ in range(3)] == [1, 1, 1]


async def test_the_job_of_a_host_that_stalls_is_taken_by_another(database: Database) -> None:
    taken = "INSERT INTO periodic_job VALUES ($1, now(), clock_timestamp() + make_interval(secs => $2), 'other host')"
    await database.rows(taken, "stalled", -1.0)
    await database.rows(taken, "under way", 60.0)
    jobs = PostgresPeriodicJobs(database)

    assert await jobs.run("stalled", 600, one) == 1
    assert await jobs.run("under way", 600, one) is None


async def test_a_long_job_keeps_its_lease(database: Database) -> None:
    begun, let = asyncio.Event(), asyncio.Event()

    async def waits() -> int:
        begun.set()
        await let.wait()
        return 1

    long = asyncio.create_task(PostgresPeriodicJobs(database, lease_seconds=0.3).run("sweep", 600, waits))
    await begun.wait()
    found = [await PostgresPeriodicJobs(database).run("sweep", 600, one) for _ in range(100)]
    let.set()

    assert set(found) == {None}
    assert await long == 1


async def test_a_job_that_fails_is_due_at_once(database: Database) -> None:
    async def fails() -> int:
        raise ValueError("no")

    jobs = PostgresPeriodicJobs(database)
    with pytest.raises(ValueError, match="no"):
        await jobs.run("sweep", 600, fails)

    assert await jobs.run("sweep", 600, one) == 1
