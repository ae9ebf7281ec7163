"""A file system of which one call fails, and one that only counts them."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workflow_agent.storage.files.file_system import FileSystem

CALLS = (
    "open", "read", "write", "utime", "fsync", "fstat", "close", "lstat", "replace", "unlink", "mkdir",
    "rmdir", "listdir", "try_lock",
)  # fmt: skip


class FailingFileSystem(FileSystem):
    """The real one, but the calls that `fails` picks raise an error.

    Args:
        fails: Gets the call's number, counted from 0, its name and its first argument.
        error_number: With which errno it fails.
    """

    def __init__(self, fails: Callable[[int, str, Any], bool], error_number: int) -> None:
        self.made: list[str] = []
        self._fails = fails
        self._errno = error_number
        for name in CALLS:
            setattr(self, name, self._watched(name, getattr(super(), name)))

    def _watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            number = len(self.made)
            self.made.append(name)
            if not self._fails(number, name, args[0]):
                return real(*args, **kwargs)
            if name == "close":
                # The descriptor is gone even when closing it fails.
                real(*args, **kwargs)
            raise OSError(self._errno, os.strerror(self._errno), str(args[0]))

        return call


def never(_number: int, _name: str, _argument: Any) -> bool:
    return False


def plant_odd(directory: Path, pattern: str) -> list[Path]:
    """Put into a directory whatever may have a document's name and is none; return their paths."""
    directory.mkdir(parents=True, exist_ok=True)
    loop, folder, pipe, door = (directory / (pattern % kind) for kind in ("loop", "folder", "pipe", "door"))
    loop.symlink_to(directory / "elsewhere")
    folder.mkdir()
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{(fd := os.open(directory, os.O_RDONLY))}/{door.name}")
        os.close(fd)
    return [loop, folder, pipe, door]
