"""Runs over HTTP: busy conversations, cancellation, failures, and what is kept of a run."""

import asyncio
from pathlib import Path

from pydantic_ai.exceptions import ModelHTTPError

from tests.support.asking import Asking, events_of
from tests.support.scripted import Calls, Waits

CHAT = "/api/v1/chat"


async def test_a_second_message_while_one_is_answered_is_told_which_run_is_in_the_way(tmp_path: Path) -> None:
    waiting = Waits()
    async with Asking(tmp_path, waiting, "Second.") as client:
        await client.post("/api/v1/conversations", json={"id": "talk"})
        message = {"message": "hi", "conversation_id": "talk"}
        first = asyncio.create_task(client.post(CHAT, json=message))
        await waiting.begun.wait()
        busy = await client.post(CHAT, json=message)
        waiting.let.set()
        done = await first
        second = await client.post(CHAT, json=message)

    assert (busy.status_code, busy.json()["code"], busy.json()["run_id"]) == (
        409,
        "conversation_busy",
        done.json()["run_id"],
    )
    assert second.json()["response"] == "Second."


async def test_a_run_is_cancelled_and_says_so_everywhere(tmp_path: Path) -> None:
    waiting = Waits()
    async with Asking(tmp_path, waiting, "Next.") as client:
        await client.post("/api/v1/conversations", json={"id": "talk"})
        message = {"message": "hi", "conversation_id": "talk"}
        streaming = asyncio.create_task(client.post(f"{CHAT}/stream", json=message))
        await waiting.begun.wait()
        run_id = (await client.get("/api/v1/conversations/talk")).json()["runs"][0]["run_id"]
        before = (await client.get(f"/api/v1/runs/{run_id}")).json()
        cancelled = await client.post(f"/api/v1/runs/{run_id}/cancel")
        events = events_of((await streaming).text)
        again = await client.post(f"/api/v1/runs/{run_id}/cancel")
        following = await client.post(CHAT, json=message)

    assert (before["status"], before["reply"], before["completed_at"]) == ("running", None, None)
    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
    assert (events[-1][1], events[-1][2]["code"], events[-1][2]["status"]) == ("error", "stale_run", 409)
    assert again.json() == cancelled.json()
    assert following.json()["response"] == "Next."


async def test_a_failed_model_is_a_bad_gateway_and_the_next_turn_works(tmp_path: Path) -> None:
    async with Asking(tmp_path, ModelHTTPError(500, "m"), "Better.") as client:
        await client.post("/api/v1/conversations", json={"id": "talk"})
        failed = await client.post(CHAT, json={"message": "hi", "conversation_id": "talk"})
        run = (await client.get(f"/api/v1/runs/{failed.json()['run_id']}")).json()
        following = await client.post(CHAT, json={"message": "hi", "conversation_id": "talk"})

    assert (failed.status_code, failed.json()["code"]) == (502, "model_failed")
    assert (run["status"], run["reply"]) == ("failed", None)
    assert following.json()["turn"] == 2


async def test_the_steps_of_a_failed_run_can_be_read(tmp_path: Path) -> None:
    async with Asking(tmp_path, Calls([("list_workflows", {})]), ModelHTTPError(500, "m")) as client:
        await client.post("/api/v1/conversations", json={"id": "talk"})
        await client.post(CHAT, json={"message": "hi", "conversation_id": "talk", "mode": "search"})
        turn = (await client.get("/api/v1/conversations/talk/turns/1")).json()
        steps = (await client.get("/api/v1/conversations/talk/turns/1/iterations")).json()

    assert (turn["reply"], turn["run"]["status"]) == (None, "failed")
    assert steps["items"][0]["tool_calls"][0]["name"] == "list_workflows"


async def test_a_failed_stream_ends_with_the_problem(tmp_path: Path) -> None:
    async with Asking(tmp_path, ModelHTTPError(500, "m")) as client:
        events = events_of((await client.post(f"{CHAT}/stream", json={"message": "hi"})).text)

    _, name, problem = events[-1]
    assert (name, problem["code"], problem["status"]) == ("error", "model_failed", 502)
    assert problem["run_id"] == events[0][2]["run_id"]


async def test_a_finished_run_has_its_reply(tmp_path: Path) -> None:
    async with Asking(tmp_path, "Done.") as client:
        reply = (await client.post(CHAT, json={"message": "hi"})).json()
        run = (await client.get(f"/api/v1/runs/{reply['run_id']}")).json()

    assert (run["status"], run["turn"], run["reply"]) == ("completed", 1, reply)


async def test_a_stream_that_is_not_kept_is_not_found(tmp_path: Path) -> None:
    asking = Asking(tmp_path, "Done.", stream_kept_seconds=0.000_001)
    async with asking as client:
        reply = (await client.post(CHAT, json={"message": "hi"})).json()
        stream = await client.get(f"/api/v1/runs/{reply['run_id']}/stream")

    assert (stream.status_code, stream.json()["code"]) == (404, "run_not_found")
