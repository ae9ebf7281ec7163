"""Files that are replaced whole and survive a power cut once the save has returned."""

import errno
import os
import secrets
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from workflow_agent.storage.files.file_system import (
    FILE_MODE,
    OPEN_TO_CREATE,
    OPEN_TO_READ,
    FileState,
    FileSystem,
    check_is_plain,
    discard,
    failed_to,
    name_below,
    new_temporary,
    reported,
    swept,
    temporary_files,
)

_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_OVERWRITE = os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DIRECTORY_MODE = 0o700
_PROBE_BYTES = 64 * 2**10


class StoredFile(NamedTuple):
    """What a file holds, and in which state it was when it was read."""

    data: bytes
    state: FileState


class DurableFiles:
    """The files below one data directory, saved atomically and durably.

    A call blocks; callers in the event loop go through a thread. Every method raises StorageFailed
    when the system refuses, with the file's name relative to the data directory.

    Args:
        root: The data directory; made on the first save, readable by its owner alone.
        file_system: The system calls.
        now_ns: The time written on files, nanoseconds since 1970.
    """

    def __init__(
        self, root: Path, *, file_system: FileSystem | None = None, now_ns: Callable[[], int] = time.time_ns
    ) -> None:
        self.root = root
        self._fs = file_system or FileSystem()
        self._now_ns = now_ns
        self._durable_directories: set[Path] = set()
        self._root_seen: tuple[int, int] | None = None

    def save(self, path: Path, data: bytes) -> FileState:
        """Return the state of the file after its content was replaced, durably.

        A reader finds the old content or the new one, never a part; after a failure the old one.
        """
        with reported("save", path, self.root):
            try:
                self._ensure(path.parent)
                return self._save(path, data)
            except FileNotFoundError:
                # Somebody removed a directory that was made and synced earlier.
                self._durable_directories.clear()
                self._ensure(path.parent)
                return self._save(path, data)

    def overwrite(self, path: Path, data: bytes) -> FileState:
        """Return the state of a file that now has this content alone, durably, at half the price of a save.

        Only for a file whose old content nobody needs: until this returns, it may hold part of either, or
        nothing. After a failure it is gone.
        """
        with reported("save", path, self.root):
            state = self._state(path)
            fd = self._fs.open(path, _OVERWRITE if state else OPEN_TO_CREATE, FILE_MODE)
            try:
                check_is_plain(self._fs.fstat(fd))
                self._write_all(fd, data)
                self._fs.fsync(fd)
                if state is None:
                    self._sync_directory(path.parent)
                return FileState.of(self._fs.fstat(fd))
            except OSError:
                # A content that could not be made durable must not be read as if it were.
                with suppress(OSError):
                    self._fs.unlink(path)
                raise
            finally:
                self._fs.close(fd)

    def read(self, path: Path) -> StoredFile | None:
        """Return a file's content, or None when there is no such file."""
        with reported("read", path, self.root):
            fd = self._open_existing(path)
            if fd is None:
                return None
            try:
                found = self._fs.fstat(fd)
                check_is_plain(found)
                return StoredFile(self._read_all(fd, found.st_size), FileState.of(found))
            finally:
                self._fs.close(fd)

    def content(self, path: Path) -> bytes:
        """Return what a file holds, which is nothing when there is no such file."""
        stored = self.read(path)
        return stored.data if stored else b""

    def state(self, path: Path) -> FileState | None:
        """Return which content a path has now, or None when there is no such file."""
        # Asked more often than anything else: a block would take longer than the look.
        try:
            return self._state(path)
        except OSError as error:
            raise failed_to("look at", path, self.root, error) from error

    def names(self, directory: Path, ending: str = "") -> list[str]:
        """Return the names in a directory that end so, sorted; none when it does not exist."""
        with reported("list", directory, self.root):
            try:
                return sorted(name for name in self._fs.listdir(directory) if name.endswith(ending))
            except FileNotFoundError:
                self._check_root()
                return []

    def move(self, source: Path, target: Path) -> None:
        """Rename a file or directory durably; what is at the target is replaced."""
        with reported("move", source, self.root):
            self._ensure(target.parent)
            self._fs.replace(source, target)
            for directory in dict.fromkeys((target.parent, source.parent)):
                self._sync_directory(directory)

    def remove(self, path: Path) -> None:
        """Remove a file durably; fine when there is none."""
        with reported("remove", path, self.root), suppress(FileNotFoundError):
            self._fs.unlink(path)
            self._sync_directory(path.parent)

    def remove_directory(self, directory: Path) -> None:
        """Remove a directory and all below it durably; fine when there is none."""
        with reported("remove", directory, self.root), suppress(FileNotFoundError):
            self._remove_tree(directory)
            self._sync_directory(directory.parent)

    def set_aside(self, path: Path, why: str = "corrupt", *, into: Path | None = None) -> Path:
        """Return the new name of a file or directory that stays, out of the way; the caller holds its lock.

        Args:
            path: What to rename, durably; nothing is ever replaced by it.
            why: A word for the new name: `<name>.<why>-<time>`.
            into: Another directory to keep it in.
        """
        moment = datetime.fromtimestamp(self._now_ns() / 1e9, UTC)
        stamp = f"{moment:%Y%m%dT%H%M%S}{moment.microsecond // 1000:03d}Z"
        aside = (into or path.parent) / f"{path.name}.{why}-{stamp}"
        while self.state(aside) is not None:
            aside = aside.with_name(f"{aside.name}-{secrets.token_hex(2)}")
        self.move(path, aside)
        return aside

    def sweep(self) -> list[Path]:
        """Return the temporary files that a crash left below the data directory, now removed.

        One that a save is writing at this moment, here or in another process, is left alone.
        """
        with reported("sweep", self.root, self.root):
            return [path for path in temporary_files(self.root) if swept(path, self._fs)]

    def probe(self) -> None:
        """Find out whether a save would succeed, by writing as one does; nothing of it stays."""
        path = self.root / ".probe"
        with reported("write to", self.root, self.root.parent):
            self._check_root()
            temp, fd = new_temporary(path, self._fs)
            try:
                self._write_all(fd, bytes(_PROBE_BYTES))
                self._fs.fsync(fd)
            finally:
                discard(temp, fd, self._fs)

    def ensure_directory(self, directory: Path) -> None:
        """Make a directory and its way from the data directory, each entry durable."""
        with reported("make", directory, self.root):
            self._ensure(directory)

    def name_of(self, path: Path) -> str:
        """Return a path as messages show it: relative to the data directory."""
        return name_below(self.root, path)

    def _ensure(self, directory: Path) -> None:
        # Another process may have made it and not synced it yet: each is synced once even when it is there.
        if directory in self._durable_directories:
            return
        if directory != self.root:
            self._ensure(directory.parent)
        else:
            self._check_root()
        if self._make_directory(directory) or directory != self.root:
            self._sync_directory(directory.parent)
        self._durable_directories.add(directory)

    def _make_directory(self, directory: Path) -> bool:
        try:
            self._fs.mkdir(directory, _DIRECTORY_MODE)
        except FileExistsError:
            return False
        except FileNotFoundError:
            self._make_directory(directory.parent)
            self._sync_directory(directory.parent.parent)
            with suppress(FileExistsError):
                self._fs.mkdir(directory, _DIRECTORY_MODE)
        return True

    def _remove_tree(self, directory: Path) -> None:
        for name in self._fs.listdir(directory):
            path = directory / name
            if stat.S_ISDIR(self._fs.lstat(path).st_mode):
                self._remove_tree(path)
            else:
                self._fs.unlink(path)
        self._fs.rmdir(directory)

    def _save(self, path: Path, data: bytes) -> FileState:
        # Held open, because after the replace this is the only way back to the old content.
        previous = self._open_existing(path)
        try:
            state = self._put(path, data)
            self._sync_directory(path.parent)
        except OSError:
            self._put_back(path, previous)
            raise
        else:
            return state
        finally:
            if previous is not None:
                # Nothing was written through it, so there is nothing that closing it could lose.
                with suppress(OSError):
                    self._fs.close(previous)

    def _put(self, path: Path, data: bytes) -> FileState:
        temp, fd = new_temporary(path, self._fs)
        try:
            self._write_all(fd, data)
            # The kernel's own times are as coarse as its tick: two saves within one could look the same.
            now = self._now_ns()
            self._fs.utime(fd, ns=(now, now))
            # Never again on this descriptor: after a failure the kernel may call lost pages clean.
            self._fs.fsync(fd)
            state = FileState.of(self._fs.fstat(fd))
            self._fs.replace(temp, path)
        except BaseException:
            discard(temp, fd, self._fs)
            raise
        self._fs.close(fd)
        return state

    def _put_back(self, path: Path, previous: int | None) -> None:
        """Undo a replace that could not be made durable, so that a failed save shows the old content."""
        # The first failure is the one to report; the disk may well refuse this too.
        with suppress(OSError):
            if previous is None:
                self._fs.unlink(path)
                return
            old = FileState.of(self._fs.fstat(previous))
            if self._state(path) != old:
                self._put(path, self._read_all(previous, old.size))

    def _write_all(self, fd: int, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._fs.write(fd, rest) :]

    def _read_all(self, fd: int, size_bytes: int) -> bytes:
        parts: list[bytes] = []
        while part := self._fs.read(fd, size_bytes + 1):
            parts.append(part)
        return b"".join(parts)

    def _open_existing(self, path: Path) -> int | None:
        try:
            return self._fs.open(path, OPEN_TO_READ)
        except FileNotFoundError:
            self._check_root()
            return None

    def _state(self, path: Path) -> FileState | None:
        try:
            return FileState.of(self._fs.lstat(path))
        except FileNotFoundError:
            self._check_root()
            return None

    def _check_root(self) -> None:
        """Tell a file that is not there from a mount that is gone, which must not look like an empty one."""
        try:
            found = self._fs.stat(self.root)
            root = (found.st_dev, found.st_ino)
        except FileNotFoundError:
            root = None
        if self._root_seen is None:
            self._root_seen = root
        elif root != self._root_seen:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    def _sync_directory(self, directory: Path) -> None:
        fd = self._fs.open(directory, _OPEN_DIRECTORY)
        try:
            self._fs.fsync(fd)
        finally:
            self._fs.close(fd)
