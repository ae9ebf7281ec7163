"""Workflows as lists show them: a server's, or those of a data directory, for which no service is built."""

import asyncio
from dataclasses import dataclass

from typing_extensions import override

from workflow_agent.cli.backend import Backend, Listed, Listing
from workflow_agent.cli.wiring import OpenWorkflows
from workflow_agent.ports import WorkflowFilters, listed_workflow


@dataclass(frozen=True, slots=True)
class BackendListing(Listing):
    """The workflows of a service."""

    backend: Backend

    @override
    def found(self, words: str, limit: int, *, tag: str | None = None, trigger: str | None = None) -> Listed:
        return list(self.backend.pages("/workflows", limit, q=words or None, tag=tag, trigger=trigger))


@dataclass(frozen=True, slots=True)
class DirectoryListing(Listing):
    """The workflows of a data directory."""

    workflows: OpenWorkflows

    @override
    def found(self, words: str, limit: int, *, tag: str | None = None, trigger: str | None = None) -> Listed:
        return asyncio.run(self._found(words, limit, WorkflowFilters(tag=tag, trigger=trigger)))

    async def _found(self, words: str, limit: int, filters: WorkflowFilters) -> Listed:
        tenant, catalog = self.workflows.tenant, self.workflows.catalog
        answer = await self.workflows.search.search(tenant, words, filters, limit=limit)
        return [listed_workflow(await catalog.get(tenant, hit.id), hit) for hit in answer.hits]
