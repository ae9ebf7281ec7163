"""Small documents of a tenant: one file each, in a folder for each kind."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import orjson
from typing_extensions import override

from workflow_agent.errors import CorruptDocument
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import tenant_directory
from workflow_agent.storage.files.locks import WriterQueues, locked_for_long
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.store import RecordKind, Records

_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,120}")
_SUFFIX = ".json"


class JsonRecords(Records):
    """Keeps each document in a file of its own.

    Args:
        files: The data directory.
        tenant: Whose documents.
    """

    def __init__(self, files: DurableFiles, tenant: str) -> None:
        self._files = files
        self._root = tenant_directory(files.root, tenant)
        self._queues = WriterQueues()

    @override
    async def put(self, kind: RecordKind, record_id: str, document: JsonObject) -> None:
        path = self._path(kind, record_id)
        assert path is not None, record_id  # noqa: S101 - ids of what is stored are made here
        await asyncio.to_thread(self._put, path, document)

    @override
    async def get(self, kind: RecordKind, record_id: str) -> JsonObject | None:
        path = self._path(kind, record_id)
        return None if path is None else await asyncio.to_thread(self._read, path)

    @override
    async def all(self, kind: RecordKind) -> Mapping[str, JsonObject]:
        return await asyncio.to_thread(self._all, self._root / kind)

    @override
    async def remove(self, kind: RecordKind, record_id: str) -> None:
        path = self._path(kind, record_id)
        if path is not None:
            await asyncio.to_thread(self._files.remove, path)

    @override
    @asynccontextmanager
    async def alone(self, kind: RecordKind) -> AsyncGenerator[None]:
        lock = self._root / f"{kind}.lock"
        async with self._queues.of(lock):
            await asyncio.to_thread(self._files.ensure_directory, self._root)
            async with locked_for_long(lock):
                yield

    def _path(self, kind: RecordKind, record_id: str) -> Path | None:
        return self._root / kind / f"{record_id}{_SUFFIX}" if _ID.fullmatch(record_id) else None

    def _put(self, path: Path, document: JsonObject) -> None:
        self._files.ensure_directory(path.parent)
        self._files.save(path, orjson.dumps(document, option=orjson.OPT_INDENT_2))

    def _read(self, path: Path) -> JsonObject | None:
        stored = self._files.read(path)
        if stored is None:
            return None
        try:
            document: JsonObject = orjson.loads(stored.data)
        except ValueError as error:
            aside = self._files.set_aside(path)
            raise CorruptDocument(f"{path.name} does not parse; it was set aside as {aside.name}.") from error
        return document

    def _all(self, directory: Path) -> dict[str, JsonObject]:
        found: dict[str, JsonObject] = {}
        for name in sorted(self._files.names(directory)):
            record_id = name.removesuffix(_SUFFIX)
            if name != record_id and (document := self._read(directory / name)) is not None:
                found[record_id] = document
        return found
