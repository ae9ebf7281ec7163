"""Reading a stored document, and what happens to one that does not parse."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from workflow_agent.adapters.durable_files import DurableFiles, StoredFile
from workflow_agent.adapters.file_locks import locked
from workflow_agent.adapters.file_system import FileState
from workflow_agent.domain.errors import CorruptDocument
from workflow_agent.domain.workflow_parsing import problems_of

_log = logging.getLogger(__name__)
_PROBLEMS_SHOWN = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document(Generic[T]):
    """A parsed document, and the state of the file it was read from."""

    value: T
    state: FileState
    size_bytes: int


@dataclass(frozen=True, slots=True)
class DocumentReader(Generic[T]):
    """Reads one kind of document; a damaged file is set aside, reported, and never overwritten."""

    files: DurableFiles
    parse: Callable[[bytes, Path], T]
    """Raises ValueError for content that is damaged, and only for that."""

    def read(self, path: Path, lock_file: Path) -> Document[T] | None:
        """Return the document, or None when there is no such file; takes the lock for damage alone.

        Raises:
            CorruptDocument: The file does not parse; it was set aside.
        """
        stored = self.files.read(path)
        if stored is None:
            return None
        try:
            return self._parsed(stored, path)
        except ValueError:
            # Under the lock once more: it may have been mended, or set aside by somebody else.
            with locked(lock_file):
                return self.read_locked(path)

    def read_locked(self, path: Path) -> Document[T] | None:
        """Return the document as `read` does, for a caller that holds its lock."""
        stored = self.files.read(path)
        if stored is None:
            return None
        try:
            return self._parsed(stored, path)
        except ValueError as error:
            name, aside = self.files.name_of(path), self.files.name_of(self.files.set_aside(path))
            why = _in_short(error)
            _log.error("document set aside", extra={"document": name, "aside": aside, "reason": why})
            raise CorruptDocument(
                f"The file {name!r} does not parse ({why}). It was set aside as {aside!r}; "
                "mend it and rename it back, or restore a backup.",
                document=name,
                aside=aside,
            ) from error

    def waiting(self, path: Path, lock_file: Path) -> str | None:
        """Return the name of what was set aside from here and waits to be mended; None where nothing does."""
        # Only under its lock is a document set aside: without one there is no need to list the directory.
        if self.files.state(lock_file) is None:
            return None
        asides = [name for name in self.files.names(path.parent) if name.startswith(f"{path.name}.corrupt-")]
        return self.files.name_of(path.with_name(asides[-1])) if asides else None

    def _parsed(self, stored: StoredFile, path: Path) -> Document[T]:
        return Document(self.parse(stored.data, path), stored.state, len(stored.data))


def _in_short(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    problems = problems_of(error)[:_PROBLEMS_SHOWN]
    return "; ".join(f"{problem.pointer or '/'}: {problem.message}" for problem in problems)
