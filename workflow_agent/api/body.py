"""Reading a request's body under limits of size, time and type, before anything looks at it."""

import asyncio
from dataclasses import dataclass
from email.message import Message
from typing import Any, cast

from starlette.datastructures import Headers
from starlette.types import Receive

from workflow_agent.api.errors import RequestTimedOut, UnsupportedMediaType
from workflow_agent.api.json_text import JsonLimits, parse_json
from workflow_agent.domain.errors import BodyTooLarge

_PARSED_IN_A_THREAD_BYTES = 65_536
_DISCARDED_TIMES_LIMIT = 4
"""How many times the limit is read and thrown away, so that the client gets to read the refusal."""


class ClientGone(Exception):
    """The client closed the connection before its request was complete; nobody waits for an answer."""


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """What a body may be."""

    max_bytes: int
    deadline_seconds: float
    json: JsonLimits


async def read_json_body(headers: Headers, receive: Receive, limits: BodyLimits) -> tuple[bytes, Any]:
    """Return a body as it came and as the JSON value it is; no bytes and None where there is none.

    Raises:
        UnsupportedMediaType: It is not JSON in UTF-8, or it is compressed.
        BodyTooLarge: It is over the limit; what comes is thrown away first, within bounds.
        RequestTimedOut: It did not arrive in time.
        InvalidInput: `parse_json` refuses it.
        ClientGone: The client left.
    """
    raw = await read_body(headers, receive, limits)
    if not raw:
        return raw, None
    _require_plain_json(headers)
    if len(raw) <= _PARSED_IN_A_THREAD_BYTES:
        return raw, parse_json(raw, limits.json)
    return raw, await asyncio.to_thread(parse_json, raw, limits.json)


def _require_plain_json(headers: Headers) -> None:
    given = headers.get("content-type", "")
    parsed = Message()
    parsed["content-type"] = given
    kind = parsed.get_content_type() if given else ""
    charset = str(parsed.get_param("charset", "utf-8")).lower()
    if kind != "application/json" or charset not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(
            f"The body is {given[:100]!r}; send it as 'application/json' in UTF-8.",
            valid=["application/json"],
        )
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType(
            f"The body is encoded as {headers['content-encoding'][:50]!r}; send it without Content-Encoding."
        )


async def read_body(headers: Headers, receive: Receive, limits: BodyLimits) -> bytes:
    """Return the whole body.

    Raises:
        BodyTooLarge: It is over the limit.
        RequestTimedOut: It did not arrive in time.
        ClientGone: The client left.
    """
    declared = headers.get("content-length", "")
    is_too_large = declared.isdecimal() and (len(declared) > 15 or int(declared) > limits.max_bytes)
    if is_too_large and headers.get("expect", "").lower() == "100-continue":
        # The client asked first and sends nothing until told to.
        raise _too_large(limits)
    try:
        async with asyncio.timeout(limits.deadline_seconds):
            raw = await _received(receive, limits.max_bytes)
    except TimeoutError as error:
        raise RequestTimedOut(
            f"The body did not arrive within {limits.deadline_seconds:g} seconds. Send it again at once."
        ) from error
    if raw is None:
        raise _too_large(limits)
    return raw


def _too_large(limits: BodyLimits) -> BodyTooLarge:
    return BodyTooLarge(
        f"The body is larger than {limits.max_bytes} bytes. Send less at once.", limit_bytes=limits.max_bytes
    )


async def _received(receive: Receive, max_bytes: int) -> bytes | None:
    """Return the body, or None when it is over the limit."""
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        chunk = cast("bytes", message.get("body", b""))
        size += len(chunk)
        if size <= max_bytes:
            chunks.append(chunk)
        else:
            chunks.clear()
        if not message.get("more_body", False) or size > max_bytes * _DISCARDED_TIMES_LIMIT:
            return b"".join(chunks) if size <= max_bytes else None
