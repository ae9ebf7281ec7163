"""Which server processes are alive, and which conversations the dead ones were working on."""

import asyncio
import fcntl
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from typing_extensions import override

from workflow_agent.conversations.store import Owners
from workflow_agent.storage.files.file_system import is_conversation_id, is_tenant, read_plain_file, reported
from workflow_agent.storage.files.locks import acquired

_OWNER = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
_REWRITE_BYTES = 64 * 2**10


def new_owner_id() -> str:
    """Return an id for this process that no other process has had."""
    return f"{os.getpid()}-{secrets.token_hex(6)}"


def running_owners(root: Path) -> Sequence[str]:
    """Return the ids of the server processes that run on a data directory; nothing is made or written."""
    directory = root / ".owners"
    with reported("list", directory, root):
        paths = sorted(directory.glob("*.lock"))
    return tuple(path.stem for path in paths if _is_held(path, root))


def _is_held(lock_file: Path, root: Path) -> bool:
    with reported("look at", lock_file, root):
        try:
            fd = os.open(lock_file, _OPEN)
        except FileNotFoundError:
            return False
        try:
            # Shared, so that two who ask at the same time do not take each other for the owner.
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        else:
            return False
        finally:
            os.close(fd)


class ProcessOwners(Owners):
    """The server processes on one data directory; this one counts as alive until `close` or its end.

    A process holds a lock on `.owners/<owner>.lock`; the system releases it however the
    process ends. Beside it, `.owners/<owner>.runs` is a hint, not a record: it says where to
    look first after a crash. Losing it costs nothing but that a dead run is noticed later.
    """

    def __init__(self, root: Path, owner: str) -> None:
        self._owner = owner
        self._root = root
        self._directory = root / ".owners"
        self._active: Counter[tuple[str, str]] = Counter()
        self._listed: tuple[str, ...] = ()
        self._reported: set[tuple[str, str]] = set()
        self._thread_lock = Lock()
        with reported("make", self._directory, root):
            for directory in (root, self._directory):
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock_fd = acquired(self._lock_file(owner))
        with reported("make", self._runs_file(owner), root):
            self._runs_fd = os.open(self._runs_file(owner), _OPEN | os.O_CREAT | os.O_APPEND, 0o600)

    @property
    @override
    def owner(self) -> str:
        return self._owner

    @override
    def is_alive(self, owner: str) -> bool:
        if owner == self._owner:
            return True
        return _OWNER.fullmatch(owner) is not None and _is_held(self._lock_file(owner), self._root)

    @override
    async def last_seen(self, owner: str) -> datetime | None:
        if _OWNER.fullmatch(owner):
            with reported("look at", self._lock_file(owner), self._root), suppress(FileNotFoundError):
                return datetime.fromtimestamp(self._lock_file(owner).stat().st_mtime, UTC)
        return None

    @override
    def was_lost_with(self, owner: str) -> bool:
        return False

    @override
    def beat(self) -> None:
        with reported("touch", self._lock_file(self._owner), self._root):
            os.utime(self._lock_fd)

    @override
    def note(self, tenant: str, conversation_id: str) -> None:
        with self._thread_lock:
            self._active[tenant, conversation_id] += 1
            if self._active[tenant, conversation_id] == 1:
                self._append([(tenant, conversation_id)])

    @override
    def settle(self, tenant: str, conversation_id: str) -> None:
        with self._thread_lock:
            self._active.subtract([(tenant, conversation_id)])
            self._active = +self._active
            with reported("note", self._runs_file(self._owner), self._root):
                is_long = os.fstat(self._runs_fd).st_size > _REWRITE_BYTES
                if is_long or not self._active:
                    os.ftruncate(self._runs_fd, 0)
            if is_long:
                self._append(self._active)

    @override
    async def running(self, tenant: str) -> int:
        return sum(of == tenant for of, _ in self._active)

    @override
    async def abandoned(self) -> Sequence[tuple[str, str]]:
        return await asyncio.to_thread(self._abandoned)

    def _abandoned(self) -> Sequence[tuple[str, str]]:
        with reported("list", self._directory, self._root):
            paths = sorted(self._directory.iterdir())
        owners = (path.stem for path in paths if path.suffix == ".lock")
        self._listed = tuple(owner for owner in owners if not self.is_alive(owner))
        noted = (pair for owner in self._listed for pair in self._noted_by(owner))
        return list(dict.fromkeys([*noted, *self._reported]))

    @override
    def report(self, tenant: str, conversation_id: str) -> None:
        self._reported.add((tenant, conversation_id))

    @override
    async def working_on(self) -> None:
        return None

    @override
    async def forget_abandoned(self) -> None:
        # Those that were listed: one that died since has not been seen to.
        for owner in self._listed:
            self._remove_files(owner)
        self._listed = ()
        self._reported.clear()

    def close(self) -> None:
        """Stop being alive; without active notes, leave no files."""
        os.close(self._runs_fd)
        os.close(self._lock_fd)
        if not self._active:
            self._remove_files(self._owner)

    def _lock_file(self, owner: str) -> Path:
        return self._directory / f"{owner}.lock"

    def _runs_file(self, owner: str) -> Path:
        return self._directory / f"{owner}.runs"

    def _remove_files(self, owner: str) -> None:
        lock_file = self._lock_file(owner)
        with reported("remove", lock_file, self._root), suppress(FileNotFoundError):
            fd = os.open(lock_file, _OPEN)
            try:
                # Only under its lock: a process that is just starting has made the file, but not locked it.
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for beside in (self._runs_file(owner), lock_file.with_suffix(".sock")):
                    beside.unlink(missing_ok=True)
                lock_file.unlink()
            except BlockingIOError:
                return
            finally:
                os.close(fd)

    def _append(self, pairs: Iterable[tuple[str, str]]) -> None:
        text = "".join(f"{tenant} {conversation_id}\n" for tenant, conversation_id in pairs)
        with reported("note", self._runs_file(self._owner), self._root):
            os.write(self._runs_fd, text.encode())

    def _noted_by(self, owner: str) -> list[tuple[str, str]]:
        with reported("read", self._runs_file(owner), self._root):
            try:
                lines = read_plain_file(self._runs_file(owner)).decode("utf-8", "replace").splitlines()
            except FileNotFoundError:
                return []
        pairs = (line.partition(" ") for line in lines)
        # The last line may have been cut off by the crash.
        return [(tenant, one) for tenant, _, one in pairs if is_tenant(tenant) and is_conversation_id(one)]
