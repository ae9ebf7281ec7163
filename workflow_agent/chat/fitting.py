"""The window of a turn that makes room for itself: what would not fit is compacted first."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from workflow_agent.agent.built_context import BuiltContext
from workflow_agent.chat.compacting import Compactor
from workflow_agent.chat.jobs import Job
from workflow_agent.domain.conversation import Conversation


@dataclass(slots=True)
class FittingWindow:
    """Builds the window of one job.

    Args:
        compactor: Makes room.
        job: The message to answer.
        build: Builds the window of a conversation.
        may_compact: Whether turns that do not fit are compacted, rather than left out this once.
    """

    compactor: Compactor
    job: Job
    build: Callable[..., Awaitable[BuiltContext]]
    may_compact: bool = True
    _compacted: Conversation | None = field(default=None, init=False)

    async def built(self, *, material_tokens: int = 0) -> BuiltContext:
        """Return the window beside so many tokens of artifacts, which leave turns out but compact none."""
        conversation = self._compacted or self.job.conversation
        built = await self.build(conversation, material_tokens=material_tokens)
        if built.turns_excluded == 0 or material_tokens or not self.may_compact:
            return built
        count = self.job.evidence.counter.count
        made = await self.compactor.before_turn(conversation, built.turns_excluded, count)
        if made is None:
            return built
        if made.compaction is not None:
            self.job.evidence.summarised(made.compaction)
        self._compacted = self._with_contents(made.conversation)
        return await self.build(self._compacted)

    def _with_contents(self, stored: Conversation) -> Conversation:
        """Return the stored conversation with the tool results that the job has read already."""
        whole = {event.id: event for event in self.job.conversation.events}
        events = tuple(whole.get(event.id, event) for event in stored.events)
        return stored.model_copy(update={"events": events})
