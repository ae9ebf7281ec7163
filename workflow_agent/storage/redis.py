"""What hosts share in Redis: questions and answers, each in a stream that expires, and what tenants use."""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from typing import Any, Literal, TypeVar

import orjson
import redis.asyncio as aioredis
from redis.exceptions import RedisError
from typing_extensions import override

from workflow_agent.conversations.quotas import UsageCounter, Used
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
_COUNT_SECONDS = 1.0
_FAILURES = (RedisError, OSError, RuntimeError)
"""What a client raises while Redis is away; uvloop raises the last where a connection has ended."""
T = TypeVar("T")

_Entry = tuple[bytes, dict[bytes, bytes]]


class Redis:
    """A Redis, by its address; nothing is asked of it yet."""

    def __init__(self, url: str) -> None:
        self._url = url

    def client(self, answer_seconds: float) -> Any:
        """Return a new client, which waits so long for an answer."""
        # The older protocol: what a stream gives has the same shape from every server.
        return aioredis.Redis.from_url(  # pyright: ignore[reportUnknownMemberType] - its options
            self._url, protocol=2, socket_connect_timeout=1, socket_timeout=answer_seconds
        )

    def processes(self, near: ProcessSockets, owner: Callable[[], str]) -> "RedisProcesses":
        """Return how processes of several hosts ask each other; see `RedisProcesses`."""
        return RedisProcesses(self, near, owner)

    def usage_counter(self, near: UsageCounter) -> "RedisUsageCounter":
        """Return what counts for all hosts, and for this one while Redis is away."""
        return RedisUsageCounter(self, near)

    async def answers(self) -> bool:
        """Say whether it answers."""
        asked = self.client(1.0)
        try:
            return bool(await asked.ping())
        except _FAILURES:
            return False
        finally:
            with suppress(*_FAILURES):
                await asked.aclose()


class RedisProcesses(OtherProcesses):
    """Asks the processes on this machine over their sockets, and those of other hosts over Redis.

    Nothing lasts there: questions and answers expire, and whoever finds Redis away or emptied does without.
    An answer is worked on only while somebody reads it.

    The owner is the id of this process; it changes when a lease is lost. Without a frame for `silence_seconds`,
    whoever answers counts as gone.
    """

    def __init__(
        self, redis: Redis, near: ProcessSockets, owner: Callable[[], str], silence_seconds: float = 5.0
    ) -> None:
        self._redis = redis.client(_ANSWER_SECONDS)
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
                sent.set(_key("reader", token), b"1", px=_KEPT_MS)
                sent.xadd(_key("questions", owner), {"question": asked}, maxlen=_MOST_QUESTIONS)
                sent.pexpire(_key("questions", owner), _KEPT_MS)
                await sent.execute()
            try:
                async for piece in self._read(owner, token):
                    yield piece
            finally:
                # Whoever answers stops at the next frame.
                with suppress(*_FAILURES):
                    await self._redis.delete(_key("reader", token), _key("answer", token))
        except _FAILURES as error:
            raise ProcessGone(f"process {owner!r} cannot be asked over Redis: {error}") from error

    async def _read(self, owner: str, token: str) -> AsyncGenerator[JsonObject]:
        place, number = b"0", 0
        while True:
            for found, frame in await self._news(_key("answer", token), place, owner):
                place = found
                if int(frame[b"number"]) != number:
                    raise ProcessGone(f"a part of the answer of process {owner!r} is gone")
                number += 1
                for line in frame[b"lines"].splitlines():
                    yield orjson.loads(line)
                if b"end" in frame:
                    return
            await self._redis.pexpire(_key("reader", token), _KEPT_MS)

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
                found = await self._redis.xread({_key("questions", owner): place}, block=_WAIT_MS)
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
                        sent.xadd(_key("answer", token), frame, maxlen=_MOST_FRAMES)
                        sent.pexpire(_key("answer", token), _KEPT_MS)
                        sent.exists(_key("reader", token))
                        *_, is_read = await sent.execute()
                    number += 1
                    if not is_read:
                        return
        except _FAILURES as error:
            _log.warning("an answer over Redis was not finished: %s", error)


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


def _key(what: Literal["questions", "answer", "reader"], of: str) -> str:
    return f"workflow-agent:{what}:{of}"


# By the clock of Redis: those of the hosts may differ.
_NOW = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local day = KEYS[2] .. math.floor(now / 86400)
"""
_BEGIN = (
    _NOW
    + """
local wait = 0
if ARGV[2] ~= '' then
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 60)
    local begun, most = redis.call('ZCARD', KEYS[1]), tonumber(ARGV[2])
    if begun < most then
        redis.call('ZADD', KEYS[1], now, ARGV[1])
        redis.call('EXPIRE', KEYS[1], 61)
    else
        wait = redis.call('ZRANGE', KEYS[1], begun - most, begun - most, 'WITHSCORES')[2] + 60 - now
    end
end
local spent = redis.call('HMGET', day, 'tokens', 'usd')
return {tostring(wait), spent[1] or '0', spent[2] or '0', tostring(86400 - now % 86400)}
"""
)
_SPEND = (
    _NOW
    + """
redis.call('HINCRBY', day, 'tokens', ARGV[1])
redis.call('HINCRBYFLOAT', day, 'usd', ARGV[2])
redis.call('EXPIRE', day, 172800)
"""
)


class RedisUsageCounter(UsageCounter):
    """Counts for all hosts; while Redis is away, each counts for itself."""

    def __init__(self, redis: Redis, near: UsageCounter) -> None:
        self._redis = redis.client(_COUNT_SECONDS)
        self._near = near
        self._begin = self._redis.register_script(_BEGIN)
        self._spend = self._redis.register_script(_SPEND)

    @override
    async def begin(self, tenant: str, ticket: str, most_turns: int | None) -> Used:
        most = "" if most_turns is None else most_turns

        async def far() -> Used:
            wait, tokens, usd, left = await self._begin(keys=_keys(tenant), args=[ticket, most])
            return Used(float(wait), int(tokens), float(usd), float(left))

        return await self._counted(far, lambda: self._near.begin(tenant, ticket, most_turns))

    @override
    async def give_back(self, tenant: str, ticket: str) -> None:
        turns, _ = _keys(tenant)
        await self._counted(lambda: self._redis.zrem(turns, ticket), lambda: self._near.give_back(tenant, ticket))

    @override
    async def spend(self, tenant: str, tokens: int, usd: float) -> None:
        await self._counted(
            lambda: self._spend(keys=_keys(tenant), args=[tokens, f"{usd:.9f}"]),
            lambda: self._near.spend(tenant, tokens, usd),
        )

    @override
    async def close(self) -> None:
        with suppress(*_FAILURES):
            await self._redis.aclose()

    @staticmethod
    async def _counted(far: Callable[[], Awaitable[T]], near: Callable[[], Awaitable[T]]) -> T:
        try:
            return await far()
        except _FAILURES as error:
            _log.warning("limits hold for each host until Redis is back: %s", error)
            return await near()


def _keys(tenant: str) -> tuple[str, str]:
    # In braces what decides on which node of a cluster both are.
    return f"workflow-agent:turns:{{{tenant}}}", f"workflow-agent:spent:{{{tenant}}}:"
