"""A disk that tells, at any moment, what a power cut could leave of a file.

The model is as harsh as POSIX allows. What was written to a file and not synced may be there, in
part, as zeros, or not at all. What was done to a directory and not synced may be there or not,
each entry for itself; a rename is atomic for the name it replaces, but its two names are
independent. A failed fsync of a file forgets what it should have written: the next one on it succeeds
and writes nothing.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from workflow_agent.storage.files.file_system import FileSystem


@dataclass(eq=False)
class Node:
    """A file or a directory, as it is and as it is known to be on the disk."""

    number: int
    is_directory: bool = False
    data: bytes = b""
    synced: bytes = b""
    is_dirty: bool = False
    is_lost: bool = False
    mtime_ns: int = 0
    entries: dict[str, "Node"] = field(default_factory=dict)
    synced_entries: dict[str, "Node"] = field(default_factory=dict)
    pending: list[tuple[str, "Node | None"]] = field(default_factory=list)

    def enter(self, name: str, node: "Node | None") -> None:
        self.pending.append((name, node))
        if node is None:
            del self.entries[name]
        else:
            self.entries[name] = node

    def sync(self) -> None:
        if not self.is_lost:
            self.synced, self.is_dirty = self.data, False
        self.synced_entries, self.pending = dict(self.entries), []

    def contents_after_crash(self) -> set[bytes]:
        if not self.is_dirty:
            return {self.synced}
        return {self.synced, self.data, self.data[: len(self.data) // 2], bytes(len(self.data)), b""}

    def entries_after_crash(self, name: str) -> set["Node | None"]:
        changes = [node for entry, node in self.pending if entry == name]
        return {self.synced_entries.get(name), *changes}


class SimulatedDisk(FileSystem):
    """Stands in for the system calls; `watch` is called after each of them with its name."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.watch: Callable[[str], None] = lambda _: None
        self.fsync_fails: Iterator[bool] = iter(())
        self.top = Node(0, is_directory=True)
        self._numbers = count(1)
        self._descriptors: dict[int, tuple[Node, int]] = {}
        for name in ("open", "write", "utime", "fsync", "close", "replace", "unlink", "mkdir"):
            setattr(self, name, self._watched(name, getattr(self, f"_{name}")))

    def after_crash(self, path: Path) -> set[bytes | None]:
        """Return every content the path could have after a power cut now; None is no file."""
        found: set[Node | None] = {self.top}
        for part in path.relative_to(self.root.parent).parts:
            found = {entry for node in found for entry in ({None} if node is None else node.entries_after_crash(part))}
        return {content for node in found for content in ({None} if node is None else node.contents_after_crash())}

    def read(self, fd: int, size: int) -> bytes:
        node, at = self._descriptors[fd]
        self._descriptors[fd] = node, min(at + size, len(node.data))
        return node.data[at : at + size]

    def fstat(self, fd: int) -> os.stat_result:
        return self._stat(self._descriptors[fd][0])

    def lstat(self, path: Path) -> os.stat_result:
        return self._stat(self._node(path))

    def listdir(self, path: Path) -> list[str]:
        return list(self._node(path).entries)

    def try_lock(self, fd: int) -> bool:
        return fd in self._descriptors

    def _watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return real(*args, **kwargs)
            finally:
                self.watch(name)

        return call

    def _stat(self, node: Node) -> os.stat_result:
        mode = stat.S_IFDIR if node.is_directory else stat.S_IFREG
        seconds = node.mtime_ns // 10**9
        plain = (mode | 0o600, node.number, 0, 1, 0, 0, len(node.data), seconds, seconds, seconds)
        return os.stat_result(plain, {"st_mtime_ns": node.mtime_ns})

    def _node(self, path: Path) -> Node:
        node = self.top
        for part in path.relative_to(self.root.parent).parts:
            if part not in node.entries:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
            node = node.entries[part]
        return node

    def _open(self, path: Path, flags: int, _mode: int = 0o600) -> int:
        if flags & os.O_CREAT:
            self._node(path.parent).enter(path.name, Node(next(self._numbers)))
        node = self._node(path)
        if flags & os.O_TRUNC:
            node.data, node.is_dirty = b"", True
        fd = next(self._numbers) + 1_000
        self._descriptors[fd] = node, 0
        return fd

    def _mkdir(self, path: Path, _mode: int) -> None:
        parent = self._node(path.parent)
        if path.name in parent.entries:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        parent.enter(path.name, Node(next(self._numbers), is_directory=True))

    def _close(self, fd: int) -> None:
        del self._descriptors[fd]

    def _write(self, fd: int, data: memoryview) -> int:
        node, _ = self._descriptors[fd]
        written = max(1, len(data) // 2)
        node.data, node.is_dirty = node.data + bytes(data[:written]), True
        return written

    def _utime(self, fd: int, *, ns: tuple[int, int]) -> None:
        self._descriptors[fd][0].mtime_ns = ns[1]

    def _fsync(self, fd: int) -> None:
        node, _ = self._descriptors[fd]
        if next(self.fsync_fails, False):
            node.is_lost = not node.is_directory
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        node.sync()

    def _replace(self, source: Path, target: Path) -> None:
        node = self._node(source)
        self._node(target.parent).enter(target.name, node)
        self._node(source.parent).enter(source.name, None)

    def _unlink(self, path: Path) -> None:
        self._node(path)
        self._node(path.parent).enter(path.name, None)
