"""Reading a request's body under limits of size, time and type, before anything looks at it."""

import asyncio
import json
import math
import re
from codecs import BOM_UTF8
from collections import Counter
from dataclasses import dataclass
from email.message import Message
from typing import Any, cast

from starlette.datastructures import Headers
from starlette.types import Receive

from workflow_agent.api.errors import RequestTimedOut, UnsupportedMediaType
from workflow_agent.errors import BodyTooLarge, InvalidInput, Problem
from workflow_agent.settings import Settings
from workflow_agent.values.described import Described
from workflow_agent.workflows.model.parser import json_pointer

FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters other than tab, newline and carriage return, and lone surrogates."""
_MAX_POINTER_CHARS = 200


@dataclass(frozen=True, slots=True)
class _Unusable:
    """Marks a place in a parsed document whose value is not allowed."""

    why: str


_CHECKED = (str, dict, list, _Unusable)
_Place = tuple[Any, str | int] | None
"""Where a value stands: the place of what contains it, and its key there."""


def parse_json(raw: bytes, limits: Settings) -> Any:
    """Return the value of a JSON text: strict RFC 8259, in UTF-8, with clean text and finite numbers.

    Raises:
        InvalidInput: Names the byte, or the JSON pointer, of the first thing wrong.
    """
    try:
        # A byte order mark says nothing in UTF-8; some programs write one (RFC 8259, section 8.1).
        text = raw.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"The body is not UTF-8: byte {error.start} cannot be decoded. Encode the JSON as UTF-8.",
            [Problem("", f"not UTF-8 at byte {error.start}")],
            offset=error.start,
        ) from error
    value = _parsed(text)
    _check(value, limits)
    return value


def _parsed(text: str) -> Any:
    try:
        return json.loads(
            text, parse_constant=_constant, parse_int=_integer, parse_float=_number, object_pairs_hook=_object
        )
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode())
        raise InvalidInput(
            f"The body is not JSON: {error.msg} at byte {offset} (line {error.lineno}, column {error.colno}).",
            [Problem("", f"{error.msg} at byte {offset}")],
            offset=offset,
        ) from error
    except RecursionError as error:
        raise _invalid(None, "is nested far too deep") from error


def _invalid(place: _Place, message: str) -> InvalidInput:
    keys: list[str | int] = []
    while place is not None:
        place, key = place
        keys.append(key)
    pointer = json_pointer(reversed(keys))
    shown = pointer if len(pointer) <= _MAX_POINTER_CHARS else pointer[:_MAX_POINTER_CHARS] + "…"
    return InvalidInput(f"The body cannot be accepted: {shown or 'it'} {message}.", [Problem(shown, message)])


def _constant(name: str) -> _Unusable:
    return _Unusable(f"is {name}, which is no JSON number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Unusable:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    # Python would take the last one and drop the others, as if they had not been sent.
    twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
    return _Unusable(f"has the key {twice[:40]!r} more than once")


def _integer(digits: str) -> int | _Unusable:
    # Cut before `int`, whose time grows with the square of the length.
    value = int(digits) if len(digits) <= 20 else None
    if value is None or not -(2**63) <= value < 2**64:
        return _Unusable(f"is the number {digits[:24]}, which does not fit into 64 bits; send it as text")
    return value


def _number(digits: str) -> float | _Unusable:
    value = float(digits)
    return value if math.isfinite(value) else _Unusable(f"is the number {digits[:24]}, too large for a double")


def forbidden_character(text: str) -> str | None:
    """Return a description of the first character that no text may hold, or None."""
    found = FORBIDDEN.search(text)
    if found is None:
        return None
    kind = "a lone surrogate" if found[0] >= "\ud800" else "a control character"
    return f"{kind}, U+{ord(found[0]):04X}, at character {found.start()}"


def _check(value: Any, limits: Settings) -> None:
    """Walk a parsed document without recursion; containers know their place, pointers are made on failure."""
    waiting: list[tuple[Any, _Place, int]] = [(value, None, 1)]
    seen = 0
    while waiting:
        here, place, depth = waiting.pop()
        if isinstance(here, str):
            if problem := forbidden_character(here):
                raise _invalid(place, f"holds {problem}")
        elif isinstance(here, _Unusable):
            raise _invalid(place, here.why)
        elif isinstance(here, dict | list):
            if depth > limits.max_body_depth:
                raise _invalid(place, f"is nested deeper than {limits.max_body_depth} levels")
            seen += len(cast("list[Any]", here))
            if seen > limits.max_body_values:
                raise _invalid(None, f"holds more than {limits.max_body_values} values")
            container = cast("dict[str, Any] | list[Any]", here)
            waiting.extend(_children(container, place, depth + 1, limits.max_object_members))


def _children(
    container: dict[str, Any] | list[Any], place: _Place, depth: int, max_members: int
) -> list[tuple[Any, _Place, int]]:
    if isinstance(container, list):
        return [(item, (place, at), depth) for at, item in enumerate(container) if isinstance(item, _CHECKED)]
    if len(container) > max_members:
        raise _invalid(place, f"has more than {max_members} members")
    for key in container:
        if problem := forbidden_character(key):
            raise _invalid(place, f"has a key with {problem}")
    return [(item, (place, key), depth) for key, item in container.items() if isinstance(item, _CHECKED)]


_PARSED_IN_A_THREAD_BYTES = 65_536
_DISCARDED_TIMES_LIMIT = 4
"""How many times the limit is read and thrown away, so that the client gets to read the refusal."""


class ClientGone(Exception):
    """The client closed the connection before its request was complete."""


async def read_json_body(headers: Headers, receive: Receive, limits: Settings) -> tuple[bytes, Any]:
    """Return a body as bytes and as its JSON value; empty bytes and None if there is no body.

    Raises:
        UnsupportedMediaType: It is not JSON in UTF-8, or it is compressed.
        BodyTooLarge: It is over the limit; what comes is thrown away first, within bounds.
        RequestTimedOut: It did not arrive in time.
        InvalidInput: `parse_json` refuses it.
        ClientGone: The client left.
    """
    raw = await _read_body(headers, receive, limits)
    if not raw:
        return raw, None
    _require_plain_json(headers)
    if len(raw) <= _PARSED_IN_A_THREAD_BYTES:
        return raw, parse_json(raw, limits)
    return raw, await asyncio.to_thread(parse_json, raw, limits)


def _require_plain_json(headers: Headers) -> None:
    given = headers.get("content-type", "")
    if given == "application/json" and "content-encoding" not in headers:
        return
    parsed = Message()
    parsed["content-type"] = given
    kind = parsed.get_content_type() if given else ""
    charset = str(parsed.get_param("charset", "utf-8")).lower()
    if kind != "application/json" or charset not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(
            f"The body is {given[:100]!r}; send it as 'application/json' in UTF-8.", valid=["application/json"]
        )
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType(
            f"The body is encoded as {headers['content-encoding'][:50]!r}; send it without Content-Encoding."
        )


async def _read_body(headers: Headers, receive: Receive, limits: Settings) -> bytes:
    declared = headers.get("content-length", "")
    is_too_large = declared.isdecimal() and (len(declared) > 15 or int(declared) > limits.max_body_bytes)
    if is_too_large and headers.get("expect", "").lower() == "100-continue":
        # The client asked first and sends nothing until told to.
        raise _too_large(limits.max_body_bytes)
    try:
        async with asyncio.timeout(limits.body_deadline_seconds):
            return await _received(receive, limits.max_body_bytes)
    except TimeoutError as error:
        raise RequestTimedOut(
            f"The body did not arrive within {limits.body_deadline_seconds:g} seconds. Send it again at once."
        ) from error


def _too_large(max_bytes: int) -> BodyTooLarge:
    return BodyTooLarge(f"The body is larger than {max_bytes} bytes. Send less at once.", limit_bytes=max_bytes)


async def _received(receive: Receive, max_bytes: int) -> bytes:
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
            break
    if size > max_bytes:
        raise _too_large(max_bytes)
    return b"".join(chunks)


class Body(Described, extra="forbid", strict=True):
    """A request body: closed, and without conversions between JSON types."""
