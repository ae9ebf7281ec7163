"""What people asked to be remembered, as one JSON file a user."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic_core import to_json
from typing_extensions import override

from workflow_agent.conversations.memory.person import Person
from workflow_agent.conversations.memory.store import PersonMemory
from workflow_agent.storage.files.caches import StatCache
from workflow_agent.storage.files.documents import DocumentReader
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.locks import locked
from workflow_agent.storage.files.memories import user_file, writable
from workflow_agent.storage.files.paths import tenant_directory

DIRECTORY = "people"
_KEPT_USERS = 1_024


class JsonPersonMemory(PersonMemory):
    """Keeps each person in `<tenant>/people/<user>.json` below the data directory.

    A user is any text: one that is no plain name is kept under `_` and its digest.

    Args:
        files: The data directory.
    """

    def __init__(self, files: DurableFiles) -> None:
        self._files = files
        self._reader = DocumentReader(files, _parsed)
        self._kept: StatCache[Person] = StatCache(_KEPT_USERS)

    @override
    async def person(self, tenant: str, user: str) -> Person:
        path = self._path(tenant, user)
        known = self._known(path, user)
        return known or await asyncio.to_thread(self._read, path, user)

    @override
    async def update(self, tenant: str, user: str, change: Callable[[Person], Person]) -> Person:
        return await asyncio.to_thread(self._update, self._path(tenant, user), user, change)

    @override
    async def forgetful(self, tenant: str) -> Sequence[str]:
        directory = tenant_directory(self._files.root, tenant) / DIRECTORY
        return await asyncio.to_thread(self._forgetful, directory)

    def _path(self, tenant: str, user: str) -> Path:
        return user_file(tenant_directory(self._files.root, tenant), DIRECTORY, user)

    def _known(self, path: Path, user: str) -> Person | None:
        state = self._files.state(path)
        return Person(user=writable(user)) if state is None else self._kept.get(path, state)

    def _read(self, path: Path, user: str, *, is_locked: bool = False) -> Person:
        read = self._reader.read_locked(path) if is_locked else self._reader.read(path, path.with_suffix(".lock"))
        if read is None:
            return Person(user=writable(user))
        self._kept.put(path, read.state, read.value)
        return read.value

    def _update(self, path: Path, user: str, change: Callable[[Person], Person]) -> Person:
        self._files.ensure_directory(path.parent)
        with locked(path.with_suffix(".lock")):
            known = self._known(path, user) or self._read(path, user, is_locked=True)
            changed = change(known)
            if changed == known:
                return known
            if changed.is_blank:
                self._files.remove(path)
            else:
                self._kept.put(path, self._files.save(path, to_json(changed, indent=2)), changed)
            return changed

    def _forgetful(self, directory: Path) -> Sequence[str]:
        names = [name for name in self._files.names(directory) if name.endswith(".json")]
        people = (self._read(directory / name, "") for name in names)
        return [one.user for one in people if one.forgetting]


def _parsed(data: bytes, path: Path) -> Person:
    del path
    return Person.model_validate_json(data)
