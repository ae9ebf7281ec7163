"""How a model is reached belongs to it: address, key, patience; and what its provider counts is checked."""

import json
import logging
from pathlib import Path

import httpx
import pytest

from tests.support.provided import provided
from tests.support.provider import Hangs, Refuses, Says
from workflow_agent.conversations.agents import ROSTER
from workflow_agent.errors import Misconfigured
from workflow_agent.main.extensions import models_of
from workflow_agent.settings import load_settings

pytestmark = pytest.mark.untraced


@pytest.mark.parametrize("model", ["openai:stub-1", "openai-responses:stub-1"])
async def test_a_model_gets_the_time_and_the_attempts_that_are_set(tmp_path: Path, model: str) -> None:
    patience = {"model_timeout_seconds": 0.3, "model_attempts": 2}
    async with provided(tmp_path, Hangs(), Hangs(), model=model, **patience) as under_test:
        answer = await under_test.post("Hello")

    assert answer.json()["error_type"] == "model_timeout"
    assert len(under_test.provider.requests) == 2


async def test_a_model_of_the_table_has_its_own_address_and_patience(tmp_path: Path) -> None:
    async with provided(tmp_path / "other", Says(["From the other."])) as other:
        access = {"openai:other": {"base_url": other.provider.base_url, "api_key": "sk-other", "attempts": 1}}
        options = {"fallback_model": "openai:other", "models": access, "model_attempts": 2}
        failing = Refuses(500, headers=(("retry-after-ms", "1"),))
        async with provided(tmp_path / "own", failing, failing, **options) as under_test:
            reply = await under_test.say("Hello")

    assert reply["response"] == "From the other."
    assert (len(under_test.provider.requests), len(other.provider.requests)) == (2, 1)


def test_another_provider_gets_neither_the_address_nor_the_key_of_a_server_of_one_s_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-anthropic")
    monkeypatch.setenv("WORKFLOW_AGENT_MODELS", json.dumps({"openai:gpt-5.2": {"api_key": "sk-own"}}))
    settings = load_settings(
        data_dir=tmp_path,
        model="openai:local",
        fallback_model="anthropic:claude-sonnet-4-5",
        context_planner_model="openai:gpt-5.2",
        model_base_url="http://localhost:8080/v1",
        model_api_key="sk-local",
    )

    models = models_of(settings, ROSTER)

    local, fallback = models.by_name["openai:local"].models
    addresses = [httpx.URL(str(one.base_url)).host for one in (local, fallback, models.aside["openai:gpt-5.2"])]
    assert addresses == ["localhost", "api.anthropic.com", "api.openai.com"]
    assert (local.client.api_key, fallback.client.api_key) == ("sk-local", "sk-anthropic")


@pytest.mark.parametrize("given", ["{bad sk-secret", '{"openai:x": {"api_key": "sk-secret", "attemps": 2}}', "[]"])
def test_a_table_that_cannot_be_read_is_told_without_its_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("WORKFLOW_AGENT_MODELS", given)

    with pytest.raises(Misconfigured, match=r"WORKFLOW_AGENT_MODELS[.:]") as refused:
        load_settings(data_dir=tmp_path)

    assert "sk-secret" not in str(refused.value)


def test_an_address_that_would_not_be_used_is_refused(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, model="groq:x", models={"groq:x": {"base_url": "http://h/v1"}})

    with pytest.raises(Misconfigured, match="openai and anthropic only"):
        models_of(settings, ROSTER)


@pytest.mark.filterwarnings("ignore:Failed to extract usage")
@pytest.mark.parametrize("counted", [(-5, 10, 0), (10, -10, 0), (10, 10, 50)])
async def test_counts_below_zero_are_no_counts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, counted: tuple[int, int, int]
) -> None:
    async with provided(tmp_path, Says(["Hello."], usage=counted)) as under_test:
        under_test.provider.model = "gpt-4o"
        with caplog.at_level(logging.WARNING):
            reply = await under_test.say("Hello")
        metrics = (await under_test.client.get("/metrics")).text

    kinds = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    assert all(reply["usage"][kind] >= 0 for kind in kinds)
    assert reply["usage"]["is_complete"] is (min(counted) >= 0)
    assert (reply["cost"]["total_usd"] or 0) >= 0
    assert "workflow_agent_turns_total" in metrics
    assert not [one for one in caplog.messages if "negative" in one.lower()]


async def test_cache_statistics_of_a_turn_are_its_own(tmp_path: Path) -> None:
    async with provided(tmp_path) as under_test:
        seen: list[dict[str, int]] = []
        for _ in range(4):
            under_test.conversation_id = None
            under_test.will_look_it_up()
            seen.append((await under_test.say("Show the expense approval"))["context"]["cache_stats"])

    assert seen[1] == seen[2] == seen[3]
    assert seen[3]["hits"] > 0


async def test_a_call_without_a_price_makes_a_cost_incomplete(tmp_path: Path) -> None:
    async with provided(tmp_path, Says(["Hello."]), Says(["Hello."])) as under_test:
        unpriced = await under_test.say("Hello")
        under_test.provider.model = "gpt-4o"
        priced = await under_test.say("Hello")
        path = f"/api/v1/conversations/{under_test.conversation_id}"
        totals = (await under_test.client.get(path)).json()["usage_totals"]

    assert (unpriced["cost"]["is_complete"], unpriced["cost"]["total_usd"]) == (False, None)
    assert priced["cost"]["is_complete"] is True
    assert totals["cost_is_complete"] is False
    assert totals["cost_usd"] > 0


def kept_in(root: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in root.rglob("*") if file.is_file()}


async def test_a_key_that_came_with_a_message_is_used_for_it_and_kept_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    own = {"model": "openai:own", "headers": {"X-Model-Key": "sk-brought"}}
    async with provided(tmp_path, Says(["Hello."]), request_keys=True) as under_test:
        reply = await under_test.say("Hello", **own)
        under_test.will(Refuses(401, code="sk-brought"))
        refused = await under_test.post("Again", **own)
        under_test.will(Says(["As before."]))
        plain = await under_test.say("Once more")
        names = (await under_test.client.get("/api/v1/models")).json()

    assert (reply["response"], plain["response"]) == ("Hello.", "As before.")
    assert refused.json()["error_type"] == "authentication"
    brought, server = "Bearer sk-brought", "Bearer sk-secret"
    assert under_test.provider.authorized_as == [brought, brought, server]
    assert names == {"items": ["offline", "openai:stub-1"], "default": "openai:stub-1", "takes_keys": True}
    told = [reply, refused.json(), caplog.text, [vars(record) for record in caplog.records]]
    assert not [one for one in kept_in(tmp_path).values() if b"sk-brought" in one]
    assert "sk-brought" not in str(told)


@pytest.mark.parametrize(
    ("takes_keys", "model"),
    [
        pytest.param(False, "openai:own", id="keys are not taken"),
        pytest.param(True, None, id="no model is named"),
        pytest.param(True, "offline", id="the model needs none"),
    ],
)
async def test_a_key_without_a_use_is_refused_and_nothing_is_stored(
    tmp_path: Path, *, takes_keys: bool, model: str | None
) -> None:
    async with provided(tmp_path, request_keys=takes_keys) as under_test:
        answer = await under_test.post("Hello", model=model, headers={"X-Model-Key": "sk-brought"})

    assert (answer.status_code, answer.json()["problems"][0]["pointer"]) == (422, "header:X-Model-Key")
    assert "sk-brought" not in answer.text
    assert under_test.provider.requests == []
    assert not [one for one in kept_in(tmp_path) if "/conversations/" in one]
