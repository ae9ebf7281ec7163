"""Temporary files: made beside what they will replace, locked while in use, swept after a crash."""

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from workflow_agent.adapters.file_system import OPEN_TO_READ, FileSystem

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NAME = re.compile(r"\..{1,200}\.[0-9a-f]{16}\.tmp")
_FILE_MODE = 0o600


def new_temporary(path: Path, file_system: FileSystem) -> tuple[Path, int]:
    """Return a new empty file beside a path and its descriptor, locked to say that it is in use."""
    while True:
        # Same directory, because a rename is atomic only within one disk.
        temp = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
        fd = file_system.open(temp, _CREATE, _FILE_MODE)
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
    for folder, _, names in os.walk(root, onerror=_raise_unless_gone):
        yield from (Path(folder, name) for name in names if _NAME.fullmatch(name))


def _raise_unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def swept(path: Path, file_system: FileSystem) -> bool:
    """Remove a temporary file that nobody is writing; say whether it was one."""
    try:
        if not stat.S_ISREG(file_system.lstat(path).st_mode):
            return False
        fd = file_system.open(path, OPEN_TO_READ)
    except FileNotFoundError:
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
