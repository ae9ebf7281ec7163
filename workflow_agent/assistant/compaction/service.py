"""Compacting conversations beside their turns: decided after a reply, stored if it still holds."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from weakref import WeakValueDictionary

from workflow_agent.assistant.compaction import policy
from workflow_agent.assistant.compaction.compaction import (
    Summarised,
    completed,
    drafted,
    excess_tokens,
    facts_of_cut,
    new_ledger,
    restored,
    saves_enough,
    with_compaction,
)
from workflow_agent.assistant.compaction.restore import sealed_with
from workflow_agent.assistant.compaction.summarizer import Material, Summarizer
from workflow_agent.conversations.compactions import Compaction, Ledger, Summary
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.seals import unsealed
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import (
    AlreadyExists,
    CannotRestore,
    ConversationNotFound,
    NothingToCompact,
    WorkflowAgentError,
)
from workflow_agent.telemetry.providers import Telemetry
from workflow_agent.values.tasks import TasksByKey, uninterrupted
from workflow_agent.values.tokens import Cost, Usage, tokens_of

_log = logging.getLogger(__name__)
Count = Callable[[str], int]
Key = tuple[str, str]
MOST_AT_ONCE = 8
"""Each holds a whole conversation while the model sums it up; the others wait their turn."""


@dataclass(frozen=True, slots=True)
class Made:
    """What became of compacting a conversation."""

    compaction: Compaction | None
    """None where there was nothing left to do."""
    conversation: Conversation
    """As it is now."""
    is_in_force: bool = True
    """Whether the compaction was stored: not where somebody else was faster."""


@dataclass(frozen=True, slots=True)
class Compactor:
    """Compacts conversations, one compaction at a time each.

    What was not stored when the process ended is simply made again: a compaction changes nothing but what
    the window shows.
    """

    store: ConversationStore
    summarizer: Summarizer
    rule: policy.CompactionRule
    telemetry: Telemetry
    now: Callable[[], datetime]
    new_id: Callable[[str], str]
    across_processes: Callable[[str, str], AbstractAsyncContextManager[None]]
    """Keeps other processes from compacting a conversation, by tenant and id."""
    count: Callable[[], Count] = lambda: tokens_of
    """Returns how the model that the next message goes to counts tokens."""
    share: float = 0.25
    """How much of what was compacted may be shown in its place."""
    spent: Callable[[str, Usage, Cost], Awaitable[None]] | None = None
    """Is told what a tenant's compactions took that no run counts as its own."""
    tasks: TasksByKey[Key] = field(default_factory=lambda: TasksByKey[Key]("compaction"))
    """Compactions beside the turns; one that is stopped is made again."""
    _locks: WeakValueDictionary[Key, asyncio.Lock] = field(default_factory=WeakValueDictionary[Key, asyncio.Lock])
    _under_way: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_AT_ONCE))

    def after_reply(self, conversation: Conversation, count: Count) -> None:
        """Start the compaction that a conversation needs, if it needs one; nobody waits for it."""
        key = conversation.tenant, conversation.id
        if key not in self.tasks and policy.due_cut(conversation, self.rule) is not None:
            self.tasks.start(key, lambda: self._beside(key, count), conversation.id)

    async def _beside(self, key: Key, count: Count) -> None:
        try:
            async with self._under_way, self._alone(key):
                # Read now: those that wait hold no conversation, and another process may have been at it.
                current = await self.store.load(*key)
                if cut := policy.due_cut(current, self.rule):
                    await self._made(current, cut, count, count_spending=True)
        except ConversationNotFound:
            _log.info("compaction discarded: the conversation was deleted", extra={"conversation_id": key[1]})
        except WorkflowAgentError:
            # Nothing is lost but the work: the next reply finds the same turns due.
            _log.exception("compaction not stored", extra={"conversation_id": key[1]})

    async def before_turn(self, conversation: Conversation, excluded: int, count: Count) -> Made | None:
        """Compact the turns that do not fit any more, before a turn; None when nothing may go.

        One that is under way is waited for first: it may be all that is needed.
        """
        async with self._alone((conversation.tenant, conversation.id)):
            current = await self.store.load(conversation.tenant, conversation.id)
            if policy.in_force(current) != policy.in_force(conversation):
                return Made(None, current)
            cut = policy.cut_of(current, self.rule, "overflow", at_least=excluded)
            if cut is None:
                return None
            made = await self._made(current, cut, count, count_spending=False)
            return made if made.compaction else None

    async def on_request(self, tenant: str, conversation_id: str, compaction_id: str) -> Compaction:
        """Return the compaction of the oldest turns, made because somebody asks for it.

        Raises:
            AlreadyExists: The conversation has a compaction with this id.
            NothingToCompact: No turn may go.
            ConversationNotFound: No such conversation.
            StorageFailed: The compaction could not be stored.
        """
        async with self._alone((tenant, conversation_id)):
            current = await self.store.load(tenant, conversation_id)
            if any(one.id == compaction_id for one in current.compactions):
                raise AlreadyExists(f"Compaction {compaction_id!r} is made already.")
            cut = policy.cut_of(current, self.rule, "request")
            if cut is None:
                raise NothingToCompact(
                    f"No turn of conversation {conversation_id!r} may leave the window: the newest "
                    f"{self.rule.kept_turns} stay, and what waits for an answer does. Go on talking."
                )
            made = await self._made(current, cut, self.count(), count_spending=True, compaction_id=compaction_id)
        if made.compaction is None:
            raise NothingToCompact(
                f"The oldest turns of conversation {conversation_id!r} are no longer than the record that "
                "would stand for them. Go on talking, and ask again when there are more."
            )
        if not made.is_in_force:
            raise NothingToCompact(
                f"Conversation {conversation_id!r} was compacted by another server at the same moment."
            )
        return made.compaction

    async def restore(
        self, tenant: str, conversation_id: str, compaction_id: str
    ) -> tuple[Sequence[Compaction], Conversation]:
        """Undo a compaction and all later ones; return those undone now, and the conversation.

        Raises:
            CompactionNotFound, ConversationNotFound: There is none.
            CannotRestore: The turns do not fit; says by how many tokens.
            StorageFailed: It could not be stored.
        """
        undone: list[Compaction] = []
        count = self.count()
        stored = await self.store.load(tenant, conversation_id)
        away = await sealed_with(self.store, stored, compaction_id, count)

        def undo(conversation: Conversation) -> Conversation:
            back = unsealed(away.opened(conversation), away.parts)
            after = restored(back, compaction_id, at=self.now())
            if after is back:
                return conversation
            excess = excess_tokens(conversation, after, count)
            if excess:
                raise CannotRestore(
                    f"With the turns of compaction {compaction_id!r} back, the next request would be "
                    f"{excess} tokens over the window's budget. Let the assistant recall what you need of "
                    "them, or use a model with a larger window.",
                    excess_tokens=excess,
                )
            kept = {one.id for one in policy.in_force(after)}
            undone[:] = [one for one in policy.in_force(back) if one.id not in kept]
            return after

        async with self._alone((tenant, conversation_id)):
            # By itself, so that the store sees which files are needed no more.
            await self.store.update(tenant, conversation_id, away.opened)
            conversation = await self.store.update(tenant, conversation_id, undo)
        return undone, conversation

    @asynccontextmanager
    async def _alone(self, key: Key) -> AsyncGenerator[None]:
        async with self._locks.setdefault(key, asyncio.Lock()), self.across_processes(*key):
            yield

    async def settled(self) -> None:
        """Wait until nothing is under way in this process."""
        await self.tasks.settled()

    async def shut_down(self) -> None:
        """Stop what is under way; it will be made again."""
        await self.tasks.shut_down()

    async def _made(
        self,
        conversation: Conversation,
        cut: policy.Cut,
        count: Count,
        *,
        count_spending: bool,
        compaction_id: str | None = None,
    ) -> Made:
        at = compaction_id or self.new_id("cmp")
        own = facts_of_cut(conversation, cut)

        def drafted_with(summary: Summary | None) -> Compaction:
            return drafted(conversation, cut, own, summary, compaction_id=at, at=self.now(), count=count)

        draft = drafted_with(None)
        if not saves_enough(draft, conversation, count):
            # Nobody is asked for a summary of turns that are no longer than what would stand for them.
            return Made(None, conversation, is_in_force=False)
        with self.telemetry.compaction(conversation.id, cut.trigger) as trace:
            result = await self._summarised(conversation, cut, own, count)
            if result.summary is not None:
                told = drafted_with(result.summary)
                if saves_enough(told, conversation, count):
                    draft = told
                else:
                    result = replace(result, summary=None, fallback="longer than what it would replace")
            made = completed(draft, conversation, cut, result, count, self.share)
            stored = await uninterrupted(
                self.store.update(
                    conversation.tenant,
                    conversation.id,
                    lambda now: with_compaction(now, made, cut, count_spending=count_spending),
                )
            )
            is_in_force = any(one.id == made.id for one in stored.compactions)
            trace.ended(made, is_in_force=is_in_force)
        if count_spending and self.spent is not None:
            await self.spent(conversation.tenant, made.usage, made.cost)
        return Made(made, stored, is_in_force=is_in_force)

    async def _summarised(self, conversation: Conversation, cut: policy.Cut, own: Ledger, count: Count) -> Summarised:
        if not policy.may_ask(conversation):
            return Summarised(None, "the summariser failed before and is not asked again yet")
        material = Material(
            policy.newest_summary(policy.in_force(conversation)), new_ledger(conversation, own), cut.events
        )
        return await self.summarizer.summarise(material, count)
