"""Going on with the runs of hosts that died, and stopping work that was ended elsewhere."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from workflow_agent.assistant.requests import asked_again
from workflow_agent.assistant.turns.journals import Journals
from workflow_agent.assistant.turns.live import LiveRun, LiveRuns
from workflow_agent.assistant.turns.work import Worker
from workflow_agent.conversations.abandonment import interrupt_dead_runs
from workflow_agent.conversations.acceptance import taken_over
from workflow_agent.conversations.document import Conversation, UserMessage
from workflow_agent.conversations.message_records import conversation_of_run
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import ConversationStore, Hosts
from workflow_agent.errors import ConversationNotFound

_log = logging.getLogger(__name__)
_MOST_ATTEMPTS = 4
"""A message that so many hosts died of is not tried again by itself."""
_Place = tuple[str, str, str]


@dataclass(slots=True)
class Takeover:
    """Looks regularly after runs that nobody works on, and work that is nobody's run any more."""

    store: ConversationStore
    worker_of: Callable[[str], Worker]
    """Returns what works for a tenant."""
    hosts: Hosts
    live: LiveRuns
    now: Callable[[], datetime]
    _unattended: frozenset[_Place] = frozenset()
    """Runs of this process that it did not work on at the last look: it may have been about to begin."""

    async def look(self) -> int:
        """Go on with what nobody works on; return with how many runs.

        Raises:
            StorageFailed: The database does not answer.
        """
        if self.live.is_closing:
            return 0
        before = self.live.running()
        mine = await self.hosts.working_on()
        await self._stop_what_ended_elsewhere(before, {run_id for _, _, run_id in mine})
        unattended = frozenset(one for one in mine if not self.live.is_running(one[2]))
        forgotten = [one[:2] for one in unattended & self._unattended]
        self._unattended = unattended
        taken = [await self._taken(*one) for one in (*await self.hosts.abandoned(), *forgotten)]
        await self.hosts.forget_abandoned()
        return sum(taken)

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
        journals = Journals(worker.journal, tenant, self.hosts)
        try:
            before = (await self.store.load(tenant, conversation_id)).active_run()
            take = partial(self._take, worker, journals)
            after = await journals.reading(partial(self.store.update, tenant, conversation_id, take))
        except ConversationNotFound:
            return False
        run = after.active_run()
        if before is None or run is None or run.fence == before.fence or run.owner != self.hosts.owner:
            return False
        _log.warning("a run of another host is gone on with", extra={"run_id": run.run_id})
        # Read once the fence is raised: from then on the attempt before keeps nothing more.
        left = await worker.journal.left_by(tenant, before)
        self._go_on(worker, tenant, after, run, left.responses)
        return True

    def _take(self, worker: Worker, journals: Journals, conversation: Conversation) -> Conversation:
        run = conversation.active_run()
        if run is None or not self._is_free(run):
            return conversation
        if run.attempt >= _MOST_ATTEMPTS or run.agent not in worker.runner.roster:
            return interrupt_dead_runs(conversation, is_alive=lambda _: False, at=self.now(), left_by=journals.left_by)
        return taken_over(conversation, run, owner=self.hosts.owner, at=self.now())

    def _is_free(self, run: Run) -> bool:
        if run.owner == self.hosts.owner:
            return not self.live.is_running(run.run_id)
        return not self.hosts.is_alive(run.owner)

    @staticmethod
    def _go_on(worker: Worker, tenant: str, conversation: Conversation, run: Run, responses: Sequence[bytes]) -> None:
        asked = (event for event in reversed(conversation.events) if event.id == run.user_event_id)
        message = next(event for event in asked if isinstance(event, UserMessage))
        request = asked_again(message, conversation.id, run.key)
        agent = worker.runner.roster[run.agent]
        trace = worker.telemetry.turn(agent.name)
        trace.identify(run_id=run.run_id, conversation_id=conversation.id)
        worker.launch(tenant, request, agent, conversation, run, trace, responses)
