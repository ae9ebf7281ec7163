"""Several workers behind one port: one server to its clients, whichever of them answers."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.asking import events_of
from tests.support.provider import Holds, ProviderStub, Says, provider_stub
from tests.support.server_process import ServerProcess, server_process
from tests.support.workers import client_of_each, pid_of
from workflow_agent.storage.files.owners import running_owners

Start = Callable[..., ServerProcess]
CHAT = "/api/v1/chat"
TALK = "/api/v1/conversations/talk"
HELLO = {"message": "hello", "conversation_id": "talk"}
PATIENCE_SECONDS = 300.0


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return what starts a server with two workers; what still runs is killed afterwards."""
    started: list[ServerProcess] = []

    def starting(environment: dict[str, str] | None = None) -> ServerProcess:
        kept = {"WORKFLOW_AGENT_KEEP_ALIVE_SECONDS": "600", **(environment or {})}
        started.append(server_process(tmp_path, kept, "--workers", "2"))
        return started[-1]

    yield starting
    for server in started:
        server.kill()


def asking(stub: ProviderStub) -> dict[str, str]:
    """Return the settings with which a server asks the stub."""
    return {
        "WORKFLOW_AGENT_MODEL": "openai:stub-1",
        "WORKFLOW_AGENT_MODEL_BASE_URL": stub.base_url,
        "WORKFLOW_AGENT_MODEL_API_KEY": "k",
        "WORKFLOW_AGENT_MODEL_ATTEMPTS": "1",
    }


async def soon(event: asyncio.Event) -> None:
    """Wait for an event that comes, or the test fails."""
    await asyncio.wait_for(event.wait(), PATIENCE_SECONDS)


