"""What a server leaves that is killed, and how the next one goes on with it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.provider import CallsTools, Says, provider_stub
from tests.support.server_process import ServerProcess, server_process
from workflow_agent.conversations.transcript import build_agent_messages
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.locks import locked

pytestmark = pytest.mark.slow

Start = Callable[[dict[str, str]], ServerProcess]
TALK = "/api/v1/conversations/talk"
WORKFLOW = {"id": "wf_a", "name": "Expenses", "steps": [{"id": "one", "name": "One"}]}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return what starts a server on the data of this test; whatever still runs is killed afterwards."""
    started: list[ServerProcess] = []

    def starting(environment: dict[str, str]) -> ServerProcess:
        started.append(server_process(tmp_path, environment))
        return started[-1]

    yield starting
    for server in started:
        server.kill()


async def prepared(client: httpx.AsyncClient) -> None:
    """Make a conversation and a workflow."""
    (await client.post("/api/v1/conversations", json={"id": "talk"})).raise_for_status()
    (await client.post("/api/v1/workflows", json=WORKFLOW)).raise_for_status()


async def until_a_result_of(client: httpx.AsyncClient, tool: str, body: dict[str, Any], key: str) -> None:
    """Send a message and return when a tool has answered in its run."""
    headers = {"Idempotency-Key": key}
    async with client.stream("POST", "/api/v1/chat/stream", json=body, headers=headers) as events:
        is_result = False
        async for line in events.aiter_lines():
            is_result = line == "event: tool_result" or (is_result and line.startswith("data:"))
            if is_result and f'"{tool}"' in line:
                return
    raise AssertionError(f"{tool} never answered")


async def test_a_server_killed_with_a_call_open_has_it_all_done_once_by_the_next(start: Start, tmp_path: Path) -> None:
    renaming = json.dumps({"workflow": "wf_a", "edits": [{"op": "rename_workflow", "name": "Spending"}]})
    calls = CallsTools([("list_workflows", "{}"), ("edit_workflow", renaming)])
    body = {"message": "rename it", "conversation_id": "talk", "mode": "modification"}
    async with provider_stub(calls, Says(["Again."]), Says(["Next."])) as stub:
        environment = {
            "WORKFLOW_AGENT_MODEL": "openai:stub-1",
            "WORKFLOW_AGENT_MODEL_BASE_URL": stub.base_url,
            "WORKFLOW_AGENT_MODEL_API_KEY": "k",
        }
        dying = start(environment)
        async with dying.client() as client:
            await prepared(client)
            # The edit waits for a lock that is held here: its call stays open.
            with locked(tmp_path / "default" / "workflows" / "wf_a.lock"):
                await until_a_result_of(client, "list_workflows", body, "k")
                running = (await client.get(TALK)).json()["execution_time"]
                dying.kill()
        async with start(environment).client() as client:
            again = (await client.post("/api/v1/chat", json=body, headers={"Idempotency-Key": "k"})).json()
            following = (await client.post("/api/v1/chat", json=body | {"message": "go on"})).json()
            whole = (await client.get(TALK)).json()
            workflow = (await client.get("/api/v1/workflows/wf_a")).json()
            requests = len(stub.requests)

    first = whole["runs"][0]
    assert (first["status"], first["attempt"], requests) == ("completed", 2, 3)
    assert [(call["method_name"], call["outcome_summary"]["status"]) for call in whole["calls"]][:3] == [
        ("chat", "success"),
        ("list_workflows", "success"),
        ("edit_workflow", "success"),
    ]
    assert len({call["call_id"] for call in whole["calls"]}) == len(whole["calls"])
    assert (running["total_ms"], running["current_ms"] > 0) == (0.0, True)
    time = whole["execution_time"]
    assert (time["total_ms"] > 0, time["current_since"], time["current_ms"]) == (True, None, 0.0)
    assert (again["response"], following["response"]) == ("Again.", "Next.")
    assert [event["content"] for event in whole["events"]] == ["rename it", "Again.", "go on", "Next."]
    assert (workflow["name"], workflow["version"]) == ("Spending", 2)
    assert list((tmp_path / "default" / "conversations").glob("*.run-*")) == []


async def test_nothing_is_lost_over_two_hundred_turns_and_two_processes(start: Start, tmp_path: Path) -> None:
    first, second = range(100), range(100, 200)
    server = start({})
    async with server.client() as client:
        await prepared(client)
        replies = await said(client, first)
    server.kill()
    async with start({}).client() as client:
        replies += await said(client, second)
        events = await history(client)

    spoken = [event["content"] for event in events]
    assert spoken[::2] == [message_of(number) for number in (*first, *second)]
    assert spoken[1::2] == replies
    assert [event["index"] for event in events] == list(range(400))
    stored = await JsonConversationStore(DurableFiles(tmp_path)).load("default", "talk")
    read = build_agent_messages(stored, "analyst", stored.events[-2])
    told = [message.content.partition("]: ")[2] or message.content for message in read]
    # Whoever answers next reads the first answer to a message before the message.
    assert told == [*spoken[stored.sealed_events : -2], spoken[-1], spoken[-2]]


def message_of(number: int) -> str:
    return f"hello, this is message {number}"


async def said(client: httpx.AsyncClient, numbers: range) -> list[str]:
    """Say something for each number; return the replies."""
    replies: list[str] = []
    for number in numbers:
        body = {"message": message_of(number), "conversation_id": "talk"}
        replies.append((await client.post("/api/v1/chat", json=body)).json()["response"])
    return replies


async def history(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    """Return every event of the conversation, page by page."""
    events: list[dict[str, Any]] = []
    cursor: str | None = "0"
    while cursor is not None:
        page = (await client.get(f"{TALK}/history", params={"cursor": cursor, "limit": 100})).json()
        events += page["items"]
        cursor = page["next_cursor"]
    return events
