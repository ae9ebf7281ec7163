"""Reading a body: its type, its size and its time."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.types import Message

from workflow_agent.api.body import ClientGone, read_json_body
from workflow_agent.api.errors import RequestTimedOut, UnsupportedMediaType
from workflow_agent.errors import BodyTooLarge
from workflow_agent.settings import Settings, load_settings

LIMITS = load_settings(max_body_bytes=100, body_deadline_seconds=5)
JSON = {"content-type": "application/json"}


class Wire:
    """A client that sends given chunks, then waits for ever or leaves."""

    def __init__(self, chunks: Sequence[bytes], *, ends: bool = True, leaves: bool = False) -> None:
        self.chunks = list(chunks)
        self.ends = ends
        self.leaves = leaves
        self.taken = 0

    async def __call__(self) -> Message:
        if not self.chunks:
            if self.leaves:
                return {"type": "http.disconnect"}
            await asyncio.Event().wait()
        self.taken += 1
        chunk = self.chunks.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(self.chunks) or not self.ends}


async def read(wire: Wire, limits: Settings = LIMITS, **headers: str) -> Any:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return (await read_json_body(Headers(JSON | given), wire, limits))[1]


async def test_chunks_are_one_body() -> None:
    assert await read(Wire([b'{"a"', b": 1}"])) == {"a": 1}


async def test_a_body_of_the_limit_passes() -> None:
    assert await read(Wire([b'"' + b"a" * 98 + b'"'])) == "a" * 98


async def test_a_body_over_the_limit_is_read_to_its_end_and_refused() -> None:
    wire = Wire([b"x" * 60, b"x" * 60, b"x" * 60])

    with pytest.raises(BodyTooLarge, match="larger than 100 bytes"):
        await read(wire)

    assert wire.taken == 3


async def test_a_body_far_over_the_limit_is_not_read_to_its_end() -> None:
    wire = Wire([b"x" * 100] * 50)

    with pytest.raises(BodyTooLarge):
        await read(wire)

    assert wire.taken == 5


@pytest.mark.parametrize("length", ["101", "9" * 30])
async def test_who_asks_first_is_refused_before_sending(length: str) -> None:
    wire = Wire([b"{}"])

    with pytest.raises(BodyTooLarge):
        await read(wire, content_length=length, expect="100-continue")

    assert wire.taken == 0


async def test_a_body_that_stops_in_the_middle_times_out() -> None:
    slow = LIMITS.model_copy(update={"body_deadline_seconds": 0.01})

    with pytest.raises(RequestTimedOut, match=r"within 0\.01 seconds"):
        await read(Wire([b'{"a"'], ends=False), slow)


async def test_nobody_is_answered_who_left() -> None:
    with pytest.raises(ClientGone):
        await read(Wire([b'{"a"'], ends=False, leaves=True))


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"content_type": "text/plain"}, id="text"),
        pytest.param({"content_type": ""}, id="no type"),
        pytest.param({"content_type": "application/json; charset=latin-1"}, id="charset"),
        pytest.param({"content_type": "application/jsonx"}, id="similar type"),
        pytest.param({"content_encoding": "gzip"}, id="compressed"),
    ],
)
async def test_only_plain_json_in_utf8_is_read(headers: dict[str, str]) -> None:
    with pytest.raises(UnsupportedMediaType):
        await read(Wire([b"{}"]), **headers)


@pytest.mark.parametrize(
    "kind", ["application/json; charset=UTF-8", "Application/JSON", "application/json;charset=utf8"]
)
async def test_spellings_of_the_type_are_alike(kind: str) -> None:
    assert await read(Wire([b"{}"]), content_type=kind) == {}


async def test_no_body_is_none() -> None:
    assert await read(Wire([b""]), content_type="") is None


async def test_a_large_body_is_parsed_off_the_event_loop() -> None:
    limits = LIMITS.model_copy(update={"max_body_bytes": 1_000_000})

    assert await read(Wire([b'"' + b"a" * 100_000 + b'"']), limits) == "a" * 100_000
