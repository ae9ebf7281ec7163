"""The work on accepted messages: one task for each run, whose outcome is stored and reported."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup, UserError

from workflow_agent.assistant.modes.conversation_mode import answer_in, pending_preview
from workflow_agent.assistant.record import CallRecorder, Evidence
from workflow_agent.assistant.replay import responses_in
from workflow_agent.assistant.requests import (
    Job,
    TurnOutcome,
    TurnRequest,
    asked_again,
    chat_response,
    outcome_of,
    start_data,
)
from workflow_agent.assistant.turns.live import LiveRun, LiveRuns
from workflow_agent.assistant.turns.memory import forget, learn, remember
from workflow_agent.assistant.turns.narration import error_data, failure_of, tell
from workflow_agent.assistant.turns.run import Runner
from workflow_agent.assistant.window.contents import INLINE_BYTES, Contents
from workflow_agent.conversations import iterations
from workflow_agent.conversations.document import Conversation, UserMessage
from workflow_agent.conversations.message_records import STATUS_OF_END, EndStatus, call_id_of, message_call
from workflow_agent.conversations.outcome import commit_reply, end_run
from workflow_agent.conversations.quotas import Quotas
from workflow_agent.conversations.records import following_in, leading_in, reply_in
from workflow_agent.conversations.runs import Run, RunError
from workflow_agent.conversations.store import ConversationStore, Owners, RunJournal
from workflow_agent.errors import ConversationNotFound, ShuttingDown, StaleRun, StorageFailed, WorkflowAgentError
from workflow_agent.telemetry.providers import Telemetry
from workflow_agent.telemetry.turns import TurnTrace
from workflow_agent.values.stored import RunFence
from workflow_agent.values.tasks import uninterrupted
from workflow_agent.webhooks import Webhooks

_log = logging.getLogger(__name__)
_FAILURES = (AgentRunError, FallbackExceptionGroup, UserError, WorkflowAgentError)


@dataclass(frozen=True, slots=True)
class Worker:
    """Works on runs, and settles each exactly once, however it ends."""

    store: ConversationStore
    journal: RunJournal
    runner: Runner
    owners: Owners
    telemetry: Telemetry
    live: LiveRuns
    now: Callable[[], datetime]
    new_id: Callable[[str], str]
    inline_bytes: int = INLINE_BYTES
    """A tool result up to this size stays in the conversation's file."""
    webhooks: Webhooks | None = None
    """Tells other programs of runs that fail."""
    quotas: Quotas | None = None
    """Is told what runs take; None where tenants have no limits."""

    def launch(
        self,
        conversation: Conversation,
        run: Run,
        request: TurnRequest | None = None,
        trace: TurnTrace | None = None,
        responses: Sequence[bytes] = (),
    ) -> LiveRun:
        """Start the work on an accepted message, which is in the conversation, and return it.

        It does not end with the request; without one, what was asked for is what the message tells. From here the work
        ends the trace. The responses are what the model said in an earlier attempt, as a journal has it; it is not
        asked for them again.
        """
        job = self._job(conversation, run, request, trace, responses)
        live = self.live.open(run.run_id, run.attempt)
        live.tenant = job.tenant
        leading_id = leading_in(conversation, run).run_id
        self.live.also(leading_id, live)
        # Those that answered when this was tried before; whoever watches now has not seen them.
        before = outcome_of(conversation, leading_id) if run.follows else None
        tell(live.stream, conversation.id, before.replies if before else ())
        live.stream.publish("start", start_data(conversation, run))
        live.worked_on_by(asyncio.create_task(self._work(job, live), name=run.run_id))
        return live

    def _job(
        self,
        conversation: Conversation,
        run: Run,
        request: TurnRequest | None,
        trace: TurnTrace | None = None,
        responses: Sequence[bytes] = (),
    ) -> Job:
        asked = (event for event in reversed(conversation.events) if event.id == run.user_event_id)
        message = next(event for event in asked if isinstance(event, UserMessage))
        if trace is None:
            trace = self.telemetry.turn(run.agent)
            trace.identify(run_id=run.run_id, conversation_id=conversation.id)
        evidence = Evidence(
            turn=iterations.new(message.content, at=self.now()),
            now=self.now,
            calls=CallRecorder(call_id_of(message.id, leading_in(conversation, run).attempt), len(conversation.calls)),
            keep_step=partial(self.journal.keep, conversation.tenant, run),
            check=partial(self._check, run),
        )
        return Job(
            conversation.tenant,
            request or asked_again(message, conversation.id, run.key),
            self.runner.roster[run.agent],
            conversation,
            run,
            message,
            evidence,
            trace,
            tuple(responses_in(responses)),
        )

    def _check(self, run: Run) -> None:
        if not self.owners.is_alive(run.owner):
            raise StaleRun(f"Run {run.run_id!r} is another server's by now.", run_id=run.run_id)

    async def _work(self, job: Job, live: LiveRun) -> None:
        """Run a job to its end; whatever happens, the run is settled and everyone who waits is told."""
        with job.trace.active():
            await self._settled(job, live)

    async def _settled(self, job: Job, live: LiveRun) -> None:
        jobs = [job]
        self.live.beaten(self.owners.beat)
        try:
            outcome = await self._answered(jobs, live)
        except asyncio.CancelledError:
            await self._settle_stopped(jobs[-1], live)
        except _FAILURES as error:
            await self._settle_failed(jobs[-1], live, error)
        except Exception as error:
            await self._settle_failed(jobs[-1], live, error)
            raise
        else:
            live.settle(outcome)
        finally:
            for each in jobs:
                each.trace.calls_unrecorded(each.evidence.calls.failed)
            if live.stopping != "lost":
                await self._clear_up(jobs, live)

    async def _clear_up(self, jobs: Sequence[Job], live: LiveRun) -> None:
        """Drop what was kept should this process die; of a lost run it stays for whoever goes on with it."""
        self.owners.settle(jobs[0].tenant, jobs[0].conversation.id)
        if not isinstance(live.outcome, StorageFailed):
            for each in jobs:
                await self.journal.forget(each.tenant, each.run)

    async def _count(self, job: Job) -> None:
        """Count what a run took, however it ended: the provider was paid."""
        if self.quotas is None:
            return
        try:
            await self.quotas.spend(job.tenant, job.evidence.costs.usage, job.evidence.costs.cost)
        except StorageFailed:
            _log.exception("what a run took was not counted", extra={"run_id": job.run.run_id})

    async def _answered(self, jobs: list[Job], live: LiveRun) -> TurnOutcome:
        """Answer a message, by one agent after the other where several are to; jobs grows by each."""
        while True:
            job = jobs[-1]
            try:
                conversation = await self._replied(job, live)
            finally:
                # Before anybody is told of the end, and may say something more.
                await self._count(job)
            following = following_in(conversation, job.run.run_id)
            if following is None:
                break
            jobs.append(self._job(conversation, following, job.request))
            live.stream.publish("start", start_data(conversation, following))
        outcome = outcome_of(conversation, leading_in(conversation, jobs[0].run).run_id)
        assert outcome is not None  # noqa: S101 - commit_reply put the replies there
        live.stream.publish("complete", chat_response(outcome))
        self.runner.compactor.after_reply(conversation, jobs[-1].evidence.counter.count)
        return outcome

    async def _replied(self, job: Job, live: LiveRun) -> Conversation:
        """Return the conversation with one agent's reply in it."""
        contents = self._contents(job)
        reply = await self.runner.run(job, live.stream)
        steps = await contents.keep(reply.iterations, job.evidence.instructions, job.message)
        reply = replace(reply, iterations=steps)
        if reply.preview is not None:
            await self.runner.approvals.wait(reply.preview, job.request.author, job.conversation.id)

        def commit(conversation: Conversation) -> Conversation:
            committed = commit_reply(
                conversation, job.run.run_id, job.run.fence, reply, at=self.now(), new_id=self.new_id
            )
            if following := following_in(committed, job.run.run_id):
                # Before anybody can read of it: a run that is not live counts as dead.
                self.live.also(following.run_id, live)
            return committed

        # Once the reply is being stored, stopping comes too late: the file decides.
        with job.trace.saving("commit") as timed:
            saved = self.store.update(job.tenant, job.conversation.id, timed(commit))
            conversation = await uninterrupted(saved)
        stored = reply_in(conversation, job.run.run_id)
        assert stored is not None  # noqa: S101 - commit_reply put it there
        await remember(self.runner.memory, conversation, job.request.author, reply.references, job.trace)
        if "personal_memory" not in reply.tools_used:
            await learn(
                self.runner.personal, conversation, job.request.author, job.run.turn, job.message.content, job.trace
            )
        conversation = await forget(self.runner.personal, self.store, conversation, job.request.author, job.trace)
        await self._note_answer(job)
        job.trace.replied(stored)
        self.telemetry.recent.add(job.tenant, stored.context_in(conversation.id))
        live.stream.publish("context", dict(stored.context))
        return conversation

    async def _note_answer(self, job: Job) -> None:
        """Note how the message decided the preview before it, so that nobody else is asked."""
        preview = pending_preview(job.conversation, job.message)
        word = answer_in(job.message.content)
        if preview is None or word is None:
            return
        try:
            await self.runner.approvals.answered(preview, word, job.request.author)
        except StorageFailed:
            # The reply is stored; the list shows the preview as outdated, or as waiting.
            _log.exception("a decision was not noted", extra={"run_id": job.run.run_id})

    def _contents(self, job: Job) -> Contents:
        fence = RunFence(job.conversation.id, job.run.run_id, job.run.fence)
        return Contents(self.store, job.tenant, job.conversation.id, self.inline_bytes, fence)

    async def _settle_failed(self, job: Job, live: LiveRun, error: Exception) -> None:
        if isinstance(error, StaleRun) and not self.owners.is_alive(job.run.owner):
            live.stopping = "lost"
            await self._settle_stopped(job, live)
            return
        stored, told = failure_of(error, job.run.run_id)
        # A provider's message may quote the key, and a key that came with a request is never logged.
        shown = None if job.request.model_key else error
        _log.warning("run failed", extra={"run_id": job.run.run_id, "error_type": stored.type}, exc_info=shown)
        if not isinstance(error, StaleRun):
            if self.webhooks is not None:
                failure = {"type": stored.type, "message": stored.message}
                await self.webhooks.run_failed(job.conversation.id, job.run.run_id, failure)
            told = await self._ended(job, "failed", stored, told)
        job.trace.ended("stale" if isinstance(error, StaleRun) else "failed", stored.type)
        live.stream.publish("error", error_data(told))
        live.settle(told)

    async def _settle_stopped(self, job: Job, live: LiveRun) -> None:
        """Settle a run whose task was cancelled: by request, or because the server stops."""
        if live.stopping == "cancelled":
            stored = RunError(type="Cancelled", message="The run was cancelled on request.")
            told = StaleRun(f"Run {job.run.run_id!r} was cancelled.", run_id=job.run.run_id, status="cancelled")
            ended = await self._ended(job, "cancelled", stored, told)
        elif live.stopping == "lost":
            # Nothing is stored: the run is another process's by now, and what is known of it stays for that.
            ended = ShuttingDown(
                "Another server goes on with the message. Send it again with the same Idempotency-Key to get "
                "the reply.",
                run_id=job.run.run_id,
                retry_after=5,
            )
        else:
            message = "The server stopped before the reply was ready. Send the message again."
            stored = RunError(type="Interrupted", message=message, retriable=True)
            ended = await self._ended(job, "interrupted", stored, ShuttingDown(message, run_id=job.run.run_id))
        job.trace.ended("cancelled" if live.stopping == "cancelled" else "interrupted")
        live.stream.publish("error", error_data(ended))
        live.settle(ended)

    async def _ended(
        self, job: Job, status: EndStatus, error: RunError, told: WorkflowAgentError
    ) -> WorkflowAgentError:
        """Store how a run ended without a reply; return what to tell, which is worse if that fails too."""
        steps = job.evidence.closed(interrupted_as="cancelled" if status == "cancelled" else "interrupted")
        said = message_call(job.message, job.run, STATUS_OF_END[status], self.now(), error)
        # The message's own call is on record once another agent has answered it.
        calls = (*(() if job.run.follows else (said,)), *job.evidence.call_records())

        def end(conversation: Conversation) -> Conversation:
            return end_run(
                conversation,
                job.run.run_id,
                job.run.fence,
                status,
                error=error,
                iterations=steps,
                calls=calls,
                spent=job.evidence.costs,
                at=self.now(),
            )

        try:
            with job.trace.saving("end") as timed:
                steps = await self._contents(job).keep(steps, job.evidence.instructions, job.message)
                await uninterrupted(self.store.update(job.tenant, job.conversation.id, timed(end)))
        except (StaleRun, ConversationNotFound):
            return told
        except WorkflowAgentError as failed:
            # The run is no longer live, so the next accept finds it dead and marks it interrupted.
            _log.exception("the end of a run was not stored", extra={"run_id": job.run.run_id})
            return failed
        return told
