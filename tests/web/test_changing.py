"""Changing a workflow on the page: previews, undo, versions and fixes."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import EXPENSES, Visitor
from tests.support.server import Served


@pytest.fixture
def talking(visitor: Visitor) -> Visitor:
    visitor.say(EXPENSES)
    return visitor


def test_a_change_is_highlighted_and_taken_back(talking: Visitor) -> None:
    page = talking.page
    talking.say("put a legal review before the payment")
    expect(page.locator(".canvas [data-step=legal_review] .halo.added")).to_be_visible()

    page.get_by_role("button", name="Undo this change").click()

    expect(page.get_by_role("status").filter(has_text="Version 1 is the newest again.")).to_be_visible()
    expect(page.locator(".canvas [data-step=legal_review]")).to_have_count(0)
    expect(page.locator(".slider output")).to_have_text("3 of 3")


def test_an_older_version_is_one_move_away(talking: Visitor) -> None:
    page = talking.page
    talking.say("put a legal review before the payment")
    expect(page.locator(".canvas [data-step=legal_review]")).to_be_visible()

    page.get_by_role("slider", name="Version").press("ArrowLeft")

    expect(page.locator(".canvas [data-step=legal_review]")).to_have_count(0)
    expect(page.get_by_role("button", name="Restore this version")).to_be_visible()


def test_a_proposed_change_waits_and_is_made_when_accepted(talking: Visitor) -> None:
    page = talking.page
    talking.say("remove the payment, but show me first")
    expect(page.locator(".canvas .is-leaving")).to_have_count(1)

    page.locator(".chat").get_by_role("button", name="Accept").click()

    expect(page.locator(".canvas [data-step=pay_the_expense_out]")).to_have_count(0)
    expect(page.get_by_role("button", name="Accept")).to_have_count(0)


def test_a_proposed_change_that_is_declined_is_not_made(talking: Visitor) -> None:
    page = talking.page
    talking.say("remove the payment, but show me first")

    page.locator(".panel").get_by_role("button", name="Decline").click()

    expect(page.get_by_text("nothing was changed", exact=False).first).to_be_visible()
    expect(page.locator(".canvas [data-step=pay_the_expense_out]")).to_be_visible()
    expect(page.locator(".canvas .is-leaving")).to_have_count(0)


def test_a_fix_is_shown_before_it_is_applied(visitor: Visitor, served: Served) -> None:
    steps = [
        {"id": "pay", "name": "Pay out", "type": "action", "uses": "payments.transfer"},
        {"id": "paid", "name": "Paid", "type": "end"},
    ]
    with served.client() as client:
        document = {
            "id": "wf_paying",
            "name": "Paying",
            "start": "pay",
            "steps": steps,
            "transitions": [{"from": "pay", "to": "paid"}],
        }
        client.post("/api/v1/workflows", json=document).raise_for_status()
    page = visitor.page
    visitor.say("show Paying")
    finding = page.locator(".finding").filter(has_text="has no timeout")
    expect(finding).to_have_count(1)

    finding.get_by_role("button", name="Apply fix").click()
    expect(finding.get_by_text("This makes 1 change")).to_be_visible()
    finding.get_by_role("button", name="Apply", exact=True).click()

    expect(finding).to_have_count(0)
    expect(page.locator(".slider output")).to_have_text("2 of 2")


def test_the_run_that_breaks_a_workflow_is_shown_on_its_graph(visitor: Visitor, served: Served) -> None:
    ways = [("s", "d"), ("d", "a"), ("d", "b"), ("a", "j"), ("b", "j")]
    kinds = {"d": "decision", "j": "join"}
    document = {
        "id": "wf_stuck",
        "name": "Stuck",
        "steps": [{"id": one, "name": one.upper(), "type": kinds.get(one, "action")} for one in "sdabj"],
        "transitions": [{"from": start, "to": end} for start, end in ways],
    }
    with served.client() as client:
        client.post("/api/v1/workflows", json=document).raise_for_status()
    page = visitor.page
    visitor.say("show Stuck")
    proof = page.locator(".proof")

    expect(proof).to_contain_text("'J' (j) can wait for ever.")
    proof.get_by_text("What this takes for granted").click()
    expect(proof).to_contain_text("a decision may take any of its ways")
    proof.get_by_role("button", name="Show the run").click()
    expect(page.locator(".canvas [data-step].is-pointed")).to_have_count(4)


def test_the_run_the_window_and_the_documents_can_be_looked_into(talking: Visitor) -> None:
    page = talking.page

    page.get_by_role("tab", name="Context").click()
    expect(page.locator(".window")).to_contain_text("Prompt module")
    page.get_by_role("tab", name="Run").click()
    expect(page.locator(".iteration").first).to_contain_text("Calls Create workflow")
    page.get_by_role("tab", name="JSON").click()
    expect(page.locator(".tree")).to_contain_text('"wf_expense_approval"')


def test_a_workflow_is_chosen_from_all_and_is_what_is_spoken_of(page: Page, served: Served) -> None:
    steps = [{"id": "a", "name": "Ask", "type": "human"}, {"id": "z", "name": "Z", "type": "end"}]
    with served.client() as client:
        for number in range(70):
            document = {
                "id": f"wf_{number}",
                "name": f"Process {number}",
                "start": "a",
                "steps": steps,
                "transitions": [{"from": "a", "to": "z"}],
            }
            client.post("/api/v1/workflows", json=document).raise_for_status()

    page.goto("/")
    page.locator(".panel").get_by_role("button", name="All workflows").click()
    expect(page.locator(".library-card")).to_have_count(60)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".library-card")).to_have_count(70)
    page.get_by_role("searchbox", name="Search all workflows").fill("Process 17")
    page.get_by_role("link", name="Process 17").click()
    expect(page.locator(".canvas .step")).to_have_count(2)
    page.get_by_role("button", name="Back to the conversation").click()
    reply = Visitor(page).say("explain it")

    expect(reply).to_contain_text("Process 17")
