"""What every store of small documents promises."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.postgres import an_empty_database
from tests.support.records import FakeRecords
from workflow_agent.errors import CorruptDocument
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.records import JsonRecords
from workflow_agent.storage.postgres.records import PostgresRecords
from workflow_agent.workflows.store import Records


@pytest.fixture(params=["memory", "json", "postgres"])
async def records(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Records]:
    if request.param == "postgres":
        async with an_empty_database() as database:
            yield PostgresRecords(database, "default")
    else:
        yield FakeRecords() if request.param == "memory" else JsonRecords(DurableFiles(tmp_path), "default")


async def test_a_document_is_kept_by_kind_and_id_until_it_is_removed(records: Records) -> None:
    await records.put("previews", "pv_b", {"at": 1})
    await records.put("previews", "pv_a", {"at": 2})
    await records.put("previews", "pv_b", {"at": 3})
    await records.put("webhooks", "pv_a", {"at": 4})

    assert list((await records.all("previews")).items()) == [("pv_a", {"at": 2}), ("pv_b", {"at": 3})]
    assert await records.get("previews", "pv_b") == {"at": 3}
    await records.remove("previews", "pv_b")
    await records.remove("previews", "pv_b")
    assert (await records.get("previews", "pv_b"), await records.all("outbox")) == (None, {})


@pytest.mark.parametrize("strange", ["../keys", "", "A", "x" * 200, "a/b"])
async def test_what_is_no_id_is_not_there(records: Records, strange: str) -> None:
    assert await records.get("previews", strange) is None
    await records.remove("previews", strange)


async def test_one_at_a_time_has_a_kind_alone(records: Records) -> None:
    inside: list[str] = []

    async def work(name: str) -> None:
        async with records.alone("outbox"):
            inside.append(name)
            await asyncio.sleep(0)
            inside.append(name)

    await asyncio.gather(*(work(name) for name in "abc"))

    assert [inside[at] == inside[at + 1] for at in (0, 2, 4)] == [True] * 3


async def test_a_document_that_does_not_parse_is_set_aside(tmp_path: Path) -> None:
    records = JsonRecords(DurableFiles(tmp_path), "default")
    await records.put("previews", "pv_a", {"at": 1})
    (tmp_path / "default" / "previews" / "pv_a.json").write_text("{")

    with pytest.raises(CorruptDocument, match="set aside"):
        await records.get("previews", "pv_a")

    assert await records.all("previews") == {}
