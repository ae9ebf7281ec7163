"""Real HTTP against a local provider: each way it can fail leaves a conversation that takes the next turn."""

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest
from pydantic_ai import models
from pydantic_ai.models import Model

from tests.support.chats import TENANT, chat_with
from tests.support.provider import CallsTools, Hangs, ProviderStub, Refuses, Says, provider_stub
from workflow_agent.assistant.providers import Provider, build_model, with_fallback
from workflow_agent.errors import Misconfigured, ModelFailed

pytestmark = pytest.mark.untraced

FINE = Says(["All", " is well."])


def model_of(stub: ProviderStub, *, retries: int = 0, timeout_seconds: float = 5.0, name: str = "stub-1") -> Model:
    provider = Provider(
        base_url=stub.base_url, api_key="sk-secret", timeout_seconds=timeout_seconds, max_retries=retries
    )
    return build_model(f"openai:{name}", provider, offline=_no_offline)


def _no_offline() -> Model:
    raise AssertionError("no offline model is needed here")


@pytest.fixture(autouse=True)
def allow_local_requests() -> Iterator[None]:
    """The stub is local: this is the one place where a real model class talks over HTTP."""
    with models.override_allow_model_requests(True):
        yield


async def test_a_streamed_answer_arrives_with_its_usage() -> None:
    async with provider_stub(Says(["Hel", "lo ", " there\n"])) as stub:
        reply = (await chat_with(model_of(stub)).say("hello")).reply

    assert reply.content == "Hello  there\n"
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.requests) == (100, 10, 1)
    assert reply.model == "stub-1"
    newest = stub.requests[0]["messages"][-1]
    assert (newest["role"], newest["content"].split("\n\n<turn_facts")[0]) == ("user", "hello")


async def test_tool_calls_are_made_and_answered() -> None:
    asks = CallsTools([("list_workflows", "{}"), ("get_workflow", '{"workflow": "Expense approval"}')])
    async with provider_stub(asks, FINE) as stub:
        under_test = chat_with(model_of(stub))
        await under_test.add()
        reply = (await under_test.say("what is there?")).reply

    assert reply.tools_used == ("list_workflows", "get_workflow")
    assert [message["role"] for message in stub.requests[1]["messages"]][-3:] == ["assistant", "tool", "tool"]
    assert reply.usage.requests == 2


async def test_there_is_one_layer_of_retries() -> None:
    busy = Refuses(429, "rate_limit_exceeded", (("retry-after-ms", "1"),))
    async with provider_stub(*[busy] * 9) as stub:
        with pytest.raises(ModelFailed):
            await chat_with(model_of(stub, retries=2)).say("hello")

    assert len(stub.requests) == 3


@pytest.mark.parametrize("name", ["openai:stub-1", "anthropic:claude-opus-4-8"])
@pytest.mark.parametrize("header", [("retry-after", "70"), ("retry-after-ms", "70000")])
async def test_a_vendor_that_asks_to_wait_longer_than_the_run_has_is_asked_once(
    name: str, header: tuple[str, str]
) -> None:
    busy = Refuses(429, "rate_limit_exceeded", (header,))
    async with provider_stub(*[busy] * 3) as stub:
        model = build_model(name, Provider(stub.base_url, "sk-secret", max_retries=2), offline=_no_offline)
        with pytest.raises(ModelFailed, match=r"It asks to wait 70 s\."):
            await chat_with(model, timeout_seconds=60).say("hello")

    assert len(stub.requests) == 1


CUT = Says(["half an ans"], is_cut=True)


async def test_a_run_that_takes_too_long_is_stopped() -> None:
    async with provider_stub(Hangs()) as stub:
        under_test = chat_with(model_of(stub, timeout_seconds=30.0), timeout_seconds=0.2)
        with pytest.raises(ModelFailed) as failure:
            await under_test.say("hello")

    assert failure.value.details["error_type"] == "run_timeout"


async def test_the_fallback_answers_when_the_provider_fails() -> None:
    async with provider_stub(Refuses(500)) as broken, provider_stub(FINE) as working:
        model = with_fallback(model_of(broken), model_of(working))
        reply = (await chat_with(model).say("hello")).reply

    assert reply.content == "All is well."
    assert len(broken.requests) == 1


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(Says([], is_cut=True), id="before anything"),
        pytest.param(Says(["Let me think."], is_cut=True, delta="reasoning_content"), id="after thoughts"),
    ],
)
async def test_the_fallback_answers_when_a_stream_breaks_before_the_first_word(broken: Says) -> None:
    async with provider_stub(broken) as breaking, provider_stub(FINE) as working:
        reply = (
            await chat_with(with_fallback(model_of(breaking), model_of(working, name="stub-2"))).say("hello")
        ).reply

    assert reply.content == "All is well."
    [step] = reply.iterations
    assert step.metadata["failed_attempts"] == [{"model": "stub-1", "error_type": "ModelConnectionError"}]
    assert len(breaking.requests) == len(working.requests) == 1


async def test_what_was_said_is_not_said_again_by_the_fallback() -> None:
    async with provider_stub(CUT) as breaking, provider_stub(FINE) as working:
        with pytest.raises(ModelFailed):
            await chat_with(with_fallback(model_of(breaking), model_of(working, name="stub-2"))).say("hello")

    assert working.requests == []


def test_other_vendors_get_the_same_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "k")

    model = build_model("deepseek:deepseek-chat", Provider(timeout_seconds=7.0, max_retries=1), _no_offline)

    assert (model.client.timeout, model.client.max_retries) == (7.0, 1)


@pytest.mark.parametrize("name", ["openai:", "nonsense", "nosuch:model"])
def test_an_impossible_model_is_refused_with_what_to_do(name: str) -> None:
    with pytest.raises(Misconfigured, match="WORKFLOW_AGENT_MODEL"):
        build_model(name, Provider(), offline=_no_offline)


async def test_each_agent_keeps_its_newest_session_whatever_happens() -> None:
    looking = CallsTools([("list_workflows", "{}")])
    handing = CallsTools([("hand_off", json.dumps({"to": "editor", "reason": "its field", "summary": "All."}))])
    async with provider_stub(FINE, FINE, looking, Refuses(500), handing, FINE, FINE) as stub:
        under_test = chat_with(model_of(stub))
        first = await under_test.say("@finder hello")

        async def sessions_after(message: str) -> dict[str, str | None]:
            with suppress(ModelFailed):
                await under_test.say(message, conversation_id=first.conversation_id)
            stored = await under_test.store.load(TENANT, first.conversation_id)
            return {name: state.session_id for name, state in stored.agent_states.items()}

        second = await sessions_after("@analyst hello")
        failed = await sessions_after("@finder look around")
        handed = await sessions_after("@assistant hand this to the editor")

    assert second == {"finder": "chatcmpl-1", "analyst": "chatcmpl-2"}
    assert failed == {"finder": "chatcmpl-3", "analyst": "chatcmpl-2"}
    assert handed == failed | {"assistant": "chatcmpl-6", "editor": "chatcmpl-7"}
