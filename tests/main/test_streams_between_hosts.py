"""A run is followed at another host, over a real Redis, also when its own host is killed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from pathlib import Path

import httpx
import pytest

pytest.importorskip("redis", reason="the extra `redis` is not installed")

from tests.support.postgres import a_database_of_ones_own
from tests.support.provider import CallsTools, Holds, ProviderStub, Says, provider_stub
from tests.support.redis import emptied, redis_url
from tests.support.server_process import ServerProcess, server_process

pytestmark = pytest.mark.slow(is_never_quick=True)
BODY = {"message": "which ones are there?", "conversation_id": "talk", "mode": "search"}
LOOKS = CallsTools([("list_workflows", "{}")])
Start = Callable[[str, ProviderStub], ServerProcess]
Told = tuple[int, str]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return what starts a host of its own name."""
    url, redis = a_database_of_ones_own(), redis_url()
    emptied()
    started: list[ServerProcess] = []

    def starting(name: str, provider: ProviderStub) -> ServerProcess:
        environment = {
            "WORKFLOW_AGENT_DATABASE_URL": url,
            "WORKFLOW_AGENT_HOST_LEASE_SECONDS": "2",
            "WORKFLOW_AGENT_REDIS_URL": redis,
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


async def followed(client: httpx.AsyncClient, run_id: str, after: int = 0) -> AsyncIterator[Told]:
    headers = {"Last-Event-ID": str(after)}
    async with client.stream("GET", f"/api/v1/runs/{run_id}/stream", headers=headers) as answer:
        number = 0
        async for line in answer.aiter_lines():
            if line.startswith("id: "):
                number = int(line.removeprefix("id: "))
            if line.startswith("event: "):
                yield number, line.removeprefix("event: ")


async def begun(client: httpx.AsyncClient) -> str:
    (run,) = (await client.get("/api/v1/conversations/talk")).json()["runs"]
    return str(run["run_id"])


async def test_what_a_run_does_is_followed_at_another_host(start: Start) -> None:
    held = Holds(Says(["None ", "yet."]))
    async with provider_stub(LOOKS, held) as provider, asyncio.timeout(120):
        one, two = start("one", provider), start("two", provider)
        async with one.client() as here, two.client() as there:
            (await here.post("/api/v1/conversations", json={"id": "talk"})).raise_for_status()
            asked = asyncio.create_task(here.post("/api/v1/chat", json=BODY))
            await held.begun.wait()
            names: list[str] = []
            async with aclosing(followed(there, await begun(there))) as told:
                async for _, name in told:
                    names.append(name)
                    if name == "tool_result":
                        # Nothing of it was the end: the model has not answered.
                        held.let.set()
            reply = (await asked).json()

    assert names[:4] == ["start", "mode", "tool_call", "tool_result"]
    assert names[-2:] == ["context", "complete"]
    assert "delta" in names
    assert reply["response"] == "None yet."


async def test_whoever_follows_a_run_of_a_host_that_is_killed_sees_its_end(start: Start) -> None:
    lost, held = Holds(Says(["Never."])), Holds(Says(["None yet."]))
    async with provider_stub(LOOKS, lost, held) as provider, asyncio.timeout(120):
        one, two = start("one", provider), start("two", provider)
        async with one.client() as here, two.client() as there:
            (await here.post("/api/v1/conversations", json={"id": "talk"})).raise_for_status()
            asked = asyncio.create_task(here.post("/api/v1/chat", json=BODY))
            await lost.begun.wait()
            seen: list[Told] = []
            async with aclosing(followed(there, await begun(there))) as told:
                async for event in told:
                    seen.append(event)
                    if event[1] == "tool_result" and not held.let.is_set():
                        one.kill()
                        held.let.set()
            with pytest.raises(httpx.HTTPError):
                await asked

    numbers, names = zip(*seen, strict=True)
    assert names.count("complete") == 1
    assert names[-1] == "complete"
    assert "error" not in names
    assert list(numbers) == sorted(set(numbers))


async def test_without_redis_the_reply_comes_all_the_same(start: Start) -> None:
    held = Holds(Says(["None yet."]))
    async with provider_stub(LOOKS, held) as provider, asyncio.timeout(120):
        one, two = start("one", provider), start("two", provider)
        async with one.client() as here, two.client() as there:
            (await here.post("/api/v1/conversations", json={"id": "talk"})).raise_for_status()
            asked = asyncio.create_task(here.post("/api/v1/chat", json=BODY))
            await held.begun.wait()
            names: list[str] = []
            async with aclosing(followed(there, await begun(there))) as told:
                async for _, name in told:
                    names.append(name)
                    if name == "tool_result":
                        emptied()
                        held.let.set()
            reply = (await asked).json()

    assert names[-1] == "complete"
    assert reply["response"] == "None yet."
