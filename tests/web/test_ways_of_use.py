"""Other ways to use the page: by keyboard, narrow, in the dark, by screen reader, with a key."""

from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.browsing import EXPENSES, Visitor, watched
from tests.support.server import Served, serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings

NARROW = {"width": 390, "height": 844}


def serious(page: Page, *rules: str) -> list[str]:
    """Return what axe finds, with where it is; by some of its rules, or by all."""
    found = Axe().run(page, options={"runOnly": list(rules)} if rules else None).response["violations"]
    return [f"{one['id']}: {[node['target'] for node in one['nodes']]}" for one in found]


def test_everything_is_reached_by_keyboard(visitor: Visitor) -> None:
    page = visitor.page
    keys = page.keyboard
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()

    keys.type("@ana")
    expect(page.get_by_role("option", name="analyst")).to_be_visible()
    keys.press("Tab")
    keys.type("hello")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("@analyst hello")
    keys.press("Enter")
    expect(page.locator(".reply .agent")).to_have_text("Analyst")
    expect(page.locator(".reply-buttons")).to_have_count(1)
    keys.press("Alt+n")
    expect(page.get_by_role("heading", name="What should your workflow do?")).to_be_visible()
    page.get_by_role("tab", name="Workflow").focus()
    keys.press("ArrowRight")

    expect(page.get_by_role("tab", name="Context")).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Context")).to_be_visible()


def test_completion_takes_what_is_written_by_then(visitor: Visitor) -> None:
    page = visitor.page
    answered: list[Route] = []

    def only_the_first(route: Route) -> None:
        answered.append(route)
        if len(answered) == 1:
            route.continue_()

    page.route("**/api/v1/agents", only_the_first)

    page.keyboard.type("ask @")
    expect(page.get_by_role("option", name="analyst")).to_be_visible()
    page.keyboard.type("ana")
    page.keyboard.press("Tab")

    expect(page.get_by_role("textbox", name="Message")).to_have_value("ask @analyst ")


def test_a_workflow_is_named_by_completion(visitor: Visitor) -> None:
    visitor.say(EXPENSES)
    visitor.page.keyboard.press("Alt+n")

    visitor.page.keyboard.type("explain #exp")
    expect(visitor.page.get_by_role("option", name="Expense approval")).to_be_visible()
    visitor.page.keyboard.press("Enter")

    expect(visitor.page.get_by_role("textbox", name="Message")).to_have_value("explain wf_expense_approval ")


def test_a_workflow_among_hundreds_is_named_by_completion(visitor: Visitor, served: Served) -> None:
    with httpx.Client(base_url=served.url) as client:
        for number in range(201):
            name = "Zebra crossing" if number == 0 else f"Process {number}"
            workflow = {"id": f"wf_{number}", "name": name, "steps": [{"id": "one", "name": "One"}]}
            client.post("/api/v1/workflows", json=workflow).raise_for_status()

    visitor.page.keyboard.type("explain #bra-cro")
    expect(visitor.page.get_by_role("option")).to_have_count(1)
    visitor.page.keyboard.press("Enter")

    expect(visitor.page.get_by_role("textbox", name="Message")).to_have_value("explain wf_0 ")


def test_a_narrow_screen_shows_one_part_at_a_time(browser: Browser, served: Served) -> None:
    with watched(browser, served, viewport=NARROW, has_touch=True) as page:
        page.goto("/")
        Visitor(page).say(EXPENSES)
        wide = page.evaluate("document.documentElement.scrollWidth")

        page.get_by_role("button", name="Show the details").click()
        expect(page.locator(".canvas svg")).to_be_visible()
        beside = [page.locator(".workflow-head h2"), page.get_by_role("button", name="All workflows")]
        name, listing = (one.bounding_box() for one in beside)
        page.get_by_role("button", name="Close the details").click()
        page.get_by_role("button", name="Show the conversations").click()
        expect(page.get_by_role("searchbox")).to_be_focused()
        page.keyboard.press("Escape")

        expect(page.get_by_role("searchbox")).to_be_hidden()
        assert wide == NARROW["width"]
        assert name is not None
        assert listing is not None
        assert listing["x"] > name["x"] + name["width"]
        assert listing["y"] < name["y"] + name["height"]
        assert serious(page) == []


def test_the_theme_follows_the_system_until_it_is_chosen(browser: Browser, served: Served) -> None:
    with watched(browser, served, color_scheme="dark") as page:
        page.goto("/")
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")

        page.get_by_role("button", name="Theme: as the system").click()
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.reload()

        assert dark != light
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light


@pytest.mark.parametrize(
    ("scheme", "rules"),
    # In the dark the page is the same but for its colours.
    [pytest.param("light", (), id="light"), pytest.param("dark", ("color-contrast",), id="dark")],
)
def test_nothing_seriously_hinders_anybody(
    browser: Browser, served: Served, scheme: str, rules: tuple[str, ...]
) -> None:
    with watched(browser, served, color_scheme=scheme, reduced_motion="reduce") as page:
        page.goto("/")
        visitor = Visitor(page)
        found = {"empty": serious(page, *rules)}

        visitor.say(EXPENSES)
        visitor.say("remove the payment, but show me first")
        visitor.sees(visitor.diagram())
        found["workflow"] = serious(page, *rules)
        for tab, sign in (("Context", ".chart"), ("Run", ".iteration"), ("JSON", ".tree .leaf")):
            page.get_by_role("tab", name=tab).click()
            visitor.sees(page.locator(sign).first)
            found[tab] = serious(page, *rules)
        page.get_by_label("Conversation menu").click()
        found["menu"] = serious(page, *rules)
        page.get_by_role("button", name="Rename").click()
        found["dialog"] = serious(page, *rules)
        page.keyboard.press("Escape")
        page.get_by_role("tab", name="Workflow").click()
        page.get_by_role("button", name="All workflows").click()
        visitor.sees(page.locator(".library-card").first)
        found["all workflows"] = serious(page, *rules)

        assert not any(found.values()), found


def test_a_server_with_keys_is_asked_with_one(browser: Browser, tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, api_keys=("a-good-key",))
    complaints: list[str] = []
    with serving(settings, OfflineModel()) as served, watched(browser, served, complaints) as page:
        page.goto("/")
        key = page.get_by_label("API key")

        key.fill("a-wrong-key")
        page.keyboard.press("Enter")
        expect(page.get_by_text("That key is not known here")).to_be_visible()
        key.fill("a-good-key")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Your conversations will be listed here.")).to_be_visible()
        Visitor(page).say("hello")

        assert page.evaluate("[localStorage.length, document.cookie]") == [0, ""]
    assert all("401" in one for one in complaints)