async def until_nobody_serves(data: Path) -> None:
    """Return when every worker has ended, though its supervisor could not tell it to."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while running_owners(data):  # noqa: ASYNC110 - nobody is left to tell
            await asyncio.sleep(0.05)


def sent_when_complete(sending: asyncio.Event) -> Callable[[str, Any], Awaitable[None]]:
    """Return what an HTTP client tells what it does: the event is set when its request is written."""

    async def note(event: str, _: Any) -> None:
        if event == "http11.send_request_body.complete":
            sending.set()

    return note


@pytest.mark.slow
async def test_a_run_is_joined_followed_and_stopped_by_whichever_worker(start: Start, tmp_path: Path) -> None:
    first, second, third = Holds(Says(["One", " two"])), Holds(Says(["no"])), Holds(Says(["Three."]))
    async with (
        provider_stub(first, second, third) as stub,
        client_of_each(server := start(asking(stub))) as (one, other),
    ):
        (await one.post("/api/v1/conversations", json={"id": "talk"})).raise_for_status()
        key = {"Idempotency-Key": "k"}
        sent = asyncio.create_task(one.post(f"{CHAT}/stream", json=HELLO, headers=key))
        await soon(first.begun)
        run_id = (await other.get(TALK)).json()["runs"][0]["run_id"]
        busy = await other.post(CHAT, json=HELLO | {"message": "another"})
        state = (await other.get(f"/api/v1/runs/{run_id}")).json()
        async with AsyncExitStack() as stack:
            again = asyncio.create_task(other.post(f"{CHAT}/stream", json=HELLO, headers=key))
            joined = await stack.enter_async_context(httpx.AsyncClient(base_url=str(other.base_url), timeout=60))
            waiting = asyncio.create_task(joined.post(CHAT, json=HELLO, headers=key))
            first.let.set()
            told, retold = events_of((await sent).text), events_of((await again).text)
            waited = (await waiting).json()
        resumed = events_of((await other.get(f"/api/v1/runs/{run_id}/stream", headers={"Last-Event-ID": "2"})).text)

        asked = {"model": "workflow-agent", "input": "hi", "conversation": "talk"}
        responding = asyncio.create_task(one.post("/v1/responses", json=asked))
        await soon(second.begun)
        [stopped] = [run for run in (await other.get(TALK)).json()["runs"] if run["status"] == "running"]
        response_id = stopped["run_id"].replace("run_", "resp_", 1)
        before = (await other.get(f"/v1/responses/{response_id}")).json()
        cancelled = (await other.post(f"/v1/responses/{response_id}/cancel")).json()
        refused = await responding
        following = asyncio.create_task(one.post(CHAT, json=HELLO | {"message": "go on"}))
        await soon(third.begun)
        third.let.set()
        reply = (await following).json()
        whole = (await other.get(TALK)).json()

    server.kill()
    await until_nobody_serves(tmp_path)

    assert (busy.status_code, busy.json()["code"], busy.json()["run_id"]) == (409, "conversation_busy", run_id)
    assert state["status"] == "running"
    assert [name for _, name, _ in told][-1] == "complete"
    assert retold == told
    assert resumed == told[2:]
    assert waited["response"] == told[-1][2]["response"] == "One two"
    assert (before["status"], cancelled["status"], refused.status_code) == ("in_progress", "cancelled", 409)
    assert (reply["response"], reply["turn"]) == ("Three.", 3)
    assert [event["content"] for event in whole["events"]] == ["hello", "One two", "hi", "go on", "Three."]


@pytest.mark.slow
async def test_a_worker_killed_in_mid_turn_is_replaced_and_its_turn_answered_once(start: Start, tmp_path: Path) -> None:
    hangs, answers = Holds(Says(["never"])), Says(["Here again."])
    async with provider_stub(hangs, answers) as stub:
        server = start(asking(stub))
        async with client_of_each(server) as (one, other):
            (await one.post("/api/v1/conversations", json={"id": "talk"})).raise_for_status()
            key = {"Idempotency-Key": "k"}
            sent = asyncio.create_task(one.post(CHAT, json=HELLO, headers=key))
            await soon(hangs.begun)
            run_id = (await other.get(TALK)).json()["runs"][0]["run_id"]
            before = set(running_owners(tmp_path))
            async with other.stream("GET", f"/api/v1/runs/{run_id}/stream") as followed:
                lines = followed.aiter_lines()
                begun = [await anext(lines) for _ in range(3)]
                os.kill(pid_of(tmp_path, 1), signal.SIGKILL)
                with pytest.raises(httpx.TransportError):
                    await sent
                rest = [line async for line in lines]
            last = events_of("\n".join([*begun, *rest]) + "\n")[-1]

            again = (await other.post(CHAT, json=HELLO, headers=key)).json()
        async with client_of_each(server) as (replacing, _):
            whole = (await replacing.get(TALK)).json()

    assert (last[1], last[2]["response"], last[2]["run_id"]) == ("complete", "Here again.", run_id)
    assert len(set(running_owners(tmp_path)) & before) == 1
    assert (again["response"], again["run_id"]) == ("Here again.", run_id)
    assert [event["content"] for event in whole["events"]] == ["hello", "Here again."]
    assert [(run["status"], run["attempt"]) for run in whole["runs"]] == [("completed", 2)]


@pytest.mark.slow
async def test_followers_are_told_when_their_own_worker_stops(start: Start, tmp_path: Path) -> None:
    held = Holds(Says(["At last."]))
    async with provider_stub(held) as stub:
        server = start(asking(stub) | {"WORKFLOW_AGENT_SHUTDOWN_GRACE_SECONDS": "0.2"})
        async with (
            client_of_each(server) as (one, other),
            client_of_each(server) as (_, reading),
            client_of_each(server) as (_, probing),
        ):
            (await one.post("/api/v1/conversations", json={"id": "talk"})).raise_for_status()
            key = {"Idempotency-Key": "k"}
            sent = asyncio.create_task(one.post(CHAT, json=HELLO, headers=key))
            await soon(held.begun)
            run_id = (await other.get(TALK)).json()["runs"][0]["run_id"]
            async with reading.stream("GET", f"/api/v1/runs/{run_id}/stream") as followed:
                lines = followed.aiter_lines()
                begun = [await anext(lines) for _ in range(3)]
                sending = asyncio.Event()
                waiting = asyncio.create_task(
                    other.post(CHAT, json=HELLO, headers=key, extensions={"trace": sent_when_complete(sending)})
                )
                await soon(sending)
                # A later request is answered, so the worker has the earlier one.
                (await probing.get(TALK)).raise_for_status()
                os.kill(pid_of(tmp_path, 2), signal.SIGTERM)
                rest = [line async for line in lines]
            refused, told = await waiting, events_of("\n".join([*begun, *rest]) + "\n")
            held.let.set()
            reply = (await sent).json()
        async with client_of_each(server) as (_, replacing):
            again = (await replacing.post(CHAT, json=HELLO, headers=key)).json()

    assert (refused.status_code, refused.json()["code"], refused.json()["run_id"]) == (503, "shutting_down", run_id)
    assert refused.headers["retry-after"] == "1"
    assert (told[-1][1], told[-1][2]["code"], told[-1][2]["run_id"]) == ("error", "shutting_down", run_id)
    assert (reply["response"], again["response"], again["run_id"]) == ("At last.", "At last.", run_id)


@pytest.mark.slow
async def test_what_clients_send_twice_to_both_workers_is_there_once_though_one_is_killed(
    start: Start, tmp_path: Path
) -> None:
    server = start()
    *talks, last = [f"talk-{number}" for number in range(7)]
    async with client_of_each(server) as workers:
        for talk in (*talks, last):
            (await workers[0].post("/api/v1/conversations", json={"id": talk})).raise_for_status()
        told = [asyncio.create_task(said_three_times(server, talk)) for talk in talks]
        await asyncio.wait(told, return_when=asyncio.FIRST_COMPLETED)
        os.kill(pid_of(tmp_path, 2), signal.SIGKILL)
        await asyncio.gather(*told)
    # What the killed worker counted is gone with it, and it may have taken all turns so far.
    await said_three_times(server, last)
    talks.append(last)
    async with client_of_each(server) as (one, other):
        seen = [(await one.get(f"/api/v1/conversations/{talk}")).json() for talk in talks]
        edited = await one.post("/api/v1/workflows", json={"id": "wf_a", "name": "A", "steps": [STEP]})
        fresh = (await other.get("/api/v1/workflows", params={"q": "A"})).json()
        metrics = (await other.get("/metrics")).text
        turns = [int(float(line.split()[-1])) for line in metrics.splitlines() if "turns_total{" in line]
        recent = (await one.get("/api/v1/telemetry/tokens", params={"limit": 100})).json()["items"]
        caches = (await other.get("/api/v1/telemetry/caches")).json()["caches"]
    server.process.terminate()
    code = await asyncio.to_thread(server.process.wait, PATIENCE_SECONDS)

    for talk in seen:
        spoken = [event["content"] for event in talk["events"] if event["type"] == "user_message"]
        assert spoken == MESSAGES
        assert [run["status"] for run in talk["runs"]] == ["completed"] * len(MESSAGES)
    assert (edited.status_code, [one["id"] for one in fresh["items"]]) == (201, ["wf_a"])
    assert {'worker="1"', 'worker="2"'} <= set(re.findall(r'worker="\d+"', metrics))
    assert 0 < sum(turns) == len(recent) <= len(talks) * len(MESSAGES)
    assert [one["at"] for one in recent] == sorted((one["at"] for one in recent), reverse=True)
    assert caches["specs"]["misses"] >= 1
    assert (code, list((tmp_path / ".owners").iterdir())) == (0, [])


MESSAGES = ["hello", "what can you do?", "thank you"]
STEP = {"id": "one", "name": "One"}


async def said_three_times(server: ServerProcess, talk: str) -> None:
    """Send each message over two connections at once until it is answered, the next one after that."""
    async with server.client() as first, server.client() as second:
        for number, message in enumerate(MESSAGES):
            body = {"message": message, "conversation_id": talk}
            key = {"Idempotency-Key": f"{talk}-{number}"}
            answers = await asyncio.gather(*(answered(client, body, key) for client in (first, second)))
            assert answers[0]["run_id"] == answers[1]["run_id"]
            assert answers[0]["response"] == answers[1]["response"]


async def answered(client: httpx.AsyncClient, body: dict[str, str], key: dict[str, str]) -> Any:
    """Return the reply to a message, sent again for as long as nobody answers it."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                reply = await client.post(CHAT, json=body, headers=key)
            except httpx.TransportError:
                continue
            if reply.status_code == 200:
                return reply.json()
            assert reply.status_code in (409, 503), reply.text


def test_what_keeps_every_worker_from_starting_is_said_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from workflow_agent.main import run; run()", "serve", "--workers", "2"]
    ended = subprocess.run(
        [*command, "--port", "0", "--data-dir", str(tmp_path), "--model", "nonsense"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )

    assert ended.returncode == 78
    assert ended.stderr.count("'nonsense' cannot be used") == 1
