"""A file of SQLite that can be thrown away: made for its owner alone, begun anew where it is damaged."""

import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.locks import locked

_BUSY_SECONDS = 5.0
_SIDE_FILES = ("", "-wal", "-shm", "-journal")
_DAMAGED = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA})


def is_damage(error: sqlite3.Error) -> bool:
    """Say whether a new file would help, as it would not against a full disk or a lock."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF in _DAMAGED


class IndexFile:
    """One index file, or an index in memory. Not for two threads at once.

    A file of another schema is begun anew: `tables` are the statements that make the tables, in place of any there
    are. Without a path it is in memory.

    Raises:
        sqlite3.Error: From every method, when the file is damaged or cannot be used.
        OSError: From the constructor, when the file cannot be made.
    """

    def __init__(self, path: Path | None, *, schema: int, tables: Sequence[str]) -> None:
        self._path = path
        if path is not None:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Its owner's alone.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        self.connection = sqlite3.connect(
            path or ":memory:", timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            self._inode = path.stat().st_ino if path is not None else 0
            self.connection.execute("PRAGMA synchronous = NORMAL")
            if self._schema() != schema:
                with _alone(path):
                    self._prepare(schema, tables)
        except BaseException:
            self.close()
            raise

    def _prepare(self, schema: int, tables: Sequence[str]) -> None:
        self.connection.execute("PRAGMA journal_mode = WAL")
        with self.transaction():
            # Again, because another process may have made the tables while this one waited.
            if self._schema() != schema:
                for statement in tables:
                    self.connection.execute(statement)
                self.connection.execute(f"PRAGMA user_version = {schema}")

    def _schema(self) -> int:
        return self.connection.execute("PRAGMA user_version").fetchone()[0]

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Do all of a block's writes, or none."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            # A full disk, for one, has rolled back already.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the connection; nothing is lost."""
        self.connection.close()

    def discard(self) -> None:
        """Close the connection and remove the file, unless another process already put a new one there."""
        self.close()
        if self._path is not None:
            with _alone(self._path), suppress(FileNotFoundError):
                if self._path.stat().st_ino == self._inode:
                    _remove(self._path)


def remove_database(path: Path) -> None:
    """Remove a file that cannot be opened, and what SQLite keeps beside it; raises OSError if that fails."""
    with _alone(path):
        _remove(path)


def _remove(path: Path) -> None:
    for ending in _SIDE_FILES:
        path.with_name(path.name + ending).unlink(missing_ok=True)


@contextmanager
def _alone(path: Path | None) -> Generator[None]:
    """Make or remove a file while no other process does; SQLite's own locks do not cover either."""
    if path is None:
        yield
        return
    try:
        with locked(path.with_name(f"{path.name}.lock")):
            yield
    except StorageFailed as error:
        raise OSError(error.message) from error
