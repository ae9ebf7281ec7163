"""Rating a reply on the page."""

from playwright.sync_api import expect

from tests.support.browsing import Visitor


def test_a_reply_is_rated_with_a_note_and_the_rating_taken_back(visitor: Visitor) -> None:
    page = visitor.page
    reply = visitor.say("Which workflows are there?")
    good, bad = (reply.get_by_role("button", name=name) for name in ("Good reply", "Bad reply"))
    expect(good).to_have_attribute("aria-pressed", "false")

    good.click()
    expect(good).to_have_attribute("aria-pressed", "true")
    bad.click()
    expect(bad).to_have_attribute("aria-pressed", "true")
    expect(good).to_have_attribute("aria-pressed", "false")
    reply.get_by_label("Note on the reply").fill("Too short.")
    reply.get_by_role("button", name="Keep the note").click()
    expect(reply.get_by_label("Note on the reply")).to_have_count(0)
    page.reload()
    expect(bad).to_have_attribute("aria-pressed", "true")

    bad.click()

    expect(bad).to_have_attribute("aria-pressed", "false")
    page.reload()
    expect(bad).to_have_attribute("aria-pressed", "false")
