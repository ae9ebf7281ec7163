"""A run's events as server-sent events, with comments while nothing happens."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import Request
from starlette.responses import StreamingResponse
from starlette.types import Scope

from workflow_agent.api.errors import STATUS_OF, problem_document
from workflow_agent.assistant.requests import RunEvent, RunEvents, StartedTurn
from workflow_agent.assistant.turns.narration import stream_of_outcome
from workflow_agent.conversations.document import AgentReply

_HEARTBEAT = b": still here\n\n"
_STATUS_OF_CODE = {kind.code: status for kind, status in STATUS_OF.items()}


class EventStream(StreamingResponse):
    """An event stream that proxies neither cache nor hold back."""

    media_type = "text/event-stream"

    def __init__(self, frames: AsyncIterator[bytes], headers: Mapping[str, str] | None = None) -> None:
        own = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
        super().__init__(frames, headers=own | dict(headers or {}))


def problem_of(data: dict[str, Any], scope: Scope) -> dict[str, Any]:
    """Return the data of an `error` event as the problem document it stands for."""
    code = str(data.get("code", "error"))
    status = _STATUS_OF_CODE.get(code, HTTPStatus.INTERNAL_SERVER_ERROR)
    return problem_document(status, code, str(data.get("detail", "")), scope=scope, extra=data)


def own_frames(stream: RunEvents, request: Request, *, after: int = 0) -> AsyncGenerator[bytes]:
    """Yield a run's events after an id in this API's own words; an error's data is a problem, as everywhere."""

    def frame(event: RunEvent) -> bytes:
        data = problem_of(event.data, request.scope) if event.name == "error" else event.data
        # JSON has no bare line breaks, so the data is always one line.
        return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.id, event.name.encode(), orjson.dumps(data))

    return frames(stream, request, frame, after=after)


async def stream_of(started: StartedTurn) -> RunEvents:
    """Return a turn's events; where they are in a process that cannot be asked, its outcome alone."""
    if started.stream is not None:
        return started.stream
    return stream_of_outcome(await started.outcome())


def frames(
    stream: RunEvents, request: Request, render: Callable[[RunEvent], bytes], *, after: int = 0
) -> AsyncGenerator[bytes]:
    """Yield the events after an id as bytes of the stream; one of which `render` writes nothing is left out."""
    rendered = (render(event) async for event in stream.events(after))
    return with_heartbeats((text async for text in rendered if text), request)


async def with_heartbeats(pieces: AsyncGenerator[bytes], request: Request) -> AsyncGenerator[bytes]:
    """Yield the pieces of a stream as they come, and a comment whenever none came for a while."""
    heartbeat_seconds: float = request.app.state.settings.heartbeat_seconds
    following = asyncio.ensure_future(anext(pieces, None))
    try:
        while True:
            done, _ = await asyncio.wait((following,), timeout=heartbeat_seconds)
            if not done:
                yield _HEARTBEAT
                continue
            piece = following.result()
            if piece is None:
                return
            yield piece
            following = asyncio.ensure_future(anext(pieces, None))
    finally:
        following.cancel()


def opening(agent: str, asked: Sequence[str], *, is_first: bool) -> str:
    """Return the text before an agent's answer that names the speaker; usually empty.

    Args:
        agent: Who answers.
        asked: The agents the message is for, as far as it tells. Where that is one, its answer carries no
            name; that of an agent it hands over to does.
        is_first: Whether nobody answered the message before.
    """
    if not is_first:
        return f"\n\n**{agent}:**\n\n"
    return f"**{agent}:**\n\n" if len(asked) > 1 else ""


@dataclass(slots=True)
class Voices:
    """Says who is speaking as one agent after the other answers."""

    asked: Sequence[str]
    _spoken: int = field(default=0, init=False)

    def next(self, agent: str) -> str:
        """Return what comes before the answer of the next agent."""
        self._spoken += 1
        return opening(agent, self.asked, is_first=self._spoken == 1)


def told(asked: Sequence[str], replies: Sequence[AgentReply]) -> list[str]:
    """Return the text of each reply to a message; joined, they are what a stream tells."""
    voices = Voices(asked)
    return [voices.next(reply.author) + reply.content for reply in replies]
