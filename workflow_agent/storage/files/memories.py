"""What users dealt with and what they asked to be remembered, as JSON files of each user."""

import asyncio
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import orjson
from pydantic import Field
from pydantic_core import to_json
from typing_extensions import override

from workflow_agent.conversations.document import WorkflowReference
from workflow_agent.conversations.memory.person import Person, PersonMemory
from workflow_agent.conversations.memory.references import WorkflowMemory, holds_entries_of, merged_references
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.documents import DocumentReader, StatCache
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import tenant_directory
from workflow_agent.storage.files.locks import WriterQueues, locked
from workflow_agent.values.stored import Value
from workflow_agent.workflows.model.terms import ID_PATTERN

_KEPT_USERS = 1_024
_PLAIN_NAME = re.compile(ID_PATTERN)
Correction = Callable[[Sequence[WorkflowReference]], Sequence[WorkflowReference]]
DIRECTORY = "people"


class RememberedWorkflows(Value):
    """A user's file."""

    schema_version: int = Field(default=1, ge=1, le=1)
    user: str
    references: tuple[WorkflowReference, ...] = ()


@dataclass(slots=True)
class _Batch:
    """What several turns of one user wait to have stored, by whichever of them comes first."""

    references: list[WorkflowReference] = field(default_factory=list[WorkflowReference])
    is_stored: bool = False


class JsonWorkflowMemory(WorkflowMemory):
    """Keeps each user's references in `<tenant>/memory/<user>.json` below the data directory.

    A user is any text: one that is no plain name is kept under `_` and its digest. What is new is stored
    durably before `remember` returns. That something happened once more on a day is known at once, and
    stored with the next new thing or by `settle`: most turns are about the workflow of the turn before.
    """

    def __init__(self, files: DurableFiles, *, most: int) -> None:
        self._files = files
        self._most = most
        self._reader = DocumentReader(files, _parsed)
        self._queues = WriterQueues()
        self._kept: StatCache[tuple[WorkflowReference, ...]] = StatCache(_KEPT_USERS)
        self._repeated: dict[Path, tuple[str, tuple[WorkflowReference, ...]]] = {}
        """What is not stored yet, with the user it belongs to."""
        self._waiting: dict[Path, _Batch] = {}

    @override
    async def recall(self, tenant: str, user: str) -> Sequence[WorkflowReference]:
        path = self._path(tenant, user)
        known = self._known(path)
        if known is None:
            known = await asyncio.to_thread(self._read, path, path.with_suffix(".lock"))
        return self._merged(known, self._repeats(path))

    @override
    async def remember(self, tenant: str, user: str, references: Sequence[WorkflowReference]) -> None:
        path = self._path(tenant, user)
        if not references:
            return
        known = self._known(path)
        is_repeated = known is not None and holds_entries_of(known, references)
        if is_repeated and len(self._repeated) < _KEPT_USERS:
            self._repeated[path] = user, self._merged(self._repeats(path), references)
        else:
            await self._store(path, user, references)

    @override
    async def correct(self, tenant: str, user: str, change: Correction) -> None:
        path = self._path(tenant, user)
        async with self._queues.of(path):
            _, repeats = self._repeated.pop(path, (user, ()))
            await asyncio.to_thread(self._remember, path, user, repeats, change)

    async def settle(self) -> None:
        """Store what is not stored yet; after a StorageFailed, what is left to store stays so."""
        for path, (user, _) in list(self._repeated.items()):
            await self._store(path, user, ())

    async def _store(self, path: Path, user: str, references: Sequence[WorkflowReference]) -> None:
        batch = self._waiting.setdefault(path, _Batch())
        batch.references += references
        async with self._queues.of(path):
            if batch.is_stored:
                return
            # Who comes now stores for all that wait; who comes later begins another batch.
            if self._waiting.get(path) is batch:
                del self._waiting[path]
            _, repeats = self._repeated.pop(path, (user, ()))
            try:
                await asyncio.to_thread(self._remember, path, user, (*repeats, *batch.references))
            except StorageFailed:
                if repeats:
                    self._repeated[path] = user, self._merged(repeats, self._repeats(path))
                raise
            batch.is_stored = True

    def _repeats(self, path: Path) -> tuple[WorkflowReference, ...]:
        return self._repeated[path][1] if path in self._repeated else ()

    def _merged(
        self, known: Sequence[WorkflowReference], new: Sequence[WorkflowReference]
    ) -> tuple[WorkflowReference, ...]:
        return merged_references(known, new, most=self._most) if new else tuple(known)

    def _path(self, tenant: str, user: str) -> Path:
        return user_file(tenant_directory(self._files.root, tenant), "memory", user)

    def _known(self, path: Path) -> tuple[WorkflowReference, ...] | None:
        """Return what was read or written last, where the file is as it was then; it takes one look."""
        state = self._files.state(path)
        return () if state is None else self._kept.get(path, state)

    def _read(self, path: Path, lock_file: Path | None) -> tuple[WorkflowReference, ...]:
        found = self._reader.read(path, lock_file)
        if found is None:
            return ()
        self._kept.put(path, found.state, found.value.references)
        return found.value.references

    def _remember(
        self, path: Path, user: str, references: Sequence[WorkflowReference], correct: Correction | None = None
    ) -> None:
        self._files.ensure_directory(path.parent)
        with locked(path.with_suffix(".lock")):
            known = self._known(path)
            if known is None:
                known = self._read(path, None)
            merged = self._merged(known, references)
            merged = tuple(correct(merged)) if correct else merged
            if not merged:
                self._files.remove(path)
            elif merged != known:
                kept = RememberedWorkflows(user=writable(user), references=merged)
                self._kept.put(path, self._files.save(path, to_json(kept, indent=2)), merged)


