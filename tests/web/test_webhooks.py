"""Webhooks on the page: added with a key that is shown once, tried, removed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.main.test_webhooks import Receiver, receiving
from tests.support.browsing import watched
from tests.support.server import Served, serving
from tests.web.test_ways_of_use import NARROW, serious
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = load_settings(
        data_dir=tmp_path_factory.mktemp("data"), webhook_secret="s3cret", webhook_hosts=("127.0.0.1",)
    )
    with serving(settings, OfflineModel()) as running:
        yield running


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_webhook_is_added_tried_and_removed_on_a_phone(
    browser: Browser, served: Served, receiver: Receiver, scheme: str
) -> None:
    complaints: list[str] = []
    with watched(
        browser, served, complaints, viewport=NARROW, has_touch=True, is_mobile=True, color_scheme=scheme
    ) as page:
        page.goto("/")
        page.get_by_role("button", name="Show the conversations").tap()
        page.get_by_role("link", name="Webhooks").tap()
        expect(page.get_by_text("Nobody is told of events yet.")).to_be_visible()
        page.get_by_role("button", name="Add a webhook").tap()
        page.get_by_label("Address").fill("http://10.0.0.1/told")
        page.get_by_role("button", name="Add", exact=True).tap()
        expect(page.get_by_role("alert")).to_contain_text("WORKFLOW_AGENT_WEBHOOK_HOSTS")
        assert serious(page) == []
        page.get_by_label("Address").fill(receiver.url)
        page.get_by_role("checkbox", name="A message got no reply").uncheck()
        page.get_by_role("button", name="Add", exact=True).tap()
        key = page.locator(".webhook-key")
        secret = key.inner_text()
        assert len(secret) == 64
        assert serious(page) == []
        page.get_by_role("button", name="I have kept it").tap()

        hook = page.get_by_role("region", name=receiver.url)
        expect(hook.locator("li")).to_have_count(3)
        hook.get_by_role("button", name="Send a test").tap()
        expect(hook.get_by_role("status")).to_contain_text("Taken in")
        assert receiver.next()[1]["type"] == "webhook.test"
        receiver.failures = 1
        hook.get_by_role("button", name="Send a test").tap()
        expect(hook.get_by_role("status")).to_have_text("Not taken: status 503")
        assert serious(page) == []
        page.reload()
        expect(hook).to_be_visible()
        assert secret not in page.content()
        hook.get_by_role("button", name="Remove").tap()
        page.get_by_role("dialog").get_by_role("button", name="Remove").tap()

        expect(hook).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    assert all("422" in one for one in complaints)


def test_a_server_that_sends_no_events_says_how_it_would(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    settings = load_settings(data_dir=tmp_path_factory.mktemp("data"))
    with serving(settings, OfflineModel()) as served, watched(browser, served) as page:
        page.goto("/#/webhooks")

        expect(page.locator("#webhooks")).to_contain_text("WORKFLOW_AGENT_WEBHOOK_SECRET")
        expect(page.get_by_role("button", name="Add a webhook")).to_be_disabled()
        assert serious(page) == []
