"""What a process was at when it died is finished by another, and nobody is asked twice for what was answered."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import httpx
import pytest

from tests.support.asking import events_of
from tests.support.postgres import a_database_of_ones_own, behind_pgbouncer
from tests.support.provider import CallsTools, Holds, ProviderStub, Says, provider_stub
from tests.support.server_process import ServerProcess, server_process
from workflow_agent.storage.files.locks import locked

pytestmark = pytest.mark.slow
WORKFLOW = {"id": "wf_a", "name": "Expenses", "steps": [{"id": "one", "name": "One"}]}
RENAMING = json.dumps({"workflow": "wf_a", "edits": [{"op": "rename_workflow", "name": "Spending"}]})
BODY = {"message": "rename it", "conversation_id": "talk", "mode": "modification"}
KEYED = {"Idempotency-Key": "k1"}
Start = Callable[[str, ProviderStub], ServerProcess]


@pytest.fixture(params=["files", "postgres", "pgbouncer"])
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Start]:
    """Return what starts a server of its own name: on the directory of all, or on a database beside its own."""
    url = None if request.param == "files" else a_database_of_ones_own()
    pooler = behind_pgbouncer(url) if url and request.param == "pgbouncer" else nullcontext(url)
    started: list[ServerProcess] = []

    def starting(name: str, provider: ProviderStub) -> ServerProcess:
        environment = {
            "WORKFLOW_AGENT_HOST_LEASE_SECONDS": "2",
            "WORKFLOW_AGENT_MODEL": "openai:stub-1",
            "WORKFLOW_AGENT_MODEL_BASE_URL": provider.base_url,
            "WORKFLOW_AGENT_MODEL_API_KEY": "k",
            "WORKFLOW_AGENT_MODEL_ATTEMPTS": "1",
        }
        if url is None:
            started.append(server_process(tmp_path, environment))
        else:
            started.append(server_process(tmp_path / name, {**environment, "WORKFLOW_AGENT_DATABASE_URL": url}))
        return started[-1]

    with pooler as url:
        yield starting
        for server in started:
            server.kill()


on_files = pytest.mark.parametrize("start", ["files"], indirect=True)


async def prepared(client: httpx.AsyncClient) -> None:
    (await client.post("/api/v1/conversations", json={"id": "talk"})).raise_for_status()
    (await client.post("/api/v1/workflows", json=WORKFLOW)).raise_for_status()


async def test_a_run_whose_process_is_killed_is_finished_from_its_journal(start: Start) -> None:
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


async def test_a_run_is_cancelled_from_any_process(start: Start) -> None:
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


async def test_a_third_process_goes_on_where_two_died_and_asks_for_no_finished_step(start: Start) -> None:
    lost, again, held = Holds(Says(["Never."])), Holds(Says(["Nor this."])), Holds(Says(["Renamed."]))
    answers = [CallsTools([("edit_workflow", RENAMING)]), lost, again, held]
    async with provider_stub(*answers) as provider, asyncio.timeout(120):
        one = start("one", provider)
        async with one.client() as here:
            await prepared(here)
            asked = asyncio.create_task(here.post("/api/v1/chat", json=BODY, headers=KEYED))
            await lost.begun.wait()
            two = start("two", provider)
            one.kill()
            await again.begun.wait()
            two.kill()
            with pytest.raises(httpx.HTTPError):
                await asked
        async with start("three", provider).client() as there:
            await held.begun.wait()
            held.let.set()
            reply = (await there.post("/api/v1/chat", json=BODY, headers=KEYED)).json()
            talk = (await there.get("/api/v1/conversations/talk")).json()
            versions = (await there.get("/api/v1/workflows/wf_a/versions")).json()

    assert reply["response"] == "Renamed."
    assert [(run["status"], run["attempt"]) for run in talk["runs"]] == [("completed", 3)]
    assert sorted(one["version"] for one in versions["items"]) == [1, 2]
    # The first step once, the second by each of the three.
    assert [len(request["messages"]) for request in provider.requests].count(len(provider.requests[0]["messages"])) == 1
    assert len(provider.requests) == 4


async def test_who_follows_a_run_at_another_process_sees_it_to_its_end(start: Start) -> None:
    lost, held = Holds(Says(["Never."])), Holds(Says(["Renamed."]))
    async with provider_stub(CallsTools([("edit_workflow", RENAMING)]), lost, held) as provider, asyncio.timeout(120):
        one, two = start("one", provider), start("two", provider)
        async with one.client() as here, two.client() as there:
            await prepared(here)
            asked = asyncio.create_task(here.post("/api/v1/chat", json=BODY, headers=KEYED))
            await lost.begun.wait()
            (run,) = (await there.get("/api/v1/conversations/talk")).json()["runs"]
            async with there.stream("GET", f"/api/v1/runs/{run['run_id']}/stream") as followed:
                lines = followed.aiter_lines()
                seen = [await anext(lines)]
                one.kill()
                await held.begun.wait()
                held.let.set()
                seen += [line async for line in lines]
            with pytest.raises(httpx.HTTPError):
                await asked

    events = events_of("\n".join(seen) + "\n")
    assert events[-1][1] == "complete"
    assert events[-1][2]["response"] == "Renamed."
    assert events[-1][0] > 1_000_000
    assert "error" not in [name for _, name, _ in events]


@on_files
@pytest.mark.parametrize("name", ["workflows/wf_a.lock", "conversations/talk.lock"])
async def test_a_process_killed_in_a_tool_or_before_its_commit_has_it_done_once(
    start: Start, tmp_path: Path, name: str
) -> None:
    """Whoever dies waits for a lock that is held here: the tool's write, or the commit, is still to come."""
    said = Holds(Says(["Renamed."]))
    is_tool = name.startswith("workflows")
    more = [Says(["Renamed."])] if not is_tool else []
    async with provider_stub(CallsTools([("edit_workflow", RENAMING)]), said, *more) as provider, asyncio.timeout(120):
        one = start("one", provider)
        async with one.client() as here:
            await prepared(here)
            if is_tool:
                with locked(tmp_path / "default" / name):
                    asked = asyncio.create_task(here.post("/api/v1/chat", json=BODY, headers=KEYED))
                    await until_kept(tmp_path, "edit_workflow")
                    one.kill()
            else:
                asked = asyncio.create_task(here.post("/api/v1/chat", json=BODY, headers=KEYED))
                await said.begun.wait()
                with locked(tmp_path / "default" / name):
                    said.let.set()
                    await until_kept(tmp_path, "Renamed.")
                    one.kill()
            with pytest.raises(httpx.HTTPError):
                await asked
        async with start("two", provider).client() as there:
            if is_tool:
                await said.begun.wait()
                said.let.set()
            reply = (await there.post("/api/v1/chat", json=BODY, headers=KEYED)).json()
            talk = (await there.get("/api/v1/conversations/talk")).json()
            versions = (await there.get("/api/v1/workflows/wf_a/versions")).json()

    assert reply["response"] == "Renamed."
    assert [event["type"] for event in talk["events"]] == ["user_message", "agent_reply"]
    assert sorted(one["version"] for one in versions["items"]) == [1, 2]
    # What was answered before is not asked for again.
    assert len(provider.requests) == 2
    assert list((tmp_path / "default" / "conversations").glob("*.run-*")) == []


