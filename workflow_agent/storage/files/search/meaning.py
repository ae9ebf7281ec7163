"""Search by meaning beside search by words, where an embedding model is configured."""

import asyncio
import hashlib
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic_ai import Embedder
from pydantic_ai.exceptions import AgentRunError, UserError
from typing_extensions import override

from workflow_agent.storage.files.file_system import tenant_directory
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.storage.files.search.vectors import Embedded, VectorTable, spent_on, unit
from workflow_agent.values.usage import RunCosts
from workflow_agent.workflows.model.outline import outline
from workflow_agent.workflows.model.workflow import Workflow
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
_BATCH = 64
_AT_ONCE = 512
"""How many workflows one search has embedded at most; the rest follows with the next searches."""
_LONGEST_TEXT_CHARS = 4_000
_CONSIDERED = 30
_LEAST_COSINE = 0.25
_FUSION = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""


@dataclass(slots=True)
class SearchByMeaning(WorkflowSearch):
    """Joins hits by words with those nearest in meaning, by their ranks.

    What is found by its id, name or alias is not second-guessed. While the model's provider fails, the
    answer is that of the words alone; it is logged and counted.

    Args:
        words: The search without it.
        catalog: What is searched.
        embedder: Makes vectors.
        model_name: Names the file of vectors: those of another model mean nothing to it.
        root: The data directory; None keeps vectors in memory.
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
            wanted = replace(filters, among=list(near))
            passing = await self.words.search(tenant, "", wanted, limit=_CONSIDERED)
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
        return {one: cosine for one, cosine in nearest if cosine >= _LEAST_COSINE}, costs

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
            for start in range(0, min(len(missing), _AT_ONCE), _BATCH):
                ids = missing[start : start + _BATCH]
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
    known = {hit.id: hit for hit in by_meaning} | {hit.id: hit for hit in by_words}
    near, said = {hit.id for hit in by_meaning}, {hit.id for hit in by_words}
    most = 2 / (_FUSION + 1)
    joined: list[WorkflowHit] = []
    for one in sorted(scores, key=lambda id_: -scores[id_]):
        # Found by meaning alone, it matched no word and no filter worth naming.
        strategies = known[one].strategies if one in said else ()
        matched = known[one].matched if one in said else ()
        shown = (*strategies, "meaning") if one in near else strategies
        joined.append(replace(known[one], score=min(scores[one] / most, 0.99), strategies=shown, matched=matched))
    return joined
