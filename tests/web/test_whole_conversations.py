"""What can be done with a whole conversation: another name, a branch with a name, a copy, an end."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browsing import Visitor


@pytest.fixture
def talking(visitor: Visitor) -> Visitor:
    visitor.say("Hello there")
    return visitor


def choose(visitor: Visitor, entry: str) -> None:
    visitor.page.get_by_label("Conversation menu").click()
    visitor.page.get_by_role("button", name=entry).click()


def test_a_conversation_gets_another_name(talking: Visitor) -> None:
    page = talking.page

    choose(talking, "Rename")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Hello there")
    page.get_by_label("Name", exact=True).fill("Greetings")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("Greetings")
    expect(page.get_by_role("link", name="Greetings")).to_be_visible()


def test_a_branch_has_a_name_and_leaves_the_rest_as_it_is(talking: Visitor) -> None:
    page = talking.page
    first = page.url

    choose(talking, "Branch from here")
    page.get_by_label("Name of the branch").fill("Another way")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("Another way")
    expect(page.locator(".bubble")).to_have_text(["Hello there"])
    assert page.url != first
    expect(page.locator(".talks a")).to_have_count(2)


def test_a_conversation_is_downloaded_as_a_document(talking: Visitor) -> None:
    with talking.page.expect_download() as download:
        choose(talking, "Download")

    document = json.loads(Path(download.value.path()).read_text())
    assert document["format"] == "workflow-agent/conversation"
    assert "Hello there" in document["payload"]


def test_a_conversation_is_deleted_once_that_is_confirmed(talking: Visitor) -> None:
    page = talking.page

    choose(talking, "Delete")
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Conversation menu")).to_be_focused()
    expect(page.locator(".bubble")).to_have_text(["Hello there"])
    choose(talking, "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()

    expect(page.get_by_role("heading", name="What should your workflow do?")).to_be_visible()
    expect(page.get_by_text("Your conversations will be listed here.")).to_be_visible()
    expect(page.get_by_label("Conversation menu")).to_be_hidden()


def test_the_menu_is_used_by_keyboard(talking: Visitor) -> None:
    page = talking.page
    page.get_by_label("Conversation menu").focus()

    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Rename")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("button", name="Delete")).to_be_focused()
    page.keyboard.press("Escape")

    expect(page.get_by_role("button", name="Rename")).to_be_hidden()
    expect(page.get_by_label("Conversation menu")).to_be_focused()
