"""Small documents in memory, as a store keeps them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from workflow_agent.workflows.approvals import Approvals
from workflow_agent.workflows.service import WorkflowService
from workflow_agent.workflows.store import RecordKind, Records, WorkflowCatalog


@dataclass
class FakeRecords(Records):
    """Keeps copies in a dictionary."""

    kept: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    locks: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock])

    async def put(self, kind: RecordKind, record_id: str, document: dict[str, Any]) -> None:
        self.kept[kind, record_id] = json.dumps(document)

    async def get(self, kind: RecordKind, record_id: str) -> dict[str, Any] | None:
        found = self.kept.get((kind, record_id))
        return None if found is None else json.loads(found)

    async def all(self, kind: RecordKind) -> Mapping[str, dict[str, Any]]:
        return {one: json.loads(text) for (of, one), text in sorted(self.kept.items()) if of == kind}

    async def remove(self, kind: RecordKind, record_id: str) -> None:
        self.kept.pop((kind, record_id), None)

    @asynccontextmanager
    async def alone(self, kind: RecordKind) -> AsyncGenerator[None]:
        async with self.locks.setdefault(kind, asyncio.Lock()):
            yield


def approvals_over(catalog: WorkflowCatalog, now: Callable[[], datetime], tenant: str = "default") -> Approvals:
    """Return approvals that are kept in memory."""
    return Approvals(FakeRecords(), WorkflowService(catalog, tenant), now, timedelta(days=7))
