"""What each counter of tenants' use promises: files of one machine, and Redis for several."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.redis import emptied, redis_url
from workflow_agent.conversations.quotas import DAY_SECONDS, UsageCounter
from workflow_agent.storage.files.records import FileUsageCounter
from workflow_agent.storage.redis import Redis


@pytest.fixture(params=["files", "redis"])
async def counters(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[UsageCounter, UsageCounter]]:
    """Give two processes' counters of the same use."""
    if request.param == "files":
        both: tuple[UsageCounter, UsageCounter] = FileUsageCounter(tmp_path), FileUsageCounter(tmp_path)
    else:
        emptied()
        one, other = (FileUsageCounter(tmp_path / name) for name in ("one", "other"))
        both = Redis(redis_url()).usage_counter(one), Redis(redis_url()).usage_counter(other)
    yield both
    for each in both:
        await each.close()


Counters = tuple[UsageCounter, UsageCounter]


async def test_turns_of_a_minute_are_counted_together(counters: Counters) -> None:
    here, there = counters

    begun = [await counter.begin("acme", f"t{at}", 2) for at, counter in enumerate((here, there, here))]

    assert [used.turn_wait_seconds for used in begun[:2]] == [0.0, 0.0]
    assert 50 < begun[2].turn_wait_seconds <= 60


async def test_a_turn_that_did_not_begin_leaves_its_room(counters: Counters) -> None:
    here, there = counters
    await here.begin("acme", "t1", 1)
    await there.give_back("acme", "t1")

    assert (await there.begin("acme", "t2", 1)).turn_wait_seconds == 0


async def test_what_is_spent_today_is_counted_together(counters: Counters) -> None:
    here, there = counters
    await here.spend("acme", 700, 0.1)
    await there.spend("acme", 300, 0.2)

    used = await here.begin("acme", "t1", None)

    assert (used.tokens, round(used.usd, 9)) == (1000, 0.3)
    assert 0 < used.day_left_seconds <= DAY_SECONDS


async def test_tenants_are_counted_apart(counters: Counters) -> None:
    here, there = counters
    await here.begin("acme", "t1", 1)
    await here.spend("acme", 5, 1.0)

    other = await there.begin("globex", "t1", 1)

    assert (other.turn_wait_seconds, other.tokens, other.usd) == (0, 0, 0)


async def test_a_file_forgets_the_last_minute_and_yesterday(tmp_path: Path) -> None:
    clock = [DAY_SECONDS * 20_000 - 61.0]
    counter = FileUsageCounter(tmp_path, lambda: clock[0])
    await counter.begin("acme", "t1", 1)
    await counter.spend("acme", 5, 1.0)
    clock[0] += 59
    full = await counter.begin("acme", "t2", 1)
    clock[0] += 2
    free = await counter.begin("acme", "t3", 1)

    assert (full.turn_wait_seconds, full.tokens, full.day_left_seconds) == (1.0, 5, 2.0)
    assert (free.turn_wait_seconds, free.tokens, free.usd) == (0.0, 0, 0.0)


@pytest.mark.parametrize("left", [b"", b'{"day": "x"', b"[]"])
async def test_a_file_that_does_not_parse_counts_anew(tmp_path: Path, left: bytes) -> None:
    (tmp_path / ".limits").mkdir()
    (tmp_path / ".limits" / "acme.json").write_bytes(left)

    assert (await FileUsageCounter(tmp_path).begin("acme", "t1", 1)).turn_wait_seconds == 0


async def test_without_redis_each_host_counts_for_itself(tmp_path: Path) -> None:
    counter = Redis("redis://127.0.0.1:1/0").usage_counter(FileUsageCounter(tmp_path))

    await counter.spend("acme", 5, 1.0)
    first, second = [await counter.begin("acme", name, 1) for name in ("t1", "t2")]
    await counter.give_back("acme", "t1")
    third = await counter.begin("acme", "t3", 1)
    await counter.close()

    assert (first.tokens, first.turn_wait_seconds, third.turn_wait_seconds) == (5, 0.0, 0.0)
    assert second.turn_wait_seconds > 50
