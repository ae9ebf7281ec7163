"""Search by meaning beside search by words, of workflows and of messages, where an embedding model is configured."""

import asyncio
import hashlib
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray
from pydantic_ai import Embedder
from pydantic_ai.exceptions import AgentRunError, UserError
from typing_extensions import override

from workflow_agent.conversations.document import AgentReply, Conversation, Event, SystemEvent, UserMessage
from workflow_agent.conversations.history import Past
from workflow_agent.conversations.store import ConversationStore, MessageHit, MessageQuery
from workflow_agent.errors import WorkflowAgentError
from workflow_agent.storage.files.file_system import tenant_directory
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.storage.files.search.vectors import BATCH, LEAST_COSINE, Embedded, VectorTable, spent_on, unit
from workflow_agent.values.stored import iso_milliseconds
from workflow_agent.values.tasks import TasksByKey
from workflow_agent.values.tokens import Cost, RunCosts, Usage
from workflow_agent.workflows.model.workflow import Workflow, outline
from workflow_agent.workflows.search.passages import excerpt, joined_ranks
from workflow_agent.workflows.store import (
    ANY_WORKFLOW,
    SearchAnswer,
    WorkflowCatalog,
    WorkflowFilters,
    WorkflowHead,
    WorkflowHit,
    WorkflowSearch,
)

_log = logging.getLogger(__name__)
_CERTAIN = frozenset({"exact_id", "exact_name", "alias"})
_AT_ONCE = 512
"""How many workflows one search has embedded at most; the rest follows with the next searches."""
_LONGEST_TEXT_CHARS = 4_000
_CONSIDERED = 30
_FUSION = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""


@dataclass(slots=True)
class SearchByMeaning(WorkflowSearch):
    """Joins hits by words with those nearest in meaning, by their ranks.

    What is found by its id, name or alias is not second-guessed. While the model's provider fails, the
    answer is that of the words alone; it is logged and counted.

    Vectors of another model mean nothing to this one: `model_name` names their file; without a root they are in
    memory.
    """

    words: SqliteWorkflowSearch
    catalog: WorkflowCatalog
    embedder: Embedder
    model_name: str
    root: Path | None = None
    failures: int = 0
    _tables: dict[str, VectorTable] = field(default_factory=dict[str, VectorTable])
    _catching_up: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock])

    @override
    async def search(
        self, tenant: str, query: str, filters: WorkflowFilters = ANY_WORKFLOW, *, limit: int = 10
    ) -> SearchAnswer:
        found = await self.words.search(tenant, query, filters, limit=max(limit, _CONSIDERED))
        first = found.hits[0] if found.hits else None
        if not query.strip() or (first is not None and _CERTAIN.intersection(first.strategies)):
            return replace(found, hits=found.hits[:limit])
        near, costs = await self._nearest(tenant, query)
        if filters.among is not None:
            near = {one: cosine for one, cosine in near.items() if one in filters.among}
        passing = SearchAnswer(())
        if near:
            # Asked without words, the search says which of them pass the filters, and what they are called.
            passing = await self.words.search(tenant, "", replace(filters, among=list(near)), limit=_CONSIDERED)
        hits = _fused(found.hits, sorted(passing.hits, key=lambda hit: -near[hit.id]))
        return SearchAnswer(tuple(hits[:limit]), () if hits else found.suggestions, costs)

    def close(self) -> None:
        """Close every file."""
        for table in self._tables.values():
            table.close()
        self.words.close()

    async def _nearest(self, tenant: str, query: str) -> tuple[Mapping[str, float], RunCosts]:
        """Return the cosines of the workflows near to a query, and what finding them cost."""
        costs = RunCosts()
        try:
            table = await asyncio.to_thread(self._table, tenant)
            costs = await self._catch_up(tenant, table)
            made = await self.embedder.embed_query(query[:_LONGEST_TEXT_CHARS])
            costs = costs.with_aside(spent_on(made))
            nearest = await asyncio.to_thread(table.nearest, unit(made.embeddings[0]), _CONSIDERED)
        except (AgentRunError, UserError, sqlite3.Error, OSError) as error:
            self.failures += 1
            _log.warning("Search goes by words alone: %s cannot be used: %s", self.model_name, error)
            # A call that failed may be charged for all the same.
            return {}, replace(costs, is_complete=False)
        return {one: cosine for one, cosine in nearest if cosine >= LEAST_COSINE}, costs

    def _table(self, tenant: str) -> VectorTable:
        if tenant not in self._tables:
            name = f"meaning-{hashlib.sha256(self.model_name.encode()).hexdigest()[:12]}.sqlite"
            path = None if self.root is None else tenant_directory(self.root, tenant) / ".index" / name
            self._tables[tenant] = VectorTable(path)
        return self._tables[tenant]

    async def _catch_up(self, tenant: str, table: VectorTable) -> RunCosts:
        costs = RunCosts()
        async with self._catching_up.setdefault(tenant, asyncio.Lock()):
            heads = {one: _text_of(head) for one, head in (await self.catalog.heads(tenant)).items()}
            missing = await asyncio.to_thread(table.outdated, heads)
            for start in range(0, min(len(missing), _AT_ONCE), BATCH):
                ids = missing[start : start + BATCH]
                workflows = [await self.catalog.get(tenant, one) for one in ids]
                made = await self.embedder.embed_documents([_described(one) for one in workflows])
                costs = costs.with_aside(spent_on(made))
                embedded = [
                    Embedded(one.id, heads[one.id], unit(vector))
                    for one, vector in zip(workflows, made.embeddings, strict=True)
                ]
                await asyncio.to_thread(table.put, embedded)
        return costs


