"""Frames of the page's graph with a hundred steps, in a real browser, beside those of an empty page."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.figures import RATIO, Figure, Section
from tests.support.browsing import CHROMIUM, watched
from tests.support.server import Served, serving
from tests.web.test_hands_on import large_workflow
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings

NAME, TITLE = "frames", "Frames of the graph"
ROUNDS = 5
MOST_MS = 50.0
RECORD = """() => {
  const lengths = window.lengths = [];
  let last = performance.now();
  const frame = () => {
    const now = performance.now();
    lengths.push(now - last);
    last = now;
    if (window.lengths === lengths) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
STOP = "() => { const lengths = window.lengths; window.lengths = null; return lengths; }"
WHEEL = """(isZoom) => new Promise((done) => {
  const port = document.querySelector(".graph-port") ?? document.body;
  const { x, y } = port.getBoundingClientRect();
  let at = 0;
  const turn = () => {
    const wheel = { deltaY: at % 30 < 15 ? -40 : 40, ctrlKey: isZoom, bubbles: true, cancelable: true };
    port.dispatchEvent(new WheelEvent("wheel", { ...wheel, clientX: x + 200, clientY: y + 200 }));
    at += 1;
    if (at < 90) requestAnimationFrame(turn);
    else done();
  };
  requestAnimationFrame(turn);
})"""
"""Turns the wheel in each frame, there and back."""


def measure() -> Section:
    """Return how long frames are while the graph is moved, zoomed and changed; nothing where there is no Chromium."""
    if not Path(CHROMIUM).exists():
        return Section(NAME, TITLE, f"Not measured this time: there is no Chromium at {CHROMIUM}.", [])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        found = _measured(browser)
        browser.close()
    empty = median(_worst(one) for one in found.pop("an empty page"))
    figures = [Figure("an empty page", empty, "ms")]
    for name, rounds in found.items():
        worst = median(_worst(one) for one in rounds)
        figures.append(Figure(name, worst, "ms", most=MOST_MS))
        figures.append(Figure(f"{name} / an empty page", worst / empty, RATIO))
    return Section(
        NAME,
        TITLE,
        f"A workflow of 100 steps in Chromium, all of them open. The 99th percentile of the frames, at the median of "
        f"{ROUNDS} rounds that take turns: the wheel is turned in each of 90 frames, or a step is given to somebody "
        "else and the graph drawn anew.",
        figures,
    )


def _worst(lengths: Sequence[float]) -> float:
    return sorted(lengths)[int(len(lengths) * 0.99)]


def _measured(browser: Browser) -> dict[str, list[list[float]]]:
    acts: dict[str, Callable[[Page], object]] = {
        "moved": lambda page: page.evaluate(WHEEL, False),
        "zoomed": lambda page: page.evaluate(WHEEL, True),
        "changed": _change,
    }
    found: dict[str, list[list[float]]] = {}
    with _served() as served, watched(browser, served) as empty, watched(browser, served) as page:
        empty.set_content("<p>Nothing.</p>")
        _open(page)
        for _ in range(ROUNDS):
            for is_in_lanes in (False, True):
                _lanes(page, is_in_lanes)
                empty.bring_to_front()
                found.setdefault("an empty page", []).append(_recorded(empty, acts["moved"]))
                page.bring_to_front()
                for name, act in acts.items():
                    key = f"{name}, in lanes" if is_in_lanes else name
                    found.setdefault(key, []).append(_recorded(page, act))
    return found


@contextmanager
def _served() -> Iterator[Served]:
    with tempfile.TemporaryDirectory() as data, serving(load_settings(data_dir=Path(data)), OfflineModel()) as served:
        with served.client() as client:
            client.post("/api/v1/workflows", json=large_workflow()).raise_for_status()
        yield served


def _open(page: Page) -> None:
    page.goto("/#/w/wf_large")
    page.get_by_role("button", name="Open all").click()
    expect(page.locator(".canvas [data-step]")).to_have_count(100)


def _lanes(page: Page, is_wanted: bool) -> None:
    toggle = page.get_by_role("button", name="Lanes by role")
    if (toggle.get_attribute("aria-pressed") == "true") != is_wanted:
        toggle.click()
        expect(page.locator(".canvas .lane").first).to_be_visible(visible=is_wanted)


def _change(page: Page) -> None:
    page.get_by_role("combobox", name="Find a step").fill("Check 7.3")
    page.keyboard.press("Enter")
    owner = page.get_by_role("region", name="Step Check 7.3").get_by_label("Owner")
    other = "legal" if owner.input_value() == "office" else "office"
    owner.fill(other)
    page.keyboard.press("Enter")
    expect(page.locator("[data-step=s_7_3] .who")).to_have_text(other)


def _recorded(page: Page, act: Callable[[Page], object]) -> list[float]:
    page.evaluate(RECORD)
    act(page)
    return page.evaluate(STOP)
