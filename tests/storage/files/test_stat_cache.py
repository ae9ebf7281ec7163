"""Values that hold as long as their file stays as it is."""

from pathlib import Path

from workflow_agent.storage.files.documents import StatCache
from workflow_agent.storage.files.file_system import FileState

A, B, C = Path("a.json"), Path("b.json"), Path("c.json")
STATE = FileState(inode=1, mtime_ns=10, size=3)


def test_a_value_is_given_out_for_its_state_alone() -> None:
    cache: StatCache[str] = StatCache(10)
    cache.put(A, STATE, "value")

    assert cache.get(A, STATE) == "value"
    for changed in (STATE._replace(inode=2), STATE._replace(mtime_ns=11), STATE._replace(size=4)):
        assert cache.get(A, changed) is None
    assert cache.get(B, STATE) is None


def test_the_least_recently_used_makes_room() -> None:
    cache: StatCache[str] = StatCache(5, len)
    cache.put(A, STATE, "aa")
    cache.put(B, STATE, "bb")
    cache.get(A, STATE)

    cache.put(C, STATE, "cc")

    assert [cache.get(path, STATE) for path in (A, B, C)] == ["aa", None, "cc"]


def test_a_value_too_large_for_the_cache_is_not_kept_and_replaces_what_was() -> None:
    cache: StatCache[str] = StatCache(5, len)
    cache.put(A, STATE, "small")

    cache.put(A, STATE._replace(mtime_ns=11), "too large")

    assert cache.get(A, STATE) is None


def test_a_dropped_value_is_gone() -> None:
    cache: StatCache[str] = StatCache(5)
    cache.put(A, STATE, "value")

    cache.drop(A)

    assert cache.get(A, STATE) is None
