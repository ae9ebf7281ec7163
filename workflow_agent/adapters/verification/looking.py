"""A whole data directory, tenant by tenant."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from workflow_agent.adapters.data_paths import is_tenant
from workflow_agent.adapters.durable_files import DurableFiles
from workflow_agent.adapters.verification.conversations import ConversationCheck
from workflow_agent.adapters.verification.documents import plain_object
from workflow_agent.adapters.verification.findings import Finding
from workflow_agent.adapters.verification.temporary import stale_temporary_files
from workflow_agent.adapters.verification.workflows import WorkflowCheck
from workflow_agent.adapters.workflow_memories import RememberedWorkflows

_ROUNDS = 3
"""Setting one thing right may show another: a conversation is looked over again once its files are sound."""


def verify(root: Path) -> Sequence[Finding]:
    """Return all that is wrong below a data directory; nothing is written.

    Raises:
        StorageFailed: A file or directory cannot be read.
    """
    files = DurableFiles(root)
    return [*stale_temporary_files(files), *(one for tenant in _tenants(files) for one in _of(files, tenant))]


def repair(root: Path) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """Return what was set right, and what is still wrong; only what was found is touched.

    Nobody else may write meanwhile.

    Raises:
        StorageFailed: A file cannot be read or written; what was set right before that stays so.
    """
    mended: list[Finding] = []
    found = verify(root)
    for _ in range(_ROUNDS):
        mendable = [one for one in found if one.mend is not None]
        if not mendable:
            break
        _mend(mendable)
        mended += mendable
        found = verify(root)
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
    yield from workflows.findings()
    yield from ConversationCheck(files, tenant / "conversations", workflows.known_ids()).findings()
    yield from _small_documents(files, tenant)


def _small_documents(files: DurableFiles, tenant: Path) -> Iterator[Finding]:
    for directory in (tenant / "keys", tenant / "memory"):
        for name in files.names(directory):
            if not name.endswith(".json"):
                continue
            path = directory / name
            try:
                plain = plain_object(files, path)
                if directory.name == "memory":
                    RememberedWorkflows.model_validate_json(json.dumps(plain))
            except ValueError as error:
                yield Finding("unreadable_document", files.name_of(path), f"It does not parse: {error}")
