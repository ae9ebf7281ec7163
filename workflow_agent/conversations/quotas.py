"""How much a tenant may use: turns a minute and at once, tokens and money a day."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from workflow_agent.errors import LimitReached
from workflow_agent.values.tokens import Cost, Usage

MINUTE_SECONDS = 60.0
DAY_SECONDS = 86_400.0
_BUSY_SECONDS = 1.0
"""When to try again while too many runs are under way: nobody knows when one ends."""


@dataclass(frozen=True, slots=True)
class TenantLimits:
    """How much a tenant may use; None is as much as it likes."""

    turns_per_minute: int | None = None
    tokens_per_day: int | None = None
    usd_per_day: float | None = None
    runs_at_once: int | None = None


@dataclass(frozen=True, slots=True)
class Used:
    """What a tenant has used so far, by the clock of whoever counts."""

    turn_wait_seconds: float
    """When one more turn is possible; 0 where it was possible at once and is counted."""
    tokens: int
    """Since the day began, in UTC; input and output."""
    usd: float
    day_left_seconds: float


class UsageCounter(Protocol):
    """Counts what tenants use, over all processes that share it."""

    async def begin(self, tenant: str, ticket: str, most_turns: int | None) -> Used:
        """Count a turn unless there were as many as may be within the last minute; return what is used.

        The ticket tells it from all others; None of `most_turns` counts no turn.
        """
        ...

    async def give_back(self, tenant: str, ticket: str) -> None:
        """Count a turn no more: none was begun."""
        ...

    async def spend(self, tenant: str, tokens: int, usd: float) -> None:
        """Add what a run or a compaction took to what the tenant used today."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, slots=True)
class Ticket:
    """The leave for one new turn, or why there is none."""

    id: str
    tenant: str
    refusal: LimitReached | None = None
    is_counted: bool = False

    def check(self) -> None:
        """Do nothing where a new turn may begin.

        Raises:
            LimitReached: It may not; says which limit, and when it is free again.
        """
        if self.refusal is not None:
            raise self.refusal


@dataclass(frozen=True, slots=True)
class Quotas:
    """Holds tenants to their limits; one without any is not counted."""

    limits_of: Callable[[str], TenantLimits]
    counter: UsageCounter
    now: Callable[[], datetime]
    new_id: Callable[[str], str]
    running: Callable[[str], Awaitable[int]]
    """Returns how many runs of a tenant are under way."""

    async def ticket(self, tenant: str) -> Ticket:
        """Return the leave for one more turn of a tenant; to be given back where none begins."""
        limits, number = self.limits_of(tenant), self.new_id("turn")
        if limits == TenantLimits():
            return Ticket(number, tenant)
        used = await self.counter.begin(tenant, number, limits.turns_per_minute)
        is_counted = limits.turns_per_minute is not None and used.turn_wait_seconds == 0
        refusal = refusal_of(limits, used, self.now()) or await self._busy(tenant, limits.runs_at_once)
        return Ticket(number, tenant, refusal, is_counted)

    async def _busy(self, tenant: str, most: int | None) -> LimitReached | None:
        if most is None:
            return None
        running = await self.running(tenant)
        return _reached("runs_at_once", most, running, _BUSY_SECONDS, self.now()) if running >= most else None

    async def give_back(self, ticket: Ticket) -> None:
        """Take a turn out of the count that did not begin."""
        if ticket.is_counted:
            await self.counter.give_back(ticket.tenant, ticket.id)

    async def spend(self, tenant: str, usage: Usage, cost: Cost) -> None:
        """Add what was spent to what the tenant used today."""
        limits = self.limits_of(tenant)
        tokens = usage.input_tokens + usage.output_tokens
        if (limits.tokens_per_day is None and limits.usd_per_day is None) or not (tokens or cost.total_usd):
            return
        await self.counter.spend(tenant, tokens, cost.total_usd or 0.0)


def refusal_of(limits: TenantLimits, used: Used, at: datetime) -> LimitReached | None:
    """Return why a tenant may not begin a turn now, by the limit that lasts longest; None where it may."""
    if limits.usd_per_day is not None and used.usd >= limits.usd_per_day:
        return _reached("usd_per_day", limits.usd_per_day, round(used.usd, 6), used.day_left_seconds, at)
    if limits.tokens_per_day is not None and used.tokens >= limits.tokens_per_day:
        return _reached("tokens_per_day", limits.tokens_per_day, used.tokens, used.day_left_seconds, at)
    most = limits.turns_per_minute
    if most is not None and used.turn_wait_seconds > 0:
        return _reached("turns_per_minute", most, most, used.turn_wait_seconds, at)
    return None


_SAID = {
    "turns_per_minute": "{used} turns were begun within a minute, and {most} may be",
    "tokens_per_day": "{used} tokens were used today, and {most} may be",
    "runs_at_once": "{used} runs are under way, and {most} may be at once",
    "usd_per_day": "{used} US dollars were spent today, and {most} may be",
}


def _reached(limit: str, most: float, used: float, wait_seconds: float, at: datetime) -> LimitReached:
    wait = max(math.ceil(wait_seconds), 1)
    free_at = (at + timedelta(seconds=wait)).isoformat(timespec="seconds").replace("+00:00", "Z")
    said = _SAID[limit].format(used=used, most=most)
    return LimitReached(
        f"{said}. Send the message again in {wait} s, at {free_at}.",
        limit=limit,
        most=most,
        used=used,
        retry_after=wait,
        free_at=free_at,
    )
