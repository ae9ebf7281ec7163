"""The work of one run: choose, build the window, drive the agent loop, and make the reply of it."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    FallbackExceptionGroup,
    ModelContextWindowExceededError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from workflow_agent.assistant.assistant import Assistant
from workflow_agent.assistant.compaction.service import Compactor
from workflow_agent.assistant.context import Occasion, RunProgress, WorkflowContext, learned
from workflow_agent.assistant.modes.conversation_mode import carried_out, pending_preview
from workflow_agent.assistant.providers import Models, keeps_system_messages_in_place
from workflow_agent.assistant.requests import Job, RunLimits, RunStream, TurnRequest
from workflow_agent.assistant.sandbox import PythonSandbox
from workflow_agent.assistant.tools.registry import idle_tools
from workflow_agent.assistant.turns.addressees import choose_mode, mentions_in, roster_answer
from workflow_agent.assistant.turns.memory import known_of_user
from workflow_agent.assistant.turns.narration import Narration, stopped_note, taken_over_note, unanswered_note
from workflow_agent.assistant.window.context import ContextManager, FittingWindow
from workflow_agent.assistant.window.counters import PlanningLedger, TokenCounters
from workflow_agent.assistant.window.material import Gathering
from workflow_agent.assistant.window.record import BuiltContext, outdated_results, roster_notes, run_notes
from workflow_agent.conversations.agents import AgentProfile
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.calls import PROGRAM_TOOL, history_notice
from workflow_agent.conversations.context_records import WindowLimits
from workflow_agent.conversations.document import ModeRecord, WorkflowReference
from workflow_agent.conversations.memory.person import Fact
from workflow_agent.conversations.memory.references import WorkflowMemory
from workflow_agent.conversations.memory.service import PersonalMemory
from workflow_agent.conversations.message_records import message_call
from workflow_agent.conversations.outcome import Reply
from workflow_agent.conversations.seals import SealedPart
from workflow_agent.conversations.store import MessageHit, MessageQuery
from workflow_agent.conversations.transitions import pending_handoff
from workflow_agent.errors import WorkflowNotFound
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.approvals import Approvals
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.previews import Preview
from workflow_agent.workflows.store import ReadOnceCatalog, WorkflowCatalog, WorkflowSearch

_log = logging.getLogger(__name__)
_FILTERED = "The model's provider stopped the answer: its content filter does not let it through."
_MOST_CHANGES = 20
_MASK_STEP = 4
"""In steps of how many turns tool results leave a window whose beginning is cached (ADR-0011)."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Answers accepted messages."""

    assistant: Assistant
    context: ContextManager
    gathering: Gathering
    compactor: Compactor
    approvals: Approvals
    models: Models
    roster: Mapping[str, AgentProfile]
    counters: TokenCounters
    workflows: WorkflowCatalog
    search: WorkflowSearch
    memory: WorkflowMemory
    personal: PersonalMemory
    sandbox: PythonSandbox
    blob: Callable[[str, str, str], Awaitable[Any]]
    find: Callable[[str, MessageQuery], Awaitable[Sequence[MessageHit]]]
    sealed: Callable[[str, str, Position], Awaitable[SealedPart]]
    outline: Callable[[Workflow], str]
    count_caches: Callable[[], Callable[[], JsonObject]]
    """Begins to count hits and misses of the caches; what it returns says how many there were since."""
    limits: RunLimits
    now: Callable[[], datetime]

    async def check(self, tenant: str, request: TurnRequest) -> None:
        """Refuse a request that names a model or a workflow which is not there, before it is stored.

        Raises:
            InvalidInput, WorkflowNotFound: Says what is there.
        """
        self.models.answering(request.model, request.model_key)
        if request.workflow_id is not None:
            await self.workflows.get(tenant, request.workflow_id)

    async def run(self, job: Job, stream: RunStream) -> Reply:
        """Return the reply to a message, publishing on the stream whatever happens on the way.

        Raises:
            ContextOverflow: The fixed parts of the request are larger than the window.
            AgentRunError: The model or its provider failed.
        """
        cached = self.count_caches()
        pending = await self._pending(job)
        confirmed = carried_out(job.conversation, job.message)
        mode, refused = choose_mode(job.conversation, job.request, job.agent, pending, confirmed)
        stream.publish("mode", mode.model_dump(mode="json"))
        wanted = job.request.model or job.agent.model
        model = self.models.answering(wanted, job.request.model_key)
        job.trace.mode, job.trace.model = mode.name, wanted or self.models.default
        job.evidence.counter = self.counters.of(model)
        author = job.request.author
        known, facts = await known_of_user(self.memory, self.personal, job.conversation, author, job.trace)
        workflows = ReadOnceCatalog(self.workflows, lambda: job.evidence.turn)
        outdated = await outdated_results(workflows, job.conversation)
        narration = Narration(stream, job.evidence, tuple(self.roster), job.trace.first_chunk)
        deps = self._dependencies(job, RunProgress(mode, pending=pending), workflows, refused, known, facts, outdated)
        named = mentions_in(job.request.message, self.roster)
        is_for_nobody = bool(named.unknown) and not named.agents and job.request.agent is None
        with job.trace.step("context.build"):
            built = await self._window(job, deps, model, is_sent=not is_for_nobody)
        if is_for_nobody:
            text = self._told_who_there_is(job, named.unknown, stream)
        else:
            try:
                text = await self._loop(job, deps, built, model, narration)
            except ModelContextWindowExceededError:
                if job.evidence.answer or job.evidence.turn.current_iteration > 1:
                    raise
                # Its window is smaller than we were told: what is not fixed is sent by half.
                built = await self._window(job, deps, model, is_sent=True, shrunk=built)
                text = await self._loop(job, deps, built, model, narration)
        return self._reply(job, deps, built, text, model, cached())

    async def _pending(self, job: Job) -> Preview | None:
        """Return the preview that the message may answer, unless it was decided elsewhere."""
        preview = pending_preview(job.conversation, job.message)
        return preview if preview is not None and await self.approvals.is_open(preview) else None

    def _told_who_there_is(self, job: Job, unknown: Sequence[str], stream: RunStream) -> str:
        """Answer a message for somebody who is not there with the roster; no model is asked."""
        text = roster_answer(unknown, [(profile.name, profile.description) for profile in self.roster.values()])
        job.evidence.says(text)
        stream.publish("delta", {"text": text})
        return text

    def _dependencies(
        self,
        job: Job,
        progress: RunProgress,
        workflows: WorkflowCatalog,
        refused: str | None,
        known: Sequence[WorkflowReference],
        facts: Sequence[Fact],
        outdated: Sequence[str],
    ) -> WorkflowContext:
        progress.open_workflow_id = job.request.workflow_id or job.conversation.bound_workflow_id
        progress.phase = job.conversation.phase
        return WorkflowContext(
            tenant=job.tenant,
            user=job.request.author,
            agent=job.agent.name,
            run_id=job.run.run_id,
            attempt=job.run.attempt,
            conversation=job.conversation,
            workflows=workflows,
            search=self.search,
            progress=progress,
            evidence=job.evidence,
            outline=self.outline,
            writing_is_refused=refused,
            roster=self.roster,
            max_handoffs=self.limits.max_handoffs,
            sandbox=self.sandbox,
            blob=self.blob,
            sealed=self.sealed,
            find=self.find,
            references=known,
            personal=self.personal,
            notes=run_notes(job, progress.pending, known, facts, outdated, self.now()),
            idle_tools=idle_tools(job.conversation, job.message.content, job.agent, self.roster),
            now=self.now,
            fence_number=job.run.fence,
        )

    async def _window(
        self, job: Job, deps: WorkflowContext, model: Model, *, is_sent: bool, shrunk: BuiltContext | None = None
    ) -> BuiltContext:
        """Return the window, or one shrunk from it; without what costs a call of a model, if it goes to none."""
        counter = job.evidence.counter
        fixed = self.assistant.overhead(deps, model, counter.count)
        fixed["memory"] = sum(map(counter.count, (roster_notes(job.agent, self.roster), *deps.notes)))
        fixed["workflow"] = counter.count(await self._open_workflow(deps))
        how = PROGRAM_TOOL not in deps.idle_tools
        told = history_notice(job.conversation.calls, job.conversation.sealed_calls, with_programs=how)
        fixed["calls"] = counter.count(told)
        limits = WindowLimits(
            window_tokens=self.models.window_of(model),
            reserve_tokens=self.limits.reserve_tokens,
            utilization=job.request.context_utilization or "full",
        )
        if shrunk is not None:
            kept = sum(fixed.values())
            sent = sum(shrunk.sections(job.evidence.section_tokens).values())
            smaller = kept + max(sent - kept, 0) // 2 + limits.reserve_tokens
            limits = replace(limits, window_tokens=min(smaller, limits.window_tokens), utilization="full")
        build = partial(
            self.context.build,
            trigger=job.message,
            agent=job.agent.name,
            fixed=fixed,
            limits=limits,
            counter=counter,
            handoff=pending_handoff(job.conversation, job.agent.name),
            registered=self.roster.keys(),
            system_in_place=keeps_system_messages_in_place(model),
            mask_step=1 if model.base_url is None else _MASK_STEP,
            read=partial(self.gathering.blobs.get, job.tenant, job.conversation.id),
        )
        # A request that asks for a smaller share of the window is no reason to compact for all others.
        may_compact = is_sent and shrunk is None and limits.utilization == "full"
        window = FittingWindow(self.compactor, job, build, may_compact=may_compact)
        if not is_sent:
            return replace(await window.built(), planning=PlanningLedger(reason="no model is asked").facts())
        gathering = replace(self.gathering, workflows=deps.workflows)
        return await gathering.around(job, model, job.trace.model, deps.progress.mode.name, window.built)

    async def _open_workflow(self, deps: WorkflowContext) -> str:
        if deps.progress.open_workflow_id is None:
            return ""
        try:
            return self.outline(await deps.workflows.get(deps.tenant, deps.progress.open_workflow_id))
        except WorkflowNotFound:
            return ""

    async def _loop(
        self, job: Job, deps: WorkflowContext, built: BuiltContext, model: Model, narration: Narration
    ) -> str:
        if (confirmed := carried_out(job.conversation, job.message)) and confirmed.to == job.agent.name:
            narration.add(taken_over_note(confirmed))
        limits = UsageLimits(request_limit=job.agent.max_iterations)
        try:
            async with self.assistant.loop.run(
                built.user_content(),
                deps=deps,
                model=model,
                history=built.history,
                limits=limits,
                timeout_seconds=self.limits.timeout_seconds,
                conversation_id=job.conversation.id,
                run_id=f"{job.run.run_id}.{job.run.attempt}",
                recorded=job.recorded,
                is_streamed=job.request.is_streamed,
            ) as run:
                await narration.follow(run.events())
            if not job.evidence.answer.strip():
                raise UnexpectedModelBehavior("The answer is blank.")
        except UsageLimitExceeded:
            touched, answered = tuple(deps.progress.touched.values()), job.evidence.tools_that_answered()
            narration.add(stopped_note(job.agent.max_iterations, touched, answered))
        except ContentFilterError:
            self._say(job, narration, job.evidence.refusal or _FILTERED)
        except (AgentRunError, FallbackExceptionGroup) as error:
            if not deps.progress.has_written:
                raise
            # Told as an error it would be sent again, and the change made twice.
            _log.warning("the model failed after a change", extra={"error_type": type(error).__name__})
            self._say(job, narration, _unanswered(job, deps))
        return narration.text

    def _say(self, job: Job, narration: Narration, text: str) -> None:
        """Say something in the model's place, which later windows show as what it said."""
        job.evidence.says(text)
        narration.add(text)

    def _reply(
        self, job: Job, deps: WorkflowContext, built: BuiltContext, text: str, model: Model, cached: JsonObject
    ) -> Reply:
        iterations = job.evidence.closed()
        progress, at = deps.progress, self.now()
        occasion = Occasion(job.message.content, job.conversation.id, job.run.turn, at)
        job.trace.mode = progress.mode.name
        answered = () if job.run.follows else (message_call(job.message, job.run, "success", at),)
        return Reply(
            content=text,
            model=job.evidence.model or model.model_name,
            mode=progress.mode,
            tools_used=job.evidence.tools_used(),
            workflows_touched=tuple(progress.touched.values()),
            references=learned(progress, deps.references, occasion),
            usage=job.evidence.costs.usage,
            cost=job.evidence.costs.cost,
            context=self._record(job, progress.mode, built, model, cached),
            iterations=iterations,
            calls=(*answered, *job.evidence.call_records()),
            bound_workflow_id=progress.open_workflow_id,
            phase_changes=tuple(progress.phase_changes),
            handoffs=tuple(progress.handoffs),
            seen_index=job.conversation.events[-1].index,
            preview=progress.preview,
            finish_reason=job.evidence.finish_reason,
            unconfirmed_claims=job.evidence.unconfirmed_claims,
        )

    def _record(self, job: Job, mode: ModeRecord, built: BuiltContext, model: Model, cached: JsonObject) -> JsonObject:
        """Return the context record, and learn from what the provider counted."""
        evidence = job.evidence
        if evidence.reported_tokens is not None:
            counted = sum(built.sections(evidence.section_tokens).values())
            self.counters.reported(model, built.counter, counted, evidence.reported_tokens)
        return built.record(
            model=evidence.model or model.model_name,
            mode=mode,
            section_tokens=evidence.section_tokens,
            reported_tokens=evidence.reported_tokens,
            cache_stats=cached,
            finish_reason=evidence.finish_reason,
        )


def _unanswered(job: Job, deps: WorkflowContext) -> str:
    """Return what the record says of the changes of a run that the model did not tell of."""
    changes: list[str] = []
    for result in job.evidence.results.values():
        match result.content:
            case {"dry_run": True}:
                pass
            case {"changes": [*told]} if result.outcome == "success":
                changes += map(str, told)
            case _:
                pass
    return unanswered_note(tuple(deps.progress.touched.values()), changes[:_MOST_CHANGES])
