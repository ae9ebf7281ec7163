"""A conversation of years: the page loads what it shows, and stays where the reader is."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Page, expect

from tests.support.long_talks import talked
from tests.support.server import Served
from tests.support.stored import a_conversation
from workflow_agent.conversations.document import Conversation

TURNS = 2_000
SCROLLED = """async (thread, to) => {
  thread.scrollTop = to;
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  const messages = [...thread.querySelectorAll(".message")];
  const tops = messages.map((one) => [one.dataset.turn, one.getBoundingClientRect().top]);
  return tops.find(([, top]) => top > 80);
}"""
"""Scrolls, and says which message is the first that is seen then, and where."""


def a_talk(turns: int) -> Conversation:
    """Return a conversation that says the same again and again, each time at another length."""
    once = talked(1, a_conversation("long", tenant="default", title="A long talk"))
    events = [
        event.model_copy(
            update={
                "id": f"{event.id}_{turn}",
                "index": 2 * turn + at,
                "turn": turn + 1,
                "content": f"{event.type} {turn + 1}. " + "It goes on and on. " * (turn % 17),
            }
        )
        for turn in range(turns)
        for at, event in enumerate(once.events)
    ]
    return once.model_copy(update={"events": tuple(events), "runs": (), "calls": ()})


def test_thousands_of_turns_are_loaded_as_they_are_scrolled_to(page: Page, served: Served) -> None:
    # In a thread of its own: the browser's loop runs in this one.
    with ThreadPoolExecutor() as aside:
        aside.submit(asyncio.run, served.services.conversations.create(a_talk(TURNS))).result()

    page.goto("/#/c/long")
    last = page.locator(".reply").last
    expect(last).to_contain_text(f"agent_reply {TURNS}.")
    expect(last).to_be_in_viewport()
    assert page.locator(".message").count() == 20

    thread = page.locator("#thread")
    turn, before = thread.evaluate(SCROLLED, 950)
    thread.evaluate("(thread, by) => { thread.scrollTop -= by; }", 100)
    expect(page.locator(".message")).to_have_count(40)

    after = page.locator(f'[data-turn="{turn}"]').evaluate("message => message.getBoundingClientRect().top")
    assert after == pytest.approx(before + 100, abs=30)
