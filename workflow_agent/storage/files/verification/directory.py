"""A whole data directory, looked over tenant by tenant, and what killed processes left, removed while servers run."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from workflow_agent.conversations.memory.person import Person
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.conversation_documents import parse_file
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import (
    OPEN_TO_READ,
    FileSystem,
    is_conversation_id,
    is_tenant,
    swept,
    temporary_files,
    tenant_directory,
)
from workflow_agent.storage.files.journals import DELETING, finish_deletion, joined
from workflow_agent.storage.files.locks import locked
from workflow_agent.storage.files.memories import DIRECTORY as PEOPLE
from workflow_agent.storage.files.memories import RememberedWorkflows
from workflow_agent.storage.files.verification.conversations import ArchiveCheck, ConversationCheck
from workflow_agent.storage.files.verification.workflows import Finding, WorkflowCheck, plain_object, readable


def stale_temporary_files(files: DurableFiles) -> Iterator[Finding]:
    """Yield the temporary files that nobody is writing."""
    system = FileSystem()
    for path in temporary_files(files.root):
        if _is_stale(path, system):
            mend = partial(swept, path, system)
            yield Finding("stale_temporary_file", files.name_of(path), "A save that was cut off left it.", mend)


def _is_stale(path: Path, system: FileSystem) -> bool:
    try:
        fd = system.open(path, OPEN_TO_READ)
    except (FileNotFoundError, PermissionError):
        return False
    try:
        return system.try_lock(fd)
    finally:
        system.close(fd)


_ROUNDS = 3
"""Setting one thing right may show another: a conversation is looked over again once its files are sound."""


def verify_directory(root: Path) -> Sequence[Finding]:
    """Return all that is wrong below a data directory; nothing is written. Raises StorageFailed if it is unreadable."""
    files = DurableFiles(root)
    return [*stale_temporary_files(files), *(one for tenant in _tenants(files) for one in _of(files, tenant))]


def repair_directory(root: Path) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """Return what was set right, and what is still wrong; only what was found is touched.

    Nobody else may write meanwhile.

    Raises:
        StorageFailed: A file cannot be read or written; what was set right before that stays so.
    """
    mended: list[Finding] = []
    found = verify_directory(root)
    for _ in range(_ROUNDS):
        set_right = [one for one in found if one.set_right()]
        if not set_right:
            break
        mended += set_right
        found = verify_directory(root)
    return mended, found


def _tenants(files: DurableFiles) -> Iterator[Path]:
    for name in files.names(files.root):
        if is_tenant(name) and (files.root / name).is_dir():
            yield files.root / name


def _of(files: DurableFiles, tenant: Path) -> Iterator[Finding]:
    workflows = WorkflowCheck(files, tenant / "workflows")
    yield from readable(files, tenant / "workflows", workflows.findings)
    talks = ConversationCheck(files, tenant / "conversations", workflows.known_ids())
    yield from readable(files, tenant / "conversations", talks.findings)
    for directory in (tenant / "keys", tenant / "memory", tenant / PEOPLE):
        yield from readable(files, directory, partial(_small_documents, files, directory))


def _small_documents(files: DurableFiles, directory: Path) -> Iterator[Finding]:
    for path in (directory / name for name in files.names(directory, ".json")):
        yield from readable(files, path, partial(_small_document, files, path))


def _small_document(files: DurableFiles, path: Path) -> Iterator[Finding]:
    try:
        plain = plain_object(files, path)
        if path.parent.name == "memory":
            RememberedWorkflows.model_validate_json(json.dumps(plain))
        elif path.parent.name == PEOPLE:
            Person.model_validate_json(json.dumps(plain))
    except ValueError as error:
        yield Finding("unreadable_document", files.name_of(path), f"It does not parse: {error}")


LEFT_ALONE_SECONDS = 3_600.0
"""A content is kept before the conversation that refers to it: of a younger one that may be to come."""
_MOST_AT_A_TIME = 100


@dataclass(slots=True)
class Sweeper:
    """Removes leftovers that are certainly useless; `verify` lists the doubtful ones."""

    files: DurableFiles
    tenant: str
    now: Callable[[], float] = time.time
    _left: dict[str, float] = field(default_factory=dict[str, float])

    def add(self, conversation_ids: Iterable[str]) -> None:
        """Queue conversations of a dead process for a later look: their blobs may be orphans."""
        self._left |= dict.fromkeys(conversation_ids, self.now())

    def sweep(self) -> int:
        """Return how many leftovers were removed; looks at a bounded number of conversations."""
        removed = len(self.files.sweep()) + self._deletions()
        due = [one for one, since in self._left.items() if since <= self.now() - LEFT_ALONE_SECONDS]
        for conversation_id in due[:_MOST_AT_A_TIME]:
            del self._left[conversation_id]
            # One that cannot be read or is not there has nothing that is certainly left over.
            with suppress(StorageFailed, ValueError):
                removed += self._contents(conversation_id)
        return removed

    @property
    def _directory(self) -> Path:
        return tenant_directory(self.files.root, self.tenant) / "conversations"

    def _deletions(self) -> int:
        begun = (name.removesuffix(DELETING) for name in self.files.names(self._directory, DELETING))
        ids = list(islice(filter(is_conversation_id, begun), _MOST_AT_A_TIME))
        for one in ids:
            document = self._directory / f"{one}.json"
            # Whoever deletes it holds the lock; whoever made it anew has made room.
            with suppress(StorageFailed), locked(document.with_suffix(".lock")):
                if self.files.state(document) is None:
                    finish_deletion(self.files, document)
        return len(ids)

    def _contents(self, conversation_id: str) -> int:
        document = self._directory / f"{conversation_id}.json"
        if self.files.state(document) is None:
            return 0
        with locked(document.with_suffix(".lock")):
            stored = self.files.read(document)
            if stored is None:
                return 0
            found = joined(self.files, document, stored.data, parse_file)
            conversation = found.value.conversation
            if conversation.active_run() is not None:
                # What it keeps, it refers to when it ends.
                return 0
            texts = [stored.data, found.lines]
            check = ArchiveCheck(self.files, document.with_suffix(".archive"), conversation, texts)
            orphans = [one for one in check.findings() if one.is_leftover and self._is_old(one.path)]
            return sum(one.set_right() for one in orphans)

    def _is_old(self, name: str) -> bool:
        state = self.files.state(self.files.root / name)
        return state is not None and state.mtime_ns / 1e9 < self.now() - LEFT_ALONE_SECONDS
