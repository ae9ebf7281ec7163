"""Joining runs that are under way or over: in this process, or in another on the same data."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, replace

from workflow_agent.assistant.requests import RunEvent, RunEvents, StartedTurn, TurnOutcome, outcome_of
from workflow_agent.assistant.turns.live import LiveRuns
from workflow_agent.assistant.turns.narration import error_data, error_of, replayed, stream_of_outcome
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.history import Past, recorded_run
from workflow_agent.conversations.message_records import conversation_of_run
from workflow_agent.conversations.records import Records, newest_in
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import ConversationStore, OtherProcesses, Owners, ProcessGone
from workflow_agent.errors import ShuttingDown, StaleRun, StorageFailed, WorkflowAgentError
from workflow_agent.values.stored import JsonObject

_LAST = ("complete", "error")
_CANCEL_SECONDS = 0.5
"""A process that does not answer by then may be stopped or cut off: the store is told instead."""


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

    def stream(self, owner: str, run_id: str) -> StreamElsewhere:
        """Return the events of a run that a process has."""
        return StreamElsewhere(run_id, owner, self.others, self.live)

    async def cancel(self, owner: str, run_id: str) -> bool:
        """Let a process stop a run; say whether it did within half a second, and the end of the run is stored."""
        try:
            async with asyncio.timeout(_CANCEL_SECONDS):
                return await self._is_so(owner, {"ask": "cancel", "run_id": run_id})
        except (ProcessGone, TimeoutError):
            return False

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
        why = f"The server process that followed run {run_id!r} is stopping; another one may still work on it."
    return ShuttingDown(f"{why} Send the message again with the same Idempotency-Key.", run_id=run_id, retry_after=1)


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

    def is_alive(self, tenant: str, run: Run) -> bool:
        """Say whether a process works on a run, or will do so by itself."""
        is_worked_on = self.live.is_worked_on(run, self.owners)
        if self.are_taken_over and not is_worked_on:
            self.owners.report(tenant, conversation_of_run(run.run_id))
        return is_worked_on or self.are_taken_over

    async def joined(self, tenant: str, conversation: Conversation, run: Run) -> StartedTurn:
        """Return a turn that was started before, as if it had started now."""
        live = self.live.get(run.run_id)
        if live is not None and not live.is_settled:
            return StartedTurn(conversation.id, run.turn, run.run_id, run.asked, live.stream, live.awaited())
        records = await Past(self.store, conversation).around_turn(run.turn)
        stream = await self.stream(tenant, run.run_id) or replayed(records, run)

        async def wait() -> TurnOutcome:
            if isinstance(stream, StreamElsewhere | StreamAcrossAttempts):
                await _to_its_end(stream)
            return await self._outcome(tenant, run.run_id)

        return StartedTurn(conversation.id, run.turn, run.run_id, run.asked, stream, wait)

    async def stream(self, tenant: str, run_id: str) -> RunEvents | None:
        """Return the stream of a run under way, or of one that ended a short while ago, else None."""
        if self.are_taken_over and (await self.newest(tenant, run_id))[1].status == "running":
            return StreamAcrossAttempts(tenant, run_id, self)
        live = self.live.get(run_id)
        if live is not None:
            return live.stream
        for _ in range(_MOST_LOOKS):
            _, run = await self.newest(tenant, run_id)
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
        """Wait for the end of another process's run and return its outcome.

        Raises:
            StaleRun: It came to no reply.
            ShuttingDown: This process is stopping.
        """
        while True:
            records, run = await self.newest(tenant, run_id)
            outcome = outcome_of(records, run_id, replayed=True)
            if outcome is not None and run.status == "completed":
                return outcome
            if run.status != "running" or not self.is_alive(tenant, run):
                raise _without_reply(run_id, run.status if run.status != "running" else "interrupted")
            if self.live.is_closing:
                raise _ended(run_id, self.live)
            await asyncio.sleep(_POLL_SECONDS)

    async def attempt(self, run: Run) -> RunEvents | None:
        """Return the stream of an attempt under way, where this process or another can be asked for it."""
        live = self.live.get(run.run_id)
        if live is not None and (run.owner == self.owners.owner or not live.is_settled):
            return live.stream
        if run.owner == self.owners.owner or not self.owners.is_alive(run.owner):
            return None
        with suppress(ProcessGone):
            if await self.elsewhere.has(run.owner, run.run_id):
                return self.elsewhere.stream(run.owner, run.run_id)
        return None

    async def newest(self, tenant: str, run_id: str) -> tuple[Records, Run]:
        """Return the newest of the runs that answer a run's message, and the records it is in."""
        records, run = await recorded_run(self.store, tenant, run_id)
        return records, newest_in(records, run)


@dataclass(frozen=True, slots=True)
class StreamAcrossAttempts:
    """The events of a run, whichever process works on it: where one dies, those of the next attempt follow."""

    tenant: str
    run_id: str
    joining: Joining

    async def events(self, after: int = 0) -> AsyncGenerator[RunEvent]:
        """Yield the events with an id above `after` as far as they can be had, and in any case the last."""
        last = RunEvent(after, "", {})
        while True:
            async with aclosing(self._attempt(last.id)) as told:
                async for event in told:
                    last = event
                    yield event
            if last.name in _LAST:
                return
            await asyncio.sleep(_POLL_SECONDS)

    async def _attempt(self, after: int) -> AsyncGenerator[RunEvent]:
        """Yield what can be had now, up to the last event or the end of an attempt that broke off."""
        try:
            records, run = await self.joining.newest(self.tenant, self.run_id)
            stream = await self.joining.attempt(run)
        except StorageFailed:
            # Away for a while, as a host may be; whoever follows has time.
            for event in self._leaving(after):
                yield event
            return
        except WorkflowAgentError as gone:
            yield RunEvent(after + 1, "error", error_data(gone))
            return
        if stream is None:
            ended = run.status != "running"
            for event in _told_afterwards(records, run, after) if ended else self._leaving(after):
                yield event
            return
        async with aclosing(stream.events(after)) as told:
            async for event in told:
                if event.name == "error" and await self._goes_on():
                    return
                yield event

    def _leaving(self, after: int) -> Iterator[RunEvent]:
        """Yield the end of the stream where this process is stopping."""
        if self.joining.live.is_closing:
            yield RunEvent(after + 1, "error", error_data(_ended(self.run_id, self.joining.live)))

    async def _goes_on(self) -> bool:
        """Say whether an attempt that broke off is not the end of a run."""
        try:
            _, run = await self.joining.newest(self.tenant, self.run_id)
        except StorageFailed:
            return True
        return run.status == "completed" or (run.status == "running" and not self.joining.live.is_closing)


def _told_afterwards(records: Records, run: Run, last_id: int) -> Iterator[RunEvent]:
    """Yield the end of a run, or the whole of it to a reader who has seen nothing."""
    outcome = outcome_of(records, run.run_id, replayed=True)
    if outcome is None or run.status != "completed":
        yield RunEvent(last_id + 1, "error", error_data(_without_reply(run.run_id, run.status)))
        return
    told = stream_of_outcome(outcome).told
    for number, event in enumerate(told if last_id == 0 else told[-1:], start=last_id + 1):
        yield replace(event, id=number)


def _without_reply(run_id: str, status: str) -> StaleRun:
    return StaleRun(f"Run {run_id!r} was {status} and has no reply.", run_id=run_id)


async def _to_its_end(stream: RunEvents) -> None:
    """Wait until a run of another process ends; raise what it failed of."""
    async for event in stream.events():
        if event.name == "error":
            raise error_of(event.data)
