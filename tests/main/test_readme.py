"""What the README and the tour show is what the service says: held and drawn again."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.server import serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings

pytestmark = pytest.mark.untraced

PROJECT = Path(__file__).parents[2]
README = PROJECT / "README.md"
TOUR = PROJECT / "docs" / "tour.md"
SECTIONS = ((README, "A short conversation"), (TOUR, "In, better, out"))
PICTURE = PROJECT / "docs" / "pictures" / "charge-an-order.svg"
_PART = re.compile(
    r"""^\*(?P<said>[^*\n]+)\*$(?:\n\n```\w*\n(?P<pasted>(?:(?!```).*\n)*)```$)?"""
    r"""|"message":[ ]"(?P<posted>(?:[^"\\]|\\.)*)"|^(?P<quoted>(?:>.*\n?)+)""",
    re.MULTILINE,
)
"""A message in italics, with what is pasted below it; one in the body of a request; or a reply."""


@dataclass
class Exchange:
    """A message of a page, and the reply it quotes."""

    message: str
    reply: str = ""


def exchanges(page: Path, title: str) -> list[Exchange]:
    """Return what is said in a section of a page, with the replies it quotes."""
    text = page.read_text("utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    found: list[Exchange] = []
    for part in _PART.finditer(text):
        if part["quoted"]:
            found[-1].reply += re.sub(r"^> ?", "", part["quoted"], flags=re.MULTILINE)
        else:
            found.append(Exchange("\n".join(filter(None, (part["said"] or part["posted"], part["pasted"])))))
    return found


def normal(text: str) -> str:
    """Return text without what is another each time: moments, days and ids of conversations."""
    text = re.sub(r"`cv_[0-9a-f]+`", "", text)
    text = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", "then", text)
    return " ".join(text.split())


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    settings = load_settings(data_dir=tmp_path)
    with serving(settings, OfflineModel()) as served, served.client() as asking:
        yield asking


def hold(client: httpx.Client, page: Path, title: str) -> list[tuple[str, str]]:
    """Hold a section's conversation; return each reply as the page has it and as it came."""
    body: dict[str, Any] = {}
    compared: list[tuple[str, str]] = []
    for exchange in exchanges(page, title):
        answer = client.post("/api/v1/chat", json={"message": exchange.message, **body}).json()
        body["conversation_id"] = answer["conversation_id"]
        compared.append((normal(exchange.reply), normal(answer["response"])))
    return compared


@pytest.mark.parametrize(("page", "title"), SECTIONS)
def test_replies_are_quoted_to_the_letter(client: httpx.Client, page: Path, title: str) -> None:
    compared = hold(client, page, title)

    assert len(compared) > 2
    for quoted, said in compared:
        assert quoted
        assert said.startswith(quoted)


def test_the_picture_is_what_the_service_draws(client: httpx.Client) -> None:
    hold(client, *SECTIONS[1])
    drawn = client.get(
        "/api/v1/workflows/wf_charge_an_order_and_ship_it/diagram",
        params={"format": "svg", "findings": "true"},
        headers={"Accept": "image/svg+xml"},
    ).text

    assert PICTURE.read_text("utf-8") == drawn


def test_the_reply_that_is_shown_is_the_reply_that_comes(client: httpx.Client) -> None:
    text = TOUR.read_text("utf-8").split("What a reply holds beside its text")[1]
    shown = json.loads(text.split("```json\n")[1].split("```")[0])
    body: dict[str, Any] = {}
    reply: dict[str, Any] = {}
    for exchange in exchanges(*SECTIONS[0]):
        reply = client.post("/api/v1/chat", json={"message": exchange.message, **body}).json()
        body["conversation_id"] = reply["conversation_id"]
        if reply["turn"] == shown["turn"]:
            break

    assert of_the_kind(shown, reply) == shown


def of_the_kind(shown: Any, real: Any) -> Any:
    """Return what is real as far as it is shown, with the figures and the id of the run as shown."""
    if isinstance(shown, dict):
        of_both = shown.keys() & real.keys()
        return {name: shown[name] if name == "run_id" else of_the_kind(shown[name], real[name]) for name in of_both}
    if isinstance(shown, list):
        return [of_the_kind(*pair) for pair in zip(shown, real, strict=True)]
    # Figures change with each word of a prompt; none and some are not the same all the same.
    is_figure = isinstance(shown, int | float) and not isinstance(shown, bool)
    return shown if is_figure and isinstance(real, int | float) and bool(real) == bool(shown) else real
