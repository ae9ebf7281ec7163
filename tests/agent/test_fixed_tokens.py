"""What every request of a mode weighs before anything was said, counted over the bytes that are sent."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from pydantic_ai import models

from tests.support.chats import PROMPTS, chat_with
from tests.support.provider import CallsTools, Says, provider_stub
from workflow_agent.assistant.prompts import read_prompts
from workflow_agent.assistant.providers import Provider, build_model
from workflow_agent.assistant.tools.shapes import shapes
from workflow_agent.assistant.window.counters import exact_count
from workflow_agent.assistant.window.layout import PromptLayout
from workflow_agent.conversations.modes import MODES, WRITING, Mode

MOST_WRITING, MOST_WRITING_TOOLS, MOST_READING = 3_700, 3_000, 2_300
MOST_WITH_ALL_MODULES = 6_000
"""Where turns in all five modes are in view: each module and the shapes once."""


@pytest.fixture(autouse=True)
def allow_local_requests() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


async def sent(*messages: str, modes: Sequence[Mode | None], layout: PromptLayout = "plain") -> list[dict[str, Any]]:
    """Return the requests for messages of one conversation as the provider gets them."""
    async with provider_stub(*[Says(["Fine."]) for _ in messages]) as stub:
        provider = Provider(base_url=stub.base_url, api_key="k", max_retries=0)
        model = build_model("openai:stub-1", provider, offline=lambda: pytest.fail("not needed"))
        under_test, conversation_id = chat_with(model, layout=layout), None
        for message, mode in zip(messages, modes, strict=True):
            outcome = await under_test.say(message, mode=mode, conversation_id=conversation_id)
            conversation_id = outcome.conversation_id
    return stub.requests


def tools_in(request: dict[str, Any]) -> set[str]:
    return {tool["function"]["name"] for tool in request["tools"]}


def instructions_in(request: dict[str, Any], mode: Mode) -> str:
    """Return what is sent beside tools, without the modules that turns in other modes were told."""
    text = "\n".join(one["content"] for one in request["messages"])
    others = {other: prompt for other, prompt in read_prompts(PROMPTS).items() if other != mode}
    for prompt in (*others.values(), *([] if mode in WRITING else [shapes()])):
        text = text.replace(prompt, "")
    return text


BEFORE: Mapping[str, Sequence[Mode]] = {
    "first": (),
    "after reading": ("search",),
    "after writing": ("modification",),
    "after both, twice": ("general", "creation", "analysis", "modification"),
}


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layout", ["plain", "stable_prefix"])
async def test_what_is_fixed_stays_within_its_tokens(layout: PromptLayout, mode: Mode, before: str) -> None:
    count = exact_count("o200k_base")
    if count is None:
        pytest.skip("the tokenizer of OpenAI's models is not installed")
    modes = (*BEFORE[before], mode, mode)

    *_, switched, following = await sent(*(f"hello {at}" for at in range(len(modes))), modes=modes, layout=layout)

    for request in (switched, following):
        tools = count(json.dumps(request["tools"], separators=(",", ":"), ensure_ascii=False))
        instructions = count(instructions_in(request, mode))
        assert any(read_prompts(PROMPTS)[mode] in one["content"] for one in request["messages"])
        assert tools + instructions <= (MOST_WRITING if mode in WRITING else MOST_READING)
        assert tools <= MOST_WRITING_TOOLS


@pytest.mark.parametrize("layout", ["plain", "stable_prefix"])
async def test_all_modules_in_view_weigh_less_than_two_writing_turns(layout: PromptLayout) -> None:
    count = exact_count("o200k_base")
    if count is None:
        pytest.skip("the tokenizer of OpenAI's models is not installed")

    *_, last = await sent(*(f"hello {mode}" for mode in MODES), modes=MODES, layout=layout)

    said = "\n".join(one["content"] for one in last["messages"])
    assert said.count("## Shapes") == 1
    assert count(json.dumps(last["tools"], separators=(",", ":"), ensure_ascii=False) + said) <= MOST_WITH_ALL_MODULES


async def test_tools_that_can_be_of_no_use_are_not_offered() -> None:
    (request,) = await sent("hello", modes=["general"])

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
    (request,) = await sent(message, modes=["general"])

    assert tool in tools_in(request)


@pytest.mark.parametrize(
    ("message", "tool"),
    [
        ("Where does it get stuck?", "simulate_workflow"),
        ("Give it to me as BPMN", "export_workflow"),
        ("Who changed it since Monday?", "list_changes"),
        ("How does it differ from the other one?", "compare_workflows"),
    ],
)
@pytest.mark.parametrize("layout", ["plain", "stable_prefix"])
async def test_what_looks_closer_is_sent_among_tools_that_write_where_it_is_spoken_of(
    layout: PromptLayout, message: str, tool: str
) -> None:
    _, quiet, asking = await sent(
        "hello", "thanks", message, modes=["modification", "analysis", "analysis"], layout=layout
    )

    assert tool not in tools_in(quiet)
    assert tool in tools_in(asking)


async def test_a_tool_that_looks_closer_is_brought_by_a_switch_of_mode() -> None:
    simulates = CallsTools([("simulate_workflow", '{"workflow": "open"}')])
    switches = CallsTools([("switch_mode", '{"mode": "analysis"}')])
    async with provider_stub(simulates, switches, Says(["Fine."])) as stub:
        provider = Provider(base_url=stub.base_url, api_key="k", max_retries=0)
        model = build_model("openai:stub-1", provider, offline=lambda: pytest.fail("not needed"))
        await chat_with(model, layout="stable_prefix").say("hello", mode="search")

    refused, brought = stub.requests[1:]
    assert "`switch_mode` to 'analysis' brings 'simulate_workflow'" in refused["messages"][-1]["content"]
    assert "simulate_workflow" not in tools_in(refused)
    assert "simulate_workflow" in tools_in(brought)
