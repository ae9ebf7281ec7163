"""Small things of a tenant, one file each: documents in a folder for each kind, idempotency keys, and what was used."""

import asyncio
import hashlib
import re
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import TypeAdapter, ValidationError
from typing_extensions import override

from workflow_agent.conversations.idempotency import Claim, IdempotencyKeys, other_request
from workflow_agent.conversations.quotas import DAY_SECONDS, MINUTE_SECONDS, UsageCounter, Used
from workflow_agent.errors import CorruptDocument
from workflow_agent.storage.files.documents import LeftOut
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import check_tenant, reported, tenant_directory
from workflow_agent.storage.files.locks import WriterQueues, locked, locked_for_long
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.store import RecordKind, Records

_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,120}")
_SUFFIX = ".json"


class JsonRecords(Records):
    """Keeps each document in a file of its own."""

    def __init__(self, files: DurableFiles, tenant: str) -> None:
        self._files = files
        self._root = tenant_directory(files.root, tenant)
        self._queues = WriterQueues()

    @override
    async def put(self, kind: RecordKind, record_id: str, document: JsonObject) -> None:
        path = self._path(kind, record_id)
        assert path is not None, record_id  # noqa: S101 - ids of what is stored are made here
        await asyncio.to_thread(self._files.save, path, orjson.dumps(document, option=orjson.OPT_INDENT_2))

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
        for name in self._files.names(directory, _SUFFIX):
            if (document := self._read(directory / name)) is not None:
                found[name.removesuffix(_SUFFIX)] = document
        return found


@dataclass(frozen=True, slots=True)
class JsonIdempotencyKeys(IdempotencyKeys):
    """Keys that were sent with a creation, durable and shared between processes."""

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
        return await asyncio.to_thread(self._swept)

    def _path(self, key: str) -> Path:
        # A key is any text: its digest is the name.
        return self._directory / f"{hashlib.sha256(key.encode()).hexdigest()}{_SUFFIX}"

    @property
    def _directory(self) -> Path:
        return tenant_directory(self.files.root, self.tenant) / "keys"

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

    def _swept(self) -> int:
        left_out = LeftOut(self.files)
        removed = 0
        for path in (self._directory / name for name in self.files.names(self._directory, _SUFFIX)):
            with left_out.where_unreadable(path):
                if self._known(path) is None:
                    self.files.remove(path)
                    removed += 1
        return removed


@dataclass(slots=True)
class _Counted:
    """What is in a tenant's file."""

    day: int = 0
    tokens: int = 0
    usd: float = 0.0
    turns: dict[str, float] = field(default_factory=dict[str, float])
    """When each turn of the last minute began, by its ticket."""


_COUNTED = TypeAdapter(_Counted)
T = TypeVar("T")


class FileUsageCounter(UsageCounter):
    """Keeps `.limits/<tenant>.json`, which nobody waits for the disk to have: a power cut may take a little."""

    def __init__(self, root: Path, now: Callable[[], float] = time.time) -> None:
        self._root = root
        self._now = now

    @override
    async def begin(self, tenant: str, ticket: str, most_turns: int | None) -> Used:
        def begin(counted: _Counted, at: float) -> Used:
            wait, begun = 0.0, sorted(counted.turns.values())
            if most_turns is not None and len(begun) < most_turns:
                counted.turns[ticket] = at
            elif most_turns is not None:
                wait = begun[len(begun) - most_turns] + MINUTE_SECONDS - at
            return Used(wait, counted.tokens, counted.usd, DAY_SECONDS - at % DAY_SECONDS)

        return await asyncio.to_thread(self._changed, tenant, begin)

    @override
    async def give_back(self, tenant: str, ticket: str) -> None:
        await asyncio.to_thread(self._changed, tenant, lambda counted, _: counted.turns.pop(ticket, None))

    @override
    async def spend(self, tenant: str, tokens: int, usd: float) -> None:
        def spend(counted: _Counted, _: float) -> None:
            counted.tokens += tokens
            counted.usd += usd

        await asyncio.to_thread(self._changed, tenant, spend)

    @override
    async def close(self) -> None:
        """Do nothing: no file stays open."""

    def _changed(self, tenant: str, change: Callable[[_Counted, float], T]) -> T:
        """Return what a change gives of what was counted today and in the last minute; it may change it in place."""
        check_tenant(tenant)
        path = self._root / ".limits" / f"{tenant}.json"
        with reported("write", path, self._root):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            with locked(path.with_suffix(".lock")):
                at = self._now()
                counted = self._read(path)
                if counted.day != int(at // DAY_SECONDS):
                    counted.day, counted.tokens, counted.usd = int(at // DAY_SECONDS), 0, 0.0
                # One from the future is of a clock that was wrong since.
                counted.turns = {one: began for one, began in counted.turns.items() if 0 <= at - began < MINUTE_SECONDS}
                given = change(counted, at)
                beside = path.with_suffix(".new")
                beside.write_bytes(orjson.dumps(counted))
                beside.replace(path)
        return given

    @staticmethod
    def _read(path: Path) -> _Counted:
        try:
            return _COUNTED.validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return _Counted()