async def until_kept(data: Path, text: str) -> None:
    """Return when the journal of a run holds a text."""
    folder = data / "default" / "conversations"
    while not any(text in path.read_text() for path in folder.glob("talk.run-*.jsonl")):  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(0.01)


@on_files
async def test_a_message_after_a_death_finds_the_conversation_busy_and_then_its_turn(start: Start) -> None:
    lost, held = Holds(Says(["Never."])), Holds(Says(["Here again."]))
    async with provider_stub(lost, held, Says(["And on."])) as provider, asyncio.timeout(120):
        one, two = start("one", provider), start("two", provider)
        async with one.client() as here, two.client() as there:
            await prepared(here)
            asked = asyncio.create_task(here.post("/api/v1/chat", json=BODY, headers=KEYED))
            await lost.begun.wait()
            one.kill()
            await held.begun.wait()
            busy = await there.post("/api/v1/chat", json={**BODY, "message": "go on"})
            held.let.set()
            reply = (await there.post("/api/v1/chat", json=BODY, headers=KEYED)).json()
            following = (await there.post("/api/v1/chat", json={**BODY, "message": "go on"})).json()
            with pytest.raises(httpx.HTTPError):
                await asked

    assert (busy.status_code, busy.json()["code"]) == (409, "conversation_busy")
    assert (reply["response"], following["response"]) == ("Here again.", "And on.")