def _parsed(data: bytes, _: Path) -> RememberedWorkflows:
    return RememberedWorkflows.model_validate(orjson.loads(data))


# Asked for several times a turn, about the same few.
@lru_cache(maxsize=4_096)
def user_file(tenant: Path, folder: str, user: str) -> Path:
    """Return a user's file: named by the user where that is a plain name, else by `_` and a digest."""
    digest = hashlib.sha256(user.encode("utf-8", "surrogatepass")).hexdigest()
    return tenant / folder / f"{user if _PLAIN_NAME.fullmatch(user) else f'_{digest}'}.json"


def writable(user: str) -> str:
    """Return a user's name as JSON can hold it."""
    return user.encode("utf-8", "replace").decode()


class JsonPersonMemory(PersonMemory):
    """Keeps each person in `<tenant>/people/<user>.json` below the data directory."""

    def __init__(self, files: DurableFiles) -> None:
        self._files = files
        self._reader = DocumentReader(files, lambda data, _: Person.model_validate_json(data))
        self._kept: StatCache[Person] = StatCache(_KEPT_USERS)

    @override
    async def person(self, tenant: str, user: str) -> Person:
        path = self._path(tenant, user)
        return self._known(path, user) or await asyncio.to_thread(self._read, path, user, path.with_suffix(".lock"))

    @override
    async def update(self, tenant: str, user: str, change: Callable[[Person], Person]) -> Person:
        return await asyncio.to_thread(self._update, self._path(tenant, user), user, change)

    @override
    async def forgetful(self, tenant: str) -> Sequence[str]:
        return await asyncio.to_thread(self._forgetful, tenant_directory(self._files.root, tenant) / DIRECTORY)

    def _path(self, tenant: str, user: str) -> Path:
        return user_file(tenant_directory(self._files.root, tenant), DIRECTORY, user)

    def _known(self, path: Path, user: str) -> Person | None:
        state = self._files.state(path)
        return Person(user=writable(user)) if state is None else self._kept.get(path, state)

    def _read(self, path: Path, user: str, lock_file: Path | None) -> Person:
        read = self._reader.read(path, lock_file)
        if read is None:
            return Person(user=writable(user))
        self._kept.put(path, read.state, read.value)
        return read.value

    def _update(self, path: Path, user: str, change: Callable[[Person], Person]) -> Person:
        self._files.ensure_directory(path.parent)
        with locked(path.with_suffix(".lock")):
            known = self._known(path, user) or self._read(path, user, None)
            changed = change(known)
            if changed == known:
                return known
            if changed.is_blank:
                self._files.remove(path)
            else:
                self._kept.put(path, self._files.save(path, to_json(changed, indent=2)), changed)
            return changed

    def _forgetful(self, directory: Path) -> Sequence[str]:
        paths = [directory / name for name in self._files.names(directory, ".json")]
        people = (self._read(path, "", path.with_suffix(".lock")) for path in paths)
        return [one.user for one in people if one.forgetting]
