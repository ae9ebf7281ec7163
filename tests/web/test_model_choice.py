"""Choosing the model that answers in this tab, and bringing a key for it."""

import json
from pathlib import Path

from playwright.sync_api import Browser, Page, Request, expect

from tests.support.browsing import Visitor, watched
from tests.support.server import serving
from tests.web.test_ways_of_use import serious
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.assistant.providers import Models
from workflow_agent.settings import load_settings


def models(*, takes_keys: bool) -> Models:
    """Return two models by rules; one brought with a key is a third."""
    by_name = {"first": OfflineModel(), "second": OfflineModel()}
    return Models("first", by_name, window_tokens=32_000, with_key=(lambda *_: OfflineModel()) if takes_keys else None)


def sent(page: Page) -> list[Request]:
    """Return what will have been said."""
    said: list[Request] = []
    page.on("request", lambda one: said.append(one) if one.url.endswith("/chat/stream") else None)
    return said


def test_another_model_answers_in_this_tab_until_it_is_closed(browser: Browser, tmp_path: Path) -> None:
    with (
        serving(load_settings(data_dir=tmp_path, model="first"), models(takes_keys=False)) as served,
        watched(browser, served) as page,
    ):
        page.goto("/")
        said = sent(page)
        expect(page.locator("#model")).to_have_text("Model: first")
        page.locator("#model").click()
        page.get_by_label("Answers in this tab").select_option("second")
        page.get_by_role("button", name="Use it").click()
        expect(page.locator("#model")).to_have_text("Model: second")
        Visitor(page).say("hello")
        page.reload()
        expect(page.locator("#model")).to_have_text("Model: second")
        page.locator("#model").click()
        page.get_by_role("button", name="As the server does").click()
        expect(page.locator("#model")).to_have_text("Model: first")
        Visitor(page).say("hello")

        asked = [json.loads(one.post_data or "").get("model") for one in said]
        assert asked == ["second", None]


def test_a_key_is_brought_for_this_tab_alone(browser: Browser, tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, model="first", request_keys=True)
    with serving(settings, models(takes_keys=True)) as served, watched(browser, served) as page:
        page.goto("/")
        said = sent(page)
        page.keyboard.press("Control+k")
        page.keyboard.type("model that answers")
        page.keyboard.press("Enter")
        page.get_by_label("Answers in this tab").select_option(label="Another, with a key of mine")
        page.get_by_label("Model", exact=True).fill("openai:mine")
        page.get_by_label("Key of its provider").fill("sk-brought")
        found = serious(page)
        page.keyboard.press("Enter")
        expect(page.locator("#model")).to_have_text("Model: openai:mine")
        Visitor(page).say("hello")

        assert found == []
        assert [one.headers.get("x-model-key") for one in said] == ["sk-brought"]
        assert "sk-brought" not in (said[0].post_data or "")
        assert page.evaluate("[JSON.stringify(localStorage), document.cookie].join('')").count("sk-") == 0
