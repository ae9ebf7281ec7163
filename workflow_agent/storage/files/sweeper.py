"""Removes what killed processes left, while servers run."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.conversation_documents import parse_conversation
from workflow_agent.storage.files.conversation_journal import DELETING, finish_deletion, joined
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import is_conversation_id, tenant_directory
from workflow_agent.storage.files.locks import locked
from workflow_agent.storage.files.verification.conversations import ArchiveCheck

LEFT_ALONE_SECONDS = 3_600.0
"""A content is kept before the conversation that refers to it: of a younger one that may be to come."""
_MOST_AT_A_TIME = 100


@dataclass(slots=True)
class Sweeper:
    """Removes leftovers that are certainly useless; `verify` lists the doubtful ones.

    Args:
        files: The data directory.
        tenant: Whose files.
        now: The time as files have it, in seconds.
    """

    files: DurableFiles
    tenant: str
    now: Callable[[], float] = time.time
    _left: dict[str, float] = field(default_factory=dict[str, float])

    def add(self, conversation_ids: Iterable[str]) -> None:
        """Queue conversations of a dead process for a later look: their blobs may be orphans."""
        self._left |= dict.fromkeys(conversation_ids, self.now())

    def sweep(self) -> int:
        """Return how many leftovers were removed; looks at a bounded number of conversations."""
        removed = len(self.files.sweep()) + self._deletions()
        due = [one for one, since in self._left.items() if since <= self.now() - LEFT_ALONE_SECONDS]
        for conversation_id in due[:_MOST_AT_A_TIME]:
            del self._left[conversation_id]
            # One that cannot be read or is not there has nothing that is certainly left over.
            with suppress(StorageFailed, ValueError):
                removed += self._contents(conversation_id)
        return removed

    @property
    def _directory(self) -> Path:
        return tenant_directory(self.files.root, self.tenant) / "conversations"

    def _deletions(self) -> int:
        begun = [name for name in self.files.names(self._directory) if name.endswith(DELETING)]
        ids = [one for name in begun if is_conversation_id(one := name.removesuffix(DELETING))]
        for one in ids[:_MOST_AT_A_TIME]:
            document = self._directory / f"{one}.json"
            # Whoever deletes it holds the lock; whoever made it anew has made room.
            with suppress(StorageFailed), locked(document.with_suffix(".lock")):
                if self.files.state(document) is None:
                    finish_deletion(self.files, document)
        return len(ids[:_MOST_AT_A_TIME])

    def _contents(self, conversation_id: str) -> int:
        document = self._directory / f"{conversation_id}.json"
        if self.files.state(document) is None:
            return 0
        with locked(document.with_suffix(".lock")):
            stored = self.files.read(document)
            if stored is None:
                return 0
            found = joined(self.files, document, stored.data, parse_conversation)
            conversation = found.value
            if conversation.active_run() is not None:
                # What it keeps, it refers to when it ends.
                return 0
            texts = [stored.data, found.lines]
            check = ArchiveCheck(self.files, document.with_suffix(".archive"), conversation, texts)
            orphans = [one for one in check.findings() if one.is_leftover and self._is_old(one.path)]
            for one in orphans:
                if one.mend is not None:
                    one.mend()
        return len(orphans)

    def _is_old(self, name: str) -> bool:
        state = self.files.state(self.files.root / name)
        return state is not None and state.mtime_ns / 1e9 < self.now() - LEFT_ALONE_SECONDS
