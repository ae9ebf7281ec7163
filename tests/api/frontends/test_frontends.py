"""Streams of front-end toolkits, each held to the protocol's own types."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ag_ui.core import Event
from inline_snapshot import snapshot
from pydantic import TypeAdapter
from pydantic_ai.messages import FunctionToolCallEvent, FunctionToolResultEvent

from tests.support.asking import Asking
from tests.support.scripted import Calls
from workflow_agent.api.frontends import native_events
from workflow_agent.assistant.requests import RunStream

LOOKS = Calls([("list_workflows", {})], text="One moment.")


def vercel(text: str, chat: str = "Nanoid-16_Chars") -> dict[str, Any]:
    return {
        "trigger": "submit-message",
        "id": chat,
        "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": text}]}],
    }


def ag_ui(text: str, thread: str = "Thread One") -> dict[str, Any]:
    return {
        "threadId": thread,
        "runId": "run-1",
        "state": {},
        "tools": [],
        "context": [],
        "forwardedProps": {},
        "messages": [{"id": "m1", "role": "user", "content": text}],
    }


FRONTENDS = pytest.mark.parametrize(("path", "body"), [("vercel-ai", vercel), ("ag-ui", ag_ui)])
Body = Callable[..., dict[str, Any]]


def chunks(text: str) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]


async def test_the_ai_sdk_gets_its_message_stream(tmp_path: Path) -> None:
    async with Asking(tmp_path, LOOKS, ["None", " yet."]) as client:
        answer = await client.post("/api/v1/vercel-ai", json=vercel("list my workflows"))

    told = chunks(answer.text)
    assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert [one if one == "[DONE]" else one["type"] for one in told] == snapshot(
        [
            "start",
            "start-step",
            "text-start",
            "text-delta",
            "text-end",
            "tool-input-start",
            "tool-input-available",
            "tool-output-available",
            "finish-step",
            "start-step",
            "text-start",
            "text-delta",
            "text-delta",
            "text-end",
            "finish-step",
            "finish",
            "[DONE]",
        ]
    )
    assert "".join(one["delta"] for one in told[:-1] if one["type"] == "text-delta") == snapshot("""\
One moment.

