"""Talking on the page: the first visit, a reply as it comes, a workflow drawn, and coming back."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page, Route, expect
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo

from tests.support.browsing import EXPENSES, Visitor, watched
from tests.support.scripted import Streaming
from tests.support.server import Served, serving
from tests.web.test_ways_of_use import NARROW
from workflow_agent.settings import load_settings

MOST_BYTES = 300_000


def test_a_first_visit_shows_what_can_be_said(page: Page) -> None:
    page.goto("/")

    expect(page.get_by_role("heading", name="What should your workflow do?")).to_be_visible()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("Where could an expense get stuck?")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()


def test_the_first_load_is_small(page: Page) -> None:
    page.goto("/", wait_until="networkidle")

    sizes = page.evaluate(
        "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".map(entry => entry.transferSize)"
    )
    assert 0 < sum(sizes) < MOST_BYTES
    assert min(sizes) > 0


def test_a_described_process_becomes_a_diagram(visitor: Visitor) -> None:
    reply = visitor.say(EXPENSES)

    expect(reply.locator(".mode")).to_have_text("creation")
    expect(reply.locator("strong").first).to_have_text("Expense approval")
    visitor.sees(visitor.diagram().locator(".name", has_text="Approve or reject the"))
    expect(visitor.page).to_have_url(re.compile("#/c/cv_"))
    expect(visitor.page.locator(".talks a[aria-current=page]")).to_have_count(1)


def test_tool_calls_are_lines_that_unfold(visitor: Visitor) -> None:
    reply = visitor.say(EXPENSES)

    reply.locator("summary").click()

    expect(reply.locator(".tool.is-good")).to_contain_text("Create workflow")


def test_a_conversation_is_found_by_its_words(visitor: Visitor) -> None:
    visitor.say("Hello there")
    visitor.page.get_by_role("button", name="New conversation").click()

    visitor.page.get_by_role("searchbox").fill("zebra")
    expect(visitor.page.get_by_text("Nothing holds “zebra”.")).to_be_visible()
    visitor.page.get_by_role("searchbox").fill("there")
    visitor.page.get_by_role("link", name="Hello there").click()

    expect(visitor.page.locator(".bubble")).to_have_text("Hello there")


class Slow:
    """A model that says one word, and the rest when it may."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    async def answer(self, messages: Sequence[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "First "
        await self.go_on.wait()
        yield "and **last**."


def test_a_reply_is_read_as_it_comes_and_gone_on_with_after_a_reload(browser: Browser, tmp_path: Path) -> None:
    slow = Slow()
    model = Streaming(stream_function=slow.answer)
    with serving(load_settings(data_dir=tmp_path), model) as served, watched(browser, served) as page:
        page.goto("/")
        Visitor(page).send("Take your time")
        body = page.locator(".reply .prose")

        expect(body).to_have_text("First")
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        page.reload()
        expect(body).to_have_text("First")
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        served.call(slow.go_on.set)

        expect(body).to_have_text("First and last.")
        expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible()
        assert page.locator(".message").count() == 1


def test_a_reply_can_be_stopped_and_asked_for_again(browser: Browser, tmp_path: Path) -> None:
    slow = Slow()
    model = Streaming(stream_function=slow.answer)
    with serving(load_settings(data_dir=tmp_path), model) as served, watched(browser, served) as page:
        page.goto("/")
        Visitor(page).send("Take your time")
        expect(page.locator(".reply .prose")).to_have_text("First")

        page.get_by_role("button", name="Stop").click()
        visible = page.get_by_text("Stopped. Nothing more was done.")
        expect(visible).to_be_visible()
        served.call(slow.go_on.set)
        page.get_by_role("button", name="Try again").click()

        expect(page.locator(".reply .prose").last).to_have_text("First and last.")


def test_a_message_that_did_not_arrive_is_sent_again_and_counts_once(browser: Browser, served: Served) -> None:
    complaints: list[str] = []
    with watched(browser, served, complaints) as page:
        page.goto("/")
        page.context.set_offline(True)
        Visitor(page).send("Hello there")
        expect(page.get_by_role("alert")).to_contain_text("cannot be reached")

        page.context.set_offline(False)
        page.get_by_role("button", name="Try again").click()

        expect(page.locator(".reply-buttons")).to_have_count(1)
        expect(page.locator(".bubble")).to_have_text(["Hello there"])
    assert all("ERR_INTERNET_DISCONNECTED" in one for one in complaints)


def test_each_agent_that_is_asked_answers_for_itself(visitor: Visitor) -> None:
    visitor.send("@finder and @analyst which workflows do we have?")

    agents = visitor.page.locator(".reply .agent")
    expect(agents).to_have_text(["Finder", "Analyst"])
    expect(visitor.page.locator(".reply-buttons")).to_have_count(2)


