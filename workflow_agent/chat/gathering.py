"""What a message may need beside the turns in the window: documents, and tool results no longer shown."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from pydantic_ai.models import Model

from workflow_agent.agent.built_context import BuiltContext
from workflow_agent.agent.evidence import Evidence
from workflow_agent.agent.model_config import ModelConfig
from workflow_agent.agent.planner import ArtifactProcessor, PlanningParts
from workflow_agent.agent.planning_ledger import PlanningLedger
from workflow_agent.chat.blobs import Blobs
from workflow_agent.domain.artifacts import (
    Artifact,
    ArtifactPlan,
    ArtifactType,
    Context,
    PlanningThresholds,
    artifact_of,
    build_llm_messages,
    document_artifact,
    planning_need,
    replies_out_of_sight,
    rule_plan,
    with_newest_results,
)
from workflow_agent.domain.artifacts.framing import presented
from workflow_agent.domain.artifacts.planning import DEFAULT_THRESHOLDS
from workflow_agent.domain.conversation import AgentReply, Conversation, UserMessage
from workflow_agent.domain.errors import ContentNotFound, CorruptDocument, WorkflowAgentError
from workflow_agent.domain.iterations import Iteration, Message, ToolResult
from workflow_agent.telemetry import TurnTrace

_log = logging.getLogger(__name__)
_QUESTION_CHARS = 2_000
_UNPRICED = "the price of the primary model is not known: it counts as not expensive"


class Question(Protocol):
    """What is to be answered, and in which conversation."""

    @property
    def tenant(self) -> str:
        """Return whose conversation it is."""
        ...

    @property
    def conversation(self) -> Conversation:
        """Return it as it was when the message was accepted."""
        ...

    @property
    def message(self) -> UserMessage:
        """Return the message to answer."""
        ...

    @property
    def evidence(self) -> Evidence:
        """Return the record of the run, which learns what planning cost."""
        ...

    @property
    def trace(self) -> TurnTrace:
        """Return the turn as operators see it."""
        ...


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

    async def around(
        self,
        asked: Question,
        model: Model,
        name: str,
        goal: str,
        build: Callable[..., Awaitable[BuiltContext]],
    ) -> BuiltContext:
        """Return the window with the artifacts the message may need.

        Args:
            asked: The message and its conversation.
            model: The model that answers.
            name: How it is called in the settings.
            goal: What the turn is for: its mode.
            build: Builds the window, beside artifacts of `material_tokens`.
        """
        ledger = PlanningLedger()
        built = await build()
        artifacts = await self._artifacts(asked, built, ledger)
        if not artifacts:
            return replace(built, planning=ledger.facts())
        try:
            with asked.trace.step("context.plan", artifacts=len(artifacts)):
                frames = await self._frames(built, artifacts, model, self.config_of(name), goal, ledger)
        finally:
            asked.evidence.costs = asked.evidence.costs.with_aside(ledger.costs)
        if not frames:
            return replace(built, planning=ledger.facts())
        material = presented(frames)
        tokens = built.counter.count(material)
        fitted = await build(material_tokens=tokens) if tokens > built.free_tokens else built
        return replace(fitted, material=material, material_tokens=tokens, planning=ledger.facts())

    async def _artifacts(
        self, asked: Question, built: BuiltContext, ledger: PlanningLedger
    ) -> Sequence[Artifact]:
        documents = await self._documents(asked, ledger)
        if built.is_shortened:
            documents.insert(0, _message_itself(asked.message))
        events = [event for event in reversed(asked.conversation.events) if event.id != asked.message.id]
        away = replies_out_of_sight(events, built.verbatim, self.limits.replies)
        in_sight = (one for one in events if isinstance(one, AgentReply) and one.index in built.verbatim)
        replies = [
            await self._with_results(asked, one, ledger) for one in with_newest_results(away, in_sight)
        ]
        context = Context(
            conversation_history=tuple(build_llm_messages(replies[::-1])), artifacts=tuple(documents)
        )
        return context.all_artifacts()

    async def _documents(self, asked: Question, ledger: PlanningLedger) -> list[Artifact]:
        """Return the attached documents, the latest first; one that cannot be read is noted and left out."""
        documents: list[Artifact] = []
        for one in reversed(asked.conversation.attachments[-self.limits.documents :]):
            try:
                text = await self.blobs.get(asked.tenant, asked.conversation.id, one.content_ref)
            except (ContentNotFound, CorruptDocument) as error:
                _note_loss(ledger, one.attachment_id, error)
                continue
            documents.append(document_artifact(one, str(text), turn=asked.message.turn))
        return documents

    async def _with_results(self, asked: Question, reply: AgentReply, ledger: PlanningLedger) -> AgentReply:
        """Return a reply with those of its steps' results in place that are kept apart."""
        iterations: list[Iteration] = []
        for step in reply.iterations:
            messages: list[Message] = []
            for message in step.messages:
                results = [await self._result(asked, one, ledger) for one in message.results]
                messages.append(
                    message.model_copy(update={"results": tuple(results)}) if results else message
                )
            iterations.append(step.model_copy(update={"messages": tuple(messages)}))
        return reply.model_copy(update={"iterations": tuple(iterations)})

    async def _result(self, asked: Question, result: ToolResult, ledger: PlanningLedger) -> ToolResult:
        if result.content_ref is None or result.content is not None:
            return result
        try:
            content = await self.blobs.get(asked.tenant, asked.conversation.id, result.content_ref)
        except (ContentNotFound, CorruptDocument) as error:
            _note_loss(ledger, result.name, error)
            return result
        return result.model_copy(update={"content": content})

    async def _frames(
        self, built: BuiltContext, artifacts: Sequence[Artifact], model: Model,
        config: ModelConfig, goal: str, ledger: PlanningLedger,
    ) -> list[str]:  # fmt: skip
        """Return the artifacts that go into the window, each framed."""
        processor = ArtifactProcessor(
            self.parts, self.models.get(config.context_planner, model),
            self.models.get(config.summarizer, model), built.counter.count, ledger,
        )  # fmt: skip
        budget = max(built.free_tokens, int(built.room_tokens * self.limits.share))
        plan = await self._plan(processor, artifacts, built, budget, config, goal)
        included = await processor.execute_plan(plan, {one.artifact_id: one for one in artifacts}, budget)
        return [frame for _, frame in included]

    async def _plan(
        self, processor: ArtifactProcessor, artifacts: Sequence[Artifact], built: BuiltContext, budget: int,
        config: ModelConfig, goal: str,
    ) -> ArtifactPlan:  # fmt: skip
        question = built.prompt[:_QUESTION_CHARS]
        # Those of earlier turns decide by being there; counting them would only take time.
        is_decided = any(one.is_historical for one in artifacts)
        total = 0 if is_decided else sum(built.counter.count(one.text) for one in artifacts)
        needed, processor.ledger.reason = planning_need(artifacts, total, budget, config, self.thresholds)
        if config.input_price_usd() is None:
            processor.ledger.notes.append(_UNPRICED)
        if needed:
            return await processor.plan_context(artifacts, question, goal, budget)
        processor.ledger.planned_by = "rule"
        return rule_plan(artifacts, question, budget)


def _note_loss(ledger: PlanningLedger, what: str, error: WorkflowAgentError) -> None:
    ledger.notes.append(f"{what} cannot be read: {error.code}")
    _log.warning("an artifact cannot be read", extra={"error_type": error.code})


def _message_itself(message: UserMessage) -> Artifact:
    about = {"title": "the whole of the user's message, of which the window shows only the ends"}
    return artifact_of(ArtifactType.DOCUMENT, message.content, f"message:{message.turn}", message.at, about)
