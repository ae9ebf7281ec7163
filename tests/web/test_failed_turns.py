"""Turns that failed: why is told when it happens, and still after a reload."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from playwright.sync_api import Browser, expect
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo

from tests.support.browsing import Visitor, watched
from tests.support.scripted import Streaming
from tests.support.server import serving
from workflow_agent.settings import load_settings


class Moody:
    """A model that fails at every second request, the first included."""

    def __init__(self) -> None:
        self.asked = 0

    async def answer(self, messages: Sequence[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        self.asked += 1
        if self.asked % 2:
            raise ModelAPIError("moody", "not today")
        yield "All is well."


def test_an_earlier_turn_that_failed_tells_why_after_a_reload_as_it_did_before(
    browser: Browser, tmp_path: Path
) -> None:
    model = Streaming(stream_function=Moody().answer)
    settings = load_settings(data_dir=tmp_path, model_attempts=1)
    with serving(settings, model) as served, watched(browser, served) as page:
        page.goto("/")
        visitor = Visitor(page)
        notes, replies = page.locator(".note.is-bad"), page.locator(".turns .message, .turns .reply")
        visitor.send("what now?")
        expect(notes).to_have_count(1)
        visitor.send("@finder and @analyst, which workflows do we have?")
        expect(notes).to_have_count(2)
        visitor.say("thank you")
        live = [notes.all_inner_texts(), replies.all_inner_texts()]
        agents = page.locator(".reply .agent").all_inner_texts()

        page.reload()
        expect(notes).to_have_count(2)

        assert notes.all_inner_texts() == live[0]
        assert page.locator(".reply .agent").all_inner_texts() == agents
        assert len(replies.all_inner_texts()) == len(live[1])
        assert page.get_by_role("alert").count() == 0
        notes.first.get_by_role("button", name="Try again").click()
        expect(notes).to_have_count(3)
        expect(page.locator(".bubble").last).to_have_text("what now?")
