"""Take the pictures of the page that the documents show: `python -m benchmarks.page_pictures [FOLDER]`.

Needs Chromium. The server is a real one, with the sample workflows and the offline model.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.support.browsing import CHROMIUM, EXPENSES, Visitor, watched
from tests.support.server import Served, serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.main.process import samples
from workflow_agent.settings import load_settings

LEGAL = "put a legal review before the payment"


def talked(page: Page, *said: str) -> Visitor:
    page.goto("/")
    visitor = Visitor(page)
    for text in said:
        visitor.say(text)
    return visitor


def hands_on(page: Page) -> None:
    talked(page, EXPENSES, LEGAL)
    page.locator(".canvas [data-step=legal_review]").click()
    expect(page.get_by_role("region", name="Step Legal review")).to_be_visible()


def graph(page: Page) -> None:
    page.goto("/#/w/wf_employee_onboarding")
    page.get_by_role("button", name="Lanes by role").click()
    expect(page.locator(".canvas .lane").first).to_be_visible()


def played(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto("/#/w/wf_expense_approval")
    page.get_by_role("button", name="Play a case").click()
    for way in ("approved", "more than 1,000 EUR", "approved"):
        page.locator(".play-question").get_by_role("button", name=way).click()
    for step, lasts in (("Manager review", "4 hours"), ("Finance review", "1 day")):
        page.locator(".play-times").get_by_label(step).fill(lasts)
        page.keyboard.press("Tab")
        expect(page.locator(".play-path")).to_contain_text(f"takes {lasts}")
    expect(page.locator(".play-end")).to_contain_text("Completed")


def versions(page: Page) -> None:
    talked(page, EXPENSES, LEGAL)
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("button", name="What changed").first.click()
    expect(page.locator(".compared")).to_be_visible()


def workflows(page: Page) -> None:
    page.goto("/#/workflows")
    page.get_by_role("searchbox", name="Search all workflows").fill("approval")
    expect(page.locator("#library .library-told")).not_to_have_text("16 workflows")
    expect(page.locator(".library-card svg").first).to_be_visible()


def preview(page: Page) -> None:
    talked(page, EXPENSES, "remove the payment, but show me first")
    expect(page.locator(".canvas .is-leaving").first).to_be_visible()


def context(page: Page) -> None:
    talked(page, EXPENSES, LEGAL, "who approves?")
    page.get_by_role("tab", name="Context").click()
    expect(page.locator(".window")).to_contain_text("Prompt module")


def narrow(page: Page) -> None:
    talked(page, EXPENSES)


SCENES: Mapping[str, Callable[[Page], None]] = {
    "hands-on": hands_on,
    "graph": graph,
    "played": played,
    "versions": versions,
    "workflows": workflows,
    "preview": preview,
    "context": context,
    "narrow": narrow,
}


def taken(browser: Browser, served: Served, name: str, folder: Path) -> None:
    with served.client() as client:
        for one in samples():
            client.post("/api/v1/workflows", json=one).raise_for_status()
    size = {"width": 390, "height": 844} if name == "narrow" else {"width": 1440, "height": 900}
    with watched(browser, served, viewport=size) as page:
        SCENES[name](page)
        page.mouse.move(0, 0)
        page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
        page.screenshot(path=folder / f"{name}.png")


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures")
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name in SCENES:
            with TemporaryDirectory() as data, serving(load_settings(data_dir=Path(data)), OfflineModel()) as served:
                taken(browser, served, name, folder)
        browser.close()


if __name__ == "__main__":
    main()