None yet.\
""")


async def test_ag_ui_gets_its_events(tmp_path: Path) -> None:
    async with Asking(tmp_path, LOOKS, ["None", " yet."]) as client:
        answer = await client.post("/api/v1/ag-ui", json=ag_ui("list my workflows"))

    told = chunks(answer.text)
    for one in told:
        TypeAdapter(Event).validate_python(one)
    assert [one["type"] for one in told] == snapshot(
        [
            "RUN_STARTED",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "TOOL_CALL_START",
            "TOOL_CALL_END",
            "TOOL_CALL_RESULT",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "RUN_FINISHED",
        ]
    )
    assert (told[0]["threadId"], told[-1]["runId"]) == ("Thread One", "run-1")


async def test_a_file_that_ag_ui_does_not_know_is_not_kept(tmp_path: Path) -> None:
    body = ag_ui("")
    file = {"type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,aGVsbG8="}
    body["messages"][0]["content"] = [{"type": "text", "text": "list my workflows"}, file]
    async with Asking(tmp_path, "None yet.") as client:
        with pytest.warns(UserWarning, match="skipped"):
            await client.post("/api/v1/ag-ui", json=body)
        (listed,) = (await client.get("/api/v1/conversations")).json()["items"]
        kept = (await client.get(f"/api/v1/conversations/{listed['id']}")).json()

    assert kept["attachments"] == []


async def test_ag_ui_gets_no_empty_text_message(tmp_path: Path) -> None:
    silent = Calls([("list_workflows", {})])
    async with Asking(tmp_path, silent, silent, "None yet.") as client:
        answer = await client.post("/api/v1/ag-ui", json=ag_ui("list my workflows"))

    told = chunks(answer.text)
    begun = [one["messageId"] for one in told if one["type"] == "TEXT_MESSAGE_START"]
    spoken = {one["messageId"] for one in told if one["type"] == "TEXT_MESSAGE_CONTENT" and one["delta"]}
    assert len(begun) == 1
    assert set(begun) == spoken


@FRONTENDS
async def test_a_chat_is_one_conversation_with_the_same_records(tmp_path: Path, path: str, body: Body) -> None:
    async with Asking(tmp_path, LOOKS, "None yet.", "You asked for a list.") as client:
        first = await client.post(f"/api/v1/{path}", json=body("list my workflows"))
        second = await client.post(f"/api/v1/{path}", json=body("what did I ask?"))
        conversation = (await client.get(f"/api/v1/conversations/{second.headers['x-conversation-id']}")).json()

    assert first.headers["x-conversation-id"] == second.headers["x-conversation-id"]
    assert [event["content"] for event in conversation["events"]] == [
        "list my workflows",
        "One moment.\n\nNone yet.",
        "what did I ask?",
        "You asked for a list.",
    ]
    assert conversation["events"][1]["tools_used"] == ["list_workflows"]


@FRONTENDS
async def test_the_same_request_again_is_answered_once(tmp_path: Path, path: str, body: Body) -> None:
    async with Asking(tmp_path, "Good morning.") as client:
        first = await client.post(f"/api/v1/{path}", json=body("hello"))
        second = await client.post(f"/api/v1/{path}", json=body("hello"))

    assert "Good morning." in second.text
    assert second.headers["x-run-id"] == first.headers["x-run-id"]


@FRONTENDS
async def test_each_of_several_agents_speaks_in_a_part_of_its_own(tmp_path: Path, path: str, body: Body) -> None:
    async with Asking(tmp_path, "Found none.", "Nothing to check.") as client:
        answer = await client.post(f"/api/v1/{path}", json=body("@finder and @analyst, look"))

    told = [one for one in chunks(answer.text) if one != "[DONE]"]
    said = [one["delta"] for one in told if "text" in one["type"].lower() and "delta" in one]
    assert said == ["**finder:**\n\nFound none.", "**analyst:**\n\nNothing to check."]


async def test_calls_of_two_agents_are_two_calls_whatever_their_models_name_them() -> None:
    stream = RunStream("run_talk_1_a")
    for agent in ("finder", "analyst"):
        stream.publish("start", {"agent": agent})
        stream.publish("tool_call", {"id": "call_1", "name": "list_workflows", "args": {}})
        stream.publish(
            "tool_result", {"id": "call_1", "name": "list_workflows", "outcome": "success", "duration_ms": 1.0}
        )
    stream.close()

    told = [event async for event in native_events(stream, ("finder", "analyst"))]

    called = [event.part.tool_call_id for event in told if isinstance(event, FunctionToolCallEvent)]
    answered = [event.tool_call_id for event in told if isinstance(event, FunctionToolResultEvent)]
    assert called == answered == ["call_1", "call_1_2"]


async def test_regenerating_is_another_turn(tmp_path: Path) -> None:
    async with Asking(tmp_path, "Good morning.", "Hello.") as client:
        first = await client.post("/api/v1/vercel-ai", json=vercel("hello"))
        again = await client.post(
            "/api/v1/vercel-ai", json=vercel("hello") | {"trigger": "regenerate-message", "messageId": "m2"}
        )

    assert (first.headers["x-turn"], again.headers["x-turn"]) == ("1", "2")


@pytest.mark.parametrize(("path", "body", "kind"), [("vercel-ai", vercel, "error"), ("ag-ui", ag_ui, "RUN_ERROR")])
async def test_a_failed_run_is_an_error_of_the_protocol(tmp_path: Path, path: str, body: Body, kind: str) -> None:
    async with Asking(tmp_path, RuntimeError("secret detail")) as client:
        answer = await client.post(f"/api/v1/{path}", json=body("hello"))

    assert kind in [one["type"] for one in chunks(answer.text) if one != "[DONE]"]
    assert "Your message is kept" in answer.text
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        pytest.param("vercel-ai", {}, id="nothing for the AI SDK"),
        pytest.param("vercel-ai", {"id": "a", "messages": []}, id="no message for the AI SDK"),
        pytest.param(
            "vercel-ai",
            vercel("hi")
            | {
                "messages": [
                    {
                        "id": "1",
                        "role": "user",
                        "parts": [{"type": "file", "mediaType": "image/png", "url": "http://x.test/a.png"}],
                    }
                ]
            },
            id="a picture",
        ),
        pytest.param("ag-ui", {}, id="nothing for AG-UI"),
        pytest.param("ag-ui", ag_ui(" "), id="a blank message"),
    ],
)
async def test_what_is_no_request_is_refused(tmp_path: Path, path: str, body: dict[str, Any]) -> None:
    async with Asking(tmp_path) as client:
        answer = await client.post(f"/api/v1/{path}", json=body)

    assert answer.status_code == 422
    assert answer.json()["problems"]
