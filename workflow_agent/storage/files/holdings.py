"""What a tenant keeps in a data directory, piece by piece."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import orjson
from typing_extensions import override

from workflow_agent.conversations.memory.person import Person
from workflow_agent.conversations.seals import SealRule
from workflow_agent.errors import ConversationNotFound, CorruptDocument
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import tenant_directory
from workflow_agent.storage.files.memories import JsonPersonMemory, JsonWorkflowMemory, RememberedWorkflows
from workflow_agent.storage.files.records import JsonRecords
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.storage.holdings import HeldConversation, HeldKey, HeldWorkflow, Holdings
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.model.workflow import Workflow

NEVER_SEALED = SealRule(above_bytes=2**62)
"""What is moved stays as it was: the next turn seals it where it is due."""
T = TypeVar("T")


class FileHoldings(Holdings):
    """Reads and writes the files of a tenant through the stores that a server uses."""

    def __init__(self, root: Path, tenant: str, most_references: int) -> None:
        self._files = DurableFiles(root)
        self._directory = tenant_directory(root, tenant)
        self._talks = JsonConversationStore(self._files, cache_bytes=0, seal=NEVER_SEALED)
        specs: TtlCache[Workflow] = TtlCache(max_entries=0, ttl_seconds=0)
        self._workflows = JsonWorkflowCatalog(self._files, specs, now=lambda: datetime.now(UTC))
        memory = JsonWorkflowMemory(self._files, most=most_references)
        people, records = JsonPersonMemory(self._files), JsonRecords(self._files, tenant)
        super().__init__(tenant, self._workflows, lambda: memory, people, records)

    @override
    async def conversation_ids(self) -> Sequence[str]:
        return await self._ids("conversations")

    @override
    async def conversation(self, conversation_id: str) -> HeldConversation | None:
        try:
            conversation = await self._talks.load(self._tenant, conversation_id)
        except ConversationNotFound:
            return None
        return await asyncio.to_thread(self._talks.with_archive, conversation)

    @override
    async def take_conversation(self, kept: HeldConversation) -> None:
        await self._talks.adopt(kept)

    @override
    async def workflow_ids(self) -> Sequence[str]:
        return await self._ids("workflows")

    @override
    async def take_workflow(self, kept: HeldWorkflow) -> None:
        await self._workflows.adopt(self._tenant, kept.newest, kept.versions)

    @override
    async def remembering(self) -> Sequence[str]:
        found = await asyncio.to_thread(self._parsed, "memory", RememberedWorkflows.model_validate_json)
        return sorted(one.user for one in found.values())

    @override
    async def people(self) -> Mapping[str, Person]:
        found = await asyncio.to_thread(self._parsed, "people", Person.model_validate_json)
        return {one.user: one for one in found.values()}

    @override
    async def keys(self) -> Mapping[str, HeldKey]:
        found = await asyncio.to_thread(self._parsed, "keys", orjson.loads)
        named = ("fingerprint", "resource_id", "at")
        return {digest: HeldKey(digest, *(record[name] for name in named)) for digest, record in found.items()}

    @override
    async def take_key(self, key: HeldKey) -> None:
        record = {"fingerprint": key.fingerprint, "resource_id": key.resource_id, "at": key.at}
        await asyncio.to_thread(self._files.save, self._directory / "keys" / f"{key.digest}.json", orjson.dumps(record))

    @override
    async def close(self) -> None:
        """Do nothing: no file stays open."""

    async def _ids(self, folder: str) -> Sequence[str]:
        names = await asyncio.to_thread(self._files.names, self._directory / folder, ".json")
        return [name.removesuffix(".json") for name in names]

    def _parsed(self, folder: str, parse: Callable[[bytes], T]) -> dict[str, T]:
        """Return what is in the files of a folder by their names, without `.json`."""
        found: dict[str, T] = {}
        for name in self._files.names(self._directory / folder, ".json"):
            try:
                found[name.removesuffix(".json")] = parse(self._files.content(self._directory / folder / name))
            except (ValueError, LookupError, TypeError) as error:
                raise CorruptDocument(f"The file {folder}/{name} does not parse: {error}") from error
        return found
