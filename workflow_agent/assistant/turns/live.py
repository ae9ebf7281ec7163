"""The runs this process works on, and the streams it keeps of those that ended."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import islice

from workflow_agent.assistant.requests import RunStream, TurnOutcome
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import Owners
from workflow_agent.errors import ShuttingDown, WorkflowAgentError


@dataclass(slots=True)
class RunEnd:
    """The outcome of a run. The run drops its reference when its work ends; waiters keep theirs."""

    outcome: TurnOutcome | WorkflowAgentError | None = None
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> TurnOutcome:
        """Wait for the outcome; raise it where it is an error."""
        await self.came.wait()
        if isinstance(self.outcome, TurnOutcome):
            return self.outcome
        assert self.outcome is not None  # noqa: S101 - it is there before it is said to have come
        raise self.outcome


@dataclass(slots=True)
class LiveRun:
    """A run of this process."""

    run_id: str
    stream: RunStream
    tenant: str | None = None
    end: RunEnd | None = field(default_factory=RunEnd)
    """None once the work has ended: the conversation holds the outcome."""
    task: asyncio.Task[None] | None = None
    """The task that works on the run; None once it has ended."""
    stopping: str | None = None
    """Why it is being stopped, once it is: cancelled, lost to another process, or interrupted."""
    ended_at: float | None = None
    clock: Callable[[], float] = time.monotonic

    @property
    def is_settled(self) -> bool:
        """Say whether the outcome is known. The task may still be cleaning up."""
        return self.ended_at is not None

    @property
    def outcome(self) -> TurnOutcome | WorkflowAgentError | None:
        """Return the outcome; None before there is one and after the work has ended."""
        return self.end.outcome if self.end else None

    def worked_on_by(self, task: asyncio.Task[None]) -> None:
        """Keep the task that works on the run, and drop it when it ends: it holds much memory."""
        self.task = task
        task.add_done_callback(self._drop)

    def _drop(self, task: asyncio.Task[None]) -> None:
        # An error was logged when the run was settled; taken, it is not logged by asyncio too.
        if not task.cancelled():
            task.exception()
        if not self.is_settled:
            # Stopped before its first step, so the task settled nothing: waiters need an outcome all the same.
            self.settle(
                ShuttingDown(
                    f"Run {self.run_id!r} was stopped before it began. Send the message again with the same "
                    "Idempotency-Key.",
                    run_id=self.run_id,
                    retry_after=1,
                )
            )
        self.task = None
        self.end = None

    def settle(self, outcome: TurnOutcome | WorkflowAgentError) -> None:
        """Hand the outcome to everyone who waits for it."""
        assert self.end is not None  # noqa: S101 - the work is not over before this
        self.end.outcome = outcome
        self.ended_at = self.clock()
        self.stream.close()
        self.end.came.set()

    def awaited(self) -> Callable[[], Awaitable[TurnOutcome]]:
        """Return a function that waits for the outcome; call this before the work ends."""
        assert self.end is not None  # noqa: S101 - see above
        return self.end.wait

    async def cancel(self) -> bool:
        """Stop the work and wait until its end is stored; say whether there was any left to stop."""
        end = self.end
        if self.is_settled or self.task is None or end is None:
            return False
        self.stopping = "cancelled"
        self.task.cancel()
        await end.came.wait()
        return True


_BEAT_SECONDS = 2.0
"""How much working time a crash may lose."""
_LOOKED_AT = 8
"""So many of the oldest runs are looked at for each new one, so that none costs more than another."""


@dataclass(slots=True)
class LiveRuns:
    """Runs by id; ended ones are kept for a while so that their streams can be resumed."""

    kept_seconds: float = 600.0
    most_kept: int = 1_000
    """A busy server forgets ended runs sooner: each keeps all that its stream told."""
    clock: Callable[[], float] = time.monotonic
    is_closing: bool = False
    _runs: dict[str, LiveRun] = field(default_factory=dict[str, LiveRun])
    """The oldest first, but for those under way that were passed over."""
    _next_beat: asyncio.TimerHandle | None = None

    def beaten(self, beat: Callable[[], None]) -> None:
        """Let the process give signs of life every few seconds, as long as any run is under way."""
        if self._next_beat is None:
            self._beat(beat)

    def _beat(self, beat: Callable[[], None]) -> None:
        self._next_beat = None
        if any(not live.is_settled for live in self._runs.values()):
            self._next_beat = asyncio.get_running_loop().call_later(_BEAT_SECONDS, self._beat, beat)
            beat()

    def open(self, run_id: str, attempt: int = 1) -> LiveRun:
        """Return a new live run; an earlier attempt under the same id makes way."""
        self._forget_oldest()
        live = LiveRun(run_id, RunStream(run_id, attempt), clock=self.clock)
        self.also(run_id, live)
        return live

    def also(self, run_id: str, live: LiveRun) -> None:
        """Register the run that continues another under that one's id: they share a stream and an outcome."""
        self._runs.pop(run_id, None)
        self._runs[run_id] = live

    def get(self, run_id: str) -> LiveRun | None:
        """Return a run that is live or ended a short while ago, or None."""
        live = self._runs.get(run_id)
        return None if live is None or self._is_old(live) else live

    def is_running(self, run_id: str) -> bool:
        """Say whether this process works on a run now."""
        live = self._runs.get(run_id)
        return live is not None and not live.is_settled

    def is_worked_on(self, run: Run, owners: Owners) -> bool:
        """Say whether this process or another one works on a run."""
        return self.is_running(run.run_id) if run.owner == owners.owner else owners.is_alive(run.owner)

    def running(self) -> list[LiveRun]:
        """Return the runs under way."""
        return list({id(live): live for live in list(self._runs.values()) if not live.is_settled}.values())

    def tasks(self) -> list[asyncio.Task[None]]:
        """Return the tasks that have not ended, including those of settled runs that still clean up."""
        tasks = {live.task for live in list(self._runs.values()) if live.task is not None}
        return [task for task in tasks if not task.done()]

    def _is_old(self, live: LiveRun) -> bool:
        return live.ended_at is not None and live.ended_at < self.clock() - self.kept_seconds

    def _forget_oldest(self) -> None:
        for run_id in list(islice(self._runs, _LOOKED_AT)):
            live = self._runs[run_id]
            if not live.is_settled:
                # Looked at again when those behind it have been: a long run keeps no others.
                self._runs[run_id] = self._runs.pop(run_id)
            elif len(self._runs) > self.most_kept or self._is_old(live):
                del self._runs[run_id]
            else:
                return
