"""Which resource an idempotency key stands for: one small file a key."""

import asyncio
import hashlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from typing_extensions import override

from workflow_agent.conversations.idempotency import Claim, IdempotencyKeys, other_request
from workflow_agent.storage.files.documents import LeftOut
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import tenant_directory
from workflow_agent.storage.files.locks import WriterQueues, locked

_DIRECTORY = "keys"


@dataclass(frozen=True, slots=True)
class JsonIdempotencyKeys(IdempotencyKeys):
    """Keys that were sent with a creation, durable and shared between processes.

    Args:
        files: The data directory.
        tenant: Whose keys they are.
        kept_seconds: For how long a key is remembered.
    """

    files: DurableFiles
    tenant: str
    kept_seconds: float
    _queues: WriterQueues = field(default_factory=WriterQueues)

    @override
    async def claim(self, key: str, fingerprint: str, resource_id: str) -> Claim:
        path = self._path(key)
        async with self._queues.of(path):
            return await asyncio.to_thread(self._claimed, path, key, fingerprint, resource_id)

    @override
    async def release(self, key: str) -> None:
        await asyncio.to_thread(self.files.remove, self._path(key))

    @override
    async def find(self, key: str) -> str | None:
        known = await asyncio.to_thread(self._known, self._path(key))
        return None if known is None else str(known["resource_id"])

    @override
    async def set(self, key: str, fingerprint: str, resource_id: str) -> None:
        path = self._path(key)
        async with self._queues.of(path):
            await asyncio.to_thread(self._save, path, fingerprint, resource_id)

    @override
    async def sweep(self) -> int:
        return await asyncio.to_thread(self._swept, self._directory)

    def _path(self, key: str) -> Path:
        # A key is any text: its digest is the name.
        name = hashlib.sha256(key.encode()).hexdigest()
        return self._directory / f"{name}.json"

    @property
    def _directory(self) -> Path:
        return tenant_directory(self.files.root, self.tenant) / _DIRECTORY

    def _claimed(self, path: Path, key: str, fingerprint: str, resource_id: str) -> Claim:
        self.files.ensure_directory(path.parent)
        with locked(path.with_suffix(".lock")):
            try:
                known = self._known(path)
                if known is None:
                    self._save(path, fingerprint, resource_id)
                    return Claim(resource_id, is_first=True)
            finally:
                self.files.remove(path.with_suffix(".lock"))
        if known["fingerprint"] != fingerprint:
            raise other_request(key, known["resource_id"])
        return Claim(known["resource_id"], is_first=False)

    def _save(self, path: Path, fingerprint: str, resource_id: str) -> None:
        record = {"fingerprint": fingerprint, "resource_id": resource_id, "at": time.time()}
        self.files.save(path, orjson.dumps(record))

    def _known(self, path: Path) -> dict[str, Any] | None:
        stored = self.files.read(path)
        if stored is None:
            return None
        try:
            record: dict[str, Any] = orjson.loads(stored.data)
            return record if record["at"] > time.time() - self.kept_seconds else None
        except (ValueError, LookupError, TypeError):
            # It never stood for anything: a key is saved whole.
            return None

    def _swept(self, directory: Path) -> int:
        left_out = LeftOut(self.files)
        removed = 0
        for name in self.files.names(directory):
            with left_out.where_unreadable(directory / name):
                if name.endswith(".json") and self._known(directory / name) is None:
                    self.files.remove(directory / name)
                    removed += 1
        return removed
