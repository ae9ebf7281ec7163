"""The turn protocol over the stores: accept, run, commit; cancel, shut down.

A plain turn, step by step: `Chat.start` accepts the message under the conversation's lock and has `Worker.launch`
(work.py) begin the task that answers it. `Worker._replied` has `Runner.run` (run.py) choose the mode, build the window
and drive the agent loop, commits the reply in one save, and learns what is to be remembered. `Worker._settled` tells
everyone who waits how it ended.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from workflow_agent.assistant.attachments import Attaching
from workflow_agent.assistant.requests import RunEvents, StartedTurn, TurnRequest
from workflow_agent.assistant.turns.addressees import choose_agents
from workflow_agent.assistant.turns.followers import Joining
from workflow_agent.assistant.turns.takeover import Journals
from workflow_agent.assistant.turns.work import Worker
from workflow_agent.conversations.acceptance import Acceptance, accept_message, cancel_run
from workflow_agent.conversations.agents import AgentProfile, agent_named
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.history import recorded_run
from workflow_agent.conversations.quotas import Ticket
from workflow_agent.conversations.records import Records, leading_in, newest_in
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import LeftBehind
from workflow_agent.errors import AlreadyExists, ConversationNotFound, RunNotFound, ShuttingDown, WorkflowAgentError
from workflow_agent.telemetry.turns import TurnTrace
from workflow_agent.values.tasks import uninterrupted


@dataclass(frozen=True, slots=True)
class Chat:
    """Takes messages and sees to it that each gets one reply."""

    worker: Worker
    attaching: Attaching
    joining: Joining

    async def start(self, tenant: str, request: TurnRequest) -> StartedTurn:
        """Store the message and start its run; it goes on whatever becomes of the caller.

        Raises:
            ShuttingDown: The server is stopping.
            ConversationNotFound, WorkflowNotFound, InvalidInput: The request names what is not there.
            ConversationBusy: Another message of the conversation is being answered.
            IdempotencyMismatch: The key was used for another request.
            LimitReached: The tenant has used what it may for now; a message that was accepted before is none anew.
            StorageFailed: The message could not be stored; it was not accepted.
        """
        if self.worker.live.is_closing:
            raise ShuttingDown("The server is stopping. Send the message again in a moment.", retry_after=5)
        agent = agent_named(self.worker.runner.roster, request.agent)
        await self.worker.runner.check(tenant, request)
        # A caller that goes away between the save and the start of the run must not leave it unstarted.
        return await uninterrupted(self._accept(tenant, request, agent))

    async def refuse_over_limit(self, tenant: str) -> None:
        """Do nothing where a tenant may begin a turn; none is begun or counted.

        Raises:
            LimitReached: The tenant has used what it may for now.
        """
        if self.worker.quotas is not None:
            ticket = await self.worker.quotas.ticket(tenant)
            await self.worker.quotas.give_back(ticket)
            ticket.check()

    async def _accept(self, tenant: str, request: TurnRequest, agent: AgentProfile) -> StartedTurn:
        trace = self.worker.telemetry.turn(agent.name)
        try:
            with trace.active():
                ticket = await self.worker.quotas.ticket(tenant) if self.worker.quotas else None
                return await self._accepted(tenant, request, trace, ticket)
        except WorkflowAgentError as error:
            trace.ended("refused", error.code)
            raise

    async def _accepted(
        self, tenant: str, request: TurnRequest, trace: TurnTrace, ticket: Ticket | None
    ) -> StartedTurn:
        made = request.conversation_for(tenant, self.worker.new_id)
        documents = await self.attaching.stored(
            tenant, made, request.attachments, is_named=request.conversation_id is not None, at=self.worker.now()
        )
        accepted: list[Acceptance] = []
        journals = Journals(self.worker.journal, tenant, self.worker.owners)

        def accept(conversation: Conversation) -> Conversation:
            (first, *then), handoff = choose_agents(conversation, request, self.worker.runner.roster)
            message = request.as_message(first, tuple(then), documents, handoff)
            accepted.append(
                accept_message(
                    conversation,
                    message,
                    owner=self.worker.owners.owner,
                    is_alive=partial(self.joining.is_alive, tenant),
                    at=self.worker.now(),
                    new_id=self.worker.new_id,
                    left_by=journals.left_by,
                )
            )
            if ticket is not None and accepted[-1].is_new:
                ticket.check()
            return accepted[-1].conversation

        with trace.saving("accept") as timed:
            async with self._noted(tenant, made, accepted, ticket):
                stored = partial(self._stored, tenant, request, made, timed(accept), ticket)
                conversation = await journals.reading(stored)
        run = accepted[-1].run
        trace.identify(run_id=run.run_id, conversation_id=conversation.id)
        if accepted[-1].is_new:
            # Sent again after its process died: what the model said then is not asked for again.
            left = await self.worker.journal.left_by(tenant, run) if run.attempt > 1 else LeftBehind()
            live = self.worker.launch(conversation, run, request, trace, left.responses)
            awaited = live.awaited()
            await journals.forget_read()
            first = leading_in(conversation, run)
            return StartedTurn(conversation.id, run.turn, first.run_id, first.asked, live.stream, awaited)
        await journals.forget_read()
        trace.ended("replayed")
        return await self.joining.joined(tenant, conversation, run)

    @asynccontextmanager
    async def _noted(
        self, tenant: str, conversation_id: str, accepted: list[Acceptance], ticket: Ticket | None
    ) -> AsyncGenerator[None]:
        """Note a conversation while a message is stored in it, and on if that begins a run, should we die."""
        self.worker.owners.note(tenant, conversation_id)
        is_begun = False
        try:
            yield
            is_begun = accepted[-1].is_new
        finally:
            if not is_begun:
                self.worker.owners.settle(tenant, conversation_id)
                if self.worker.quotas is not None and ticket is not None:
                    await self.worker.quotas.give_back(ticket)

    async def _stored(
        self,
        tenant: str,
        request: TurnRequest,
        made: str,
        accept: Callable[[Conversation], Conversation],
        ticket: Ticket | None,
    ) -> Conversation:
        """Accept into the named conversation, or into a new one that a retry with the same key finds."""
        if request.conversation_id is not None:
            return await self.worker.store.update(tenant, request.conversation_id, accept)
        if ticket is not None and ticket.refusal is not None:
            try:
                return await self.worker.store.update(tenant, made, accept)
            except ConversationNotFound:
                raise ticket.refusal from None
        at = self.worker.now()
        empty = Conversation(id=made, tenant=tenant, created_at=at, updated_at=at)
        try:
            return await self.worker.store.create(accept(empty))
        except AlreadyExists:
            return await self.worker.store.update(tenant, made, accept)

    async def recorded_run(self, tenant: str, run_id: str) -> tuple[Records, Run]:
        """Return a run, and the records of its conversation that it is in, sealed or not.

        Raises:
            RunNotFound: There is no such run.
        """
        return await recorded_run(self.worker.store, tenant, run_id)

    async def stream(self, tenant: str, run_id: str) -> RunEvents:
        """Return the stream of a run under way, or of one that ended a short while ago.

        Raises:
            RunNotFound: There is no such run, or its stream is not kept; the run itself may well be stored.
        """
        await self.recorded_run(tenant, run_id)
        stream = await self.joining.stream(tenant, run_id)
        if stream is None:
            raise RunNotFound(
                f"The stream of run {run_id[:100]!r} is not kept any more; GET the run or its conversation.",
                run_id=run_id[:100],
            )
        return stream

    async def cancel(self, tenant: str, run_id: str) -> Run:
        """Stop a run; one that has ended stays as it is.

        Raises:
            RunNotFound: There is no such run.
        """
        records, run = await self.recorded_run(tenant, run_id)
        run = newest_in(records, run)
        live = self.worker.live.get(run.run_id)
        if live is not None and live.task is not None:
            await live.cancel()
        elif run.status == "running":
            is_elsewhere = run.owner != self.worker.owners.owner and self.worker.owners.is_alive(run.owner)
            if not (is_elsewhere and await self.joining.elsewhere.cancel(run.owner, run.run_id)):
                await self._mark_cancelled(tenant, records.id, run)
        return (await self.recorded_run(tenant, run_id))[1]

    async def _mark_cancelled(self, tenant: str, conversation_id: str, run: Run) -> None:
        journals = Journals(self.worker.journal, tenant, self.worker.owners)

        def cancel(conversation: Conversation) -> Conversation:
            return cancel_run(conversation, run.run_id, at=self.worker.now(), left=journals.left_by(run))

        await journals.reading(partial(self.worker.store.update, tenant, conversation_id, cancel))

    def lose_runs(self) -> None:
        """Stop the work on every run: each is another process's from now on, which goes on with it."""
        for live in self.worker.live.running():
            live.stopping = "lost"
            if live.task is not None:
                live.task.cancel()

    async def shut_down(self, grace_seconds: float) -> None:
        """Accept nothing more, tell every open stream, and let runs finish for a while; mark the rest."""
        self.worker.live.is_closing = True
        for live in self.worker.live.running():
            live.stream.publish(
                "shutdown",
                {
                    "message": "The server is stopping. This run has a little time to finish; "
                    "if it does not, send the message again with the same Idempotency-Key.",
                    "run_id": live.run_id,
                    "grace_seconds": grace_seconds,
                },
            )
        if tasks := self.worker.live.tasks():
            await asyncio.wait(tasks, timeout=grace_seconds)
            if self.joining.are_taken_over:
                self.lose_runs()
            for live in self.worker.live.running():
                if live.task is not None:
                    live.task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await self.worker.runner.compactor.shut_down()
