"""What goes over the wire to Anthropic is marked where the next request begins alike, and nowhere else."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic_ai import models
from pydantic_ai.models.fallback import FallbackModel

from tests.support.chats import TENANT, chat_with
from tests.support.provider import Refuses, provider_stub
from tests.support.scripted import scripted
from workflow_agent.assistant.providers import Provider, build_model
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.assistant.window.layout import is_anthropic
from workflow_agent.errors import ModelFailed

KEPT = {"type": "ephemeral", "ttl": "5m"}


@pytest.fixture(autouse=True)
def allow_local_requests() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


async def sent(name: str, message: str) -> dict[str, Any]:
    """Return the request for a message as the provider gets it."""
    async with provider_stub(Refuses(400, "invalid_request_error")) as stub:
        provider = Provider(base_url=stub.base_url, api_key="k", max_retries=0)
        model = build_model(name, provider, offline=lambda: pytest.fail("not needed"))
        with pytest.raises(ModelFailed):
            await (await chat_with(model).chat.start(TENANT, TurnRequest(message))).outcome()
    return stub.requests[0]


async def test_where_the_run_goes_on_tools_and_request_are_kept() -> None:
    request = await sent("anthropic:claude-opus-4-8", "Find the workflows about invoices")

    assert request["tools"][-1]["cache_control"] == KEPT
    assert [tool for tool in request["tools"][:-1] if "cache_control" in tool] == []
    assert request["cache_control"] == KEPT


async def test_what_the_next_turn_sends_again_ends_before_the_facts_of_this_one() -> None:
    request = await sent("anthropic:claude-opus-4-8", "Hello, how are you?")

    said, facts = request["messages"][-1]["content"]
    assert said["text"] == "Hello, how are you?"
    assert said["cache_control"] == KEPT
    assert facts["text"].startswith("<turn_facts>\nMode: general")
    assert "Today" not in str(request["system"])


async def test_other_providers_are_sent_no_marks() -> None:
    request = await sent("openai:gpt-4o", "Find the workflows about invoices")

    assert "cache_control" not in str(request)


def test_a_fallback_may_be_anthropics() -> None:
    provider = Provider(base_url="http://127.0.0.1:9", api_key="k")
    claude = build_model("anthropic:claude-opus-4-8", provider, offline=lambda: pytest.fail("not needed"))

    assert is_anthropic(FallbackModel(scripted()[0], claude))
    assert not is_anthropic(scripted()[0])
