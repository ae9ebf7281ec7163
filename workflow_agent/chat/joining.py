"""Joining runs that are under way or over: in this process, or in another on the same data."""

import asyncio
from dataclasses import dataclass

from workflow_agent.chat.elsewhere import RunsElsewhere, StreamElsewhere
from workflow_agent.chat.failures import error_of
from workflow_agent.chat.live import LiveRuns
from workflow_agent.chat.past import Past, recorded_run
from workflow_agent.chat.replaying import replayed
from workflow_agent.chat.requests import StartedTurn, TurnOutcome, outcome_of
from workflow_agent.chat.streams import RunEvents
from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.errors import StaleRun
from workflow_agent.domain.records import Records, newest_in
from workflow_agent.domain.runs import Run
from workflow_agent.ports import ConversationStore, Owners, ProcessGone

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

    def is_alive(self, run: Run) -> bool:
        """Say whether somebody may be working on a run."""
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
        """
        while True:
            records, run = await self._newest(tenant, run_id)
            outcome = outcome_of(records, run_id, replayed=True)
            if outcome is not None and run.status == "completed":
                return outcome
            if run.status != "running" or not self.is_alive(run):
                status = run.status if run.status != "running" else "interrupted"
                raise StaleRun(f"Run {run_id!r} was {status} and has no reply.", run_id=run_id)
            await asyncio.sleep(_POLL_SECONDS)

    async def _newest(self, tenant: str, run_id: str) -> tuple[Records, Run]:
        records, run = await recorded_run(self.store, tenant, run_id)
        return records, newest_in(records, run)


async def _to_its_end(stream: StreamElsewhere) -> None:
    """Wait until a run of another process ends; raise what it failed of."""
    async for event in stream.events():
        if event.name == "error":
            raise error_of(event.data)
