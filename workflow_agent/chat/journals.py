"""The journals of dead runs, read while a conversation is changed and dropped once that is stored."""

from dataclasses import dataclass, field, replace

from workflow_agent.domain.runs import Run
from workflow_agent.domain.turns import LeftBehind
from workflow_agent.ports import Owners, RunJournal


@dataclass(slots=True)
class Journals:
    """Reads what dead runs left, and remembers which ones it read."""

    journal: RunJournal
    tenant: str
    owners: Owners
    _read: list[Run] = field(default_factory=list[Run])

    def left_by(self, run: Run) -> LeftBehind:
        """Return what an attempt at a run left; blocks."""
        self._read.append(run)
        return replace(self.journal.left_by(self.tenant, run), last_seen=self.owners.last_seen(run.owner))

    async def forget_read(self) -> None:
        """Drop the journals that were read: what they say is stored."""
        for run in self._read:
            await self.journal.forget(self.tenant, run)
        self._read.clear()
