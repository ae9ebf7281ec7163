"""The work of one run: choose, build the window, drive the agent loop, and make the reply of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from workflow_agent.agent.assistant import Assistant
from workflow_agent.agent.evidence import Evidence
from workflow_agent.agent.models import Models
from workflow_agent.agent.workflow_context import RunProgress, WorkflowContext
from workflow_agent.chat.choosing import choose_mode
from workflow_agent.chat.narration import Narration
from workflow_agent.chat.requests import TurnRequest
from workflow_agent.chat.streams import RunStream
from workflow_agent.context import BuiltContext, ContextManager, WindowLimits
from workflow_agent.domain.agents import AgentProfile
from workflow_agent.domain.call_history import CallRecord, OutcomeSummary
from workflow_agent.domain.conversation import (
    Conversation,
    Cost,
    ModeRecord,
    Run,
    UserMessage,
    WorkflowReference,
)
from workflow_agent.domain.errors import WorkflowNotFound
from workflow_agent.domain.turns import Reply
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.window import Utilization, tokens_of, tokens_of_chars
from workflow_agent.domain.workflow import Workflow
from workflow_agent.ports import WorkflowCatalog, WorkflowSearch

_RECENT_REFERENCES = 6


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What one run may take."""

    timeout_seconds: float = 120.0
    reserve_tokens: int = 4_000
    utilization: Utilization = "full"


