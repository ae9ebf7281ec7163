"""What every request of a mode weighs before anything was said, counted over the bytes that are sent."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic_ai import models

from tests.support.chats import chat_with
from tests.support.provider import Says, provider_stub
from workflow_agent.assistant.providers import Provider, build_model
from workflow_agent.assistant.window.counters import exact_count
from workflow_agent.conversations.modes import MODES, WRITING, Mode

MOST_WRITING, MOST_WRITING_TOOLS, MOST_READING = 3_700, 3_000, 2_300


@pytest.fixture(autouse=True)
def allow_local_requests() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


async def sent(*messages: str, mode: Mode | None) -> list[dict[str, Any]]:
    """Return the requests for messages of one conversation as the provider gets them."""
    async with provider_stub(*[Says(["Fine."]) for _ in messages]) as stub:
        provider = Provider(base_url=stub.base_url, api_key="k", max_retries=0)
        model = build_model("openai:stub-1", provider, offline=lambda: pytest.fail("not needed"))
        under_test, conversation_id = chat_with(model, layout="plain"), None
        for message in messages:
            outcome = await under_test.say(message, mode=mode, conversation_id=conversation_id)
            conversation_id = outcome.conversation_id
    return stub.requests


def tools_in(request: dict[str, Any]) -> set[str]:
    return {tool["function"]["name"] for tool in request["tools"]}


@pytest.mark.parametrize("mode", MODES)
async def test_what_is_fixed_stays_within_its_tokens(mode: Mode) -> None:
    count = exact_count("o200k_base")
    if count is None:
        pytest.skip("the tokenizer of OpenAI's models is not installed")

    (request,) = await sent("hello", mode=mode)

    tools = count(json.dumps(request["tools"], separators=(",", ":"), ensure_ascii=False))
    instructions = count("\n".join(one["content"] for one in request["messages"]))
    most = MOST_WRITING if mode in WRITING else MOST_READING
    assert tools + instructions <= most
    assert tools <= MOST_WRITING_TOOLS


async def test_tools_that_can_be_of_no_use_are_not_offered() -> None:
    (request,) = await sent("hello", mode="general")

    assert not tools_in(request) & {"hand_off", "change_phase", "run_python"}


@pytest.mark.parametrize(
    ("message", "tool"),
    [
        ("Let the editor do that", "hand_off"),
        ("Hand this over to somebody who knows", "hand_off"),
        ("Let us go on to the planning phase", "change_phase"),
    ],
)
async def test_what_the_message_speaks_of_is_offered(message: str, tool: str) -> None:
    (request,) = await sent(message, mode="general")

    assert tool in tools_in(request)
