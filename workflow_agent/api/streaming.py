"""A run's events as server-sent events, with comments while nothing happens."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from http import HTTPStatus
from typing import Any

import orjson
from starlette.responses import StreamingResponse
from starlette.types import Scope

from workflow_agent.api.errors import STATUS_OF, problem_document
from workflow_agent.chat import RunEvent, RunStream

_HEARTBEAT = b": still here\n\n"
_STATUS_OF_CODE = {kind.code: status for kind, status in STATUS_OF.items()}


class EventStream(StreamingResponse):
    """An event stream that proxies neither cache nor hold back."""

    media_type = "text/event-stream"

    def __init__(self, frames: AsyncIterator[bytes]) -> None:
        headers = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
        super().__init__(frames, headers=headers)


def frame(event: RunEvent, scope: Scope) -> bytes:
    """Return an event as it goes over the wire; an error's data is a problem, as everywhere."""
    data: Any = _problem_of(event.data, scope) if event.name == "error" else event.data
    # JSON has no bare line breaks, so the data is always one line.
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.id, event.name.encode(), orjson.dumps(data))


def _problem_of(data: dict[str, Any], scope: Scope) -> dict[str, Any]:
    code = str(data.get("code", "error"))
    status = _STATUS_OF_CODE.get(code, HTTPStatus.INTERNAL_SERVER_ERROR)
    return problem_document(status, code, str(data.get("detail", "")), scope=scope, extra=data)


async def frames(
    stream: RunStream, scope: Scope, *, after: int, heartbeat_seconds: float
) -> AsyncGenerator[bytes]:
    """Yield the events after an id as they come, and a comment whenever none came for a while."""
    events = stream.events(after)
    following = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            done, _ = await asyncio.wait((following,), timeout=heartbeat_seconds)
            if not done:
                yield _HEARTBEAT
                continue
            event = following.result()
            if event is None:
                return
            yield frame(event, scope)
            following = asyncio.ensure_future(anext(events, None))
    finally:
        following.cancel()