def _text_of(head: WorkflowHead) -> str:
    return f"{head.version} {head.changed} {head.mark}"


def _described(workflow: Workflow) -> str:
    return f"{workflow.name}\n{workflow.description}\n{outline(workflow)}"[:_LONGEST_TEXT_CHARS]


def _fused(by_words: Sequence[WorkflowHit], by_meaning: Sequence[WorkflowHit]) -> list[WorkflowHit]:
    """Return all hits by the sum of their reciprocal ranks, each saying how it was found."""
    scores: dict[str, float] = {}
    for ranked in (by_words, by_meaning):
        for rank, hit in enumerate(ranked, 1):
            scores[hit.id] = scores.get(hit.id, 0.0) + 1 / (_FUSION + rank)
    near, most = {hit.id for hit in by_meaning}, 2 / (_FUSION + 1)
    # Found by meaning alone, it matched no word and no filter worth naming.
    known = {hit.id: replace(hit, strategies=(), matched=()) for hit in by_meaning} | {hit.id: hit for hit in by_words}
    joined: list[WorkflowHit] = []
    for one in sorted(scores, key=lambda id_: -scores[id_]):
        shown = (*known[one].strategies, "meaning") if one in near else known[one].strategies
        joined.append(replace(known[one], score=min(scores[one] / most, 0.99), strategies=shown))
    return joined


_MOST = 4_096
"""Messages of one conversation that have a vector: the newest when it was first searched, and all since."""
_LONGEST_MESSAGE_CHARS = 2_000
_KEPT_BYTES = 64 * 2**20
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
        return [self.indices[at] for at in order if cosines[at] >= LEAST_COSINE]


@dataclass(slots=True)
class MessagesByMeaning:
    """Joins messages of a conversation that share words with a query with those nearest in meaning, by their ranks.

    Vectors are made beside the search that needs them, which goes by words as long as there are none, and are kept in
    memory: what is forgotten or deleted leaves nothing behind (ADR-0092). A search in all conversations, or in a
    certain time, goes by words.

    `spent` is told what a tenant's vectors took.
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

    async def _nearest(self, conversation: Conversation, text: str) -> list[int]:
        key = conversation.tenant, conversation.id, iso_milliseconds(conversation.created_at)
        known = self._kept.get(key)
        if known is None or known.following < conversation.next_index:
            self.tasks.start(key, lambda: self._follow(key, conversation), conversation.id)
        if known is None:
            return []
        try:
            made = await self.embedder.embed_query(text[:_LONGEST_MESSAGE_CHARS])
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
                said = await past.events(start, BATCH, _is_said)
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
            made = await self.embedder.embed_documents([one.content[:_LONGEST_MESSAGE_CHARS] or " " for one in said])
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
