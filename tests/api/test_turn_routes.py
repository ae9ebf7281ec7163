"""Turns that several agents answered, calls by time, and how long a run has taken, over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.scripted import Calls, Waits, scripted
from tests.support.server import application_for, client_of
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.settings import load_settings

TALK = "/api/v1/conversations/talk"
LOOKS = Calls([("list_workflows", {})])


async def say(client: httpx.AsyncClient, message: str) -> httpx.Response:
    return await client.post("/api/v1/chat", json={"message": message, "conversation_id": "talk"})


@pytest.fixture
async def asked(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client of a conversation in which one message was answered by two agents, the next by one."""
    model, _ = scripted("Found none.", "Nothing to check.", LOOKS, "Bye.")
    application = application_for(load_settings(data_dir=tmp_path), model)
    async with client_of(application) as client:
        await client.post("/api/v1/conversations", json={"id": "talk"})
        await say(client, "@finder and @analyst, look")
        await say(client, "@finder bye")
        yield client


async def test_a_turn_shows_all_who_answered_it(asked: httpx.AsyncClient) -> None:
    both = (await asked.get(f"{TALK}/turns/1")).json()
    one = (await asked.get(f"{TALK}/turns/2")).json()

    assert [(reply["author"], reply["content"]) for reply in both["replies"]] == [
        ("finder", "Found none."),
        ("analyst", "Nothing to check."),
    ]
    assert [(run["agent"], run["status"]) for run in both["runs"]] == [
        ("finder", "completed"),
        ("analyst", "completed"),
    ]
    assert (both["reply"], both["run"]) == (both["replies"][0], both["runs"][0])
    assert (one["replies"], one["runs"]) == ([one["reply"]], [one["run"]])


async def test_iterations_are_those_of_the_agent_or_run_that_is_asked_for(asked: httpx.AsyncClient) -> None:
    async def iterations(**wanted: str) -> dict[str, Any]:
        return dict((await asked.get(f"{TALK}/turns/1/iterations", params=wanted)).json())

    first = await iterations()
    runs = first["runs"]

    assert (first["agent"], len(first["items"])) == ("finder", 1)
    assert [(run["agent"], run["iterations"]) for run in runs] == [("finder", 1), ("analyst", 1)]
    assert (await iterations(agent="analyst")) == (await iterations(run_id=runs[1]["run_id"]))
    assert (await iterations(agent="analyst"))["items"][0]["messages"][-1]["content"] == "Nothing to check."
    step = await asked.get(f"{TALK}/turns/1/iterations/1", params={"agent": "analyst"})
    assert step.json()["messages"][-1]["content"] == "Nothing to check."


async def test_who_did_not_answer_is_not_found_and_those_who_did_are_named(asked: httpx.AsyncClient) -> None:
    missing = await asked.get(f"{TALK}/turns/1/iterations", params={"agent": "editor"})

    assert missing.status_code == 404
    assert [run["agent"] for run in missing.json()["runs"]] == ["finder", "analyst"]


async def test_calls_are_found_by_their_time(asked: httpx.AsyncClient) -> None:
    whole = (await asked.get(f"{TALK}/calls")).json()["items"]
    middle = whole[1]["timestamp"]

    async def found(**wanted: str) -> list[str]:
        page = await asked.get(f"{TALK}/calls", params=wanted)
        return [call["call_id"] for call in page.json()["items"]]

    ids = [call["call_id"] for call in whole]
    assert len(ids) == 3
    assert await found(since=middle) == [one["call_id"] for one in whole if one["timestamp"] >= middle]
    assert await found(until=middle) == [one["call_id"] for one in whole if one["timestamp"] < middle]
    assert sorted(await found(since=middle) + await found(until=middle)) == sorted(ids)
    assert await found(since=middle, until=middle) == []
    refused = await asked.get(f"{TALK}/calls", params={"since": "yesterday"})
    assert refused.status_code == 422


async def test_the_time_of_a_run_is_shown_while_it_goes_on_and_kept_when_it_failed(tmp_path: Path) -> None:
    waits = Waits()
    model, _ = scripted(waits, RuntimeError("broken"))
    application = application_for(load_settings(data_dir=tmp_path), model)
    async with client_of(application) as client:
        await client.post("/api/v1/conversations", json={"id": "talk"})
        started = await application.services.chat.start("default", _request("hello"))
        await waits.begun.wait()
        before = await client.get(TALK)
        running = before.json()["execution_time"]
        again = before
        # The clock counts milliseconds, and two requests may fit into one.
        async with asyncio.timeout(10):
            while again.json()["execution_time"]["current_ms"] <= running["current_ms"]:
                again = await client.get(TALK, headers={"If-None-Match": before.headers["etag"]})
                assert again.status_code == 200
        waits.let.set()
        await started.outcome()
        after = (await client.get(TALK)).json()["execution_time"]
        failed = await say(client, "again")
        then = (await client.get(TALK)).json()["execution_time"]

    assert (running["total_ms"], running["current_ms"] > 0) == (0.0, True)
    assert (after["total_ms"] > 0, after["current_since"], after["current_ms"]) == (True, None, 0.0)
    assert failed.status_code >= 500
    assert (then["total_ms"] > after["total_ms"], then["current_since"]) == (True, None)


def _request(message: str) -> TurnRequest:
    return TurnRequest(message, conversation_id="talk")
