"""Which model does what in a turn, and which are expensive."""

import pytest

from workflow_agent.assistant.providers import SMALL_MODELS, ModelConfig


@pytest.mark.parametrize(
    ("answers", "plans", "summarizes"),
    [
        ("openai:gpt-5.2", "openai:gpt-4o-mini", "openai:gpt-4o-mini"),
        ("openai-responses:gpt-5.2", "openai:gpt-4o-mini", "openai:gpt-4o-mini"),
        ("anthropic:claude-opus-4-5", "anthropic:claude-haiku-4-5", "anthropic:claude-haiku-4-5"),
        ("google:gemini-3-pro", "google:gemini-2.5-flash-lite", "google:gemini-2.5-flash-lite"),
        ("mistral:mistral-large-latest", "mistral:mistral-small-latest", "mistral:mistral-small-latest"),
        ("ollama:qwen3", "ollama:qwen3", "ollama:qwen3"),
        ("an-extension-s-own", "an-extension-s-own", "an-extension-s-own"),
        ("groq:llama-4", None, "groq:llama-4"),
        ("offline", None, "offline"),
    ],
)
def test_a_small_model_of_the_same_provider_plans_and_rules_where_none_is_known(
    answers: str, plans: str | None, summarizes: str
) -> None:
    config = ModelConfig.from_request(answers)

    assert (config.context_planner, config.summarizer) == (plans, summarizes)


def test_a_server_of_one_s_own_need_not_have_its_protocol_s_models() -> None:
    config = ModelConfig.from_request("openai:own", is_own_server=True)

    assert (config.context_planner, config.summarizer) == ("openai:own", "openai:own")


def test_each_small_model_has_a_known_price_and_is_not_expensive() -> None:
    priced = {name: ModelConfig.from_request(name) for name in SMALL_MODELS.values()}

    assert [name for name, config in priced.items() if config.input_price_usd() is None] == []
    assert [name for name, config in priced.items() if config.is_expensive_primary()] == []


def test_what_is_set_counts_before_any_default() -> None:
    config = ModelConfig.from_request("offline", context_planner="a:b", summarizer="c:d")
    by_rule = ModelConfig.from_request("openai:gpt-5", context_planner="offline")

    assert config == ModelConfig(primary="offline", context_planner="a:b", summarizer="c:d")
    assert by_rule.context_planner is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai:gpt-4o", False),
        ("openai:o1", True),
        ("openai-chat:o1-pro", True),
        ("o1", True),
        ("anthropic:claude-3-opus-20240229", True),
        ("offline", False),
        ("test", False),
    ],
)
def test_a_model_is_expensive_by_its_price_and_an_unknown_price_is_not(name: str, expected: bool) -> None:
    assert ModelConfig.from_request(name).is_expensive_primary() is expected


def test_the_offline_model_costs_nothing_and_is_not_unknown() -> None:
    assert ModelConfig.from_request("offline").input_price_usd() == 0
    assert ModelConfig.from_request("test").input_price_usd() is None


def test_the_threshold_itself_is_not_expensive() -> None:
    config = ModelConfig.from_request("openai:gpt-4o")

    assert str(config.input_price_usd()) == "0.0000025"
    assert not config.is_expensive_primary(2.5e-6)
    assert config.is_expensive_primary(2.4e-6)
