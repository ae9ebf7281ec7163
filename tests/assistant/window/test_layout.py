"""Requests whose beginning stays as it was: on the wire, in the record, where the provider takes it."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from pydantic_ai import models
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel

from tests.support.chats import TENANT, ChatUnderTest, chat_with
from tests.support.provider import Answer, CallsTools, ProviderStub, Says, provider_stub
from tests.support.scripted import scripted
from workflow_agent.assistant.providers import Provider, build_model
from workflow_agent.assistant.tools.registry import LISTED_TOOLS, WRITING_TOOLS
from workflow_agent.assistant.window.layout import PromptLayout, has_stable_prefix

FINE = Says(["All is well."])
LONG = Says(["All is well, and this is said in as many words as it takes for a summary to be shorter. " * 8])
IDLE = {"hand_off", "change_phase", "run_python"}


@pytest.fixture(autouse=True)
def allow_local_requests() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


def model_at(base_url: str) -> Model:
    provider = Provider(base_url=base_url, api_key="k", max_retries=0)
    return build_model("openai:stub-1", provider, offline=lambda: pytest.fail("not needed"))


def chat_at(stub: ProviderStub, layout: PromptLayout = "stable_prefix") -> ChatUnderTest:
    return chat_with(model_at(stub.base_url), layout=layout)


async def requests_of(*answers: Answer, modes: tuple[str | None, ...], layout: PromptLayout) -> list[dict[str, Any]]:
    async with provider_stub(*answers) as stub:
        under_test = chat_at(stub, layout)
        conversation_id = None
        for number, mode in enumerate(modes):
            outcome = await under_test.say(f"message {number}", mode=mode, conversation_id=conversation_id)
            conversation_id = outcome.conversation_id
    return stub.requests


def roles(request: dict[str, Any]) -> list[str]:
    return [message["role"] for message in request["messages"]]


def beginning(request: dict[str, Any]) -> list[Any]:
    """Return what a provider reads of a request, in the order in which it reads it."""
    return [*request["tools"], *request["messages"]]


async def test_a_module_stands_before_the_first_turn_that_needs_it() -> None:
    modes = ("search", "modification", "search")

    *_, third = await requests_of(*[FINE] * 3, modes=modes, layout="stable_prefix")

    assert roles(third) == ["system", "user", "assistant", "system", "user", "assistant", "user"]
    assert third["messages"][0]["content"].startswith("# Finding workflows")
    assert third["messages"][3]["content"].startswith("# Changing a workflow")
    assert third["messages"][4] == {"role": "user", "content": "message 1"}


@pytest.mark.parametrize("layout", ["stable_prefix", "plain"])
async def test_facts_stand_behind_the_newest_message_and_nowhere_else(layout: PromptLayout) -> None:
    _, second = await requests_of(FINE, FINE, modes=("search", "search"), layout=layout)

    newest = second["messages"][-1]["content"]
    assert newest.startswith("message 1\n\n<turn_facts>\nMode: search")
    assert newest.endswith("</turn_facts>")
    assert "Today:" not in str(second["messages"][:-1])


@pytest.mark.parametrize("layout", ["stable_prefix", "plain"])
async def test_the_record_of_earlier_turns_stands_behind_the_module_which_a_compaction_does_not_change(
    layout: PromptLayout,
) -> None:
    async with provider_stub(*[LONG] * 12) as stub:
        chat, conversation_id = chat_at(stub, layout), None
        for number in range(12):
            outcome = await chat.say(f"message {number}", mode="search", conversation_id=conversation_id)
            conversation_id = outcome.conversation_id
            await chat.compactor.settled()

    before, after = (request["messages"][0]["content"] for request in stub.requests[-2:])
    assert after.startswith(before.rstrip())
    record = after.removeprefix(before.rstrip()).lstrip()
    assert record.startswith("=== EARLIER TURNS ===\nThe first turns are not shown word for word.")
    assert roles(stub.requests[-1]).count("system") == 1
    assert "EARLIER TURNS" not in str(stub.requests[-1]["messages"][1:])


@pytest.mark.parametrize(
    ("layout", "modes"),
    [
        pytest.param("stable_prefix", ("search", "search", "search"), id="stable"),
        pytest.param("stable_prefix", ("search", "modification", "analysis"), id="stable, mode changes"),
        pytest.param("plain", ("search", "search", "search"), id="plain"),
    ],
)
async def test_a_request_begins_as_the_one_before_up_to_its_newest_message(
    layout: PromptLayout, modes: tuple[str, ...]
) -> None:
    made = await requests_of(*[FINE] * 3, modes=modes, layout=layout)

    for before, after in pairwise(map(beginning, made)):
        assert after[: len(before) - 1] == before[:-1]
        assert before[-1]["content"].startswith(after[len(before) - 1]["content"])


async def test_a_plain_request_begins_as_the_one_before_once_both_kinds_of_mode_were_told() -> None:
    modes = ("search", "modification", "analysis", "creation", "search")

    _, second, *later = await requests_of(*[FINE] * 5, modes=modes, layout="plain")

    for before, after in pairwise(map(beginning, [second, *later])):
        assert after[: len(before) - 1] == before[:-1]


async def test_a_further_module_is_framed_where_there_is_one_system_message() -> None:
    modes = ("search", "modification", "search")

    *_, third = await requests_of(*[FINE] * 3, modes=modes, layout="plain")

    assert roles(third) == ["system", "user", "assistant", "user", "assistant", "user"]
    assert third["messages"][0]["content"].startswith("# Finding workflows")
    assert third["messages"][3]["content"].startswith("<system>\n# Changing a workflow")
    assert third["messages"][3]["content"].endswith("</system>\n\nmessage 1")
    assert third["messages"][5]["content"].startswith("message 2\n\n<turn_facts>\nMode: search")


async def test_a_tool_that_an_earlier_mode_had_is_refused_in_this_one() -> None:
    writes = CallsTools([("delete_workflow", '{"workflow": "Expense approval"}')])
    async with provider_stub(FINE, writes, FINE) as stub:
        chat = chat_at(stub, "plain")
        await chat.add()
        first = await chat.say("hello", mode="modification")
        second = await chat.say("what is there?", mode="search", conversation_id=first.conversation_id)

    assert "- delete_workflow: workflow" in stub.requests[1]["tools"][0]["function"]["description"]
    [call] = second.reply.iterations[0].tool_calls
    assert call.outcome == "retried"
    assert "which changes nothing" in stub.requests[2]["messages"][-1]["content"]
    assert [one.version for one in await chat.workflows.all(TENANT)] == [1]


async def test_a_module_is_told_once_where_messages_are_alike() -> None:
    async with provider_stub(FINE, FINE, FINE) as stub:
        chat, conversation_id = chat_at(stub), None
        for mode in ("search", "analysis", "search"):
            outcome = await chat.say("go on", mode=mode, conversation_id=conversation_id)
            conversation_id = outcome.conversation_id

    told = [one["content"].split("\n")[0] for one in stub.requests[-1]["messages"] if one["role"] == "system"]
    assert told == ["# Finding workflows", "# Explaining and examining a workflow"]


async def test_who_answers_is_told_once_and_first() -> None:
    _, second = await requests_of(FINE, FINE, modes=("search", "search"), layout="plain")

    assert "You are the agent assistant" in second["messages"][0]["content"]
    assert "You are the agent" not in str(second["messages"][1:])


async def test_the_requests_of_one_run_share_what_comes_before() -> None:
    asks = CallsTools([("list_workflows", "{}")])
    first, second = await requests_of(asks, FINE, modes=("search",), layout="stable_prefix")

    assert second["messages"][: len(first["messages"])] == first["messages"]


async def test_of_all_tools_only_those_of_the_mode_are_allowed() -> None:
    reading, writing = await requests_of(FINE, FINE, modes=("search", "modification"), layout="stable_prefix")

    sent = {tool["function"]["name"] for tool in reading["tools"]}
    choice = reading["tool_choice"]["allowed_tools"]
    allowed = {tool["function"]["name"] for tool in choice["tools"]}
    assert sent >= WRITING_TOOLS - LISTED_TOOLS
    assert choice["mode"] == "auto"
    assert allowed == sent - WRITING_TOOLS
    assert not sent & (IDLE | LISTED_TOOLS)
    assert (writing["tools"], writing["tool_choice"]) == (reading["tools"], "auto")


async def test_a_plain_request_begins_with_instructions_and_offers_nothing_that_writes() -> None:
    _, request = await requests_of(FINE, FINE, modes=("search", "search"), layout="plain")

    assert roles(request)[0] == "system"
    assert {name for name in WRITING_TOOLS if name in str(request["tools"])} == set()


async def test_a_plain_request_has_one_system_message_where_the_mode_is_switched() -> None:
    switches = CallsTools([("switch_mode", '{"mode": "modification"}')])
    *_, last = await requests_of(switches, FINE, modes=(None,), layout="plain")

    assert roles(last) == ["system", "user", "assistant", "tool"]


async def test_a_plain_request_has_one_system_message_where_several_agents_answer() -> None:
    async with provider_stub(FINE, FINE) as stub:
        chat = chat_at(stub, "plain")
        first = await chat.say("hello", agent="finder")
        await chat.say("and you?", agent="analyst", conversation_id=first.conversation_id)

    last = stub.requests[-1]
    assert roles(last).count("system") == 1
    assert roles(last)[0] == "system"
    assert "All is well." in str(last["messages"][1:])


async def test_the_reply_keeps_the_instructions_as_evidence_either_way() -> None:
    async with provider_stub(FINE) as stub:
        reply = (await chat_at(stub).say("hello", mode="search")).reply

    system = reply.iterations[0].messages[0]
    assert system.role == "system"
    assert "Mode: search" in "\n".join(part.text or "" for part in system.parts)
    assert reply.context["breakdown"]["prompt_module"] > 0


@pytest.mark.parametrize(
    ("address", "layout", "expected"),
    [
        ("https://api.openai.com/v1", "auto", True),
        ("https://api.openai.com.example/v1", "auto", False),
        ("http://127.0.0.1:8080/v1", "auto", False),
        ("http://127.0.0.1:8080/v1", "stable_prefix", True),
        ("https://api.openai.com/v1", "plain", False),
    ],
)
def test_who_gets_it(address: str, layout: PromptLayout, expected: bool) -> None:
    assert has_stable_prefix(model_at(address), layout) is expected


def test_a_fallback_gets_it_where_both_take_it() -> None:
    known, other = model_at("https://api.openai.com/v1"), scripted()[0]

    assert has_stable_prefix(FallbackModel(known, known), "auto")
    assert not has_stable_prefix(FallbackModel(known, other), "auto")
