"""What every cache promises."""

from dataclasses import dataclass, field

import pytest

from workflow_agent.storage.files.caches import InMemoryCache
from workflow_agent.values.caches import CacheBackend


@dataclass
class Clock:
    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Kept:
    """A cache for three values, and its clock."""

    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.cache: CacheBackend = InMemoryCache(3, clock=self.clock)


@pytest.fixture(params=["memory"])
def kept(request: pytest.FixtureRequest) -> Kept:
    return Kept()


async def test_a_value_is_there_until_its_time_is_over(kept: Kept) -> None:
    await kept.cache.set("a", b"\x00one", ttl_seconds=10)

    assert await kept.cache.get("a") == b"\x00one"
    kept.clock.seconds = 10
    assert await kept.cache.get("a") is None


async def test_a_new_value_takes_the_place_and_the_time_of_the_old_one(kept: Kept) -> None:
    await kept.cache.set("a", b"one", ttl_seconds=10)
    await kept.cache.set("a", b"two", ttl_seconds=20)
    kept.clock.seconds = 15

    assert await kept.cache.get("a") == b"two"


@pytest.mark.parametrize("ttl_seconds", [0, -1])
async def test_without_time_nothing_is_kept(kept: Kept, ttl_seconds: float) -> None:
    await kept.cache.set("a", b"one", ttl_seconds)

    assert await kept.cache.get("a") is None


async def test_what_is_deleted_is_gone_and_deleting_again_is_fine(kept: Kept) -> None:
    await kept.cache.set("a", b"one", ttl_seconds=10)

    await kept.cache.delete("a")
    await kept.cache.delete("a")

    assert await kept.cache.get("a") is None


async def test_the_least_recently_used_value_makes_way(kept: Kept) -> None:
    for key in "abc":
        await kept.cache.set(key, key.encode(), ttl_seconds=10)
    await kept.cache.get("a")

    await kept.cache.set("d", b"d", ttl_seconds=10)

    assert [await kept.cache.get(key) for key in "abcd"] == [b"a", None, b"c", b"d"]
    assert kept.cache.evictions == 1


async def test_what_ran_out_of_time_is_no_eviction(kept: Kept) -> None:
    for key in "abc":
        await kept.cache.set(key, key.encode(), ttl_seconds=10)
    kept.clock.seconds = 11

    await kept.cache.set("d", b"d", ttl_seconds=10)

    assert kept.cache.evictions == 0
