"""The turn protocol over the stores: accept, run, commit; cancel, shut down, recover."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from workflow_agent.chat.live import LiveRuns
from workflow_agent.chat.requests import StartedTurn, TurnOutcome, TurnRequest, chat_response, start_data
from workflow_agent.chat.streams import RunStream
from workflow_agent.chat.work import Worker
from workflow_agent.domain import turns
from workflow_agent.domain.agents import AgentProfile, agent_named
from workflow_agent.domain.conversation import Conversation, Run
from workflow_agent.domain.digests import digest_of
from workflow_agent.domain.errors import (
    AlreadyExists,
    ConversationNotFound,
    RunNotFound,
    ShuttingDown,
    StaleRun,
)
from workflow_agent.ports import ConversationStore, Owners

_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Chat:
    """Takes messages and sees to it that each gets one reply."""

    store: ConversationStore
    worker: Worker
    roster: Mapping[str, AgentProfile]
    owners: Owners
    live: LiveRuns
    now: Callable[[], datetime]
    new_id: Callable[[str], str]

    async def start(self, tenant: str, request: TurnRequest) -> StartedTurn:
        """Store the message and start its run; it goes on whatever becomes of the caller.

        Raises:
            ShuttingDown: The server is stopping.
            ConversationNotFound, WorkflowNotFound, InvalidInput: The request names what is not there.
            ConversationBusy: Another message of the conversation is being answered.
            IdempotencyMismatch: The key was used for another request.
            StorageFailed: The message could not be stored; it was not accepted.
        """
        if self.live.is_closing:
            raise ShuttingDown("The server is stopping. Send the message again in a moment.", retry_after=5)
        agent = agent_named(self.roster, request.agent)
        await self.worker.runner.check(tenant, request)
        # A caller that goes away between the save and the start of the run must not leave it unstarted.
        return await asyncio.shield(self._accept(tenant, request, agent))

    async def _accept(self, tenant: str, request: TurnRequest, agent: AgentProfile) -> StartedTurn:
        message = turns.NewMessage(
            content=request.message, author=request.author, agent=agent.name,
            fingerprint=request.fingerprint(), key=request.key, options=request.options(),
        )  # fmt: skip
        accepted: list[turns.Acceptance] = []

        def accept(conversation: Conversation) -> Conversation:
            accepted.append(
                turns.accept_message(
                    conversation, message, owner=self.owners.owner, is_alive=self._is_alive,
                    at=self.now(), new_id=self.new_id,
                )
            )  # fmt: skip
            return accepted[-1].conversation

        conversation = await self._stored(tenant, request, accept)
        run = accepted[-1].run
        if accepted[-1].is_new:
            self.owners.note(tenant, conversation.id)
            live = self.worker.launch(tenant, request, agent, conversation, run)
            return StartedTurn(conversation.id, run.turn, run.run_id, live.stream, live.outcome)
        return self._attached(tenant, conversation, run)

    async def _stored(
        self, tenant: str, request: TurnRequest, accept: Callable[[Conversation], Conversation]
    ) -> Conversation:
        """Accept into the named conversation, or into a new one that a retry with the same key finds."""
        if request.conversation_id is not None:
            return await self.store.update(tenant, request.conversation_id, accept)
        made = f"cv_{digest_of([tenant, request.key])[:24]}" if request.key else self.new_id("cv")
        at = self.now()
        empty = Conversation(id=made, tenant=tenant, created_at=at, updated_at=at)
        try:
            return await self.store.create(accept(empty))
        except AlreadyExists:
            return await self.store.update(tenant, made, accept)

    def _is_alive(self, run: Run) -> bool:
        if run.owner == self.owners.owner:
            return self.live.is_running(run.run_id)
        return self.owners.is_alive(run.owner)

    def _attached(self, tenant: str, conversation: Conversation, run: Run) -> StartedTurn:
        live = self.live.get(run.run_id)
        if live is not None and live.settled is None:
            return StartedTurn(conversation.id, run.turn, run.run_id, live.stream, live.outcome)

        async def wait() -> TurnOutcome:
            return await self._outcome_elsewhere(tenant, conversation, run.run_id)

        stream = live.stream if live else _replay(conversation, run)
        return StartedTurn(conversation.id, run.turn, run.run_id, stream, wait)

    async def _outcome_elsewhere(self, tenant: str, conversation: Conversation, run_id: str) -> TurnOutcome:
        """Return what a run that is not this process's came to, waiting for its end."""
        while True:
            reply = conversation.reply_of(run_id)
            if reply is not None:
                return TurnOutcome(conversation.id, reply.turn, run_id, reply, replayed=True)
            run = conversation.run(run_id)
            if run is None or run.status != "running" or not self._is_alive(run):
                status = run.status if run and run.status != "running" else "interrupted"
                raise StaleRun(f"Run {run_id!r} was {status} and has no reply.", run_id=run_id)
            await asyncio.sleep(_POLL_SECONDS)
            conversation = await self.store.load(tenant, conversation.id)

    async def run_state(self, tenant: str, run_id: str) -> tuple[Conversation, Run]:
        """Return a run and its conversation.

        Raises:
            RunNotFound: There is no such run.
        """
        try:
            conversation = await self.store.load(tenant, turns.conversation_of_run(run_id))
        except ConversationNotFound as error:
            raise RunNotFound(f"There is no run {run_id!r}.", run_id=run_id) from error
        run = conversation.run(run_id)
        if run is None:
            raise RunNotFound(f"There is no run {run_id!r}.", run_id=run_id)
        return conversation, run

    def stream(self, run_id: str) -> RunStream:
        """Return the stream of a run that this process works on, or worked on a short while ago.

        Raises:
            RunNotFound: Its stream is not kept here; the run itself may well be stored.
        """
        live = self.live.get(run_id)
        if live is None:
            raise RunNotFound(
                f"The stream of run {run_id[:100]!r} is not kept any more; GET the run or its conversation.",
                run_id=run_id[:100],
            )
        return live.stream

    async def cancel(self, tenant: str, run_id: str) -> Run:
        """Stop a run; one that has ended stays as it is.

        Raises:
            RunNotFound: There is no such run.
        """
        conversation, run = await self.run_state(tenant, run_id)
        live = self.live.get(run_id)
        if live is not None and live.settled is None and live.task is not None:
            live.stopping = "cancelled"
            live.task.cancel()
            await live.done.wait()
        elif run.status == "running":
            await self.store.update(
                tenant, conversation.id, lambda now: turns.cancel_run(now, run_id, at=self.now())
            )
        return (await self.run_state(tenant, run_id))[1]

    async def shut_down(self, grace_seconds: float) -> None:
        """Accept nothing more, tell every open stream, and let runs finish for a while; mark the rest."""
        self.live.is_closing = True
        running = self.live.running()
        for live in running:
            live.stream.publish(
                "shutdown",
                {"message": "The server is stopping. This run has a little time to finish; "
                            "if it does not, send the message again with the same Idempotency-Key.",
                 "run_id": live.run_id, "grace_seconds": grace_seconds},
            )  # fmt: skip
        tasks = [live.task for live in running if live.task is not None]
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=grace_seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def recover(self) -> int:
        """Mark the runs of dead processes as interrupted; return how many conversations had some."""
        changed = 0
        for tenant, conversation_id in self.owners.abandoned():
            try:
                before = await self.store.load(tenant, conversation_id)
                after = await self.store.update(tenant, conversation_id, self._without_dead_runs)
            except ConversationNotFound:
                continue
            changed += after.version != before.version
        self.owners.forget_abandoned()
        return changed

    def _without_dead_runs(self, conversation: Conversation) -> Conversation:
        return turns.interrupt_dead_runs(conversation, is_alive=self._is_alive, at=self.now())


def _replay(conversation: Conversation, run: Run) -> RunStream | None:
    """Return the stream of a run that was completed before, as if it had just been answered."""
    reply = conversation.reply_of(run.run_id)
    if reply is None:
        return None
    stream = RunStream(run.run_id)
    stream.publish("start", start_data(conversation, run))
    stream.publish("mode", reply.mode.model_dump(mode="json"))
    stream.publish("delta", {"text": reply.content})
    stream.publish("context", dict(reply.context))
    outcome = TurnOutcome(conversation.id, reply.turn, run.run_id, reply, replayed=True)
    stream.publish("complete", chat_response(outcome))
    stream.close()
    return stream
