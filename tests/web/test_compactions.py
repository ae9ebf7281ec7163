"""What compactions left out of the model's window stays readable beside the chart of the turns."""

from playwright.sync_api import Page, expect

from tests.support.browsing import EXPENSES
from tests.support.server import Served

TALK = [EXPENSES, *(f"Note for later: invoice INV-{number} is over {number * 100} EUR" for number in range(1, 15))]


def test_a_compaction_is_marked_and_tells_what_it_dropped(page: Page, served: Served) -> None:
    with served.client() as client:
        talk = client.post("/api/v1/chat", json={"message": TALK[0]}).json()["conversation_id"]
        for message in TALK[1:]:
            client.post("/api/v1/chat", json={"message": message, "conversation_id": talk}).raise_for_status()

    page.goto(f"/#/c/{talk}")
    page.get_by_role("tab", name="Context").click()
    compaction = page.locator(".compaction").first
    compaction.locator("summary").click()

    expect(page.locator(".chart .column")).to_have_count(len(TALK))
    assert page.locator(".chart .flag").count() == page.locator(".compaction").count() > 0
    expect(compaction).to_contain_text("Turns 1 to")
    expect(compaction).to_contain_text("Kept word for word")
    expect(compaction).to_contain_text("wf_expense_approval")

    compaction.get_by_role("button", name="Bring these turns back").click()

    expect(page.get_by_role("status").filter(has_text="in full again")).to_be_visible()
    expect(compaction.locator("summary")).to_contain_text("restored")
