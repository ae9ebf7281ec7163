"""Joining runs that are under way or over: in this process, or in another on the same data."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, dataclass

from workflow_agent.assistant.requests import StartedTurn, TurnOutcome, outcome_of
from workflow_agent.assistant.streams import RunEvent, RunEvents
from workflow_agent.assistant.turns.failures import error_data, error_of
from workflow_agent.assistant.turns.live import LiveRuns
from workflow_agent.assistant.turns.narration import replayed
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.history import Past, recorded_run
from workflow_agent.conversations.records import Records, newest_in
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import ConversationStore, OtherProcesses, Owners, ProcessGone
from workflow_agent.errors import ShuttingDown, StaleRun
from workflow_agent.values.stored import JsonObject

_LAST = ("complete", "error")


@dataclass(frozen=True, slots=True)
class StreamElsewhere:
    """The events of a run of another process, as they come there."""

    run_id: str
    owner: str
    others: OtherProcesses
    live: LiveRuns

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
                yield RunEvent(last.id + 1, "error", error_data(_ended(self.run_id, self.live)))


@dataclass(frozen=True, slots=True)
class RunsElsewhere:
    """Asks the process that works on a run."""

    others: OtherProcesses
    live: LiveRuns
    """The runs of this process, which say whether it is stopping."""

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
        return StreamElsewhere(run_id, owner, self.others, self.live)

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


def _ended(run_id: str, live: LiveRuns) -> ShuttingDown:
    """Return why a run of another process cannot be followed any further."""
    why = f"The server process that worked on run {run_id!r} ended."
    if live.is_closing:
        why = (
            f"The server process that followed run {run_id!r} is stopping; another one may still work on it."
        )
    return ShuttingDown(
        f"{why} Send the message again with the same Idempotency-Key.", run_id=run_id, retry_after=1
    )


_POLL_SECONDS = 0.05
_MOST_LOOKS = 40
"""So often a process is asked for a run that should be its own: it may be just about to begin."""


@dataclass(frozen=True, slots=True)
class Joining:
    """Joins runs, whichever process works on them."""

    store: ConversationStore
    owners: Owners
    live: LiveRuns
    elsewhere: RunsElsewhere
    are_taken_over: bool = False
    """Whether others go on with the runs of a process that died: then every run under way has somebody."""

    def is_alive(self, run: Run) -> bool:
        """Say whether somebody may be working on a run."""
        if self.are_taken_over:
            return True
        if run.owner == self.owners.owner:
            return self.live.is_running(run.run_id)
        return self.owners.is_alive(run.owner)

    async def joined(self, tenant: str, conversation: Conversation, run: Run) -> StartedTurn:
        """Return a turn that was begun before, as if it had been begun now."""
        live = self.live.get(run.run_id)
        if live is not None and not live.is_settled:
            return StartedTurn(conversation.id, run.turn, run.run_id, run.asked, live.stream, live.awaited())
        records = await Past(self.store, conversation).around_turn(run.turn)
        stream = await self.stream(tenant, run.run_id) or replayed(records, run)

        async def wait() -> TurnOutcome:
            if isinstance(stream, StreamElsewhere):
                await _to_its_end(stream)
            return await self._outcome(tenant, run.run_id)

        return StartedTurn(conversation.id, run.turn, run.run_id, run.asked, stream, wait)

    async def stream(self, tenant: str, run_id: str) -> RunEvents | None:
        """Return the stream of a run under way, or of one that ended a short while ago, else None."""
        live = self.live.get(run_id)
        if live is not None:
            return live.stream
        for _ in range(_MOST_LOOKS):
            _, run = await self._newest(tenant, run_id)
            if run.owner == self.owners.owner or not self.owners.is_alive(run.owner):
                return None
            try:
                if await self.elsewhere.has(run.owner, run_id):
                    return self.elsewhere.stream(run.owner, run_id)
            except ProcessGone:
                return None
            if run.status != "running":
                return None
            await asyncio.sleep(_POLL_SECONDS)
        return None

    async def _outcome(self, tenant: str, run_id: str) -> TurnOutcome:
        """Return what a run came to that this process does not work on, waiting for its end.

        Raises:
            StaleRun: It came to no reply.
            ShuttingDown: This process is stopping.
        """
        while True:
            records, run = await self._newest(tenant, run_id)
            outcome = outcome_of(records, run_id, replayed=True)
            if outcome is not None and run.status == "completed":
                return outcome
            if run.status != "running" or not self.is_alive(run):
                status = run.status if run.status != "running" else "interrupted"
                raise StaleRun(f"Run {run_id!r} was {status} and has no reply.", run_id=run_id)
            if self.live.is_closing:
                raise _ended(run_id, self.live)
            await asyncio.sleep(_POLL_SECONDS)

    async def _newest(self, tenant: str, run_id: str) -> tuple[Records, Run]:
        records, run = await recorded_run(self.store, tenant, run_id)
        return records, newest_in(records, run)


async def _to_its_end(stream: StreamElsewhere) -> None:
    """Wait until a run of another process ends; raise what it failed of."""
    async for event in stream.events():
        if event.name == "error":
            raise error_of(event.data)
