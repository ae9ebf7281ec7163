"""The work on accepted messages: one task a run, and whatever it comes to stored and told."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup, UserError

from workflow_agent.agent.evidence import Evidence
from workflow_agent.chat.failures import error_data, failure_of
from workflow_agent.chat.live import LiveRun, LiveRuns
from workflow_agent.chat.requests import TurnOutcome, TurnRequest, chat_response, start_data
from workflow_agent.chat.running import Job, Runner
from workflow_agent.domain import iterations, turns
from workflow_agent.domain.agents import AgentProfile
from workflow_agent.domain.conversation import Conversation, Run, RunError, UserMessage
from workflow_agent.domain.errors import ConversationNotFound, ShuttingDown, StaleRun, WorkflowAgentError
from workflow_agent.ports import ConversationStore, Owners
from workflow_agent.telemetry import RecentContexts

_log = logging.getLogger(__name__)
_FAILURES = (AgentRunError, FallbackExceptionGroup, UserError, WorkflowAgentError)


@dataclass(frozen=True, slots=True)
class Worker:
    """Works on runs: each is settled exactly once, whatever way it ends."""

    store: ConversationStore
    runner: Runner
    owners: Owners
    recent: RecentContexts
    live: LiveRuns
    now: Callable[[], datetime]
    new_id: Callable[[str], str]

    def launch(
        self, tenant: str, request: TurnRequest, agent: AgentProfile, conversation: Conversation, run: Run
    ) -> LiveRun:
        """Start the work on an accepted message and return it; it belongs to nobody's request."""
        asked = (event for event in reversed(conversation.events) if event.id == run.user_event_id)
        message = next(event for event in asked if isinstance(event, UserMessage))
        evidence = Evidence(turn=iterations.new(message.content, at=self.now()), now=self.now)
        job = Job(tenant, request, agent, conversation, run, message, evidence)
        live = self.live.open(run.run_id)
        live.stream.publish("start", start_data(conversation, run))
        live.task = asyncio.create_task(self._work(job, live), name=run.run_id)
        live.task.add_done_callback(_retrieve)
        return live

    async def _work(self, job: Job, live: LiveRun) -> None:
        """Run a job to its end; whatever happens, the run is settled and everyone who waits is told."""
        try:
            outcome = await self._answered(job, live)
        except asyncio.CancelledError:
            await self._settle_stopped(job, live)
        except _FAILURES as error:
            await self._settle_failed(job, live, error)
        except Exception as error:
            await self._settle_failed(job, live, error)
            raise
        else:
            live.settle(outcome, self.live.clock())
        finally:
            self.owners.settle(job.tenant, job.conversation.id)

    async def _answered(self, job: Job, live: LiveRun) -> TurnOutcome:
        reply = await self.runner.run(job, live.stream)

        def commit(conversation: Conversation) -> Conversation:
            return turns.commit_reply(
                conversation, job.run.run_id, job.run.fence, reply, at=self.now(), new_id=self.new_id
            )

        # Once the reply is being stored, stopping comes too late: the file decides.
        conversation = await asyncio.shield(self.store.update(job.tenant, job.conversation.id, commit))
        stored = conversation.reply_of(job.run.run_id)
        assert stored is not None  # noqa: S101 - commit_reply put it there
        outcome = TurnOutcome(conversation.id, stored.turn, job.run.run_id, stored)
        self.recent.add({"conversation_id": conversation.id, "turn": stored.turn, **stored.context})
        live.stream.publish("context", dict(stored.context))
        live.stream.publish("complete", chat_response(outcome))
        return outcome

    async def _settle_failed(self, job: Job, live: LiveRun, error: Exception) -> None:
        stored, told = failure_of(error, job.run.run_id)
        _log.warning(
            "run failed", extra={"run_id": job.run.run_id, "error_type": stored.type}, exc_info=error
        )
        if not isinstance(error, StaleRun):
            told = await self._ended(job, "failed", stored, told)
        live.stream.publish("error", error_data(told))
        live.settle(told, self.live.clock())

    async def _settle_stopped(self, job: Job, live: LiveRun) -> None:
        """Settle a run whose task was cancelled: by request, or because the server stops."""
        if live.stopping == "cancelled":
            stored = RunError(type="Cancelled", message="The run was cancelled on request.")
            told = StaleRun(
                f"Run {job.run.run_id!r} was cancelled.", run_id=job.run.run_id, status="cancelled"
            )
            ended = await self._ended(job, "cancelled", stored, told)
        else:
            message = "The server stopped before the reply was ready. Send the message again."
            stored = RunError(type="Interrupted", message=message, retriable=True)
            ended = await self._ended(
                job, "interrupted", stored, ShuttingDown(message, run_id=job.run.run_id)
            )
        live.stream.publish("error", error_data(ended))
        live.settle(ended, self.live.clock())

    async def _ended(
        self, job: Job, status: turns.EndStatus, error: RunError, told: WorkflowAgentError
    ) -> WorkflowAgentError:
        """Store how a run ended without a reply; return what to tell, which is worse if that fails too."""
        steps = job.evidence.closed()
        calls = job.evidence.call_records(job.message.id)

        def end(conversation: Conversation) -> Conversation:
            return turns.end_run(
                conversation, job.run.run_id, job.run.fence, status,
                error=error, iterations=steps, calls=calls, at=self.now(),
            )  # fmt: skip

        try:
            await asyncio.shield(self.store.update(job.tenant, job.conversation.id, end))
        except (StaleRun, ConversationNotFound):
            return told
        except WorkflowAgentError as failed:
            # The run is no longer live, so the next accept finds it dead and marks it interrupted.
            _log.exception("the end of a run was not stored", extra={"run_id": job.run.run_id})
            return failed
        return told


def _retrieve(task: asyncio.Task[None]) -> None:
    """Take a task's error, which was logged when the run was settled, so that asyncio does not log it too."""
    if not task.cancelled():
        task.exception()
