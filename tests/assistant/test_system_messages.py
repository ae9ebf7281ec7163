"""Which providers read a system message where it stands in the conversation."""

import pytest
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.assistant.providers import keeps_system_messages_in_place, with_fallback

OPENAI = OpenAIChatModel("gpt-5", provider=OpenAIProvider(api_key="k"))
ANTHROPIC = AnthropicModel("claude-opus-5", provider=AnthropicProvider(api_key="k"))


@pytest.mark.parametrize(
    ("model", "in_place"),
    [
        pytest.param(OfflineModel(), True, id="offline"),
        pytest.param(OPENAI, True, id="openai"),
        pytest.param(ANTHROPIC, False, id="anthropic moves them behind user messages"),
        pytest.param(FunctionModel(lambda *_: None), False, id="one that does not say"),
        pytest.param(with_fallback(OPENAI, ANTHROPIC), False, id="the fallback counts too"),
    ],
)
def test_a_provider_that_moves_system_messages_is_known(model: Model, in_place: bool) -> None:
    assert keeps_system_messages_in_place(model) is in_place