class OneAfterTheOther:
    """A model whose first agent answers at once, and whose second waits until it may."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.asked = 0

    async def answer(self, messages: Sequence[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        self.asked += 1
        number = self.asked
        yield f"Agent {number} "
        if number > 1:
            await self.go_on.wait()
        yield "is done."


def test_the_second_agents_reply_is_gone_on_with_after_a_reload(browser: Browser, tmp_path: Path) -> None:
    turns = OneAfterTheOther()
    model = Streaming(stream_function=turns.answer)
    with serving(load_settings(data_dir=tmp_path), model) as served, watched(browser, served) as page:
        page.goto("/")
        Visitor(page).send("@finder and @analyst which workflows do we have?")
        bodies = page.locator(".reply .prose")
        expect(bodies).to_have_text(["Agent 1 is done.", "Agent 2"])

        page.reload()
        expect(bodies).to_have_text(["Agent 1 is done.", "Agent 2"])
        served.call(turns.go_on.set)

        expect(bodies).to_have_text(["Agent 1 is done.", "Agent 2 is done."])
        expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible()


def test_a_reply_that_is_kept_is_shown_where_its_stream_is_gone(browser: Browser, served: Served) -> None:
    """As when the server was started anew between the beginning of a reply and its end."""
    complaints: list[str] = []
    with watched(browser, served, complaints) as page:

        def begin_only(route: Route) -> None:
            answer = route.fetch()
            start = answer.text().split("\n\n", 1)[0]
            route.fulfill(response=answer, body=f"{start}\n\n")

        page.route("**/api/v1/chat/stream", begin_only)
        page.route(
            "**/api/v1/runs/*/stream", lambda route: route.fulfill(status=404, json={"detail": "It is not kept."})
        )
        page.goto("/")

        reply = Visitor(page).say("Hello there")

        expect(reply.locator(".prose")).to_contain_text("Hello")
    assert all("404" in one for one in complaints)


def test_the_model_is_named_and_what_costs_nothing_is_said_to(visitor: Visitor) -> None:
    visitor.say("Hello there").get_by_role("button", name="How this reply was made").click()

    expect(visitor.page.locator("#model")).to_have_text("Fixed rules, no AI model")
    expect(visitor.page.locator(".run-head .facts")).to_contain_text("Costnothing")


def test_a_conversation_is_titled_by_what_happened_until_somebody_titles_it(visitor: Visitor) -> None:
    page = visitor.page
    title = page.locator("#title")
    visitor.say(EXPENSES)
    expect(title).to_have_text("Expense approval: created")
    visitor.say("put a legal review before the payment")
    expect(title).to_have_text("Expense approval: legal review added")

    page.get_by_label("Conversation menu").click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="Name").fill("My expenses")
    page.keyboard.press("Enter")
    expect(title).to_have_text("My expenses")
    visitor.say("remove the legal review")

    expect(page.locator("#talks a").first).to_contain_text("My expenses")


def test_long_messages_are_folded_and_found_and_a_proposal_tells_how_it_ended(visitor: Visitor) -> None:
    page = visitor.page
    visitor.say(EXPENSES)
    visitor.say("remove the payment, but show me first")
    visitor.say("yes")
    expect(page.locator(".preview-past").first).to_have_text("Accepted: changed, version 2.")
    visitor.say("My note on zebras: " + "nothing much happens. " * 90)

    expect(page.locator(".bubble.is-long")).to_have_count(1)
    page.get_by_role("button", name="Show all", exact=True).click()
    expect(page.locator(".bubble.is-long")).to_have_count(0)
    page.reload()
    expect(page.locator(".preview-past").first).to_have_text("Accepted: changed, version 2.")
    page.get_by_role("searchbox", name="Search conversations").fill("zebras")
    expect(page.locator(".talk-snippet mark")).to_have_text("zebras")


def test_what_the_record_does_not_show_and_a_cut_answer_are_told(visitor: Visitor) -> None:
    page = visitor.page

    def doubtful(route: Route) -> None:
        answer = route.fetch()
        doubtless = re.compile(r'"unconfirmed_claims":\[\]|"finish_reason":"stop"')
        doubts = {'"unc': '"unconfirmed_claims":["it was sent"]', '"fin': '"finish_reason":"length"'}
        body = doubtless.sub(lambda found: doubts[found[0][:4]], answer.text())
        route.fulfill(response=answer, body=body)

    page.route("**/api/v1/chat/stream", doubtful)
    reply = visitor.say("hello")

    expect(reply).to_contain_text("The record does not show this: “it was sent”")
    expect(reply).to_contain_text("The answer was cut off")


def test_a_server_that_stops_is_seen(browser: Browser, served: Served) -> None:
    complaints: list[str] = []
    with watched(browser, served, complaints) as page:
        page.goto("/")
        expect(page.locator("#model")).to_have_text("Fixed rules, no AI model")
        page.context.set_offline(True)
        expect(page.locator("#model")).to_have_text("Server not reachable")
        page.context.set_offline(False)
        expect(page.locator("#model")).to_have_text("Fixed rules, no AI model")
    assert all("ERR_INTERNET_DISCONNECTED" in one for one in complaints)


def test_a_server_that_stops_is_seen_on_a_phone(browser: Browser, served: Served) -> None:
    complaints: list[str] = []
    with watched(browser, served, complaints, viewport=NARROW, has_touch=True, is_mobile=True) as page:
        page.goto("/", wait_until="networkidle")
        page.context.set_offline(True)
        expect(page.get_by_text("The server cannot be reached.")).to_be_visible()
        page.context.set_offline(False)
        expect(page.get_by_text("The server answers again.")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    assert all("ERR_INTERNET_DISCONNECTED" in one for one in complaints)


def test_the_page_itself_never_scrolls(visitor: Visitor) -> None:
    page = visitor.page
    for text in ("hello", EXPENSES, "where can it get stuck?", "put a legal review before the payment"):
        visitor.say(text)
    page.locator(".canvas [data-step=legal_review]").click()
    page.get_by_role("button", name="Add after").click()

    height = page.evaluate("[document.scrollingElement.scrollHeight, document.scrollingElement.scrollTop]")

    assert height == [900, 0]
