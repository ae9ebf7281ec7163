"""What every request of a mode weighs before anything was said, counted over the bytes that are sent."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from pydantic_ai import models

from tests.support.chats import PROMPTS, chat_with
from tests.support.provider import CallsTools, Says, provider_stub
from workflow_agent.assistant.prompts import read_prompts, shapes
from workflow_agent.assistant.providers import Provider, build_model
from workflow_agent.assistant.window.counters import exact_count
from workflow_agent.assistant.window.layout import PromptLayout
from workflow_agent.conversations.agents import MODES, WRITING, Mode

pytestmark = pytest.mark.untraced

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


BRINGS: Mapping[str, str] = {
    "hand_off": "Let the editor do that",
    "change_phase": "Let us go on to the planning phase",
    "run_python": "How many calls of tools were there?",
    "everything": "Hand this to the editor for the planning phase. How many calls of tools were there? Remember it",
}
"""A message that brings a tool, by its name."""


def facts_in(request: dict[str, Any]) -> str:
    return str(request["messages"][-1]["content"]).partition("<turn_facts>")[2]


@pytest.mark.parametrize("tool", BRINGS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layout", ["plain", "stable_prefix"])
async def test_whatever_a_message_brings_stays_within_the_tokens_and_behind_the_prefix(
    layout: PromptLayout, mode: Mode, tool: str
) -> None:
    count = exact_count("o200k_base")
    if count is None:
        pytest.skip("the tokenizer of OpenAI's models is not installed")
    message = BRINGS[tool]
    reads = CallsTools([("use_tool", '{"tool": "list_workflows"}')])
    async with provider_stub(reads, Says(["There is none."]), Says(["Fine."]), Says(["Fine."])) as stub:
        provider = Provider(base_url=stub.base_url, api_key="k", max_retries=0)
        model = build_model("openai:stub-1", provider, offline=lambda: pytest.fail("not needed"))
        chat, conversation_id = chat_with(model, layout=layout), None
        for said in ("hello", message, "thanks"):
            outcome = await chat.say(said, mode=mode, conversation_id=conversation_id)
            conversation_id = outcome.conversation_id
    _, quiet, asking, after = stub.requests

    brought = set(BRINGS) - {"everything"} if tool == "everything" else {tool}
    listed = {line.partition(":")[0].removeprefix("- ") for line in facts_in(asking).splitlines()}
    assert listed >= brought
    assert not brought & {line.partition(":")[0].removeprefix("- ") for line in facts_in(quiet).splitlines()}
    assert asking["tools"] == quiet["tools"] == after["tools"]
    assert asking["messages"][: len(quiet["messages"]) - 1][0] == quiet["messages"][0]
    tools = count(json.dumps(asking["tools"], separators=(",", ":"), ensure_ascii=False))
    fixed = f"{asking['messages'][0]['content']}\n<turn_facts>{facts_in(asking)}"
    fixed = re.sub(r"Call history:.*?\n\n", "", fixed, flags=re.DOTALL)
    assert tools + count(fixed) <= (MOST_WRITING if mode in WRITING else MOST_READING)


@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize("layout", ["plain", "stable_prefix"])
async def test_a_listed_tool_runs_as_itself_and_stays_in_view_as_it_was_called(
    layout: PromptLayout, wrapped: bool
) -> None:
    made = '{"tool": "validate_workflow", "arguments": {"workflow": "wf_expense_approval"}}'
    asks = ("use_tool", made) if wrapped else ("validate_workflow", '{"workflow": "wf_expense_approval"}')
    async with provider_stub(CallsTools([asks]), Says(["It is sound."])) as stub:
        provider = Provider(base_url=stub.base_url, api_key="k", max_retries=0)
        model = build_model("openai:stub-1", provider, offline=lambda: pytest.fail("not needed"))
        chat = chat_with(model, layout=layout)
        await chat.add()
        reply = (await chat.say("hello", mode="modification")).reply

    assert list(reply.tools_used) == ["validate_workflow"]
    (call,) = (one for said in stub.requests[1]["messages"] for one in said.get("tool_calls", ()))
    assert call["function"]["name"] == "use_tool"
    assert json.loads(call["function"]["arguments"]) == json.loads(made)


@pytest.mark.parametrize("given", ['{"tool": 3}', '{"arguments": {}}', '{"tool": "get_turn", "arguments": "no json"}'])
async def test_a_call_that_names_no_tool_is_told_how_to_name_one(given: str) -> None:
    async with provider_stub(CallsTools([("use_tool", given)]), Says(["Fine."])) as stub:
        provider = Provider(base_url=stub.base_url, api_key="k", max_retries=0)
        model = build_model("openai:stub-1", provider, offline=lambda: pytest.fail("not needed"))
        await chat_with(model).say("hello", mode="search")

    assert "`use_tool` takes {tool: a name, arguments: {…}} as JSON" in stub.requests[1]["messages"][-1]["content"]
