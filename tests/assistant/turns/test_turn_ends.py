"""However an answer ends, the turn says so, and a change that was made is told of."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.provided import WORKFLOW, JsonObject, Provided, provided
from tests.support.provider import Answer, CallsTools, Refuses, Says

pytestmark = pytest.mark.untraced
RENAME = CallsTools(
    [
        (
            "edit_workflow",
            json.dumps({"workflow": WORKFLOW, "edits": [{"op": "rename_step", "step": "review_3", "name": "Legal"}]}),
        )
    ]
)
ADD = "Rename the step Review 3 to Legal in the expense approval"


async def stored_reply(under_test: Provided, turn: int = 1) -> JsonObject:
    path = f"/api/v1/conversations/{under_test.conversation_id}/turns/{turn}"
    return (await under_test.client.get(path)).json()["replies"][-1]


@pytest.mark.parametrize(
    "endings",
    [
        pytest.param([Says([]), Says([])], id="empty"),
        pytest.param([Says([" \n"])], id="whitespace"),
        pytest.param([Says(["I think."], delta="reasoning_content")] * 2, id="only reasoning"),
        pytest.param([Refuses(500)], id="the provider fails"),
    ],
)
async def test_a_change_whose_answer_is_of_no_use_is_told_from_the_record(
    tmp_path: Path, endings: list[Answer]
) -> None:
    async with provided(tmp_path, RENAME, *endings) as under_test:
        reply = await under_test.say(ADD)
        under_test.will(Says(["It did."]))
        await under_test.say("Did that work?")
        version = (await under_test.workflow())["version"]

    assert version == 2
    assert [one["change"] for one in reply["workflows_touched"]] == ["modified"]
    assert "modified 'Expense approval' (version 2)" in reply["response"]
    assert "Legal" in reply["response"]
    asked = under_test.provider.requests[-1]["messages"]
    assert [one["role"] for one in asked[-4:]] == ["assistant", "tool", "assistant", "user"]
    assert "version 2" in asked[-2]["content"]


async def test_an_answer_of_no_use_without_a_change_is_an_error_that_may_be_sent_again(tmp_path: Path) -> None:
    async with provided(tmp_path, Says([" \n"])) as under_test:
        answer = await under_test.post("Hello")

    assert (answer.status_code, answer.json()["retriable"]) == (502, True)


@pytest.mark.parametrize(
    ("answer", "reason", "told", "as_openai"),
    [
        pytest.param(Says(["Half an"], finish="length"), "length", "Half an", "length", id="length"),
        pytest.param(Says(["Half an"], finish=None, usage=None), "cut", "Half an", "length", id="cut"),
        pytest.param(Says(["All."], finish=None), "stop", "All.", "stop", id="counted, without a reason"),
        pytest.param(
            Says(["Some"], finish="content_filter"),
            "content_filter",
            "Some",
            "content_filter",
            id="filtered on the way",
        ),
        pytest.param(
            Says([], finish="content_filter"), "content_filter", "content filter", "content_filter", id="filtered"
        ),
        pytest.param(Says(["I will not."], delta="refusal"), "refusal", "I will not.", "content_filter", id="refusal"),
        pytest.param(Says(["All."]), "stop", "All.", "stop", id="whole"),
    ],
)
async def test_why_an_answer_ended_is_kept_and_told(
    tmp_path: Path, answer: Says, reason: str, told: str, as_openai: str
) -> None:
    async with provided(tmp_path, answer, answer, answer, answer) as under_test:
        reply = await under_test.say("Hello")
        kept = await stored_reply(under_test)
        messages = [{"role": "user", "content": "Hello"}]
        body: dict[str, Any] = {"model": "workflow-agent", "messages": messages}
        whole = (await under_test.client.post("/v1/chat/completions", json=body)).json()
        streamed = (await under_test.client.post("/v1/chat/completions", json=body | {"stream": True})).text
        response = (
            await under_test.client.post("/v1/responses", json={"model": "workflow-agent", "input": "Hello"})
        ).json()

    assert told in reply["response"]
    assert reply["finish_reason"] == reply["context"]["finish_reason"] == kept["finish_reason"] == reason
    [step] = kept["iterations"]
    assert step["metadata"].get("finish_reason", "stop") == reason
    assert whole["choices"][0]["finish_reason"] == as_openai
    assert f'"finish_reason":"{as_openai}"' in streamed
    assert response["status"] == ("completed" if reason == "stop" else "incomplete")
    assert reply["usage"]["is_complete"] is reply["cost"]["is_complete"] is (reason != "cut") or reason != "cut"
    assert (whole["usage"] is None) == (reason == "cut")
    assert len(under_test.provider.requests) == 4


@pytest.mark.parametrize(
    ("refusal", "status", "retriable", "wait"),
    [
        pytest.param(Refuses(400, "invalid_value"), 502, False, None, id="400"),
        pytest.param(Refuses(413, "too_large"), 502, False, None, id="413"),
        pytest.param(Refuses(429, "rate_limit_exceeded", (("retry-after", "7"),)), 503, True, "7", id="429"),
        pytest.param(Refuses(500), 502, True, None, id="500"),
    ],
)
async def test_a_refusing_provider_is_told_as_what_it_is(
    tmp_path: Path, refusal: Refuses, status: int, retriable: bool, wait: str | None
) -> None:
    async with provided(tmp_path, refusal, refusal) as under_test:
        answer = await under_test.post("Hello")
        body = {"model": "workflow-agent", "messages": [{"role": "user", "content": "Hello"}]}
        as_openai = await under_test.client.post("/v1/chat/completions", json=body)

    assert (answer.status_code, answer.json()["retriable"]) == (status, retriable)
    assert answer.headers.get("retry-after") == as_openai.headers.get("retry-after") == wait
    assert as_openai.headers.get("x-should-retry") == (None if retriable else "false")


@pytest.mark.parametrize("header", [("retry-after", "70"), ("retry-after-ms", "70000")])
async def test_a_wait_longer_than_the_run_has_is_told_at_once(tmp_path: Path, header: tuple[str, str]) -> None:
    busy = Refuses(429, "rate_limit_exceeded", (header,))
    async with provided(tmp_path, busy, busy, model_attempts=3, run_timeout_seconds=60) as under_test:
        answer = await under_test.post("Hello")

    told = answer.json()
    assert (answer.status_code, told["error_type"]) == (503, "rate_limited")
    assert "It asks to wait 70 s." in told["detail"]
    assert answer.headers["retry-after"] == "70"
    assert len(under_test.provider.requests) == 1


async def test_a_window_that_was_too_large_is_sent_smaller_once(tmp_path: Path) -> None:
    too_long = Refuses(400, "context_length_exceeded")
    async with provided(tmp_path) as under_test:
        for turn in range(4):
            under_test.will(Says([f"Answer {turn}. " + "Word. " * 500]))
            await under_test.say(f"Question {turn}")
        under_test.will(too_long, Says(["Fine."]))
        reply = await under_test.say("And now?")

    sizes = [len(str(one["messages"])) for one in under_test.provider.requests]
    assert reply["response"] == "Fine."
    assert sizes[5] < 0.8 * sizes[4]
    assert reply["context"]["turns"]["included"] < 4


async def test_a_request_that_stays_too_large_is_not_sent_for_ever(tmp_path: Path) -> None:
    too_long = Refuses(400, "context_length_exceeded")
    async with provided(tmp_path, too_long, too_long) as under_test:
        failed = await under_test.post("And now?")

    assert (failed.status_code, failed.json()["retriable"]) == (502, False)
    assert failed.json()["error_type"] == "context_too_long"
    assert len(under_test.provider.requests) == 2
