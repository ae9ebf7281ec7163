"""The system calls that storage is made of, what may be a part of a path, and failures in an operator's words."""

import errno
import os
import re
import secrets
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from filelock import lock_descriptor

from workflow_agent.conversations.document import CONVERSATION_ID_PATTERN
from workflow_agent.errors import InvalidInput, StorageFailed
from workflow_agent.workflows.model.terms import ID_PATTERN, WORKFLOW_ID_PATTERN

OPEN_TO_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""A link is not followed, and a pipe somebody put there does not hold the server up."""
OPEN_TO_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
FILE_MODE = 0o600
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
    errno.ENXIO: "it is a socket, not a document",
    errno.ESTALE: "the data directory is gone, or another is in its place; bring it back and restart",
}
_OF_EVERY_FILE = {"ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENFILE", "ENOMEM", "ESTALE"}
_TENANT = re.compile(ID_PATTERN)
_CONVERSATION_ID = re.compile(CONVERSATION_ID_PATTERN)
_WORKFLOW_ID = re.compile(WORKFLOW_ID_PATTERN)
_SHOWN_CHARS = 80


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
    stat = staticmethod(os.stat)
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
        raise failed_to(action, path, root, error) from error


def failed_to(action: str, path: Path, root: Path, error: OSError) -> StorageFailed:
    """Return the error of a failed system call: what could not be done to what, and why."""
    name = name_below(root, path)
    reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
    return StorageFailed(
        f"Could not {action} {name!r}: {reason}.", action=action, name=name, errno=errno.errorcode.get(error.errno or 0)
    )


def concerns_one_file(error: StorageFailed) -> bool:
    """Say whether the reason is the file itself, so that all others can be read."""
    return error.details.get("errno") not in _OF_EVERY_FILE


def read_plain_file(path: Path) -> bytes:
    """Return what a file holds; a pipe or a link somebody put there is an OSError, as of `open`, not a wait."""
    with os.fdopen(os.open(path, OPEN_TO_READ), "rb") as opened:
        check_is_plain(os.fstat(opened.fileno()))
        return opened.read()


def check_is_plain(found: os.stat_result) -> None:
    """Refuse what is opened but no plain file, with the OSError of an opening that fails."""
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a plain file")


def name_below(root: Path, path: Path) -> str:
    """Return a path as messages show it: relative to the data directory."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name


_NAME = re.compile(r"\..{1,200}\.[0-9a-f]{16}\.tmp")


def new_temporary(path: Path, file_system: FileSystem) -> tuple[Path, int]:
    """Return a new empty file beside a path and its descriptor, locked to say that it is in use."""
    while True:
        # Same directory, because a rename is atomic only within one disk.
        temp = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
        fd = file_system.open(temp, OPEN_TO_CREATE, FILE_MODE)
        try:
            # A sweep elsewhere may have seen the file before it was locked, and taken it for a leftover.
            if file_system.try_lock(fd) and file_system.fstat(fd).st_nlink > 0:
                return temp, fd
        except OSError:
            discard(temp, fd, file_system)
            raise
        discard(temp, fd, file_system)


def discard(temp: Path, fd: int, file_system: FileSystem) -> None:
    """Give a temporary file up, after a failure that is worth more than one here would be."""
    with suppress(OSError):
        file_system.unlink(temp)
    with suppress(OSError):
        file_system.close(fd)


def temporary_files(root: Path) -> Iterator[Path]:
    """Return every file below a directory that is named like ours; links are not followed."""

    def refuse(error: OSError) -> None:
        # A folder below that cannot be looked into costs only itself: `verify` names it.
        if error.filename == str(root) and not isinstance(error, FileNotFoundError):
            raise error

    for folder, _, names in os.walk(root, onerror=refuse):
        yield from (Path(folder, name) for name in names if _NAME.fullmatch(name))


def swept(path: Path, file_system: FileSystem) -> bool:
    """Remove a temporary file that nobody is writing; say whether it was one."""
    try:
        if not stat.S_ISREG(file_system.lstat(path).st_mode):
            return False
        fd = file_system.open(path, OPEN_TO_READ)
    except (FileNotFoundError, PermissionError):
        return False
    try:
        if not file_system.try_lock(fd):
            return False
        file_system.unlink(path)
    except FileNotFoundError:
        # Its writer renamed it into place meanwhile.
        return False
    else:
        return True
    finally:
        file_system.close(fd)


def is_tenant(text: str) -> bool:
    """Say whether a tenant may have this name."""
    return _TENANT.fullmatch(text) is not None


def check_tenant(tenant: str) -> None:
    """Raise InvalidInput, which says what a name may be, for what cannot be a tenant's."""
    if not is_tenant(tenant):
        raise InvalidInput(
            f"{shown(tenant)} is not a tenant name: 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit."
        )


@lru_cache(maxsize=1_024)
def tenant_directory(root: Path, tenant: str) -> Path:
    """Return where everything of a tenant is kept; raises as `check_tenant` does."""
    check_tenant(tenant)
    return root / tenant


def is_conversation_id(text: str) -> bool:
    """Say whether a conversation may have this id."""
    return _CONVERSATION_ID.fullmatch(text) is not None


def is_workflow_id(text: str) -> bool:
    """Say whether a workflow may have this id."""
    return _WORKFLOW_ID.fullmatch(text) is not None


def shown(text: str) -> str:
    """Return the beginning of a text from outside, for a message."""
    return repr(text[:_SHOWN_CHARS])
