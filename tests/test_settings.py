"""Settings: read from the environment, checked at once, documented where they are written."""

from pathlib import Path

import pytest

from workflow_agent.errors import Misconfigured
from workflow_agent.settings import (
    Settings,
    load_settings,
    meanings_of_settings,
    settings_page,
    shown_value,
    unknown_variables,
)

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"


def test_the_page_in_docs_is_the_generated_one() -> None:
    assert PAGE.read_text(encoding="utf-8") == settings_page()


def test_every_setting_has_a_meaning() -> None:
    assert meanings_of_settings().keys() == Settings.model_fields.keys()


def test_the_environment_sets_and_the_caller_overrides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKFLOW_AGENT_PORT", "9000")
    monkeypatch.setenv("WORKFLOW_AGENT_HOST", "::1")

    settings = load_settings(host="127.0.0.2")

    assert (settings.port, settings.host) == (9000, "127.0.0.2")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        pytest.param(
            "WORKFLOW_AGENT_API_KEY_S",
            "WORKFLOW_AGENT_API_KEY_S is no setting and has no effect; did you mean WORKFLOW_AGENT_API_KEYS?",
            id="misspelt",
        ),
        pytest.param(
            "workflow_agent_modle",
            "workflow_agent_modle is no setting and has no effect; did you mean WORKFLOW_AGENT_MODEL?",
            id="in lower case",
        ),
        pytest.param("WORKFLOW_AGENT_ZZZ", "WORKFLOW_AGENT_ZZZ is no setting and has no effect.", id="like none"),
    ],
)
def test_a_variable_that_sets_nothing_is_named(name: str, told: str) -> None:
    assert unknown_variables(["PATH", "WORKFLOW_AGENT_PORT", "workflow_agent_host", name]) == [told]


def test_lists_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKFLOW_AGENT_ALLOWED_HOSTS", "a.example, b.example,")

    assert load_settings().allowed_hosts == ("a.example", "b.example")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        pytest.param("PORT", "70000", "WORKFLOW_AGENT_PORT: .*65535", id="port"),
        pytest.param("TENANT", "../x", "WORKFLOW_AGENT_TENANT", id="tenant"),
        pytest.param("RUN_TIMEOUT_SECONDS", "0", "WORKFLOW_AGENT_RUN_TIMEOUT_SECONDS", id="zero seconds"),
        pytest.param("RUN_TIMEOUT_SECONDS", "nan", "WORKFLOW_AGENT_RUN_TIMEOUT_SECONDS", id="no number"),
        pytest.param("API_KEYS", "s3cret key", "visible ASCII", id="key with a space"),
    ],
)
def test_a_wrong_value_names_its_variable_and_not_itself(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(f"WORKFLOW_AGENT_{name}", value)

    with pytest.raises(Misconfigured, match=words) as refused:
        load_settings()

    assert "s3cret" not in refused.value.message


def test_secrets_are_not_shown() -> None:
    settings = load_settings(api_keys=("k" * 20, "j" * 20), model_api_key="m" * 20)

    shown = " ".join(shown_value(settings, name) for name in Settings.model_fields) + repr(settings)

    assert "kkk" not in shown
    assert "mmm" not in shown
    assert shown_value(settings, "api_keys") == "(set),(set)"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("example.org", False),
        ("", False),
    ],
)
def test_which_addresses_only_this_machine_reaches(host: str, expected: bool) -> None:
    assert load_settings(host=host).is_loopback is expected
