"""What a message may need beside the turns in the window: documents, and tool results no longer shown."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import Any

from pydantic_ai.models import Model

from workflow_agent.assistant.providers import ModelConfig
from workflow_agent.assistant.requests import Job
from workflow_agent.assistant.window import extraction
from workflow_agent.assistant.window.contents import Blobs, SealedResults
from workflow_agent.assistant.window.counters import PlanningLedger
from workflow_agent.assistant.window.past_turns import with_results
from workflow_agent.assistant.window.plan import (
    DEFAULT_THRESHOLDS,
    PlanningThresholds,
    planning_need,
    rule_plan,
    weighed,
)
from workflow_agent.assistant.window.planner import ArtifactProcessor, PlanningParts
from workflow_agent.assistant.window.record import BuiltContext
from workflow_agent.conversations.artifacts import Artifact, ArtifactPlan, ArtifactType, artifact_of
from workflow_agent.conversations.document import AgentReply, UserMessage
from workflow_agent.conversations.records import UNREADABLE_ERRORS
from workflow_agent.conversations.transcript import presented
from workflow_agent.errors import WorkflowAgentError, WorkflowNotFound
from workflow_agent.workflows.store import WorkflowCatalog

_log = logging.getLogger(__name__)
_QUESTION_CHARS = 2_000
_BYTES_A_CHARACTER = 4
"""At most, in UTF-8."""
_UNPRICED = "the price of the primary model is not known: it counts as not expensive"


@dataclass(frozen=True, slots=True)
class GatheringLimits:
    """How far it is looked, and how much of the window it may take."""

    share: float = 0.5
    """Of the room beside the fixed parts and the message; what the history leaves is taken in any case."""
    replies: int = 40
    """So many earlier replies are looked through for tool results."""
    documents: int = 20
    """So many attached documents are considered, the latest."""


@dataclass(frozen=True, slots=True)
class Gathering:
    """Finds artifacts, has a model plan them where that is worth it, and puts them before the message."""

    blobs: Blobs
    parts: PlanningParts
    config_of: Callable[[str], ModelConfig] = ModelConfig.from_request
    """Names the models for a primary one."""
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    """Those that do nothing but plan and summarize, by name; any other part is played by the primary one."""
    thresholds: PlanningThresholds = DEFAULT_THRESHOLDS
    limits: GatheringLimits = field(default_factory=GatheringLimits)
    workflows: WorkflowCatalog | None = None
    """Knows what was changed since a tool looked at it."""
    sealed: SealedResults | None = None
    """Knows the turns that left the conversation's file; without it they are not looked through."""

    async def around(
        self, job: Job, model: Model, name: str, goal: str, build: Callable[..., Awaitable[BuiltContext]]
    ) -> BuiltContext:
        """Return the window with the artifacts the message may need.

        Args:
            job: The message and its conversation.
            model: The one that answers.
            name: How it is called in the settings.
            goal: What the turn is for: its mode.
            build: Builds the window, beside artifacts of `material_tokens`.
        """
        ledger = PlanningLedger()
        built = await build()
        artifacts = await self._artifacts(job, built, ledger)
        if not artifacts:
            return replace(built, planning=ledger.facts())
        try:
            with job.trace.step("context.plan", artifacts=len(artifacts)):
                frames = await self._frames(built, artifacts, model, self.config_of(name), goal, ledger)
        finally:
            job.evidence.spent_aside(ledger.costs)
        if not frames:
            return replace(built, planning=ledger.facts())
        material = presented(frames)
        tokens = built.counter.count(material)
        fitted = await build(material_tokens=tokens) if tokens > built.free_tokens else built
        return replace(fitted, material=material, material_tokens=tokens, planning=ledger.facts())

    async def _artifacts(self, job: Job, built: BuiltContext, ledger: PlanningLedger) -> Sequence[Artifact]:
        documents = await self._documents(job, ledger)
        if built.is_shortened:
            documents.insert(0, _message_itself(job.message))
        events = [event for event in reversed(job.conversation.events) if event.id != job.message.id]
        away = extraction.replies_out_of_sight(events, built.verbatim, self.limits.replies)
        shown = (one for one in events if isinstance(one, AgentReply) and one.index in built.verbatim)
        # They are among the latest: the events before them need not be looked through.
        in_sight = islice(shown, len(built.verbatim))

        async def read(content_ref: str) -> Any:
            try:
                return await self.blobs.get(job.tenant, job.conversation.id, content_ref)
            except UNREADABLE_ERRORS as error:
                _note_loss(ledger, content_ref, error)
                raise

        sealed: Sequence[AgentReply] = ()
        if self.sealed is not None and self.limits.replies:
            question = job.message.content[:_QUESTION_CHARS]
            sealed = await self.sealed.replies(job.conversation, question, partial(_note_loss, ledger))
        earlier = chain(away, sealed)
        replies = [await with_results(one, read) for one in extraction.with_newest_results(earlier, in_sight)]
        context = extraction.Context(
            conversation_history=tuple(extraction.build_llm_messages(replies[::-1])), artifacts=tuple(documents)
        )
        return [await self._dated(job, one) for one in context.all_artifacts()]

    async def _dated(self, job: Job, artifact: Artifact) -> Artifact:
        """Return an artifact, marked where the workflow it is about was changed since."""
        about = artifact.about_workflow()
        if about is None or self.workflows is None:
            return artifact
        try:
            version = (await self.workflows.get(job.tenant, about[0])).version
        except WorkflowNotFound:
            now = "the workflow was deleted since"
        else:
            if version <= about[1]:
                return artifact
            now = f"the workflow is at version {version} now, this is about version {about[1]}"
        return artifact.model_copy(update={"metadata": {**artifact.metadata, "out_of_date": now}})

    async def _documents(self, job: Job, ledger: PlanningLedger) -> list[Artifact]:
        """Return the attached documents, the latest first; one that cannot be read is noted and left out."""
        documents: list[Artifact] = []
        for one in reversed(job.conversation.attachments[-self.limits.documents :]):
            try:
                text = await self.blobs.get(job.tenant, job.conversation.id, one.content_ref)
            except UNREADABLE_ERRORS as error:
                _note_loss(ledger, one.attachment_id, error)
                continue
            documents.append(extraction.document_artifact(one, str(text), turn=job.message.turn))
        return documents

    async def _frames(
        self,
        built: BuiltContext,
        artifacts: Sequence[Artifact],
        model: Model,
        config: ModelConfig,
        goal: str,
        ledger: PlanningLedger,
    ) -> list[str]:
        """Return the artifacts that go into the window, each framed."""
        processor = ArtifactProcessor(
            self.parts,
            self.models.get(config.context_planner or "", model),
            self.models.get(config.summarizer, model),
            built.counter.count,
            ledger,
        )
        budget = max(built.free_tokens, int(built.room_tokens * self.limits.share))
        plan = await self._plan(processor, artifacts, built, budget, config, goal)
        included = await processor.execute_plan(plan, {one.artifact_id: one for one in artifacts}, budget)
        return [frame for _, frame in included]

    async def _plan(
        self,
        processor: ArtifactProcessor,
        artifacts: Sequence[Artifact],
        built: BuiltContext,
        budget: int,
        config: ModelConfig,
        goal: str,
    ) -> ArtifactPlan:
        question = built.prompt[:_QUESTION_CHARS]
        by_rule = rule_plan(artifacts, question, budget)
        large = weighed(by_rule, artifacts) or artifacts[:1]
        # A token is at least a byte: what is small enough by that need not be counted.
        most = sum(one.size_chars for one in large) * _BYTES_A_CHARACTER
        is_small = most <= budget * (1 - self.thresholds.buffer)
        total = most if is_small else sum(built.counter.count(one.text) for one in large)
        needed, processor.ledger.reason = planning_need(large, total, budget, config, self.thresholds)
        if config.input_price_usd() is None:
            processor.ledger.notes.append(_UNPRICED)
        if needed and config.context_planner is not None:
            return await processor.plan_context(artifacts, question, goal, budget)
        processor.ledger.planned_by = "rule"
        return by_rule


def _note_loss(ledger: PlanningLedger, what: str, error: WorkflowAgentError) -> None:
    ledger.notes.append(f"{what} cannot be read: {error.code}")
    _log.warning("an artifact cannot be read", extra={"error_type": error.code})


def _message_itself(message: UserMessage) -> Artifact:
    about = {"title": "the whole of the user's message, of which the window shows only the ends"}
    return artifact_of(ArtifactType.DOCUMENT, message.content, f"message:{message.turn}", message.at, about)
