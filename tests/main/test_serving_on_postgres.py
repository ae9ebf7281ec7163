"""The server on a real PostgreSQL: what is said on one host is there on every other."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.asking import events_of
from tests.support.postgres import a_database_of_ones_own, without_connections
from tests.support.server_process import server_process

pytestmark = pytest.mark.slow
CHAT = "/api/v1/chat"


@asynccontextmanager
async def a_host(data: Path, url: str, **settings: str) -> AsyncIterator[httpx.AsyncClient]:
    """Run a server on a database, and give a client of it."""
    server = server_process(data, {"WORKFLOW_AGENT_DATABASE_URL": url, **settings})
    try:
        async with server.client() as client:
            yield client
    finally:
        server.process.terminate()
        with server.process:
            assert server.process.wait(30) == 0


@pytest.fixture
def url() -> str:
    return a_database_of_ones_own()


async def test_what_one_host_stored_another_reads_changes_and_undoes(tmp_path: Path, url: str) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    async with a_host(here, url) as one, a_host(there, url) as other:
        order = "Create an expense approval: submit, review, pay."
        told = (await one.post(CHAT, json={"message": order})).json()
        talk, (touched, *_) = told["conversation_id"], told["workflows_touched"]
        again = await other.post(
            f"{CHAT}/stream", json={"message": "Add a step Archive receipt at the end.", "conversation_id": talk}
        )
        path = f"/api/v1/workflows/{touched['id']}"
        versions = (await one.get(f"{path}/versions")).json()
        undone = await one.post(f"{path}/versions/1/restore", headers={"If-Match": '"2"'})
        listed = (await other.get("/api/v1/conversations", params={"q": "archive RECEIPT"})).json()
        found = (await other.get("/api/v1/workflows", params={"q": "expense"})).json()
        talked = (await one.get(f"/api/v1/conversations/{talk}")).json()
        ready = [(await client.get("/ready")).status_code for client in (one, other)]

    assert [name for _, name, _ in events_of(again.text)][-1] == "complete"
    assert sorted(one["version"] for one in versions["items"]) == [1, 2]
    assert undone.status_code == 200
    assert [one["id"] for one in listed["items"]] == [talk]
    assert found["items"][0]["id"] == touched["id"]
    assert [event["type"] for event in talked["events"]] == ["user_message", "agent_reply"] * 2
    assert ready == [200, 200]
    assert list(tmp_path.rglob("*.json")) == []  # noqa: ASYNC240 - nothing else runs here any more


async def test_a_host_without_its_database_says_503_and_goes_on_when_it_is_back(tmp_path: Path, url: str) -> None:
    settings = {"WORKFLOW_AGENT_DATABASE_PATIENCE_SECONDS": "1"}
    async with a_host(tmp_path, url, **settings) as client:
        told = (await client.post(CHAT, json={"message": "hello"})).json()
        address = f"/api/v1/conversations/{told['conversation_id']}"
        async with without_connections(url):
            away = [await client.get(address), await client.post(CHAT, json={"message": "anybody there?"})]
        back = await client.get(address)

    assert [(answer.status_code, answer.json()["code"]) for answer in away] == [(503, "storage_failed")] * 2
    assert (back.status_code, len(back.json()["events"])) == (200, 2)
