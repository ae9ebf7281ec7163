"""What a host was at when it died is finished by another, and nobody is asked twice for what was answered."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.postgres import a_database_of_ones_own
from tests.support.provider import CallsTools, Holds, ProviderStub, Says, provider_stub
from tests.support.server_process import ServerProcess, server_process

pytestmark = pytest.mark.slow
WORKFLOW = {"id": "wf_a", "name": "Expenses", "steps": [{"id": "one", "name": "One"}]}
RENAMING = json.dumps({"workflow": "wf_a", "edits": [{"op": "rename_workflow", "name": "Spending"}]})
BODY = {"message": "rename it", "conversation_id": "talk", "mode": "modification"}
KEYED = {"Idempotency-Key": "k1"}
Start = Callable[[str, ProviderStub], ServerProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return what starts a host of its own name on the database of this test."""
    url = a_database_of_ones_own()
    started: list[ServerProcess] = []

    def starting(name: str, provider: ProviderStub) -> ServerProcess:
        environment = {
            "WORKFLOW_AGENT_DATABASE_URL": url,
            "WORKFLOW_AGENT_HOST_LEASE_SECONDS": "2",
            "WORKFLOW_AGENT_MODEL": "openai:stub-1",
            "WORKFLOW_AGENT_MODEL_BASE_URL": provider.base_url,
            "WORKFLOW_AGENT_MODEL_API_KEY": "k",
            "WORKFLOW_AGENT_MODEL_ATTEMPTS": "1",
        }
        started.append(server_process(tmp_path / name, environment))
        return started[-1]

    yield starting
    for server in started:
        server.kill()


async def prepared(client: httpx.AsyncClient) -> None:
    (await client.post("/api/v1/conversations", json={"id": "talk"})).raise_for_status()
    (await client.post("/api/v1/workflows", json=WORKFLOW)).raise_for_status()


async def test_a_run_whose_host_is_killed_is_finished_from_its_journal(start: Start) -> None:
    lost, held = Holds(Says(["Never."])), Holds(Says(["Renamed."]))
    answers = [CallsTools([("edit_workflow", RENAMING)]), lost, held]
    async with provider_stub(*answers) as provider, asyncio.timeout(120):
        one, two = start("one", provider), start("two", provider)
        async with one.client() as here, two.client() as there:
            await prepared(here)
            asked = asyncio.create_task(here.post("/api/v1/chat", json=BODY, headers=KEYED))
            await lost.begun.wait()
            one.kill()
            await held.begun.wait()
            held.let.set()
            again = (await there.post("/api/v1/chat", json=BODY, headers=KEYED)).json()
            talk = (await there.get("/api/v1/conversations/talk")).json()
            versions = (await there.get("/api/v1/workflows/wf_a/versions")).json()
            with pytest.raises(httpx.HTTPError):
                await asked

    assert [event["type"] for event in talk["events"]] == ["user_message", "agent_reply"]
    assert [(run["status"], run["attempt"]) for run in talk["runs"]] == [("completed", 2)]
    assert again["response"] == "Renamed."
    assert sorted(one["version"] for one in versions["items"]) == [1, 2]
    # The step that was answered is not asked for again: only the one that hung.
    assert [len(request["messages"]) for request in provider.requests][1:] == [
        len(provider.requests[1]["messages"])
    ] * 2


async def test_a_run_is_cancelled_from_any_host(start: Start) -> None:
    held = Holds(Says(["Never."]))
    async with provider_stub(held, Says(["Hello."])) as provider, asyncio.timeout(120):
        one, two = start("one", provider), start("two", provider)
        async with one.client() as here, two.client() as there:
            await prepared(here)
            asked = asyncio.create_task(here.post("/api/v1/chat", json=BODY))
            await held.begun.wait()
            (run,) = (await there.get("/api/v1/conversations/talk")).json()["runs"]
            cancelled = await there.post(f"/api/v1/runs/{run['run_id']}/cancel")
            told = await asked
            following = await there.post("/api/v1/chat", json={**BODY, "message": "hello"})

    assert cancelled.json()["status"] == "cancelled"
    assert told.status_code == 409
    assert following.json()["response"] == "Hello."
