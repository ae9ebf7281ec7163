"""A case that is played on the page, and what the full screen of a workflow shows and where it opens."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browsing import watched
from tests.support.server import Served, serving
from tests.web.test_hands_on import stored
from tests.web.test_ways_of_use import NARROW, serious
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings

CASE = {
    "id": "wf_case",
    "name": "Case",
    "start": "ask",
    "steps": [
        {"id": "ask", "name": "Ask", "type": "human", "assignee": "employee", "duration": "PT2H"},
        {"id": "decide", "name": "Decide", "type": "human", "assignee": "manager", "timeout": "P9D"},
        {"id": "mend", "name": "Mend", "type": "human", "assignee": "employee", "duration": "P1D"},
        {"id": "paid", "name": "Paid", "type": "end"},
    ],
    "transitions": [
        {"id": "asked", "from": "ask", "to": "decide"},
        {"id": "good", "from": "decide", "to": "paid", "type": "condition", "when": {"text": "approved"}},
        {"id": "bad", "from": "decide", "to": "mend", "type": "condition", "when": {"text": "to be mended"}},
        {"id": "again", "from": "mend", "to": "decide"},
    ],
}


def row(length: int) -> dict[str, object]:
    """Return a workflow of so many steps in a row; the one before the last is a loop that nothing stops."""
    steps = [{"id": f"s{at}", "name": f"Step {at}", "type": "human", "assignee": "office"} for at in range(length)]
    steps[-2]["type"] = "loop"
    ends = [{"id": "done", "name": "Done", "type": "end"}]
    names = [*(one["id"] for one in steps), "done"]
    lines = [{"from": one, "to": two} for one, two in pairwise(names)]
    return {"id": f"wf_row_{length}", "name": f"Row {length}", "start": "s0", "steps": steps + ends} | {
        "transitions": lines
    }


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(load_settings(data_dir=tmp_path_factory.mktemp("data")), OfflineModel()) as running:
        stored(running, CASE)
        stored(running, row(99))
        yield running


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_case_is_played_step_by_step_by_keys_with_times_and_who_acts(
    browser: Browser, served: Served, scheme: str
) -> None:
    with watched(browser, served, color_scheme=scheme, reduced_motion="reduce") as page:
        keys = page.keyboard
        page.goto("/#/w/wf_case")
        expect(page.locator(".canvas [data-step=ask]")).to_be_visible()
        page.locator(".graph-port").focus()
        keys.press("p")
        card = page.get_by_role("region", name="A case")
        expect(card.get_by_role("heading")).to_be_focused()
        card.get_by_role("button", name="to be mended").focus()
        keys.press("Enter")
        expect(card.locator(".play-step")).to_have_count(4)
        expect(card.get_by_role("button", name="approved")).to_be_focused()
        keys.press("Enter")

        steps = card.locator(".play-step")
        expect(steps).to_have_count(5)
        expect(steps.nth(3)).to_contain_text("after 1 day 2 hours")
        expect(steps.nth(3)).to_contain_text("Decide manager")
        expect(card.locator(".play-end")).to_have_text("Completed after 1 day 2 hours · 5 steps")
        expect(page.locator(".canvas .is-now")).to_have_attribute("data-step", "paid")
        assert serious(page) == []
        card.get_by_text("How long 1 step takes is not known").click()
        card.get_by_label("Decide").fill("3 hours")
        keys.press("Tab")
        expect(card.locator(".play-end")).to_contain_text("1 day 8 hours")
        expect(card.get_by_label("Decide")).to_have_value("3 hours")

        card.get_by_role("button", name="One step back").focus()
        keys.press("Enter")
        expect(page.locator(".canvas .is-now")).to_have_attribute("data-step", "decide")
        expect(page.locator("[data-transition=good].is-passed")).to_have_count(0)
        expect(page.locator("[data-transition=again].is-passed")).to_have_count(1)
        card.get_by_role("button", name="End the case").click()
        expect(page.locator(".canvas .is-passed")).to_have_count(0)
        expect(page.locator(".is-playing")).to_have_count(0)


def test_a_case_goes_its_way_by_itself_and_stops_where_that_is_asked_for(browser: Browser, served: Served) -> None:
    with watched(browser, served, viewport=NARROW, has_touch=True, is_mobile=True) as page:
        page.goto("/#/w/wf_case")
        page.get_by_role("button", name="Play a case").tap()
        card = page.get_by_role("region", name="A case")
        expect(page.locator(".canvas .is-now[data-step=decide]")).to_be_in_viewport()

        card.get_by_role("button", name="to be mended").tap()
        expect(card.get_by_role("button", name="Pause")).to_be_visible()
        expect(page.locator(".token")).to_have_count(1)
        card.get_by_role("button", name="Pause").tap()
        expect(card.get_by_role("button", name="Play")).to_be_visible()

        assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
        assert serious(page) == []


def test_a_large_workflow_opens_at_its_finding_and_then_at_its_last_change(page: Page, served: Served) -> None:
    page.goto("/#/w/wf_row_99")
    expect(page.locator(".canvas [data-step=s97]")).to_be_in_viewport()
    expect(page.locator(".canvas [data-step=s0]")).not_to_be_in_viewport()
    findings = page.locator(".findings")
    expect(findings.locator(".finding")).to_contain_text("Step 97")
    expect(findings).to_be_in_viewport()

    with served.client() as client:
        edits = [{"op": "set_assignee", "step": "s40", "assignee": "legal"}]
        client.post("/api/v1/workflows/wf_row_99/edits", json={"edits": edits}).raise_for_status()
    page.reload()

    expect(page.locator(".canvas [data-step=s40]")).to_be_in_viewport()
    findings.locator(".finding", has_text="Step 97").get_by_role("button", name="Show where").click()
    expect(page.locator(".canvas .is-pointed[data-step=s97]")).to_be_in_viewport()
    assert serious(page) == []
