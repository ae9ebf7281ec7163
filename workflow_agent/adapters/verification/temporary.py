"""Temporary files that a crash left."""

from collections.abc import Iterator
from pathlib import Path

from workflow_agent.adapters.durable_files import DurableFiles
from workflow_agent.adapters.file_system import OPEN_TO_READ, FileSystem
from workflow_agent.adapters.temporary_files import swept, temporary_files
from workflow_agent.adapters.verification.findings import Finding


def stale_temporary_files(files: DurableFiles) -> Iterator[Finding]:
    """Yield the temporary files that nobody is writing."""
    system = FileSystem()
    for path in temporary_files(files.root):
        if _is_stale(path, system):
            yield Finding(
                "stale_temporary_file", files.name_of(path), "A save that was cut off left it.",
                lambda path=path: _sweep(path, system),
            )  # fmt: skip


def _is_stale(path: Path, system: FileSystem) -> bool:
    try:
        fd = system.open(path, OPEN_TO_READ)
    except FileNotFoundError:
        return False
    try:
        return system.try_lock(fd)
    finally:
        system.close(fd)


def _sweep(path: Path, system: FileSystem) -> None:
    swept(path, system)
