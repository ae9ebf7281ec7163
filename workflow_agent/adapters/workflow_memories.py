"""What users dealt with: kept for as long as the process runs, or as one JSON file a user."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import orjson
from pydantic import Field
from typing_extensions import override

from workflow_agent.adapters.data_paths import check_tenant, tenant_directory
from workflow_agent.adapters.durable_files import DurableFiles
from workflow_agent.adapters.file_locks import WriterQueues, locked
from workflow_agent.adapters.stored_documents import DocumentReader
from workflow_agent.domain.conversation import WorkflowReference
from workflow_agent.domain.memory import MOST_REFERENCES, merged_references
from workflow_agent.domain.values import Value
from workflow_agent.domain.workflow import ID_PATTERN
from workflow_agent.ports import WorkflowMemory

_DIRECTORY = "memory"
_PLAIN_NAME = re.compile(ID_PATTERN)


class InMemoryWorkflowMemory(WorkflowMemory):
    """Remembers what users dealt with in one process.

    Args:
        most: References kept for a user.
    """

    def __init__(self, *, most: int = MOST_REFERENCES) -> None:
        self._most = most
        self._kept: dict[tuple[str, str], tuple[WorkflowReference, ...]] = {}

    @override
    async def recall(self, tenant: str, user: str) -> Sequence[WorkflowReference]:
        check_tenant(tenant)
        return self._kept.get((tenant, user), ())

    @override
    async def remember(self, tenant: str, user: str, references: Sequence[WorkflowReference]) -> None:
        known = await self.recall(tenant, user)
        self._kept[tenant, user] = merged_references(known, references, most=self._most)


class RememberedWorkflows(Value):
    """A user's file."""

    schema_version: int = Field(default=1, ge=1, le=1)
    user: str
    references: tuple[WorkflowReference, ...] = ()


class JsonWorkflowMemory(WorkflowMemory):
    """Keeps each user's references in `<tenant>/memory/<user>.json` below the data directory.

    A user is any text: one that is no plain name is kept under `_` and its digest.

    Args:
        files: The data directory.
        most: References kept for a user.
    """

    def __init__(self, files: DurableFiles, *, most: int) -> None:
        self._files = files
        self._most = most
        self._reader = DocumentReader(files, _parsed)
        self._queues = WriterQueues()

    @override
    async def recall(self, tenant: str, user: str) -> Sequence[WorkflowReference]:
        path = self._path(tenant, user)
        found = await asyncio.to_thread(self._reader.read, path, path.with_suffix(".lock"))
        return found.value.references if found else ()

    @override
    async def remember(self, tenant: str, user: str, references: Sequence[WorkflowReference]) -> None:
        path = self._path(tenant, user)
        if references:
            async with self._queues.of(path):
                await asyncio.to_thread(self._remember, path, user, references)

    def _path(self, tenant: str, user: str) -> Path:
        digest = hashlib.sha256(user.encode("utf-8", "surrogatepass")).hexdigest()
        name = user if _PLAIN_NAME.fullmatch(user) else f"_{digest}"
        return tenant_directory(self._files.root, tenant) / _DIRECTORY / f"{name}.json"

    def _remember(self, path: Path, user: str, references: Sequence[WorkflowReference]) -> None:
        self._files.ensure_directory(path.parent)
        with locked(path.with_suffix(".lock")):
            found = self._reader.read_locked(path)
            known = found.value.references if found else ()
            merged = merged_references(known, references, most=self._most)
            if merged != known:
                kept = RememberedWorkflows(user=_writable(user), references=merged)
                self._files.save(path, orjson.dumps(kept.model_dump(mode="json"), option=orjson.OPT_INDENT_2))


def _parsed(data: bytes, path: Path) -> RememberedWorkflows:
    del path
    return RememberedWorkflows.model_validate(orjson.loads(data))


def _writable(user: str) -> str:
    """Return a user's name as JSON can hold it."""
    return user.encode("utf-8", "replace").decode()
