"""Runs: the work that produces replies, how each of them ended, and what somebody thought of its reply."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import StringConstraints

from workflow_agent.conversations.iterations import Iteration
from workflow_agent.values.stored import Moment, Value

RunStatus = Literal["running", "completed", "failed", "cancelled", "interrupted"]


class RunError(Value):
    """Why a run did not complete, for people."""

    type: str
    message: str
    retriable: bool = False


class Run(Value):
    """The work that produces one reply."""

    run_id: str
    key: str | None = None
    """The idempotency key it was sent with."""
    fingerprint: str
    """Digest of the request, to tell a retry from another request under the same key."""
    status: RunStatus
    fence: int
    """Grows with each attempt in the conversation; only the holder of the current one may commit."""
    attempt: int = 1
    agent: str
    turn: int
    user_event_id: str
    reply_event_id: str | None = None
    owner: str
    """The server process that works on it."""
    accepted_at: Moment
    completed_at: Moment | None = None
    error: RunError | None = None
    iterations: tuple[Iteration, ...] = ()
    """Evidence of a run that left no reply; a reply carries its own."""
    follows: str | None = None
    """The run that answered the same message before this one; null for the first."""
    then: tuple[str, ...] = ()
    """The agents that answer the same message after this one."""

    def worked_ms(self, until: datetime) -> float:
        """Return how long it had taken by a moment."""
        return max((until - self.accepted_at) / timedelta(milliseconds=1), 0.0)

    @property
    def asked(self) -> tuple[str, ...]:
        """Return who answers from this run on, as far as was known when it began."""
        return (self.agent, *self.then)


def replace_run(runs: Sequence[Run], changed: Run) -> tuple[Run, ...]:
    """Return the runs with one of them exchanged by its id."""
    return tuple(changed if run.run_id == changed.run_id else run for run in runs)


MOST_NOTE_CHARS = 2_000
Rating = Literal["up", "down"]


class Feedback(Value):
    """A rating of a reply, and why; the latest replaces what was said before."""

    turn: int
    run_id: str
    """The run that made the reply."""
    rating: Rating
    note: Annotated[str, StringConstraints(max_length=MOST_NOTE_CHARS)] = ""
    at: Moment

    def says(self, rating: Rating, note: str) -> bool:
        """Say whether it is this rating with this note."""
        return (self.rating, self.note) == (rating, note)
