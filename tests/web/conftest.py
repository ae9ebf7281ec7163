"""Debian's Chromium in front of the real server, which answers with its offline model."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.browsing import CHROMIUM, Visitor, watched
from tests.support.server import Served, serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings


@pytest.hookimpl
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip(f"needs Chromium at {CHROMIUM}, as Debian's package installs it")
    # It keeps a loop running in this thread, so it has to end before tests elsewhere run loops of their own.
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(load_settings(data_dir=tmp_path), OfflineModel()) as running:
        yield running


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """A tab of 1440 by 900 pixels that may not complain on its console."""
    with watched(browser, served) as tab:
        yield tab


@pytest.fixture
def visitor(page: Page) -> Visitor:
    """Somebody who has just come to the page."""
    page.goto("/")
    return Visitor(page)
