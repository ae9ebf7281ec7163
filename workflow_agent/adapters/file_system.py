"""The system calls that storage is made of, and their failures in words an operator can act on."""

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from filelock import lock_descriptor

from workflow_agent.domain.errors import StorageFailed

OPEN_TO_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""A link is not followed, and a pipe somebody put there does not hold the server up."""

_REASONS = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "the disk quota is used up; free some space or raise it, and try again",
    errno.EROFS: "the disk is read-only; mount it writable",
    errno.EACCES: "permission was denied; the server's user needs to own the data directory",
    errno.EPERM: "permission was denied; the server's user needs to own the data directory",
    errno.EIO: "the disk reported an input/output error; check the device",
    errno.ELOOP: "it is a symbolic link; documents are kept as plain files",
    errno.ENOTDIR: "a part of its path is not a directory",
    errno.EISDIR: "it is a directory, not a document",
    errno.EMFILE: "the process has too many files open; raise its limit (ulimit -n)",
    errno.ENFILE: "the machine has too many files open",
}


class FileSystem:
    """The calls themselves; whoever wants to stop or fail after one of them puts a subclass here."""

    open = staticmethod(os.open)
    read = staticmethod(os.read)
    write = staticmethod(os.write)
    utime = staticmethod(os.utime)
    fsync = staticmethod(os.fsync)
    fstat = staticmethod(os.fstat)
    close = staticmethod(os.close)
    lstat = staticmethod(os.lstat)
    replace = staticmethod(os.replace)
    unlink = staticmethod(os.unlink)
    mkdir = staticmethod(os.mkdir)
    rmdir = staticmethod(os.rmdir)
    listdir = staticmethod(os.listdir)

    def try_lock(self, fd: int) -> bool:
        """Say whether the file is now locked for this descriptor alone; closing it unlocks."""
        return lock_descriptor(fd, blocking=False)


class FileState(NamedTuple):
    """Which content a path has: it changes with every save, by whatever process."""

    inode: int
    mtime_ns: int
    size: int

    @classmethod
    def of(cls, found: os.stat_result) -> "FileState":
        """Return the state a stat call tells of."""
        return cls(found.st_ino, found.st_mtime_ns, found.st_size)


@contextmanager
def reported(action: str, path: Path, root: Path) -> Generator[None]:
    """Turn a failed system call into StorageFailed, which says what could not be done to what, and why."""
    try:
        yield
    except OSError as error:
        name = name_below(root, path)
        reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
        raise StorageFailed(
            f"Could not {action} {name!r}: {reason}.",
            action=action,
            name=name,
            errno=errno.errorcode.get(error.errno or 0),
        ) from error


def name_below(root: Path, path: Path) -> str:
    """Return a path as messages show it: relative to the data directory."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name