@dataclass(frozen=True, slots=True)
class Job:
    """A message that was accepted, and everything its answer depends on."""

    tenant: str
    request: TurnRequest
    agent: AgentProfile
    conversation: Conversation
    run: Run
    message: UserMessage
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Runner:
    """Answers accepted messages."""

    assistant: Assistant
    context: ContextManager
    models: Models
    workflows: WorkflowCatalog
    search: WorkflowSearch
    outline: Callable[[Workflow], str]
    cache_stats: Callable[[], JsonObject]
    limits: RunLimits
    now: Callable[[], datetime]

    async def check(self, tenant: str, request: TurnRequest) -> None:
        """Refuse a request that names a model or a workflow which is not there, before it is stored.

        Raises:
            InvalidInput, WorkflowNotFound: Says what is there.
        """
        self.models.named(request.model)
        if request.workflow_id is not None:
            await self.workflows.get(tenant, request.workflow_id)

    async def run(self, job: Job, stream: RunStream) -> Reply:
        """Return the reply to a message, publishing on the stream whatever happens on the way.

        Raises:
            ContextOverflow: The fixed parts of the request are larger than the window.
            AgentRunError: The model or its provider failed.
        """
        mode, refused = choose_mode(job.conversation, job.request, job.agent)
        stream.publish("mode", mode.model_dump(mode="json"))
        model = self.models.named(job.request.model or job.agent.model)
        deps = self._dependencies(job, mode, refused)
        built = await self._window(job, deps, model)
        text = await self._loop(job, deps, built, model, stream)
        return self._reply(job, deps, built, text, model)

    def _dependencies(self, job: Job, mode: ModeRecord, refused: str | None) -> WorkflowContext:
        opened = job.request.workflow_id or job.conversation.bound_workflow_id
        return WorkflowContext(
            tenant=job.tenant, user=job.request.author, agent=job.agent.name, run_id=job.run.run_id,
            attempt=job.run.attempt, conversation=job.conversation, workflows=self.workflows,
            search=self.search, progress=RunProgress(mode, open_workflow_id=opened), evidence=job.evidence,
            outline=self.outline, writing_is_refused=refused,
            notes=self._notes(job.conversation), now=self.now,
        )  # fmt: skip

    def _notes(self, conversation: Conversation) -> tuple[str, ...]:
        today = self.now()
        lines = [f"Today: {today:%Y-%m-%d} ({today:%A})"]
        recent = conversation.workflow_refs[-_RECENT_REFERENCES:]
        if recent:
            listed = "; ".join(f'{r.workflow_id} "{r.name}" ({r.relation}, turn {r.turn})' for r in recent)
            lines.append(f"Workflows in this conversation: {listed}")
        return tuple(lines)

    async def _window(self, job: Job, deps: WorkflowContext, model: Model) -> BuiltContext:
        opened = await self._open_workflow_tokens(deps)
        overhead = tokens_of_chars(self.assistant.overhead_chars(deps.progress.mode.name))
        limits = WindowLimits(
            window_tokens=self.models.window_of(model),
            reserve_tokens=self.limits.reserve_tokens,
            utilization=job.request.context_utilization or self.limits.utilization,
        )
        fixed = overhead + opened + sum(tokens_of(line) for line in deps.notes)
        return await self.context.build(job.conversation, job.message, job.agent.name, fixed, limits)

    async def _open_workflow_tokens(self, deps: WorkflowContext) -> int:
        if deps.progress.open_workflow_id is None:
            return 0
        try:
            opened = await self.workflows.get(deps.tenant, deps.progress.open_workflow_id)
        except WorkflowNotFound:
            return 0
        return tokens_of(self.outline(opened))

    async def _loop(
        self, job: Job, deps: WorkflowContext, built: BuiltContext, model: Model, stream: RunStream
    ) -> str:
        narration = Narration(stream, job.evidence)
        limits = UsageLimits(request_limit=job.agent.max_iterations)
        try:
            async with self.assistant.agent.run_stream_events(
                job.message.content,
                deps=deps,
                model=model,
                message_history=built.history,
                usage_limits=limits,
                timeout=self.limits.timeout_seconds,
                conversation_id=job.conversation.id,
                run_id=f"{job.run.run_id}.{job.run.attempt}",
            ) as events:
                async for event in events:
                    narration.take(event)
        except UsageLimitExceeded:
            narration.add(_stopped_note(job.agent.max_iterations, deps))
        return narration.text

    def _reply(self, job: Job, deps: WorkflowContext, built: BuiltContext, text: str, model: Model) -> Reply:
        iterations = job.evidence.closed()
        progress = deps.progress
        at = self.now()
        references = tuple(
            WorkflowReference(
                workflow_id=touch.id, name=touch.name, aliases=progress.names.get(touch.id, ()),
                relation=touch.change, turn=job.run.turn, conversation_id=job.conversation.id, at=at,
            )
            for touch in progress.touched.values()
        )  # fmt: skip
        return Reply(
            content=text,
            model=job.evidence.model or model.model_name,
            mode=progress.mode,
            tools_used=job.evidence.tools_used(),
            workflows_touched=tuple(progress.touched.values()),
            references=references,
            usage=job.evidence.usage,
            cost=Cost(primary_usd=job.evidence.cost_usd, total_usd=job.evidence.cost_usd),
            context=built.record(
                model=job.evidence.model or model.model_name,
                mode=progress.mode,
                section_chars=job.evidence.section_chars,
                cache_stats=self.cache_stats(),
            ),
            iterations=iterations,
            calls=(_message_call(job, at), *job.evidence.call_records(job.message.id)),
            bound_workflow_id=progress.open_workflow_id,
        )


def _message_call(job: Job, at: datetime) -> CallRecord:
    return CallRecord(
        call_id=job.message.id, timestamp=job.message.at, speaker="user", method_name="chat",
        args=(job.message.content[:2_000],), kwargs=dict(job.message.options),
        outcome_summary=OutcomeSummary(status="success", ok=True, value_class="str"), depth=0,
        duration_ms=(at - job.message.at).total_seconds() * 1_000,
    )  # fmt: skip


def _stopped_note(max_iterations: int, deps: WorkflowContext) -> str:
    done = _done_so_far(list(deps.progress.touched.values()))
    return f"I stopped after {max_iterations} steps, the limit for one message. {done} Tell me how to go on."


def _done_so_far(touched: Sequence[Any]) -> str:
    changed = [touch for touch in touched if touch.change in ("created", "modified")]
    if not changed:
        return "No workflow was changed."
    listed = "; ".join(f"{touch.change} {touch.name!r} (version {touch.version})" for touch in changed)
    return f"Until then I {listed}."
