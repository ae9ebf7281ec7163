"""From one end to the other: without a sentence in English, without a mouse, and by what is offered."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browsing import EXPENSES, Visitor
from tests.support.server import Served
from tests.web.test_ways_of_use import serious

CHART: dict[str, Any] = {
    "Comment": "Rechnung bezahlen",
    "StartAt": "Bezahlen",
    "States": {
        "Bezahlen": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:pay", "Next": "Fertig"},
        "Fertig": {"Type": "Succeed"},
    },
}


def reach(page: Page, wanted: Locator) -> None:
    """Press Tab until something has the focus, as who has no mouse does."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if wanted.evaluate("(one) => one === document.activeElement"):
            return
    pytest.fail(f"Tab does not lead to {wanted}.")


def test_a_workflow_is_taken_in_mended_changed_and_given_out_without_a_sentence(page: Page, tmp_path: Path) -> None:
    document = tmp_path / "rechnung.json"
    document.write_text(json.dumps(CHART), encoding="utf-8")
    page.goto("/#/workflows")
    page.get_by_role("button", name="Import").click()
    page.locator("dialog input[type=file]").set_input_files(document)
    expect(page.locator(".found")).to_contain_text("asl")
    page.get_by_role("dialog").get_by_role("button", name="Import", exact=True).click()
    step = page.locator(".canvas [data-step=bezahlen]")

    step.click()
    card = page.locator(".card")
    before = card.locator(".card-finding").count()
    assert before
    card.get_by_role("button", name="Fix").first.click()
    expect(card.locator(".card-finding")).to_have_count(before - 1)
    card.get_by_label("Owner").fill("Buchhaltung")
    card.get_by_role("button", name="Save").click()
    expect(step.locator(".who")).to_have_text("Buchhaltung")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as begun:
        page.get_by_role("button", name="Download").click()

    assert Path(begun.value.path()).stat().st_size


def test_a_workflow_is_taken_in_changed_and_given_out_without_a_mouse(page: Page) -> None:
    keys = page.keyboard
    page.goto("/#/workflows")
    reach(page, page.get_by_role("button", name="Import"))
    keys.press("Enter")
    reach(page, page.get_by_role("textbox", name="Document"))
    keys.insert_text(json.dumps(CHART))
    expect(page.locator(".found")).to_contain_text("asl")
    reach(page, page.get_by_role("dialog").get_by_role("button", name="Import", exact=True))
    keys.press("Enter")
    expect(page.locator(".canvas [data-step=bezahlen]")).to_be_visible()

    reach(page, page.locator(".graph-port"))
    keys.press("ArrowDown")
    keys.press("Enter")
    reach(page, page.locator(".card").get_by_label("Owner"))
    keys.insert_text("Buchhaltung")
    keys.press("Enter")
    expect(page.locator(".canvas [data-step=bezahlen] .who")).to_have_text("Buchhaltung")
    reach(page, page.get_by_role("button", name="Export"))
    keys.press("Enter")
    reach(page, page.get_by_role("button", name="Download"))
    with page.expect_download() as begun:
        keys.press("Enter")

    assert Path(begun.value.path()).stat().st_size
    assert serious(page) == []


def test_the_likely_answers_to_a_question_are_buttons(visitor: Visitor, served: Served) -> None:
    steps = [{"id": "a", "name": "Ask", "type": "human"}, {"id": "z", "name": "Z", "type": "end"}]
    with served.client() as client:
        for name in ("Invoice approval", "Invoice payment"):
            document = {"name": name, "start": "a", "steps": steps, "transitions": [{"from": "a", "to": "z"}]}
            client.post("/api/v1/workflows", json=document).raise_for_status()
    visitor.say("show the invoice workflow")

    page = visitor.page
    page.locator(".quick").get_by_role("button", name="Invoice payment").click()

    expect(page.locator(".panel").get_by_role("heading", name="Invoice payment")).to_be_visible()
    expect(page.locator(".quick")).to_have_count(0)


def test_a_drawing_that_is_asked_for_is_drawn_and_its_source_folded(visitor: Visitor) -> None:
    visitor.say(EXPENSES)

    reply = visitor.say("show me the diagram")

    expect(reply.locator(".drawn [data-step=approve_or_reject_the_expense]")).to_be_visible()
    expect(reply.locator(".drawn-source .code")).to_be_hidden()
    assert serious(visitor.page) == []
