"""Hostile data from public collections: refused or kept as it is, no server error, nothing outside."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import orjson
import pytest
from starlette.types import ASGIApp

from tests.support.server import application_for, client_of
from workflow_agent.api.body import FORBIDDEN
from workflow_agent.api.dependencies import Services
from workflow_agent.settings import load_settings

HOSTILE = Path(__file__).parents[3] / "shared" / "corpus" / "hostile"
AT_ONCE = 8

pytestmark = [pytest.mark.skipif(not HOSTILE.is_dir(), reason="needs the corpus at ../shared/corpus"), pytest.mark.slow]


@dataclass(frozen=True)
class Api:
    """The application over an empty data directory, without sockets in between."""

    services: Services
    app: ASGIApp

    async def answers(self, requests: Sequence["Ask"]) -> list[httpx.Response]:
        """Return the answers to many requests, a few at once."""
        places = asyncio.Semaphore(AT_ONCE)
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=20) as client:

            async def answer(ask: Ask) -> httpx.Response:
                async with places:
                    return await ask(client)

            return await asyncio.gather(*(answer(ask) for ask in requests))


Ask = Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    application = application_for(load_settings(data_dir=tmp_path / "data"))
    async with client_of(application):
        yield Api(application.services, application.app)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]  # noqa: ASYNC240 - nothing else runs here
    for path in (tmp_path / "data").rglob("*.json"):
        assert json.loads(path.read_bytes()) == orjson.loads(path.read_bytes()), path.name


def post(path: str, content: bytes) -> Ask:
    return lambda client: client.post(path, content=content, headers={"Content-Type": "application/json"})


def send(path: str, body: Any) -> Ask:
    return post(path, json.dumps(body).encode())


def check(answer: httpx.Response, *expected: int) -> None:
    assert answer.status_code in expected, (answer.request.url, answer.request.content[:200], answer.text[:500])
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code
        assert len(answer.content) < 6_000


def parser_cases() -> list[tuple[str, bytes]]:
    cases = [(path.name, path.read_bytes()) for path in sorted((HOSTILE / "jsontestsuite/test_parsing").iterdir())]
    assert len(cases) == 318
    return cases


@pytest.mark.parametrize(
    ("path", "before", "after", "good"),
    [
        pytest.param("/api/v1/chat", b'{"message": ', b"}", 200, id="as the message"),
        pytest.param("/api/v1/chat", b'{"message": "hi", "mode": ', b"}", 200, id="beside the message"),
        pytest.param("/api/v1/conversations", b'{"metadata": {"case": ', b"}}", 201, id="as metadata"),
        pytest.param("/api/v1/workflows", b'{"name": "W", "extensions": {"case": ', b"}}", 201, id="as an extension"),
        pytest.param("/api/v1/chat", b"", b"", 200, id="as the whole body"),
    ],
)
async def test_parser_cases(api: Api, path: str, before: bytes, after: bytes, good: int) -> None:
    cases = parser_cases()

    replies = await api.answers([post(path, before + case + after) for _, case in cases])

    for (name, _), reply in zip(cases, replies, strict=True):
        check(reply, 422, good)
        if name.startswith("n_") and name not in READS_WELL_INSIDE:
            assert reply.status_code == 422, name


READS_WELL_INSIDE = {"n_structure_no_data.json", "n_single_space.json"}
"""Nothing at all, which leaves the metadata of a conversation and a chat body as they would be without it."""


def naughty_strings() -> list[str]:
    return json.loads((HOSTILE / "blns/blns.json").read_bytes())


async def test_naughty_messages_are_answered_and_kept(api: Api) -> None:
    strings = naughty_strings()

    replies = await api.answers([send("/api/v1/chat", {"message": text}) for text in strings])

    for text, reply in zip(strings, replies, strict=True):
        if not text.strip() or FORBIDDEN.search(text):
            check(reply, 422)
            continue
        check(reply, 200)
        stored = await api.services.conversations.load("default", reply.json()["conversation_id"])
        assert stored.events[0].content == text


async def test_naughty_titles_are_kept(api: Api) -> None:
    strings = naughty_strings()

    replies = await api.answers([send("/api/v1/conversations", {"title": text}) for text in strings])

    for text, reply in zip(strings, replies, strict=True):
        if len(text) > 200 or FORBIDDEN.search(text):
            check(reply, 422)
        else:
            check(reply, 201)
            assert reply.json()["title"] == text


async def test_naughty_workflow_names_are_kept(api: Api) -> None:
    strings = naughty_strings()
    steps = [{"id": "a", "name": "A"}]

    replies = await api.answers([send("/api/v1/workflows", {"name": text, "steps": steps}) for text in strings])

    for text, reply in zip(strings, replies, strict=True):
        if not text.strip() or len(text) > 200 or FORBIDDEN.search(text):
            check(reply, 422)
        else:
            check(reply, 201)
            assert reply.json()["name"] == text


@pytest.mark.parametrize("kind", ["conversations", "workflows", "runs"])
async def test_naughty_ids_are_as_unknown_as_any(api: Api, kind: str) -> None:
    strings = [text for text in naughty_strings() if text and text not in (".", "..")]
    unknown = {"conversations": "nothing", "workflows": "wf_nothing", "runs": "run_nothing_1_a"}[kind]

    def get(text: str) -> Ask:
        return lambda client: client.get(f"/api/v1/{kind}/{quote(text, safe='')}")

    expected, *replies = await api.answers([get(unknown), *(get(text) for text in strings)])

    for text, reply in zip(strings, replies, strict=True):
        check(reply, 404)
        if "/" not in text and text != "validate":
            assert reply.json()["code"] == expected.json()["code"]
            assert reply.json().keys() == expected.json().keys()


async def test_naughty_ids_make_nothing(api: Api) -> None:
    strings = naughty_strings()
    document = {"name": "W", "steps": [{"id": "a", "name": "A"}]}

    made = await api.answers(
        [send("/api/v1/conversations", {"id": text}) for text in strings]
        + [send("/api/v1/workflows", document | {"id": text}) for text in strings]
        + [send("/api/v1/chat", {"message": "hi", "conversation_id": text}) for text in strings]
    )

    for reply in made:
        check(reply, 422, 404, 409, 201, 200)


async def test_naughty_queries(api: Api) -> None:
    strings = naughty_strings()

    def search(kind: str, text: str) -> Ask:
        return lambda client: client.get(f"/api/v1/{kind}", params={"q": text})

    found = await api.answers([search(kind, text) for kind in ("workflows", "conversations") for text in strings])

    for reply in found:
        check(reply, 200, 422)
