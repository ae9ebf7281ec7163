"""What the cache of costly values promises, switched on and off."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from workflow_agent.values.caches import CacheKey, TtlCache


class HandClock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def cache(clock: HandClock) -> TtlCache[str]:
    return TtlCache(max_entries=2, ttl_seconds=300, clock=clock)


def key(workflow_id: str = "wf_a", version: int = 1, tenant: str = "acme") -> CacheKey:
    return CacheKey(tenant, workflow_id, version)


def unexpected() -> str:
    raise AssertionError("loaded although it was there")


def test_a_value_is_loaded_once(cache: TtlCache[str]) -> None:
    loaded = cache.get_or_load(key(), lambda: "outline")

    assert cache.get_or_load(key(), unexpected) == loaded == "outline"


def test_a_new_version_is_loaded_at_once(cache: TtlCache[str]) -> None:
    cache.get_or_load(key(version=1), lambda: "old")

    assert cache.get_or_load(key(version=2), lambda: "new") == "new"


def test_tenants_do_not_share_values(cache: TtlCache[str]) -> None:
    cache.get_or_load(key(tenant="acme"), lambda: "ours")

    assert cache.get_or_load(key(tenant="umbrella"), lambda: "theirs") == "theirs"


def test_a_value_of_none_is_kept_too(clock: HandClock) -> None:
    cache: TtlCache[str | None] = TtlCache(max_entries=2, ttl_seconds=300, clock=clock)
    cache.get_or_load(key(), lambda: None)

    assert cache.get_or_load(key(), unexpected) is None


@pytest.mark.parametrize(("seconds", "value"), [(299.9, "old"), (300.0, "new")])
def test_a_value_is_kept_for_its_time(cache: TtlCache[str], clock: HandClock, seconds: float, value: str) -> None:
    cache.get_or_load(key(), lambda: "old")
    clock.seconds = seconds

    assert cache.get_or_load(key(), lambda: "new") == value


def test_the_least_recently_used_value_makes_room(cache: TtlCache[str]) -> None:
    for name in ("wf_a", "wf_b", "wf_a", "wf_c"):
        cache.get_or_load(key(name), lambda name=name: name)

    assert cache.get_or_load(key("wf_a"), unexpected) == "wf_a"
    assert cache.get_or_load(key("wf_b"), lambda: "loaded again") == "loaded again"


def test_a_failed_load_is_not_kept(cache: TtlCache[str]) -> None:
    with pytest.raises(AssertionError):
        cache.get_or_load(key(), unexpected)

    assert cache.get_or_load(key(), lambda: "now") == "now"


def test_a_cleared_cache_loads_again(cache: TtlCache[str]) -> None:
    cache.get_or_load(key(), lambda: "old")

    cache.clear()

    assert cache.get_or_load(key(), lambda: "new") == "new"


@pytest.mark.parametrize(
    ("max_entries", "ttl_seconds"), [pytest.param(0, 300.0, id="no entries"), pytest.param(2, 0.0, id="no time")]
)
def test_a_cache_that_is_off_always_loads(max_entries: int, ttl_seconds: float) -> None:
    cache: TtlCache[int] = TtlCache(max_entries=max_entries, ttl_seconds=ttl_seconds)
    numbers = count()

    assert [cache.get_or_load(key(), lambda: next(numbers)) for _ in range(3)] == [0, 1, 2]
    statistics = cache.statistics()
    assert (statistics.hits, statistics.misses, statistics.size) == (0, 3, 0)


def test_the_statistics_tell_how_it_went(cache: TtlCache[str], clock: HandClock) -> None:
    for name in ("wf_a", "wf_a", "wf_b", "wf_c"):
        cache.get_or_load(key(name), lambda: "value")
    clock.seconds = 400.0
    cache.get_or_load(key("wf_d"), lambda: "value")

    assert cache.statistics().as_dict() == {
        "hits": 1,
        "misses": 4,
        "evictions": 1,
        "size": 1,
        "max_entries": 2,
        "ttl_seconds": 300,
    }


def test_a_value_that_was_made_elsewhere_is_put_and_found(cache: TtlCache[str]) -> None:
    before = cache.get(key())
    cache.put(key(), "made")

    assert (before, cache.get(key())) == (None, "made")
    assert (cache.statistics().hits, cache.statistics().misses) == (1, 1)


def test_threads_may_share_it() -> None:
    cache: TtlCache[int] = TtlCache(max_entries=5, ttl_seconds=300)

    def use(number: int) -> bool:
        return cache.get_or_load(key(f"wf_{number % 9}"), lambda: number % 9) == number % 9

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(use, range(2_000)))
    statistics = cache.statistics()
    assert (statistics.hits + statistics.misses, statistics.size) == (2_000, 5)
