"""Messages by their meaning beside their words, where an embedding model is configured."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray
from pydantic_ai import Embedder
from pydantic_ai.exceptions import AgentRunError, UserError

from workflow_agent.conversations.document import AgentReply, Conversation, Event, SystemEvent, UserMessage
from workflow_agent.conversations.history import Past
from workflow_agent.conversations.store import ConversationStore, MessageHit, MessageQuery
from workflow_agent.errors import WorkflowAgentError
from workflow_agent.storage.files.search.vectors import spent_on, unit
from workflow_agent.values.stored import iso_milliseconds
from workflow_agent.values.tasks_by_key import TasksByKey
from workflow_agent.values.usage import Cost, Usage
from workflow_agent.workflows.model.outline import excerpt
from workflow_agent.workflows.search.passages import joined_ranks

_log = logging.getLogger(__name__)
_BATCH = 64
_MOST = 4_096
"""Messages of one conversation that have a vector: the newest when it was first searched, and all since."""
_LONGEST_TEXT_CHARS = 2_000
_KEPT_BYTES = 64 * 2**20
_CONSIDERED = 30
_LEAST_COSINE = 0.25
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Embedded:
    """Vectors of a conversation's messages, a row each."""

    following: int
    """The index of the first event that was not looked at."""
    indices: tuple[int, ...]
    vectors: NDArray[np.float16]

    def nearest(self, wanted: NDArray[np.float32]) -> list[int]:
        """Return the indices of the messages near to a vector, the nearest first."""
        if not self.indices or self.vectors.shape[1] != len(wanted):
            return []
        cosines = self.vectors.astype(np.float32) @ wanted
        order = np.argsort(-cosines, kind="stable")[:_CONSIDERED]
        return [self.indices[at] for at in order if cosines[at] >= _LEAST_COSINE]


@dataclass(slots=True)
class MessagesByMeaning:
    """Joins messages of a conversation that share words with a query with those nearest in meaning, by their ranks.

    Vectors are made beside the search that needs them, which goes by words as long as there are none, and are kept in
    memory: what is forgotten or deleted leaves nothing behind (ADR-0092). A search in all conversations, or in a
    certain time, goes by words.

    Args:
        store: Keeps the conversations, and finds messages by words.
        embedder: Makes vectors.
        spent: Is told what a tenant's vectors took.
        failures: How often the model's provider failed; such a search goes by words.
    """

    store: ConversationStore
    embedder: Embedder
    spent: Callable[[str, Usage, Cost], Awaitable[None]]
    failures: int = 0
    _kept: LRUCache[_Key, _Embedded] = field(
        default_factory=lambda: LRUCache(_KEPT_BYTES, getsizeof=lambda one: one.vectors.nbytes + 1)
    )
    tasks: TasksByKey[_Key] = field(default_factory=lambda: TasksByKey[_Key]("vectors"))
    """Make vectors beside the searches; what is stopped is made again."""

    async def find(self, tenant: str, query: MessageQuery) -> Sequence[MessageHit]:
        """Return messages; see `ConversationStore.find`."""
        if query.conversation_id is None or not query.is_ranked or query.periods or not query.text.strip():
            return await self.store.find(tenant, query)
        end = query.offset + query.limit
        found = await self.store.find(tenant, replace(query, limit=max(end, _CONSIDERED), offset=0))
        conversation = await self.store.load(tenant, query.conversation_id)
        near = await self._nearest(conversation, query.text)
        by_words = {hit.index: hit for hit in found}
        wanted = joined_ranks(list(by_words), near)[query.offset : end] if near else list(by_words)[query.offset : end]
        return [by_words.get(one) or await self._hit(conversation, one) for one in wanted]

    async def settled(self) -> None:
        """Wait until nothing is under way in this process."""
        await self.tasks.settled()

    async def shut_down(self) -> None:
        """Stop what is under way; it will be made again."""
        await self.tasks.shut_down()

    async def _nearest(self, conversation: Conversation, text: str) -> list[int]:
        key = conversation.tenant, conversation.id, iso_milliseconds(conversation.created_at)
        known = self._kept.get(key)
        if known is None or known.following < conversation.next_index:
            self.tasks.start(key, lambda: self._follow(key, conversation), conversation.id)
        if known is None:
            return []
        try:
            made = await self.embedder.embed_query(text[:_LONGEST_TEXT_CHARS])
        except (AgentRunError, UserError, OSError) as error:
            self._failed(error)
            return []
        costs = spent_on(made)
        await self.spent(conversation.tenant, costs.usage, costs.cost)
        return known.nearest(unit(made.embeddings[0]))

    async def _follow(self, key: _Key, conversation: Conversation) -> None:
        """Make the vectors of the messages that have none."""
        past = Past(self.store, conversation)
        known = self._kept.get(key)
        start = known.following if known else max(conversation.next_index - _MOST, 0)
        try:
            while start is not None and start < conversation.next_index:
                said = await past.events(start, _BATCH, _is_said)
                start = said.following
                following = conversation.next_index if start is None else start
                known = await self._with(conversation.tenant, known, said.items, following)
                if known.vectors.nbytes < self._kept.maxsize:
                    self._kept[key] = known
        except (AgentRunError, UserError, OSError, WorkflowAgentError) as error:
            self._failed(error)

    async def _with(self, tenant: str, known: _Embedded | None, said: Sequence[Event], following: int) -> _Embedded:
        indices, vectors = (known.indices, [known.vectors]) if known else ((), [])
        if said:
            made = await self.embedder.embed_documents([one.content[:_LONGEST_TEXT_CHARS] or " " for one in said])
            costs = spent_on(made)
            await self.spent(tenant, costs.usage, costs.cost)
            vectors.append(np.stack([unit(one) for one in made.embeddings]).astype(np.float16))
            indices += tuple(one.index for one in said)
        joined = np.concatenate(vectors) if vectors else np.zeros((0, 0), np.float16)
        return _Embedded(following, indices[-_MOST:], joined[-_MOST:])

    async def _hit(self, conversation: Conversation, index: int) -> MessageHit:
        """Return a message that was found by its meaning alone; it is shown as it is now."""
        event = (await Past(self.store, conversation).events(index, 1, _is_said)).items[0]
        told = event if isinstance(event, UserMessage | AgentReply) else None
        return MessageHit(
            conversation_id=conversation.id,
            title=conversation.title,
            turn=told.turn if told else 0,
            index=event.index,
            event_id=event.id,
            type=event.type,
            author=event.author,
            at=iso_milliseconds(event.at),
            run_id=told.run_id if told else None,
            snippet=excerpt(event.content, ""),
        )

    def _failed(self, error: Exception) -> None:
        self.failures += 1
        _log.warning("messages are found by words alone", extra={"error_type": type(error).__name__})


def _is_said(event: Event) -> bool:
    return not isinstance(event, SystemEvent)
