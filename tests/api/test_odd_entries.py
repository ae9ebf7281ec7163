"""What an operator, a backup or a full disk does to a data directory, seen over HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.failing_files import FailingFileSystem, plant_odd
from workflow_agent.errors import StorageFailed
from workflow_agent.main.application import Application
from workflow_agent.storage.files.durable import DurableFiles

CHECK = {"name": "Credit check", "steps": [{"id": "check", "name": "Check"}]}


def is_there(path: Path) -> bool:
    return path.exists()


@contextmanager
def gone(directory: Path) -> Iterator[None]:
    aside = directory.rename(directory.with_name("unmounted"))
    try:
        yield
    finally:
        aside.rename(directory)


@contextmanager
def standing_in_for(directory: Path) -> Iterator[None]:
    directory.mkdir()
    try:
        yield
    finally:
        directory.rmdir()


@pytest.mark.files
async def test_odd_entries_cost_only_themselves_and_are_named(client: httpx.AsyncClient, tmp_path: Path) -> None:
    for request in (
        client.post("/api/v1/conversations", json={"id": "sound", "title": "credit"}),
        client.post("/api/v1/chat", json={"message": "credit check?", "conversation_id": "sound"}),
        client.post("/api/v1/workflows", json=CHECK),
    ):
        (await request).raise_for_status()
    odd = plant_odd(tmp_path / "default" / "conversations", "cv_%s.json")
    plant_odd(tmp_path / "default" / "workflows", "wf_%s.json")
    plant_odd(tmp_path / "default" / "keys", "%s.json")

    asked = {
        path: await client.get(path)
        for path in (
            "/ready",
            "/api/v1/conversations",
            "/api/v1/conversations?q=credit",
            "/api/v1/search/messages?q=credit",
            "/api/v1/workflows",
            "/api/v1/workflows?q=credit",
        )
    }
    by_name = await client.get("/api/v1/conversations/cv_pipe")
    made = await client.post("/api/v1/workflows", json=CHECK | {"name": "Other"}, headers={"Idempotency-Key": "k"})

    assert {path: answer.status_code for path, answer in asked.items()} == dict.fromkeys(asked, 200)
    names = sorted(str(path.relative_to(tmp_path)) for path in odd)
    assert asked["/ready"].json()["unreadable"] == names
    listed = asked["/api/v1/conversations"].json()
    assert ([one["id"] for one in listed["items"]], listed["unreadable"]) == (["sound"], names)
    assert all(answer.json()["items"] for path, answer in asked.items() if path != "/ready")
    assert (by_name.status_code, by_name.json()["code"]) == (503, "storage_failed")
    assert "cv_pipe.json" in by_name.json()["detail"]
    assert made.status_code == 201


@pytest.mark.files
async def test_a_server_starts_over_odd_entries(application: Application, tmp_path: Path) -> None:
    for folder, pattern in (("keys", "%s.json"), ("conversations", "cv_%s.deleting"), ("workflows", "wf_%s.json")):
        plant_odd(tmp_path / "default" / folder, pattern)
    (tmp_path / "default" / "keys" / "cut.json").write_bytes(b"{")

    await application.prepare()

    assert not is_there(tmp_path / "default" / "keys" / "cut.json")


@pytest.mark.files
async def test_a_data_directory_that_is_gone_is_no_empty_one(
    client: httpx.AsyncClient, tmp_path: Path, application: Application
) -> None:
    (await client.post("/api/v1/conversations", json={"id": "known"})).raise_for_status()
    before = await client.get("/ready")
    with gone(tmp_path):
        answers = [
            await client.get("/ready"),
            await client.get("/api/v1/conversations/known"),
            await client.get("/api/v1/conversations"),
            await client.get("/api/v1/workflows/wf_any"),
            await client.get("/api/v1/workflows"),
            await client.post("/api/v1/conversations", json={"id": "new"}),
            await client.post("/api/v1/chat", json={"message": "hi"}),
        ]
        was_made_again = is_there(tmp_path)
        with standing_in_for(tmp_path):
            replaced = await client.get("/ready")
    after = await client.get("/ready")

    assert (before.status_code, after.status_code) == (200, 200)
    assert [(answer.status_code, answer.json()["code"]) for answer in [*answers, replaced]] == [
        (503, "storage_failed")
    ] * 8
    assert not was_made_again


@pytest.mark.files
@pytest.mark.parametrize("number", [pytest.param(28, id="full"), pytest.param(30, id="read-only")])
def test_a_disk_that_takes_nothing_fails_the_probe(tmp_path: Path, number: int) -> None:
    files = DurableFiles(tmp_path, file_system=FailingFileSystem(lambda _, name, __: name == "write", number))

    with pytest.raises(StorageFailed, match="disk is"):
        files.probe()

    assert list(tmp_path.iterdir()) == []
