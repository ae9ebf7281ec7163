"""A browser's tab that is watched for complaints, and what somebody does in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.server import Served

CHROMIUM = Path("/usr/bin/chromium")
EXPENSES = (
    "When an employee submits an expense the manager approves or rejects it. If approved, finance pays it "
    "out, otherwise tell the employee by email. The manager has two days."
)
TIMEOUT_MS = 60_000
"""Long, because the machine may be busy; nothing waits that long when it works."""
expect.set_options(timeout=TIMEOUT_MS)


@contextmanager
def watched(browser: Browser, served: Served, complaints: list[str] | None = None, **options: Any) -> Iterator[Page]:
    """Open a tab on a server; leaving fails if it complained, unless its complaints are asked for."""
    said = complaints if complaints is not None else []
    context = browser.new_context(**{"base_url": served.url, "viewport": {"width": 1440, "height": 900}, **options})
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    page.on("console", lambda one: said.append(one.text) if one.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    try:
        yield page
    finally:
        context.close()
    if complaints is None:
        assert said == [], said


@dataclass(frozen=True)
class Visitor:
    """Somebody at the page."""

    page: Page

    def send(self, text: str) -> None:
        """Write a message and send it."""
        self.page.get_by_role("textbox", name="Message").fill(text)
        self.page.keyboard.press("Enter")

    def say(self, text: str) -> Locator:
        """Send a message and return the reply once it is complete."""
        finished = self.page.locator(".reply:has(.reply-buttons)")
        before = finished.count()
        self.send(text)
        expect(finished).to_have_count(before + 1)
        return finished.last

    def diagram(self) -> Locator:
        """Return the drawn workflow."""
        return self.page.locator(".canvas svg")

    def sees(self, locator: Locator) -> None:
        """Wait until something can be seen."""
        expect(locator).to_be_visible()
