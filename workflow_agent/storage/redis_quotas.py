"""What tenants use, counted by all hosts in Redis."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import redis.asyncio as aioredis
from redis.exceptions import RedisError
from typing_extensions import override

from workflow_agent.conversations.quotas import UsageCounter, Used

_log = logging.getLogger(__name__)
_FAILURES = (RedisError, OSError)
_TIMEOUT_SECONDS = 1.0
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
T = TypeVar("T")


class RedisUsageCounter(UsageCounter):
    """Counts for all hosts; while Redis is away, each counts for itself.

    Args:
        url: Where Redis is.
        near: Counts for this host.
    """

    def __init__(self, url: str, near: UsageCounter) -> None:
        self._redis: Any = aioredis.Redis.from_url(  # pyright: ignore[reportUnknownMemberType] - its options
            url, protocol=2, socket_connect_timeout=_TIMEOUT_SECONDS, socket_timeout=_TIMEOUT_SECONDS
        )
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
