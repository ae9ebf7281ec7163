"""Runs that another server process on the same data works on: what it is asked, and what it answers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, dataclass

from workflow_agent.chat.failures import error_data
from workflow_agent.chat.live import LiveRuns
from workflow_agent.chat.streams import RunEvent
from workflow_agent.domain.errors import ShuttingDown
from workflow_agent.domain.values import JsonObject
from workflow_agent.ports import OtherProcesses, ProcessGone

_LAST = ("complete", "error")


@dataclass(frozen=True, slots=True)
class StreamElsewhere:
    """The events of a run of another process, as they come there."""

    run_id: str
    owner: str
    others: OtherProcesses

    async def events(self, after: int = 0) -> AsyncGenerator[RunEvent]:
        """Yield the events with an id above `after`; where the process ends first, an error is the last."""
        last = RunEvent(after, "", {})
        question = {"ask": "events", "run_id": self.run_id, "after": after}
        try:
            async with aclosing(self.others.answers(self.owner, question)) as told:
                async for piece in told:
                    last = RunEvent(piece["id"], piece["name"], piece["data"])
                    yield last
        except ProcessGone:
            if last.name not in _LAST:
                yield RunEvent(last.id + 1, "error", error_data(_ended(self.run_id)))


@dataclass(frozen=True, slots=True)
class RunsElsewhere:
    """Asks the process that works on a run."""

    others: OtherProcesses

    async def has(self, owner: str, run_id: str) -> bool:
        """Say whether a process works on a run, or keeps its stream.

        Raises:
            ProcessGone: It does not answer.
        """
        return await self._is_so(owner, {"ask": "run", "run_id": run_id})

    async def cancel(self, owner: str, run_id: str) -> bool:
        """Let a process stop a run; say whether it did, and the end of the run is stored."""
        try:
            return await self._is_so(owner, {"ask": "cancel", "run_id": run_id})
        except ProcessGone:
            return False

    def stream(self, owner: str, run_id: str) -> StreamElsewhere:
        """Return the events of a run that a process has."""
        return StreamElsewhere(run_id, owner, self.others)

    async def _is_so(self, owner: str, question: JsonObject) -> bool:
        async with aclosing(self.others.answers(owner, question)) as told:
            async for piece in told:
                return bool(piece.get("is_so"))
        return False


async def answer_about(live_runs: LiveRuns, question: JsonObject) -> AsyncGenerator[JsonObject]:
    """Yield what another process asks about the runs of this one; nothing where it asks something else."""
    live = live_runs.get(str(question.get("run_id")))
    match question.get("ask"):
        case "run":
            yield {"is_so": live is not None}
        case "cancel":
            yield {"is_so": live is not None and await live.cancel()}
        case "events" if live is not None:
            async for event in live.stream.events(int(question.get("after", 0))):
                yield asdict(event)
        case _:
            return


def _ended(run_id: str) -> ShuttingDown:
    return ShuttingDown(
        f"The server process that worked on run {run_id!r} ended. Send the message again with the same "
        "Idempotency-Key.",
        run_id=run_id,
    )
