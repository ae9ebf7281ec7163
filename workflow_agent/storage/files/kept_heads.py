"""The heads of many workflows in one file, so that a process need not open each document to learn them."""

import logging
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import orjson

from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState
from workflow_agent.workflows.store import WorkflowHead

_log = logging.getLogger(__name__)
_FILE = Path(".index") / "heads.json"
_WORTH_KEEPING = 1_000
"""Heads that changed since they were kept last; reading fewer again takes a process less than 0.1 s."""

Heads = Mapping[str, tuple[FileState, WorkflowHead]]
"""By workflow id: the state of the document, and what it then said."""


class KeptHeads:
    """The heads of each tenant as some process saw them last, in `<tenant>/.index/heads.json`.

    Only what the state of a document bears out may be taken from here. The file can be thrown away.

    Args:
        files: The data directory.
    """

    def __init__(self, files: DurableFiles) -> None:
        self._files = files
        self._changed: dict[Path, int] = {}

    def read(self, directory: Path) -> Heads:
        """Return what was kept of a directory of workflows; nothing where that cannot be used."""
        path = directory.parent / _FILE
        try:
            stored = self._files.read(path)
            return _heads_in(stored.data) if stored else {}
        except StorageFailed as error:
            _log.warning("kept heads cannot be read", extra={"reason": error.message})
        except (ValueError, TypeError):
            _log.warning("kept heads are damaged and are made anew", extra={"document": _FILE.name})
        return {}

    def note(self, directory: Path, changed: int, heads: Heads) -> None:
        """Keep the heads there are where enough of them changed since the last time."""
        self._changed[directory] = self._changed.get(directory, 0) + changed
        if self._changed[directory] < _WORTH_KEEPING:
            return
        self._changed[directory] = 0
        path = directory.parent / _FILE
        # Without them all is as slow as it was, so that a full disk must not stop a search.
        try:
            self._files.ensure_directory(path.parent)
            self._files.save(path, _text_of(heads))
        except StorageFailed as error:
            _log.warning("heads cannot be kept", extra={"reason": error.message})


def _text_of(heads: Heads) -> bytes:
    rows = [
        (one, *state, head.version, head.changed.isoformat() if head.changed else None, head.mark)
        for one, (state, head) in heads.items()
    ]
    return orjson.dumps(rows)


def _heads_in(data: bytes) -> Heads:
    return {
        one: (
            FileState(inode, mtime_ns, size),
            WorkflowHead(version, changed and datetime.fromisoformat(changed), mark),
        )
        for one, inode, mtime_ns, size, version, changed, mark in orjson.loads(data)
    }
