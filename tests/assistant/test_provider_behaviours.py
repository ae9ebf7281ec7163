"""What providers do at their worst, over real HTTP, and what comes of it: the table in docs/clients.md."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import models

from tests.support.chats import TENANT, ChatUnderTest, chat_with
from tests.support.provider import Answer, CallsTools, Hangs, Refuses, Says, Sends, provider_stub
from workflow_agent.assistant.providers import Provider, build_model
from workflow_agent.assistant.requests import StartedTurn, TurnRequest
from workflow_agent.errors import ModelFailed

pytestmark = pytest.mark.untraced
GUIDE = Path(__file__).parents[2] / "docs" / "clients.md"
JsonObject = dict[str, Any]


def event(payload: JsonObject) -> bytes:
    whole = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "stub-1", **payload}
    return b"data: " + json.dumps(whole, ensure_ascii=False).encode() + b"\n\n"


def delta(said: JsonObject | None, finish: str | None = None, index: int = 0) -> bytes:
    return event({"choices": [{"index": index, "delta": said, "finish_reason": finish}]})


def called(at: int, call_id: str | None, name: str | None = "list_workflows", arguments: str | None = "{}") -> bytes:
    made: JsonObject = {"index": at, "type": "function", "function": {"name": name, "arguments": arguments}}
    return delta({"role": "assistant", "tool_calls": [made if call_id is None else {**made, "id": call_id}]})


SAID = "All is well."
FINE = Says([SAID])
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
WORD = delta({"role": "assistant", "content": SAID})
STOP, CALLS = delta({}, "stop"), delta({}, "tool_calls")
TOLD, DONE = event({"choices": [], "usage": USAGE}), b"data: [DONE]\n\n"
USED_BY_NOW = event(
    {"choices": [{"index": 0, "delta": {"role": "assistant", "content": SAID}, "finish_reason": None}]}
    | {"usage": {"prompt_tokens": 100, "completion_tokens": 4, "total_tokens": 104}}
)
END, END_OF_CALLS = (STOP, TOLD, DONE), (CALLS, TOLD, DONE)
FAILURE = b'data: {"error": {"message": "overloaded", "type": "server_error", "code": null}}\n\n'
MESSAGE = {"role": "assistant", "content": SAID}
COMPLETION = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "stub-1",
    "usage": USAGE,
    "choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}],
}
STOPPED = (
    "I stopped after 10 steps, the limit for one message. No workflow was changed; these tools gave me "
    "answers: list_workflows (10 times). Tell me how to go on."
)
UNCOUNTED = ("no usage", "usage below zero", "no finish reason and no usage")
HERE = (("location", "/v1/chat/completions"),)
SOON = (("retry-after-ms", "10"),)


def moved(status: str) -> Sends:
    return Sends([], status=status, headers=HERE)


@dataclass(frozen=True)
class Case:
    """A behaviour as the table names it, what the provider answers, and what comes of it."""

    name: str
    answers: Sequence[Answer]
    text: str = SAID
    reason: str = "stop"
    requests: int = 1
    outcomes: tuple[str, ...] = ()
    """Of the tool calls."""
    tokens: tuple[int, int] | None = None
    """Counted for input and output, where that is what the case is about."""
    error: str | None = None
    is_retriable: bool = True
    attempts: int = 1
    timeout_seconds: float = 10.0


CASES = [
    # How an answer ends
    Case("whole, with usage", [FINE], tokens=(100, 10)),
    Case("ends for `length`", [Says(["Half"], finish="length")], text="Half", reason="length"),
    Case(
        "`content_filter` after words", [Says(["Half"], finish="content_filter")], text="Half", reason="content_filter"
    ),
    Case(
        "`content_filter` without a word",
        [Says([], finish="content_filter")],
        text="The model's provider stopped the answer: its content filter does not let it through.",
        reason="content_filter",
    ),
    Case("a refusal", [Says(["I will not."], delta="refusal")], text="I will not.", reason="refusal"),
    Case("a finish reason nobody knows", [Says([SAID], finish="eos")]),
    Case("no finish reason, but usage", [Says([SAID], finish=None)]),
    Case("no finish reason and no usage", [Says([SAID], finish=None, usage=None)], reason="cut"),
    Case("`tool_calls` without a call", [Says([SAID], finish="tool_calls")]),
    Case("`stop` with a call", [Sends([called(0, "c"), *END]), FINE], requests=2, outcomes=("success",)),
    Case("nothing at all", [Says([]), FINE], requests=2),
    Case("nothing, twice", [Says([]), Says([])], requests=2, error="unexpected_behavior"),
    Case("only white space", [Says([" \n"])], error="unexpected_behavior"),
    Case("only reasoning", [Says(["Hm."], delta="reasoning_content"), FINE], requests=2),
    Case("reasoning, then words", [Sends([delta({"reasoning_content": "Hm."}), WORD, *END])]),
    Case("`<think>` as words", [Says(["<think>", "Hm.", "</think>", SAID])]),
    # How a stream goes
    Case("a cut before the first word", [Says([], is_cut=True)], error="connection"),
    Case("a cut after words", [Says(["Half"], is_cut=True)], error="connection"),
    Case("a reset before the answer", [Sends([], ending="reset"), FINE], requests=2, attempts=2),
    Case("a reset after words", [Sends([WORD], ending="reset")], error="connection"),
    Case("silence before the answer", [Hangs()], error="model_timeout", timeout_seconds=0.3),
    Case("silence after words", [Sends([WORD], ending="hangs")], error="model_timeout", timeout_seconds=0.3),
    Case("`[DONE]` alone", [Sends([DONE])], error="unexpected_behavior"),
    Case("no `[DONE]`", [Sends([WORD, STOP, TOLD])]),
    Case("words after `[DONE]`", [Sends([WORD, *END, delta({"content": "More."})])]),
    Case("an empty body", [Sends([])], error="unexpected_behavior"),
    Case("comments that keep it alive", [Sends([b": ping\n\n", WORD, b": ping\n\n", *END])]),
    Case(
        "CRLF, and no space after `data:`",
        [Sends([one.replace(b"data: ", b"data:").replace(b"\n", b"\r\n") for one in (WORD, *END)])],
    ),
    Case(
        "a character split over chunks",
        [Sends([*(bytes([one]) for one in delta({"content": "Prüfung 🙂"})), *END])],
        text="Prüfung 🙂",
    ),
    Case("a piece of a million characters", [Says(["x" * 1_000_000])], text="x" * 1_000_000),
    Case("two thousand pieces", [Says(["y"] * 2_000)], text="y" * 2_000),
    Case("no role", [Sends([delta({"content": SAID}), *END])]),
    Case("`content` is null", [Sends([delta({"role": "assistant", "content": None}), WORD, *END])]),
    Case("`delta` is null", [Sends([delta(None), WORD, *END])]),
    Case("`choices` empty or null", [Sends([event({"choices": []}), event({"choices": None}), WORD, *END])]),
    Case("a second choice", [Sends([WORD, delta({"content": " Or not."}, index=1), *END])], text=f"{SAID} Or not."),
    Case("an error in the stream", [Sends([FAILURE])], error="provider_error"),
    Case("an error after words", [Sends([WORD, FAILURE])], error="provider_error"),
    Case("an event that is no JSON", [Sends([WORD, b"data: {oops\n\n", *END])], error="provider_error"),
    Case(
        "a whole completion in place of a stream",
        [Sends([json.dumps(COMPLETION).encode()], "application/json")],
        error="unexpected_behavior",
    ),
    Case("a page of HTML with 200", [Sends([b"<html>Log in</html>"], "text/html")], error="unexpected_behavior"),
    # Usage
    Case("no usage", [Says([SAID], usage=None)], tokens=(0, 0)),
    Case("usage below zero", [Says([SAID], usage=(-5, -1, 0))], tokens=(0, 0)),
    Case("usage after the last word", [Sends([WORD, STOP, TOLD, DONE])], tokens=(100, 10)),
    Case("usage so far in every piece", [Sends([USED_BY_NOW, STOP, TOLD, DONE])], tokens=(100, 10)),
    # What it calls
    Case(
        "calls at the same time",
        [CallsTools([("list_workflows", "{}")] * 2), FINE],
        requests=2,
        outcomes=("success",) * 2,
    ),
    Case(
        "arguments in pieces",
        [
            Sends(
                [called(0, "c", arguments=""), called(0, None, None, "{"), called(0, None, None, "}"), *END_OF_CALLS]
            ),
            FINE,
        ],
        requests=2,
        outcomes=("success",),
    ),
    Case(
        "arguments empty",
        [Sends([called(0, "c", arguments=""), *END_OF_CALLS]), FINE],
        requests=2,
        outcomes=("success",),
    ),
    Case(
        "arguments null",
        [Sends([called(0, "c", arguments=None), *END_OF_CALLS]), FINE],
        requests=2,
        outcomes=("success",),
    ),
    Case(
        "arguments that are no JSON",
        [CallsTools([("get_workflow", '{"workflow": ')]), FINE],
        requests=2,
        outcomes=("retried",),
    ),
    Case(
        "arguments that are no object",
        [CallsTools([("list_workflows", "[]")]), FINE],
        requests=2,
        outcomes=("retried",),
    ),
    Case(
        "arguments that do not fit",
        [CallsTools([("get_workflow", '{"flow": 1}')]), FINE],
        requests=2,
        outcomes=("retried",),
    ),
    Case(
        "arguments cut off by `length`",
        [Sends([called(0, "c", arguments="{"), delta({}, "length"), TOLD, DONE]), FINE],
        requests=2,
        outcomes=("retried",),
    ),
    Case(
        "a call that is never mended",
        [CallsTools([("get_workflow", "{}")])] * 8,
        requests=4,
        error="unexpected_behavior",
    ),
    Case("a tool that is not there", [CallsTools([("rename", "{}")]), FINE], requests=2, outcomes=("retried",)),
    Case("a call without a name", [Sends([called(0, "c", None), *END_OF_CALLS]), FINE], requests=2),
    Case(
        "calls without ids",
        [Sends([called(0, None), called(1, ""), *END_OF_CALLS]), FINE],
        requests=2,
        outcomes=("success",) * 2,
    ),
    Case(
        "calls with the same id", [Sends([called(0, "c"), called(1, "c"), *END_OF_CALLS])], error="unexpected_behavior"
    ),
    Case(
        "gaps in the index",
        [Sends([called(0, "a"), called(5, "b"), *END_OF_CALLS]), FINE],
        requests=2,
        outcomes=("success",) * 2,
    ),
    Case(
        "`function_call`, the old way",
        [
            Sends(
                [
                    delta({"function_call": {"name": "list_workflows", "arguments": "{}"}}),
                    delta({}, "function_call"),
                    TOLD,
                    DONE,
                ]
            ),
            FINE,
        ],
        requests=2,
    ),
    Case(
        "words beside a call",
        [Sends([delta({"content": "Let me look."}), called(0, "c"), *END_OF_CALLS]), FINE],
        text=f"Let me look.\n\n{SAID}",
        requests=2,
        outcomes=("success",),
    ),
    Case(
        "calls without an end",
        [CallsTools([("list_workflows", "{}")])] * 12,
        text=STOPPED,
        requests=10,
        outcomes=("success",) * 10,
    ),
    # How it refuses
    Case("429 with Retry-After", [Refuses(429, "rate_limit_exceeded", SOON), FINE], requests=2, attempts=2),
    Case("429 without it", [Refuses(429, "rate_limit_exceeded"), FINE], requests=2, attempts=2),
    Case(
        "429 to the end", [Refuses(429, "rate_limit_exceeded", SOON)] * 3, requests=3, attempts=3, error="rate_limited"
    ),
    Case(
        "429 that asks to wait longer than the run has",
        [Refuses(429, "rate_limit_exceeded", (("retry-after", "119"),))],
        attempts=3,
        error="rate_limited",
    ),
    Case("429, the quota is used up", [Refuses(429, "insufficient_quota")], error="quota_exceeded", is_retriable=False),
    Case("400", [Refuses(400, "invalid_value")], error="request_rejected", is_retriable=False),
    Case("400, too long for the model", [Refuses(400, "context_length_exceeded"), FINE], requests=2),
    Case("413", [Refuses(413)], error="request_rejected", is_retriable=False),
    Case("422", [Refuses(422)], error="request_rejected", is_retriable=False),
    Case("401 or 403", [Refuses(401, "invalid_api_key")], error="authentication", is_retriable=False),
    Case("404, no such model", [Refuses(404, "model_not_found")], error="model_not_found", is_retriable=False),
    Case(
        "408, 409 or 5xx that passes",
        [Refuses(408, headers=SOON), Refuses(409, headers=SOON), Refuses(503, headers=SOON), FINE],
        requests=4,
        attempts=4,
    ),
    Case("500 to the end", [Refuses(500)], error="provider_error"),
    Case("529", [Refuses(529)], error="overloaded"),
    Case(
        "a page of HTML with 502",
        [Sends([b"<html>Bad gateway</html>"], "text/html", "502 Bad Gateway")],
        error="provider_error",
    ),
    Case("307 to another address", [moved("307 Temporary Redirect"), FINE], requests=2),
    Case("307 in a circle", [moved("307 Temporary Redirect")] * 30, requests=21, error="connection"),
]


@pytest.fixture(autouse=True)
def allow_local_requests() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


@pytest.mark.filterwarnings("ignore:Failed to extract usage")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_whatever_a_provider_does_the_turn_says_and_the_next_one_works(case: Case) -> None:
    async with provider_stub(*case.answers) as stub:
        provider = Provider(stub.base_url, "sk-secret", case.timeout_seconds, case.attempts - 1)
        under_test = chat_with(build_model("openai:stub-1", provider, lambda: pytest.fail("not needed")))
        started = await under_test.chat.start(TENANT, TurnRequest("what is there?"))
        if case.error is None:
            await replied(case, started)
        else:
            await failed(case, under_test, started)
        sent = len(stub.requests)
        stub.answers[:] = [FINE]
        following = await under_test.say("again?", conversation_id=started.conversation_id)

    assert sent == case.requests
    assert following.reply.content == SAID


async def replied(case: Case, started: StartedTurn) -> None:
    reply = (await started.outcome()).reply
    outcomes = tuple(call.outcome for step in reply.iterations for call in step.tool_calls)
    assert reply.content == case.text
    assert reply.usage.is_complete is (case.name not in UNCOUNTED)
    assert (reply.finish_reason, outcomes) == (case.reason, case.outcomes)
    if case.tokens is not None:
        assert (reply.usage.input_tokens, reply.usage.output_tokens) == case.tokens


async def failed(case: Case, under_test: ChatUnderTest, started: StartedTurn) -> None:
    with pytest.raises(ModelFailed) as failure:
        await started.outcome()
    _, run = await under_test.chat.recorded_run(TENANT, started.run_id)
    assert failure.value.details["error_type"] == case.error
    assert failure.value.details["retriable"] is case.is_retriable
    assert "sk-secret" not in str(failure.value)
    assert (run.status, run.error and run.error.type) == ("failed", case.error)
    assert all(step.completed_at for step in run.iterations)


def test_the_guide_names_each_behaviour_in_this_order() -> None:
    section = GUIDE.read_text("utf-8").partition("## Providers at their worst\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| .+ \|$", section, re.MULTILINE)

    assert [row for row in rows if row not in ("a provider", "---")] == [case.name for case in CASES]
