"""Turns over HTTP: replies, refusals, retries and streams."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.support.asking import Asking, events_of
from tests.support.scripted import Calls, Waits
from tests.support.server import application_for, client_of
from workflow_agent.assistant.requests import StartedTurn, TurnRequest
from workflow_agent.settings import load_settings

CHAT = "/api/v1/chat"


async def test_a_message_gets_its_reply_and_a_conversation(tmp_path: Path) -> None:
    async with Asking(tmp_path, "Good morning.") as client:
        answer = await client.post(CHAT, json={"message": "hello"})
        reply = answer.json()
        conversation = (await client.get(f"/api/v1/conversations/{reply['conversation_id']}")).json()

    assert (answer.status_code, reply["response"], reply["turn"], reply["replayed"]) == (200, "Good morning.", 1, False)
    assert [event["content"] for event in conversation["events"]] == ["hello", "Good morning."]


@pytest.mark.parametrize(
    ("path", "how"),
    [pytest.param(CHAT, "whole", id="in one document"), pytest.param(f"{CHAT}/stream", "streamed", id="as a stream")],
)
async def test_a_reply_in_one_document_is_asked_for_whole(tmp_path: Path, path: str, how: str) -> None:
    async def whole(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart("whole")])

    async def streamed(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "streamed"

    application = application_for(load_settings(data_dir=tmp_path), FunctionModel(whole, stream_function=streamed))
    async with client_of(application) as client:
        answer = await client.post(path, json={"message": "hello"})

    assert f'"response":"{how}"' in answer.text.replace(": ", ":")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        pytest.param({}, "/message", id="no message"),
        pytest.param({"message": ""}, "/message", id="empty"),
        pytest.param({"message": " \t\n\u3000"}, "/message", id="blank"),
        pytest.param({"message": "a" * 32_001}, "/message", id="too long"),
        pytest.param({"message": 5}, "/message", id="a number"),
        pytest.param({"message": "hi", "mode": "poetry"}, "/mode", id="unknown mode"),
        pytest.param({"message": "hi", "mesage": "hi"}, "/mesage", id="unknown field"),
        pytest.param({"message": "hi", "conversation_id": "../x"}, "/conversation_id", id="no id"),
        pytest.param({"message": "hi", "agent": "poet"}, "/agent", id="unknown agent"),
        pytest.param({"message": "hi", "model": "gpt-99"}, "/model", id="unknown model"),
        pytest.param({"message": "hi\0"}, "/message", id="control character"),
        pytest.param(["hi"], "/", id="a list"),
        pytest.param("hi", "/", id="a string"),
        pytest.param(None, "/", id="null"),
    ],
)
@pytest.mark.parametrize("path", [CHAT, f"{CHAT}/stream"])
async def test_what_cannot_be_a_message_is_refused_with_its_place(
    client: httpx.AsyncClient, path: str, body: Any, pointer: str
) -> None:
    answer = await client.post(path, json=body)

    assert answer.status_code == 422
    assert [problem["pointer"] for problem in answer.json()["problems"]] == [pointer]


async def test_the_longest_message_passes(client: httpx.AsyncClient) -> None:
    assert (await client.post(CHAT, json={"message": "é" * 32_000})).status_code == 200


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [("conversation_id", "nothing", "conversation_not_found"), ("workflow_id", "wf_nothing", "workflow_not_found")],
)
async def test_what_is_named_has_to_be_there(client: httpx.AsyncClient, field: str, value: str, code: str) -> None:
    answer = await client.post(CHAT, json={"message": "hi", field: value})

    assert (answer.status_code, answer.json()["code"]) == (404, code)


async def test_the_same_key_gives_the_same_turn(tmp_path: Path) -> None:
    async with Asking(tmp_path, "Once.") as client:
        first = await client.post(CHAT, json={"message": "hi"}, headers={"Idempotency-Key": "k"})
        again = await client.post(CHAT, json={"message": "hi"}, headers={"Idempotency-Key": "k"})
        other = await client.post(CHAT, json={"message": "ho"}, headers={"Idempotency-Key": "k"})

    assert again.json() == first.json() | {"replayed": True}
    assert again.headers["idempotency-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")


@pytest.mark.parametrize("key", ["", "a b", "k" * 256])
async def test_a_key_is_visible_ascii(client: httpx.AsyncClient, key: str) -> None:
    answer = await client.post(CHAT, json={"message": "hi"}, headers={"Idempotency-Key": key})

    assert answer.json()["problems"][0]["pointer"] == "header:Idempotency-Key"


async def test_a_stream_tells_the_turn_from_start_to_end(tmp_path: Path) -> None:
    async with Asking(tmp_path, Calls([("list_workflows", {})]), ["There ", "are none."]) as client:
        answer = await client.post(f"{CHAT}/stream", json={"message": "list them", "mode": "search"})

    events = events_of(answer.text)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert [number for number, _, _ in events] == list(range(1, len(events) + 1))
    assert [name for _, name, _ in events] == [
        "start",
        "mode",
        "tool_call",
        "tool_result",
        "delta",
        "delta",
        "context",
        "complete",
    ]
    assert "".join(data["text"] for _, name, data in events if name == "delta") == "There are none."
    assert events[-1][2]["response"] == "There are none."


async def test_a_stream_is_resumed_after_the_last_event_that_came(tmp_path: Path) -> None:
    async with Asking(tmp_path, ["One ", "two."]) as client:
        whole = events_of((await client.post(f"{CHAT}/stream", json={"message": "hi"})).text)
        run_id = whole[0][2]["run_id"]
        rest = await client.get(f"/api/v1/runs/{run_id}/stream", headers={"Last-Event-ID": "3"})
        all_again = await client.get(f"/api/v1/runs/{run_id}/stream")

    assert events_of(rest.text) == whole[3:]
    assert events_of(all_again.text) == whole


@pytest.mark.parametrize("last", ["-1", "x", "1e3", "9999999999"])
async def test_a_last_event_id_is_one_of_ours(client: httpx.AsyncClient, last: str) -> None:
    answer = await client.get("/api/v1/runs/run_a_1_b/stream", headers={"Last-Event-ID": last})

    assert (answer.status_code, answer.json()["problems"][0]["pointer"]) == (422, "header:Last-Event-ID")


async def test_a_retried_stream_is_the_finished_turn(tmp_path: Path) -> None:
    headers = {"Idempotency-Key": "k"}
    async with Asking(tmp_path, "Once.") as client:
        first = await client.post(CHAT, json={"message": "hi"}, headers=headers)
        again = await client.post(f"{CHAT}/stream", json={"message": "hi"}, headers=headers)

    assert events_of(again.text)[-1][1] == "complete"
    assert events_of(again.text)[-1][2]["run_id"] == first.json()["run_id"]


async def test_a_stream_of_a_run_elsewhere_is_its_outcome(tmp_path: Path) -> None:
    asking = Asking(tmp_path, "Done elsewhere.")
    services = asking.application.services

    class Elsewhere:
        """A chat whose runs are another process's."""

        async def start(self, tenant: str, request: TurnRequest) -> StartedTurn:
            return replace(await services.chat.start(tenant, request), stream=None)

    asking.application.app.state.services = replace(services, chat=Elsewhere())
    async with asking as client:
        events = events_of((await client.post(f"{CHAT}/stream", json={"message": "hi"})).text)

    assert [name for _, name, _ in events] == ["start", "mode", "delta", "context", "complete"]
    assert (events[2][2]["text"], events[-1][2]["response"]) == ("Done elsewhere.", "Done elsewhere.")


async def test_an_idle_stream_sends_comments(tmp_path: Path) -> None:
    waiting = Waits()
    asking = Asking(tmp_path, waiting, heartbeat_seconds=0.01)
    async with asking as client:
        streaming = asyncio.create_task(client.post(f"{CHAT}/stream", json={"message": "hi"}))
        await waiting.begun.wait()
        asyncio.get_running_loop().call_later(0.1, waiting.let.set)
        text = (await streaming).text

    assert text.count(": still here\n\n") >= 2
    assert events_of(text)[-1][1] == "complete"
