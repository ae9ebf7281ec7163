"""Idempotency keys: what each stands for, across restarts, until it is old."""

import asyncio
from pathlib import Path

import pytest

from workflow_agent.errors import IdempotencyMismatch
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.records import JsonIdempotencyKeys


def keys(root: Path, kept_seconds: float = 60, tenant: str = "default") -> JsonIdempotencyKeys:
    return JsonIdempotencyKeys(DurableFiles(root), tenant, kept_seconds)


def names_in(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


async def test_a_key_stands_for_what_it_was_first_sent_for(tmp_path: Path) -> None:
    first = await keys(tmp_path).claim("k", "request", "a")
    again = await keys(tmp_path).claim("k", "request", "b")

    assert (first.resource_id, first.is_first) == ("a", True)
    assert (again.resource_id, again.is_first) == ("a", False)


async def test_a_key_is_good_for_one_request(tmp_path: Path) -> None:
    store = keys(tmp_path)
    await store.claim("k", "request", "a")

    with pytest.raises(IdempotencyMismatch, match="'k' was used for a different request"):
        await store.claim("k", "other", "a")


async def test_tenants_do_not_share_keys(tmp_path: Path) -> None:
    await keys(tmp_path, tenant="one").claim("k", "request", "a")

    assert (await keys(tmp_path, tenant="two").claim("k", "other", "b")).is_first


async def test_a_released_key_is_free(tmp_path: Path) -> None:
    store = keys(tmp_path)
    await store.claim("k", "request", "a")

    await store.release("k")

    assert (await store.claim("k", "other", "b")).is_first


async def test_of_many_at_once_one_is_first(tmp_path: Path) -> None:
    stores = [keys(tmp_path) for _ in range(4)]

    claims = await asyncio.gather(
        *(store.claim("k", "request", f"{n}-{m}") for n, store in enumerate(stores) for m in range(4))
    )

    assert sum(claim.is_first for claim in claims) == 1
    assert len({claim.resource_id for claim in claims}) == 1


@pytest.mark.parametrize("key", ["../../x", "a" * 255, "%00", "CON", "é\n"])
async def test_any_text_is_a_key_and_none_is_a_path(tmp_path: Path, key: str) -> None:
    await keys(tmp_path / "data").claim(key, "request", "a")

    assert names_in(tmp_path) == ["data"]
    assert len(names_in(tmp_path / "data" / "default" / "keys")) == 1


async def test_an_old_key_is_forgotten(tmp_path: Path) -> None:
    await keys(tmp_path).claim("old", "request", "a")
    forgetful = keys(tmp_path, kept_seconds=-1)

    assert (await forgetful.claim("old", "other", "b")).is_first
    assert await forgetful.sweep() == 1
    assert await keys(tmp_path).sweep() == 0


async def test_sweeping_keeps_what_is_young(tmp_path: Path) -> None:
    await keys(tmp_path).claim("k", "request", "a")

    assert await keys(tmp_path).sweep() == 0
    assert not (await keys(tmp_path).claim("k", "request", "b")).is_first
