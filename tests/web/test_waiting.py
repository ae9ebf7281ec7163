"""Changes that wait for somebody's word, on a page of their own."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.test_approvals import FLOW, OWNER, RENAME, let_pass
from tests.support.browsing import Visitor, watched
from tests.support.server import Served, serving
from tests.web.test_ways_of_use import NARROW, serious
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_waiting_changes_are_seen_and_decided_by_another_person(browser: Browser, served: Served, scheme: str) -> None:
    with served.client() as client:
        client.post("/api/v1/workflows", json=FLOW).raise_for_status()
        for edits in (RENAME, OWNER):
            body = {"workflow_id": "wf_flow", "edits": edits, "by": "ana", "reason": "it is law"}
            client.post("/api/v1/previews", json=body).raise_for_status()
    complaints: list[str] = []
    with watched(browser, served, complaints, color_scheme=scheme, viewport=NARROW) as page:
        page.goto("/#/waiting")
        cards = page.locator(".waiting-list .preview")
        expect(cards).to_have_count(2)
        found = serious(page)

        renamed = cards.filter(has_text="First")
        renamed.get_by_role("button", name="Accept").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text("Nothing waits for a word")).to_be_visible()
        page.get_by_label("Also decided ones").check()

        expect(cards.filter(has_text="Applied by user")).to_have_count(1)
        expect(cards.filter(has_text="Outdated")).to_have_count(1)
        assert (found, serious(page)) == ([], [])
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
        with served.client() as client:
            assert client.get("/api/v1/workflows/wf_flow").json()["steps"][0]["name"] == "First"
    assert complaints == []


def proposed(client: httpx.Client) -> None:
    """Store a workflow and let a change of it wait."""
    client.post("/api/v1/workflows", json=FLOW).raise_for_status()
    body = {"workflow_id": "wf_flow", "edits": RENAME, "reason": "it is law"}
    client.post("/api/v1/previews", json=body).raise_for_status()


def test_a_change_that_waited_too_long_is_refused_and_shown_as_such(
    browser: Browser, served: Served, tmp_path: Path
) -> None:
    complaints: list[str] = []
    with served.client() as client:
        proposed(client)
    with watched(browser, served, complaints) as page:
        page.goto("/#/waiting")
        accept = page.locator("#waiting").get_by_role("button", name="Accept")
        expect(accept).to_be_visible()
        let_pass(tmp_path)
        accept.click()

        expect(page.get_by_role("alert")).to_contain_text("it waited too long")
        expect(page.get_by_text("Nothing waits for a word")).to_be_visible()
        page.get_by_label("Also decided ones").check()
        expect(page.locator(".waiting-end")).to_have_text("Expired: nobody decided in time")
        assert serious(page) == []
    assert all("409" in one for one in complaints)


def test_another_person_decides_with_a_key_and_is_named(browser: Browser, tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, api_key_users='{"ana": "key-of-ana", "ben": "key-of-ben"}')
    complaints: list[str] = []
    with serving(settings, OfflineModel()) as served, watched(browser, served, complaints) as page:
        with served.client(headers={"Authorization": "Bearer key-of-ana"}) as ana:
            proposed(ana)
        page.goto("/#/waiting")
        page.get_by_label("API key").fill("key-of-ben")
        page.keyboard.press("Enter")

        expect(page.locator(".waiting-asked")).to_contain_text("Asked by ana")
        page.locator("#waiting").get_by_role("button", name="Accept").click()
        page.get_by_label("Also decided ones").check()
        expect(page.locator(".waiting-end")).to_contain_text("Applied by ben")
        page.goto("/#/w/wf_flow")
        expect(page.locator(".version-line")).to_contain_text("ben")
    assert all("401" in one for one in complaints)


def test_what_a_conversation_left_waits_until_somebody_turns_it_down(visitor: Visitor) -> None:
    page = visitor.page
    visitor.say("create a workflow: an employee asks, the manager approves, finance pays")
    visitor.say("delete this workflow")
    expect(page.locator("#waiting-link .count")).to_contain_text("1")

    page.locator("#waiting-link").click()
    page.locator("#waiting").get_by_role("button", name="Decline").click()

    expect(page.get_by_text("Turned down.")).to_be_visible()
    expect(page.locator("#waiting-link .count")).to_be_hidden()


def test_a_workflow_is_published_and_its_later_changes_are_a_draft(visitor: Visitor, served: Served) -> None:
    page = visitor.page
    with served.client() as client:
        client.post("/api/v1/workflows", json=FLOW).raise_for_status()
    page.goto("/#/w/wf_flow")
    state = page.locator(".publication .tag")
    expect(state).to_have_text("Draft")

    page.get_by_role("button", name="Publish").click()
    expect(state).to_have_text("Published: version 1")
    page.locator(".canvas [data-step=one]").click()
    card = page.get_by_role("region", name="Step One")
    card.get_by_label("Owner").fill("legal")
    card.get_by_role("button", name="Save").click()

    expect(state).to_have_text("Draft; version 1 is published")
    assert serious(page) == []


def test_a_workflow_in_full_screen_stays_seen_when_the_window_becomes_narrow(page: Page, served: Served) -> None:
    with served.client() as client:
        client.post("/api/v1/workflows", json=FLOW).raise_for_status()
    page.goto("/#/w/wf_flow")
    expect(page.locator(".canvas svg")).to_be_visible()

    page.set_viewport_size(NARROW)

    expect(page.locator(".canvas svg")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
