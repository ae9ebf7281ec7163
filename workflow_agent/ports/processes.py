"""Which server processes are alive, and what a run left that one did not finish."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from datetime import datetime
from typing import Protocol

from workflow_agent.domain.call_history import CallRecord
from workflow_agent.domain.iterations import Iteration
from workflow_agent.domain.runs import Run
from workflow_agent.domain.turns import LeftBehind
from workflow_agent.domain.values import JsonObject


class Owners(Protocol):
    """Knows which server processes are alive, and which conversations the dead ones worked on."""

    @property
    def owner(self) -> str:
        """Return the id of this process."""
        ...

    def is_alive(self, owner: str) -> bool:
        """Say whether the process with this owner id still runs."""
        ...

    def last_seen(self, owner: str) -> datetime | None:
        """Return the last sign of life of a process, or None where none is left."""
        ...

    def beat(self) -> None:
        """Give a sign of life of this process."""
        ...

    def note(self, tenant: str, conversation_id: str) -> None:
        """Remember that this process works on a conversation, should it die."""
        ...

    def settle(self, tenant: str, conversation_id: str) -> None:
        """Take back one `note`: the work on the conversation has ended."""
        ...

    def abandoned(self) -> Sequence[tuple[str, str]]:
        """Return tenant and id of the conversations that dead processes worked on."""
        ...

    def forget_abandoned(self) -> None:
        """Forget the dead processes whose conversations were seen to."""
        ...


class ProcessGone(Exception):
    """Another server process does not answer, or ended before its answer did."""


class OtherProcesses(Protocol):
    """Asks other server processes on the same data about what only they have in memory."""

    def answers(self, owner: str, question: JsonObject) -> AsyncGenerator[JsonObject]:
        """Yield what a process answers, piece by piece, until its answer is complete.

        Args:
            owner: The id of the process.
            question: What it is asked; what it does not understand, it answers with nothing.

        Raises:
            ProcessGone: It cannot be reached, or it ended before its answer did.
        """
        ...


class RunJournal(Protocol):
    """Keeps what a run has come to while it goes on, for the case that its process is killed."""

    async def keep(self, tenant: str, run: Run, iteration: Iteration, calls: Iterable[CallRecord]) -> None:
        """Keep an iteration as it stands and the records so far; what cannot be kept fails nothing.

        It outlives the process, not necessarily the machine: nothing was promised to anybody yet.
        """
        ...

    def left_by(self, tenant: str, run: Run) -> LeftBehind:
        """Return what was kept of this attempt at a run; it blocks, for use under the conversation's lock."""
        ...

    async def forget(self, tenant: str, run: Run) -> None:
        """Let go of what was kept: the run's evidence is in its conversation."""
        ...
