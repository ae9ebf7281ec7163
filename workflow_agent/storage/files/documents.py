"""Reading a stored document, what happens to one that does not parse, and what was read, until its file changes."""

import logging
from collections.abc import Callable, Generator, Hashable, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache
from pydantic import ValidationError

from workflow_agent.errors import CorruptDocument, StorageFailed
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState, concerns_one_file
from workflow_agent.storage.files.locks import locked
from workflow_agent.workflows.model.parser import problems_of

_log = logging.getLogger(__name__)
_PROBLEMS_SHOWN = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document(Generic[T]):
    """A parsed document, and the state of the file it was read from."""

    value: T
    state: FileState


@dataclass(frozen=True, slots=True)
class DocumentReader(Generic[T]):
    """Reads one kind of document; a damaged file is set aside, reported, and never overwritten."""

    files: DurableFiles
    parse: Callable[[bytes, Path], T]
    """Raises ValueError for content that is damaged, and only for that."""

    def read(self, path: Path, lock_file: Path | None) -> Document[T] | None:
        """Return the document, or None when there is no such file; takes the lock for damage alone.

        Without a lock file the caller holds the lock.

        Raises:
            CorruptDocument: The file does not parse; it was set aside.
        """
        try:
            stored = self.files.read(path)
            return Document(self.parse(stored.data, path), stored.state) if stored else None
        except ValueError as error:
            if lock_file is not None:
                # Under the lock once more: it may have been mended, or set aside by somebody else.
                with locked(lock_file):
                    return self.read(path, None)
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


class LeftOut:
    """The files that cannot be read and are left out of lists and searches; a failure is logged once."""

    def __init__(self, files: DurableFiles) -> None:
        self._files = files
        self._reasons: dict[Path, str] = {}

    @contextmanager
    def where_unreadable(self, path: Path) -> Generator[None]:
        """Let a file be left out that cannot be read, or was set aside; what concerns all files is raised."""
        try:
            yield
        except CorruptDocument:
            # Reported where it was set aside.
            self._reasons.pop(path, None)
        except StorageFailed as error:
            if not concerns_one_file(error):
                raise
            if self._reasons.get(path) != error.message:
                name = self._files.name_of(path)
                _log.warning("left out of lists", extra={"document": name, "reason": error.message})
            self._reasons[path] = error.message
        else:
            self._reasons.pop(path, None)

    def among(self, paths: Iterable[Path]) -> tuple[str, ...]:
        """Return the names of those that were left out when they were last read."""
        return tuple(self._files.name_of(path) for path in paths if path in self._reasons)


def _in_short(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    problems = problems_of(error)[:_PROBLEMS_SHOWN]
    return "; ".join(f"{problem.pointer or '/'}: {problem.message}" for problem in problems)


V = TypeVar("V")


class StatCache(Generic[V]):
    """Values by path; one is given out only for the state of the file it was made from.

    So a write by another process is seen at once. Threads may share it.

    `max_size` is the sum of sizes to keep, least recently used out first; 0 keeps nothing. A value's size is 1 unless
    told.
    """

    def __init__(self, max_size: int, size_of: Callable[[V], int] = lambda _: 1) -> None:
        self._size_of = size_of
        # By text, because comparing two Path objects costs more than the whole look-up.
        self._entries: LRUCache[str, tuple[Hashable, V]] = LRUCache(
            max_size, getsizeof=lambda entry: self._size_of(entry[1])
        )
        self._lock = Lock()

    def get(self, path: Path, state: Hashable) -> V | None:
        """Return the value made from this state of the file, and of what belongs to it, or None."""
        with self._lock:
            entry = self._entries.get(str(path))
            return entry[1] if entry is not None and entry[0] == state else None

    def put(self, path: Path, state: Hashable, value: V) -> None:
        """Keep a value; one too large for the whole cache is not kept."""
        with self._lock:
            self._entries.pop(str(path), None)
            if self._size_of(value) <= self._entries.maxsize:
                self._entries[str(path)] = (state, value)

    def drop(self, path: Path) -> None:
        """Forget what was read from a path."""
        with self._lock:
            self._entries.pop(str(path), None)
