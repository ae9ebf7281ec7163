"""The runs this process works on, and the streams it keeps of those that ended."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from workflow_agent.chat.requests import TurnOutcome
from workflow_agent.chat.streams import RunStream
from workflow_agent.domain.errors import WorkflowAgentError


@dataclass(slots=True)
class LiveRun:
    """A run of this process."""

    run_id: str
    stream: RunStream
    task: asyncio.Task[None] | None = None
    """The work on it; None when it is over."""
    stopping: str | None = None
    """Why it is being stopped, once it is: cancelled or interrupted."""
    settled: TurnOutcome | WorkflowAgentError | None = None
    ended_at: float | None = None
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def worked_on_by(self, task: asyncio.Task[None]) -> None:
        """Take note of the work; it is let go of when it is over, with all that it knew, which is a lot."""
        self.task = task
        task.add_done_callback(self._let_go)

    def _let_go(self, task: asyncio.Task[None]) -> None:
        # An error was logged when the run was settled; taken, it is not logged by asyncio too.
        if not task.cancelled():
            task.exception()
        self.task = None

    def settle(self, outcome: TurnOutcome | WorkflowAgentError, at: float) -> None:
        """Let everyone who waits have the outcome."""
        self.settled = outcome
        self.ended_at = at
        self.stream.close()
        self.done.set()

    async def cancel(self) -> bool:
        """Stop the work and wait until its end is stored; say whether there was any left to stop."""
        if self.settled is not None or self.task is None:
            return False
        self.stopping = "cancelled"
        self.task.cancel()
        await self.done.wait()
        return True

    async def outcome(self) -> TurnOutcome:
        """Wait for the outcome; raise it where it is an error."""
        await self.done.wait()
        if isinstance(self.settled, TurnOutcome):
            return self.settled
        assert self.settled is not None  # noqa: S101 - settle() comes before done.set()
        raise self.settled


@dataclass(slots=True)
class LiveRuns:
    """Runs by id; ended ones are kept for a while so that their streams can be resumed."""

    kept_seconds: float = 600.0
    clock: Callable[[], float] = time.monotonic
    is_closing: bool = False
    _runs: dict[str, LiveRun] = field(default_factory=dict[str, LiveRun])

    def open(self, run_id: str) -> LiveRun:
        """Return a new live run; an earlier attempt under the same id makes way."""
        self._forget_old()
        self._runs[run_id] = live = LiveRun(run_id, RunStream(run_id))
        return live

    def also(self, run_id: str, live: LiveRun) -> None:
        """Let a run that follows on another be found as that one's work: they share a stream and an end."""
        self._runs[run_id] = live

    def get(self, run_id: str) -> LiveRun | None:
        """Return a run that is live or ended a short while ago, or None."""
        self._forget_old()
        return self._runs.get(run_id)

    def is_running(self, run_id: str) -> bool:
        """Say whether this process works on a run now."""
        live = self._runs.get(run_id)
        return live is not None and live.settled is None

    def running(self) -> list[LiveRun]:
        """Return the runs under way."""
        found = {id(live): live for live in list(self._runs.values()) if live.settled is None}
        return list(found.values())

    def tasks(self) -> list[asyncio.Task[None]]:
        """Return the work that is not over, also of runs whose outcome is known and that clear up."""
        tasks = {live.task for live in list(self._runs.values()) if live.task is not None}
        return [task for task in tasks if not task.done()]

    def _forget_old(self) -> None:
        oldest = self.clock() - self.kept_seconds
        for run_id, live in list(self._runs.items()):
            if live.ended_at is None:
                continue
            if live.ended_at >= oldest:
                # Runs end in about the order they began: the first young one ends the search.
                return
            del self._runs[run_id]
