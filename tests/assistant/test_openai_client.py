"""What goes to a provider of OpenAI's protocol: the same as by OpenAI's own client."""

from collections.abc import Sequence
from typing import Any

import pytest
from openai import AsyncOpenAI
from pydantic_ai import direct
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters, override_allow_model_requests
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from tests.support.provider import ProviderStub, Says, provider_stub
from workflow_agent.assistant.vendors import DirectOpenAI

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "from": {"type": "string", "description": "Where it begins."},
        "steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}},
        "any": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    },
    "required": ["from"],
    "additionalProperties": False,
    "$defs": {"Step": {"type": "object", "properties": {"type": {"const": "human"}}}},
}
_TOOLS = [
    ToolDefinition(name="edit", parameters_json_schema=_SCHEMA, description="Change it."),
    ToolDefinition(name="look"),
]
_PICTURE = BinaryContent(b"\x89PNG", media_type="image/png")
_CALLED: list[ModelMessage] = [
    ModelRequest([SystemPromptPart("Be brief."), UserPromptPart("Änder es \N{PARTY POPPER}")]),
    ModelResponse([ThinkingPart("Hm."), TextPart("I look."), ToolCallPart("look", {"a": [1]}, "c1")]),
    ModelRequest([ToolReturnPart("look", {"found": [1, None]}, "c1")]),
    ModelResponse([ToolCallPart("edit", '{"from": 1}', "c2")]),
    ModelRequest([ToolReturnPart("edit", "from: a text", "c2", outcome="retried")]),
]
_TALKED: list[ModelMessage] = [ModelRequest([UserPromptPart(["What is this?", _PICTURE])], instructions="You help.")]


async def asked(
    client: type[AsyncOpenAI],
    stub: ProviderStub,
    messages: Sequence[ModelMessage],
    tools: list[ToolDefinition],
    settings: ModelSettings | None,
) -> str:
    provider = OpenAIProvider(openai_client=client(base_url=stub.base_url, api_key="k", max_retries=0))
    parameters = ModelRequestParameters(function_tools=tools)
    async with direct.model_request_stream(
        OpenAIChatModel("stub-1", provider=provider),
        list(messages),
        model_settings=settings,
        model_request_parameters=parameters,
    ) as streamed:
        async for _ in streamed:
            pass
    return str(streamed.get().text)


@pytest.mark.parametrize(
    ("messages", "tools", "settings"),
    [
        pytest.param(_CALLED, _TOOLS, None, id="calls and tools"),
        pytest.param(_TALKED, [], None, id="a picture, no tools"),
        pytest.param(_TALKED, _TOOLS, ModelSettings(temperature=0, max_tokens=9), id="settings"),
        pytest.param(_TALKED, _TOOLS, ModelSettings(extra_body={"top_k": 3}), id="a body of its own"),
    ],
)
async def test_the_provider_gets_what_openais_client_sends(
    messages: list[ModelMessage], tools: list[ToolDefinition], settings: ModelSettings | None
) -> None:
    async with provider_stub(Says(["Yes."]), Says(["Yes."])) as stub:
        # To the stub alone.
        with override_allow_model_requests(True):
            answers = [await asked(one, stub, messages, tools, settings) for one in (AsyncOpenAI, DirectOpenAI)]

    theirs, ours = stub.requests
    assert ours == theirs
    assert answers == ["Yes.", "Yes."]


async def test_a_client_with_other_options_sends_as_it_does() -> None:
    async with provider_stub(Says(["Yes."])) as stub:
        client = DirectOpenAI(base_url=stub.base_url, api_key="k").with_options(max_retries=7)
        done = await client.chat.completions.create(
            model="stub-1", messages=[{"role": "user", "content": "Hello"}], stream=True
        )
        async for _ in done:
            pass

    assert client.max_retries == 7
    assert stub.requests[0]["messages"] == [{"role": "user", "content": "Hello"}]
