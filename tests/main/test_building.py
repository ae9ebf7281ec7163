"""The service as the settings describe it: models, caches, samples, and what is cleared up at the start."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from pydantic_ai.models.fallback import FallbackModel

from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.errors import Misconfigured, StorageFailed
from workflow_agent.main.application import Application
from workflow_agent.main.composition import build
from workflow_agent.main.extensions import model_config_of
from workflow_agent.settings import load_settings


@contextmanager
def built(root: Path, **settings: Any) -> Iterator[Application]:
    with closing(build(load_settings(data_dir=root, **settings))) as application:
        yield application


async def test_a_turn_needs_nothing_but_a_directory(tmp_path: Path) -> None:
    with built(tmp_path) as application:
        started = await application.services.chat.start("default", TurnRequest("hello"))
        outcome = await started.outcome()

    assert outcome.reply.content
    assert outcome.reply.model == "offline"


def test_what_answers_is_made_once_and_not_at_the_first_request_of_each_application(tmp_path: Path) -> None:
    with built(tmp_path / "one") as one, built(tmp_path / "other") as other:
        routes, others = (
            {id(route) for route in application.app.routes if isinstance(route, APIRoute)}
            for application in (one, other)
        )

    assert len(routes) > 50
    assert routes == others


async def test_samples_come_once_and_only_when_wanted(tmp_path: Path) -> None:
    with built(tmp_path / "without") as application:
        await application.prepare()
        assert await application.services.workflows.all("default") == []

    for _ in range(2):
        with built(tmp_path / "with", samples=True) as application:
            await application.prepare()
            assert len(await application.services.workflows.all("default")) >= 8


async def test_starting_keeps_the_keys_that_are_young(tmp_path: Path) -> None:
    with built(tmp_path) as application:
        await application.services.keys.claim("k", "request", "a")
        await application.prepare()
        claim = await application.services.keys.claim("k", "request", "b")

    assert (claim.resource_id, claim.is_first) == ("a", False)


def test_without_caches_nothing_of_the_context_is_kept_either(tmp_path: Path) -> None:
    with built(tmp_path / "with") as application:
        kept = application.services.caches()
    with built(tmp_path / "without", caches_enabled=False) as application:
        parts = application.services.chat.worker.runner.gathering.parts
        parts.extracts.put("key", "value")
        without = application.services.caches()

    assert (kept["plans"]["max_entries"], kept["extracts"]["max_entries"]) == (1_000, 1_000)
    assert kept["summaries"]["ttl_seconds"] == 300
    assert (without["plans"]["max_entries"], without["summaries"]["max_entries"]) == (0, 0)
    assert (parts.extracts.get("key"), without["extracts"]["size"]) == (None, 0)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({"model": "nonsense"}, "'nonsense' cannot be used", id="no such model"),
        pytest.param({"fallback_model": "nonsense:x"}, "'nonsense:x' cannot be used", id="no such fallback"),
    ],
)
def test_a_model_that_cannot_be_is_said_at_the_start(tmp_path: Path, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(Misconfigured, match=words):
        build(load_settings(data_dir=tmp_path, **settings))


@pytest.mark.parametrize(
    ("model", "variable"), [("openai:gpt-5", "OPENAI_API_KEY"), ("anthropic:claude-sonnet-5", "ANTHROPIC_API_KEY")]
)
def test_a_key_that_is_missing_is_asked_for_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, variable: str
) -> None:
    monkeypatch.delenv(variable, raising=False)

    with pytest.raises(Misconfigured, match=f"{model}' cannot be used: .*{variable}"):
        build(load_settings(data_dir=tmp_path, model=model))


def test_a_fallback_stands_behind_the_model(tmp_path: Path) -> None:
    chosen: dict[str, Any] = {"model": "openai:gpt-5", "model_base_url": "http://127.0.0.1:1/v1"}

    with built(tmp_path, **chosen, model_api_key="key", fallback_model="offline") as application:
        models = application.services.chat.worker.runner.models

    assert models.default == "openai:gpt-5"
    assert isinstance(models.named(None), FallbackModel)
    assert models.named("offline") is not models.named(None)


async def test_caches_can_be_switched_off(tmp_path: Path) -> None:
    with built(tmp_path, caches_enabled=False, samples=True) as application:
        await application.prepare()
        await application.services.workflows.all("default")
        await application.services.workflows.all("default")
        specs = application.services.caches()["specs"]

    assert (specs["max_entries"], specs["size"], specs["hits"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("answers", "plans", "on_an_own_server"),
    [
        ("openai:gpt-5.2", "openai:gpt-4o-mini", "openai:gpt-5.2"),
        ("anthropic:claude-sonnet-5", "anthropic:claude-haiku-4-5", "anthropic:claude-sonnet-5"),
        ("offline", None, None),
    ],
)
def test_text_goes_to_no_provider_just_because_its_key_is_there(
    answers: str, plans: str | None, on_an_own_server: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")

    config = model_config_of(load_settings(data_dir=tmp_path), answers)
    own_server = load_settings(data_dir=tmp_path, model_base_url="http://127.0.0.1:9/v1")

    assert (config.context_planner, config.summarizer) == (plans, plans or answers)
    assert model_config_of(own_server, answers).context_planner == on_an_own_server


def test_a_data_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    taken = tmp_path / "a-file"
    taken.write_text("in the way")

    with pytest.raises(StorageFailed, match=r"The data directory '.*/a-file' cannot be used\."):
        build(load_settings(data_dir=taken))
