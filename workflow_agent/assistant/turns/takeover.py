"""Continuing the runs of dead processes, and stopping work on runs that another process ended."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from workflow_agent.assistant.turns.live import LiveRun, LiveRuns
from workflow_agent.assistant.turns.work import Worker
from workflow_agent.conversations.acceptance import interrupt_dead_runs, taken_over
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.message_records import conversation_of_run
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import ConversationStore, LeftBehind, Owners, RunJournal
from workflow_agent.errors import ConversationNotFound

_log = logging.getLogger(__name__)
MOST_ATTEMPTS = 8
"""A message that so many processes died of is not tried again by itself."""
_PATIENCE_SECONDS = 0.5
"""How long a look waits for what it began: a conversation that waits for a lock keeps no later run waiting."""
_Place = tuple[str, str, str]
T = TypeVar("T")


class _Unread(Exception):
    """The journal of a dead run is needed and has not been read yet."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.run_id)
        self.run = run


@dataclass(slots=True)
class Journals:
    """The journals of dead runs, each read when a change of its conversation needs it."""

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


@dataclass(slots=True)
class Takeover:
    """Finds runs that no process works on, and local work whose run belongs to another process."""

    store: ConversationStore
    worker_of: Callable[[str], Worker]
    """Returns what works for a tenant."""
    owners: Owners
    live: LiveRuns
    now: Callable[[], datetime]
    _unattended: frozenset[_Place] = frozenset()
    """Runs of this process that it did not work on at the last look: it may have been about to begin."""
    _taking: dict[tuple[str, str], asyncio.Task[bool]] = field(
        default_factory=dict[tuple[str, str], "asyncio.Task[bool]"]
    )
    """Conversations with a dead run, each while this process tries to go on with it."""

    async def look(self) -> int:
        """Continue the runs that nobody works on; return how many were, by this look or the ones before.

        What takes long goes on, and the next look leaves it alone.

        Raises:
            StorageFailed: The store does not answer, or a conversation cannot be read or written; the next look
                begins with it again.
        """
        if self.live.is_closing:
            return 0
        forgotten = await self._forgotten()
        for one in (*await self.owners.abandoned(), *forgotten):
            if one not in self._taking:
                self._taking[one] = asyncio.create_task(self._taken(*one))
        if self._taking:
            await asyncio.wait(self._taking.values(), timeout=_PATIENCE_SECONDS)
        ended = [self._taking.pop(one) for one, task in list(self._taking.items()) if task.done()]
        failed = [error for task in ended if (error := task.exception())]
        if failed:
            raise failed[0]
        await self.owners.forget_abandoned()
        return sum(task.result() for task in ended)

    async def stop(self) -> None:
        """Give up what looks began and did not end."""
        for task in self._taking.values():
            task.cancel()
        await asyncio.gather(*self._taking.values(), return_exceptions=True)
        self._taking.clear()

    async def _forgotten(self) -> Sequence[tuple[str, str]]:
        """Return the conversations with a run of this process that it does not work on, and stop the opposite."""
        before = self.live.running()
        mine = await self.owners.working_on()
        if mine is None:
            return ()
        await self._stop_what_ended_elsewhere(before, {run_id for _, _, run_id in mine})
        unattended = frozenset(one for one in mine if not self.live.is_running(one[2]))
        forgotten = [one[:2] for one in unattended & self._unattended]
        self._unattended = unattended
        return forgotten

    async def _stop_what_ended_elsewhere(self, before: list[LiveRun], mine: set[str]) -> None:
        held = {id(self.live.get(run_id)) for run_id in mine}
        for one in before:
            if id(one) in held or one.is_settled or one.tenant is None:
                continue
            try:
                talk = await self.store.load(one.tenant, conversation_of_run(one.run_id))
            except ConversationNotFound:
                talk = None
            run = talk.run(one.run_id) if talk else None
            # One that is completed is being told of at this moment.
            if run is None or run.status == "cancelled":
                await one.cancel()

    async def _taken(self, tenant: str, conversation_id: str) -> bool:
        worker = self.worker_of(tenant)
        journals = Journals(worker.journal, tenant, self.owners)
        self.owners.note(tenant, conversation_id)
        is_taken = False
        try:
            before = (await self.store.load(tenant, conversation_id)).active_run()
            take = partial(self._take, worker, journals)
            after = await journals.reading(partial(self.store.update, tenant, conversation_id, take))
            run = after.active_run()
            if before is not None and run is not None and run.fence > before.fence and run.owner == self.owners.owner:
                # Read once the fence is raised: from then on the attempt before keeps nothing more.
                left = await worker.journal.left_by(tenant, run)
                _log.warning("a run whose process died is gone on with", extra={"run_id": run.run_id})
                worker.launch(after, run, responses=left.responses)
                is_taken = True
        except ConversationNotFound:
            return False
        finally:
            if not is_taken:
                self.owners.settle(tenant, conversation_id)
        return is_taken

    def _take(self, worker: Worker, journals: Journals, conversation: Conversation) -> Conversation:
        run = conversation.active_run()
        if run is None or self.live.is_worked_on(run, self.owners):
            return conversation
        is_spent = run.attempt >= MOST_ATTEMPTS and not self.owners.was_lost_with(run.owner)
        if is_spent or run.agent not in worker.runner.roster:
            return interrupt_dead_runs(conversation, is_alive=lambda _: False, at=self.now(), left_by=journals.left_by)
        return taken_over(conversation, run, owner=self.owners.owner, at=self.now())
