"""What tenants use, counted by all processes of one machine in a file each."""

import asyncio
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import orjson
from pydantic import TypeAdapter, ValidationError
from typing_extensions import override

from workflow_agent.conversations.quotas import DAY_SECONDS, MINUTE_SECONDS, UsageCounter, Used
from workflow_agent.storage.files.file_system import check_tenant, reported
from workflow_agent.storage.files.locks import locked


@dataclass(slots=True)
class _Counted:
    """What is in a tenant's file."""

    day: int = 0
    tokens: int = 0
    usd: float = 0.0
    turns: dict[str, float] = field(default_factory=dict[str, float])
    """When each turn of the last minute began, by its ticket."""


_COUNTED = TypeAdapter(_Counted)


class FileUsageCounter(UsageCounter):
    """Keeps `.limits/<tenant>.json`, which nobody waits for the disk to have: a power cut may take a little."""

    def __init__(self, root: Path, now: Callable[[], float] = time.time) -> None:
        self._root = root
        self._now = now

    @override
    async def begin(self, tenant: str, ticket: str, most_turns: int | None) -> Used:
        return await asyncio.to_thread(self._begin, tenant, ticket, most_turns)

    def _begin(self, tenant: str, ticket: str, most_turns: int | None) -> Used:
        with self._changed(tenant) as (counted, at):
            wait = 0.0
            if most_turns is not None:
                begun = sorted(counted.turns.values())
                if len(begun) < most_turns:
                    counted.turns[ticket] = at
                else:
                    wait = begun[len(begun) - most_turns] + MINUTE_SECONDS - at
            return Used(wait, counted.tokens, counted.usd, DAY_SECONDS - at % DAY_SECONDS)

    @override
    async def give_back(self, tenant: str, ticket: str) -> None:
        await asyncio.to_thread(self._give_back, tenant, ticket)

    def _give_back(self, tenant: str, ticket: str) -> None:
        with self._changed(tenant) as (counted, _):
            counted.turns.pop(ticket, None)

    @override
    async def spend(self, tenant: str, tokens: int, usd: float) -> None:
        await asyncio.to_thread(self._spend, tenant, tokens, usd)

    def _spend(self, tenant: str, tokens: int, usd: float) -> None:
        with self._changed(tenant) as (counted, _):
            counted.tokens += tokens
            counted.usd += usd

    @override
    async def close(self) -> None:
        """Do nothing: no file stays open."""

    @contextmanager
    def _changed(self, tenant: str) -> Generator[tuple[_Counted, float]]:
        """Give what was counted of today and the last minute; what the block makes of it is stored."""
        check_tenant(tenant)
        path = self._root / ".limits" / f"{tenant}.json"
        with reported("write", path, self._root):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            with locked(path.with_suffix(".lock")):
                at = self._now()
                counted = self._read(path)
                if counted.day != int(at // DAY_SECONDS):
                    counted.day, counted.tokens, counted.usd = int(at // DAY_SECONDS), 0, 0.0
                # One from the future is of a clock that was wrong since.
                counted.turns = {one: began for one, began in counted.turns.items() if 0 <= at - began < MINUTE_SECONDS}
                yield counted, at
                beside = path.with_suffix(".new")
                beside.write_bytes(orjson.dumps(counted))
                beside.replace(path)

    @staticmethod
    def _read(path: Path) -> _Counted:
        try:
            return _COUNTED.validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return _Counted()
