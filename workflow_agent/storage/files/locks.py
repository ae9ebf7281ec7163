"""One writer at a time: a queue within the process, a lock file between processes."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

from filelock import lock_descriptor, unlock_descriptor

from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.file_system import reported

_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_POLL_SECONDS = 0.005
_LONG_POLL_SECONDS = 0.1
_TIMEOUT_SECONDS = 30.0


class WriterQueues:
    """A queue of writers a document, in the event loop.

    Without it everybody who waits for the same document would hold a thread.
    """

    def __init__(self) -> None:
        self._queues: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    def of(self, document: Path) -> asyncio.Lock:
        """Return the lock to hold while writing a document."""
        return self._queues.setdefault(document, asyncio.Lock())


@contextmanager
def locked(lock_file: Path, *, timeout_seconds: float = _TIMEOUT_SECONDS) -> Generator[None]:
    """Hold a lock file, also against other processes; its directory must exist.

    Contends with `filelock.FileLock` on the same path, without that class's cost. The holder may
    remove the file; the next waiter then creates a new one.

    Raises:
        StorageFailed: The file cannot be opened, or another process held it for too long.
    """
    fd = acquired(lock_file, timeout_seconds)
    try:
        yield
    finally:
        # Said, not left to close: a process forked meanwhile keeps the descriptor open.
        unlock_descriptor(fd)
        os.close(fd)


@asynccontextmanager
async def locked_for_long(lock_file: Path) -> AsyncGenerator[None]:
    """Hold a lock file through long work, then remove it. Waiting for it occupies no thread.

    Raises:
        StorageFailed: The file cannot be opened, or its directory is not there.
    """
    while (fd := _acquired_at_once(lock_file)) is None:  # noqa: ASYNC110 - who holds it may be another process
        await asyncio.sleep(_LONG_POLL_SECONDS)
    try:
        yield
    finally:
        _remove_and_release(lock_file, fd)


def _remove_and_release(lock_file: Path, fd: int) -> None:
    # Whoever waits sees that the file is nobody's any more, and makes a new one.
    lock_file.unlink(missing_ok=True)
    unlock_descriptor(fd)
    os.close(fd)


def _acquired_at_once(lock_file: Path) -> int | None:
    fd = _opened(lock_file)
    if lock_descriptor(fd, blocking=False) and os.fstat(fd).st_nlink > 0:
        return fd
    os.close(fd)
    return None


def acquired(lock_file: Path, timeout_seconds: float = _TIMEOUT_SECONDS) -> int:
    """Return the descriptor of a lock file, locked until it is closed; raises as `locked` does."""
    deadline = time.monotonic() + timeout_seconds
    while True:
        fd = _opened(lock_file)
        try:
            _wait_for(fd, lock_file.name, deadline)
            if os.fstat(fd).st_nlink > 0:
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _opened(lock_file: Path) -> int:
    with reported("lock", lock_file, lock_file.parent):
        return os.open(lock_file, _OPEN, 0o600)


def _wait_for(fd: int, name: str, deadline: float) -> None:
    while not lock_descriptor(fd, blocking=False):
        if time.monotonic() > deadline:
            raise StorageFailed(
                f"Could not lock {name!r}: another process holds it. Find out whether it hangs, then retry.",
                action="lock",
                name=name,
            )
        time.sleep(_POLL_SECONDS)
