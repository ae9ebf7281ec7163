"""What is remembered of a person, on the page."""

from playwright.sync_api import expect

from tests.support.browsing import Visitor


def test_what_is_remembered_is_seen_corrected_and_forgotten(visitor: Visitor) -> None:
    page = visitor.page
    visitor.say("Remember that I prefer heliotrope names")

    page.get_by_role("button", name="What is remembered").click()
    window = page.get_by_role("dialog")
    expect(window.get_by_role("listitem")).to_contain_text("I prefer heliotrope names")
    expect(window.get_by_role("link", name="turn 1")).to_be_visible()
    window.get_by_role("button", name="Correct").click()
    page.get_by_label("Remember instead").fill("I prefer short names")
    page.keyboard.press("Enter")
    expect(window.get_by_role("listitem")).to_contain_text("I prefer short names")
    window.get_by_role("button", name="Forget “I prefer short names”").click()

    expect(window).to_contain_text("Nothing yet")
