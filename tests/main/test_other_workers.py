"""What operators see of a server with several workers: all of them, whichever answers."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing
from pathlib import Path

import httpx
import pytest

from workflow_agent.main.application import Application
from workflow_agent.main.composition import build
from workflow_agent.main.workers import WorkerSlot, new_group
from workflow_agent.settings import load_settings


@pytest.fixture
async def workers(tmp_path: Path) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Return a client of each of two workers of one server; a worker of another server is on the data too."""
    group, clients = new_group(), []
    async with AsyncExitStack() as stack:
        for slot in (WorkerSlot(group, 1), WorkerSlot(group, 2), WorkerSlot(new_group(), 3)):
            application = stack.enter_context(closing(build(load_settings(data_dir=tmp_path), slot=slot)))
            await application.listen()
            stack.push_async_callback(application.finish)
            clients.append(await stack.enter_async_context(client_of(application)))
        yield clients[:2]


def client_of(application: Application) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(application.app)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60)


async def test_each_figure_says_which_worker_it_is_of(workers: list[httpx.AsyncClient]) -> None:
    for client in workers:
        (await client.post("/api/v1/chat", json={"message": "hello"})).raise_for_status()

    told = (await workers[0].get("/metrics")).text.splitlines()
    openmetrics = await workers[1].get("/metrics", headers={"Accept": "application/openmetrics-text"})

    counted = sorted(line.partition(" ")[0] for line in told if line.startswith("workflow_agent_turns_total"))
    assert counted == [
        f'workflow_agent_turns_total{{mode="general",outcome="completed",worker="{number}"}}' for number in (1, 2)
    ]
    assert sum(line.startswith("# TYPE workflow_agent_turns") for line in told) == 1
    assert openmetrics.text.endswith("# EOF\n")


async def test_records_and_caches_are_those_of_all_workers(workers: list[httpx.AsyncClient]) -> None:
    talks = [
        (await client.post("/api/v1/chat", json={"message": "hello"})).json()["conversation_id"]
        for client in (*workers, workers[0])
    ]

    records = (await workers[1].get("/api/v1/telemetry/tokens", params={"limit": 2})).json()["items"]
    caches = [(await client.get("/api/v1/telemetry/caches")).json()["caches"] for client in workers]

    assert [one["conversation_id"] for one in records] == [talks[2], talks[1]]
    assert caches[0] == caches[1]
    assert caches[0]["specs"]["max_entries"] == 2 * load_settings().cache_max_entries


async def test_who_answers_says_which_worker_it_is(workers: list[httpx.AsyncClient]) -> None:
    told = [(await client.get("/health")).json() for client in workers]

    assert [one["worker"] for one in told] == [1, 2]


async def test_a_worker_that_does_not_answer_is_left_out(tmp_path: Path) -> None:
    group = new_group()
    with (
        closing(build(load_settings(data_dir=tmp_path), slot=WorkerSlot(group, 1))) as one,
        closing(build(load_settings(data_dir=tmp_path), slot=WorkerSlot(group, 2))),
    ):
        async with client_of(one) as client:
            metrics, caches = await client.get("/metrics"), await client.get("/api/v1/telemetry/caches")

    assert (metrics.status_code, caches.status_code) == (200, 200)
    assert 'worker="2"' not in metrics.text
