"""Questions between hosts over Redis, and their answers, each in a stream that expires."""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from typing import Any

import orjson
import redis.asyncio as aioredis
from redis.exceptions import RedisError
from typing_extensions import override

from workflow_agent.conversations.store import OtherProcesses, ProcessGone
from workflow_agent.storage.files.sockets import Answer, ProcessSockets
from workflow_agent.values.stored import JsonObject

_log = logging.getLogger(__name__)
_FRAME_SECONDS = 0.075
"""What is answered within this time goes in one frame."""
_SIGN_SECONDS = 2.0
"""An answer that pauses for so long gives a sign of life."""
_KEPT_MS = 30_000
_MOST_QUESTIONS = 1_000
_MOST_FRAMES = 2_000
_WAIT_MS = 1_000
_PAUSE_SECONDS = 1.0
_ANSWER_SECONDS = 5.0
_FAILURES = (RedisError, OSError)

_Entry = tuple[bytes, dict[bytes, bytes]]


class RedisProcesses(OtherProcesses):
    """Asks the processes on this machine over their sockets, and those of other hosts over Redis.

    Nothing lasts there: questions and answers expire, and whoever finds Redis away or emptied does without.
    An answer is worked on only while somebody reads it.

    Args:
        url: Where Redis is.
        near: Reaches the processes on this machine.
        owner: Returns the id of this process; it changes when a lease is lost.
        silence_seconds: After so long without a frame, whoever answers counts as gone.
    """

    def __init__(self, url: str, near: ProcessSockets, owner: Callable[[], str], silence_seconds: float = 5.0) -> None:
        # The older protocol: what a stream gives has the same shape from every server.
        self._redis: Any = aioredis.Redis.from_url(  # pyright: ignore[reportUnknownMemberType] - its options
            url, protocol=2, socket_connect_timeout=1, socket_timeout=_ANSWER_SECONDS
        )
        self._near = near
        self._silence_seconds = silence_seconds
        self._owner = owner
        self._listening: asyncio.Task[None] | None = None
        self._answering: set[asyncio.Task[None]] = set()

    async def listen(self, answer: Answer) -> None:
        """Answer other processes from here on."""
        await self._near.listen(answer)
        self._listening = asyncio.create_task(self._listen(answer), name="questions over Redis")

    async def close(self, grace_seconds: float = 0.0) -> None:
        """Ask and answer nothing any more; see `ProcessSockets.close`."""
        await self._near.close(grace_seconds)
        tasks = [*self._answering, *([self._listening] if self._listening else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(*_FAILURES):
            await self._redis.aclose()

    @override
    async def answers(self, owner: str, question: JsonObject) -> AsyncGenerator[JsonObject]:
        answers = self._near.answers if self._near.reaches(owner) else self._far_answers
        async with aclosing(answers(owner, question)) as told:
            async for piece in told:
                yield piece

    async def _far_answers(self, owner: str, question: JsonObject) -> AsyncGenerator[JsonObject]:
        token = secrets.token_hex(12)
        asked = orjson.dumps({**question, "answer_to": token})
        try:
            async with self._redis.pipeline(transaction=False) as sent:
                sent.set(_reader(token), b"1", px=_KEPT_MS)
                sent.xadd(_questions(owner), {"question": asked}, maxlen=_MOST_QUESTIONS)
                sent.pexpire(_questions(owner), _KEPT_MS)
                await sent.execute()
            try:
                async for piece in self._read(owner, token):
                    yield piece
            finally:
                # Whoever answers stops at the next frame.
                with suppress(*_FAILURES):
                    await self._redis.delete(_reader(token), _answer(token))
        except _FAILURES as error:
            raise ProcessGone(f"process {owner!r} cannot be asked over Redis: {error}") from error

    async def _read(self, owner: str, token: str) -> AsyncGenerator[JsonObject]:
        place, number = b"0", 0
        while True:
            for found, frame in await self._news(_answer(token), place, owner):
                place = found
                if int(frame[b"number"]) != number:
                    raise ProcessGone(f"a part of the answer of process {owner!r} is gone")
                number += 1
                for line in frame[b"lines"].splitlines():
                    yield orjson.loads(line)
                if b"end" in frame:
                    return
            await self._redis.pexpire(_reader(token), _KEPT_MS)

    async def _news(self, stream: str, place: bytes, owner: str) -> Sequence[_Entry]:
        """Return what is in a stream after a place, waiting for it."""
        give_up_at = time.monotonic() + self._silence_seconds
        while time.monotonic() < give_up_at:
            left_ms = max(int((give_up_at - time.monotonic()) * 1_000), 1)
            if found := await self._redis.xread({stream: place}, block=min(_WAIT_MS, left_ms)):
                return found[0][1]
        raise ProcessGone(f"process {owner!r} says nothing over Redis")

    async def _listen(self, answer: Answer) -> None:
        owner, place = "", b"0"
        while True:
            if owner != self._owner():
                owner, place = self._owner(), b"0"
            try:
                found = await self._redis.xread({_questions(owner): place}, block=_WAIT_MS)
            except _FAILURES as error:
                _log.warning("no questions are heard over Redis: %s", error)
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            for entry_id, entry in found[0][1] if found else ():
                place = entry_id
                task = asyncio.create_task(self._answered(orjson.loads(entry[b"question"]), answer))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)

    async def _answered(self, question: JsonObject, answer: Answer) -> None:
        """Write the answer to a question, frame by frame, for as long as somebody reads it."""
        token, number = str(question.pop("answer_to")), 0
        try:
            async with aclosing(framed(answer(question))) as frames:
                async for lines, is_last in frames:
                    async with self._redis.pipeline(transaction=False) as sent:
                        end = {"end": b"1"} if is_last else {}
                        frame = {"number": number, "lines": b"\n".join(lines), **end}
                        sent.xadd(_answer(token), frame, maxlen=_MOST_FRAMES)
                        sent.pexpire(_answer(token), _KEPT_MS)
                        sent.exists(_reader(token))
                        *_, is_read = await sent.execute()
                    number += 1
                    if not is_read:
                        return
        except _FAILURES as error:
            _log.warning("an answer over Redis was not finished: %s", error)


async def answers_at(url: str) -> bool:
    """Say whether a Redis answers."""
    asked: Any = aioredis.Redis.from_url(url, socket_connect_timeout=1, socket_timeout=1)  # pyright: ignore[reportUnknownMemberType] - its options
    try:
        return bool(await asked.ping())
    except _FAILURES:
        return False
    finally:
        with suppress(*_FAILURES):
            await asked.aclose()


async def framed(pieces: AsyncGenerator[JsonObject]) -> AsyncGenerator[tuple[list[bytes], bool]]:
    """Yield what comes within a frame's time, and whether that is all; no lines are a sign of life."""
    lines: list[bytes] = []
    due = time.monotonic() + _SIGN_SECONDS
    following = asyncio.ensure_future(anext(pieces, None))
    try:
        while True:
            await asyncio.wait((following,), timeout=max(due - time.monotonic(), 0.0))
            if following.done():
                piece = following.result()
                if piece is None:
                    yield lines, True
                    return
                if not lines:
                    due = time.monotonic() + _FRAME_SECONDS
                lines.append(orjson.dumps(piece))
                following = asyncio.ensure_future(anext(pieces, None))
            if time.monotonic() >= due:
                yield lines, False
                lines, due = [], time.monotonic() + _SIGN_SECONDS
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await pieces.aclose()


def _questions(owner: str) -> str:
    return f"workflow-agent:questions:{owner}"


def _answer(token: str) -> str:
    return f"workflow-agent:answer:{token}"


def _reader(token: str) -> str:
    return f"workflow-agent:reader:{token}"
