"""Which model does what in a turn, and which are expensive."""

import pytest

from workflow_agent.assistant.providers import CHEAP_MODEL, ModelConfig


def test_without_a_key_for_another_the_primary_model_plans_and_summarizes() -> None:
    config = ModelConfig.from_request("anthropic:claude-opus-4-5")

    assert (config.context_planner, config.summarizer) == (config.primary, config.primary)


def test_with_openai_s_key_its_small_model_does_unless_nobody_may_be_asked() -> None:
    online = ModelConfig.from_request("anthropic:claude-opus-4-5", has_openai_key=True)
    offline = ModelConfig.from_request("offline", has_openai_key=True)

    assert (online.context_planner, online.summarizer) == (CHEAP_MODEL, CHEAP_MODEL)
    assert (offline.context_planner, offline.summarizer) == ("offline", "offline")


def test_what_is_set_counts_before_any_default() -> None:
    config = ModelConfig.from_request("offline", context_planner="a:b", summarizer="c:d", has_openai_key=True)

    assert config == ModelConfig(primary="offline", context_planner="a:b", summarizer="c:d")


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
