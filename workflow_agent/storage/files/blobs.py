"""Large contents of a conversation, each in a file named by its digest."""

import hashlib
import time
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from cachetools import LRUCache

from workflow_agent.errors import CorruptDocument
from workflow_agent.storage.files.documents import StatCache
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState
from workflow_agent.storage.files.rules import no_content
from workflow_agent.values.json_values import content_json, digest_in, parse_canonical

_KNOWN = 4_096
_YOUNG_SECONDS = 600.0
_CACHE_BYTES = 8 * 2**20
_SMALL_BYTES = 64 * 2**10
"""Up to so many bytes a content is kept in memory."""


_TEXTS, _TEXT_CHARS = 64, 16_000


# The parts of the instructions are the same texts from turn to turn.
@lru_cache(maxsize=_TEXTS)
def _text_digest(text: str) -> str:
    return hashlib.sha256(content_json(text)).hexdigest()


# Asked for the same few contents each turn; making a path of three takes longer than looking at its file.
@lru_cache(maxsize=_KNOWN)
def _path_of(archive: Path, digest: str) -> Path:
    return archive / "blobs" / digest


@dataclass(frozen=True, slots=True)
class ConversationBlobs:
    """The blobs of conversations: `<id>.archive/blobs/<sha256>`, JSON, never changed."""

    files: DurableFiles
    _durable: LRUCache[str, FileState] = field(default_factory=lambda: LRUCache[str, FileState](_KNOWN))
    """Files that this process saved: those, and no others, are known to survive a power cut."""
    _contents: StatCache[bytes] = field(default_factory=lambda: StatCache[bytes](_CACHE_BYTES, len))
    _lock: Lock = field(default_factory=Lock)

    def put(self, archive: Path, data: bytes) -> str:
        """Return the reference of a content, as JSON text, that is now kept durably."""
        digest = hashlib.sha256(data).hexdigest()
        path = _path_of(archive, digest)
        if not self._is_durable(path):
            state = self.files.save(path, data)
            self._keep(path, state, data)
            with self._lock:
                self._durable[str(path)] = state
        return f"sha256:{digest}"

    def reference_of_known(self, archive: Path, content: Any) -> str | None:
        """Return the reference of a content that is kept durably already, or None; it takes one look."""
        is_text = isinstance(content, str) and len(content) <= _TEXT_CHARS
        digest = _text_digest(content) if is_text else hashlib.sha256(content_json(content)).hexdigest()
        return f"sha256:{digest}" if self._is_durable(_path_of(archive, digest)) else None

    def known(self, archive: Path, content_ref: str) -> bytes | None:
        """Return a content that was read before and whose file is as it was then; it takes one look."""
        digest = digest_in(content_ref)
        path = _path_of(archive, digest or "")
        state = self.files.state(path) if digest else None
        return None if state is None else self._contents.get(path, state)

    def get(self, archive: Path, conversation_id: str, content_ref: str) -> Any:
        """Return the content of a reference.

        Raises:
            ContentNotFound: Nothing is kept under it.
            CorruptDocument: The file is not what was stored; it was set aside.
        """
        digest = digest_in(content_ref)
        path = _path_of(archive, digest or "")
        stored = self.files.read(path) if digest else None
        if stored is None:
            raise no_content(conversation_id, content_ref)
        if hashlib.sha256(stored.data).hexdigest() != digest:
            name, aside = self.files.name_of(path), self.files.name_of(self.files.set_aside(path))
            raise CorruptDocument(
                f"The file {name!r} is not what was stored under its name. It was set aside as {aside!r}; "
                "restore it from a backup.",
                document=name,
                aside=aside,
            )
        self._keep(path, stored.state, stored.data)
        return parse_canonical(stored.data)

    def _keep(self, path: Path, state: FileState, data: bytes) -> None:
        if len(data) <= _SMALL_BYTES:
            self._contents.put(path, state, data)

    def _is_durable(self, path: Path) -> bool:
        with self._lock:
            saved = self._durable.get(str(path))
        # An old one is saved again: another process may be about to sweep it as an orphan.
        if saved is None or saved.mtime_ns / 1e9 < time.time() - _YOUNG_SECONDS:
            return False
        return self.files.state(path) == saved
