"""The context tab says what the sections are, and which documents and results went in and why."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support.server import Served
from workflow_agent.conversations.context_records import Breakdown
from workflow_agent.values.described import field_texts

WEB = Path(__file__).parents[2] / "workflow_agent" / "web"
POLICY = "Claims are due within 30 days.\n\nHotels cost 120 EUR at most.\n\n"


def opened(page: Page, served: Served, *messages: str) -> None:
    """Open the context tab on a conversation that has a document."""
    with served.client() as client:
        document = {"title": "Travel policy", "content": POLICY}
        asked = {"message": "when are claims due by this policy?", "attachments": [document]}
        talk = client.post("/api/v1/chat", json=asked).raise_for_status().json()["conversation_id"]
        for message in messages:
            client.post("/api/v1/chat", json={"message": message, "conversation_id": talk}).raise_for_status()
    page.goto(f"/#/c/{talk}")
    page.get_by_role("tab", name="Context").click()


def test_the_page_names_the_sections_as_the_api_does() -> None:
    told = re.findall(r'^ {2}(\w+): "(.*)",$', (WEB / "sections.js").read_text("utf-8"), re.MULTILINE)

    assert dict(told) == field_texts(Breakdown)


def test_each_section_is_explained(page: Page, served: Served) -> None:
    opened(page, served)
    text = field_texts(Breakdown)["prompt_module"]

    expect(page.locator(".legend li", has_text="Prompt module")).to_have_attribute("title", text)
    page.get_by_text("What the sections are").click()
    expect(page.locator(".meanings")).to_contain_text(text)


def test_what_went_in_is_shown_and_why(page: Page, served: Served) -> None:
    opened(page, served, "who are you?")
    used = page.locator(".used")

    expect(page.locator(".planned")).to_contain_text("few characters")
    expect(used.locator("li", has_text="attachment:Travel policy")).to_contain_text("left out")

    page.locator(".chart .column").first.click()

    expect(page.get_by_role("heading", name="Turn 1", exact=True)).to_be_visible()
    expect(page.locator(".planned")).to_contain_text("by rule")
    expect(used.locator("li")).to_have_count(1)
    expect(used.locator(".strategy")).to_have_text("in full")
    expect(used).to_contain_text("belongs to this turn")
