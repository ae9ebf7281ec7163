"""A whole data directory, tenant by tenant."""

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from workflow_agent.conversations.memory.person import Person
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import OPEN_TO_READ, FileSystem, is_tenant, swept, temporary_files
from workflow_agent.storage.files.memories import DIRECTORY as PEOPLE
from workflow_agent.storage.files.memories import RememberedWorkflows
from workflow_agent.storage.files.verification.conversations import ConversationCheck
from workflow_agent.storage.files.verification.workflows import Finding, WorkflowCheck, plain_object, readable


def stale_temporary_files(files: DurableFiles) -> Iterator[Finding]:
    """Yield the temporary files that nobody is writing."""
    system = FileSystem()
    for path in temporary_files(files.root):
        if _is_stale(path, system):
            yield Finding(
                "stale_temporary_file",
                files.name_of(path),
                "A save that was cut off left it.",
                lambda path=path: _sweep(path, system),
            )


def _is_stale(path: Path, system: FileSystem) -> bool:
    try:
        fd = system.open(path, OPEN_TO_READ)
    except (FileNotFoundError, PermissionError):
        return False
    try:
        return system.try_lock(fd)
    finally:
        system.close(fd)


def _sweep(path: Path, system: FileSystem) -> None:
    swept(path, system)


_ROUNDS = 3
"""Setting one thing right may show another: a conversation is looked over again once its files are sound."""


def verify_directory(root: Path) -> Sequence[Finding]:
    """Return all that is wrong below a data directory; nothing is written.

    Raises:
        StorageFailed: A file or directory cannot be read.
    """
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
        mendable = [one for one in found if one.mend is not None]
        if not mendable:
            break
        _mend(mendable)
        mended += mendable
        found = verify_directory(root)
    return mended, found


def _mend(findings: Iterable[Finding]) -> None:
    for one in findings:
        if one.mend is not None:
            one.mend()


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
    for name in files.names(directory):
        if name.endswith(".json"):
            path = directory / name
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
