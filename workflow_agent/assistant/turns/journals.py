"""What dead runs left, read where a change of their conversation asks for it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from workflow_agent.conversations.abandonment import LeftBehind
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import Owners, RunJournal

T = TypeVar("T")


class _Unread(Exception):
    """What a dead run left is asked for, and was not read yet."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.run_id)
        self.run = run


@dataclass(slots=True)
class Journals:
    """What dead runs left, read where a change of their conversation asks for it."""

    journal: RunJournal
    tenant: str
    owners: Owners
    _read: dict[tuple[str, int], tuple[Run, LeftBehind]] = field(
        default_factory=dict[tuple[str, int], tuple[Run, LeftBehind]]
    )

    def left_by(self, run: Run) -> LeftBehind:
        """Return what an attempt at a run left; to be called in what `reading` does."""
        known = self._read.get((run.run_id, run.fence))
        if known is None:
            raise _Unread(run)
        return known[1]

    async def reading(self, act: Callable[[], Awaitable[T]]) -> T:
        """Return what an action gives; it is begun again for each journal that it asks for."""
        while True:
            try:
                return await act()
            except _Unread as asked:
                run = asked.run
            left = await self.journal.left_by(self.tenant, run)
            seen = await self.owners.last_seen(run.owner)
            self._read[run.run_id, run.fence] = run, replace(left, last_seen=seen)

    async def forget_read(self) -> None:
        """Drop the journals that were read: what they say is stored."""
        for run, _ in self._read.values():
            await self.journal.forget(self.tenant, run)
        self._read.clear()
