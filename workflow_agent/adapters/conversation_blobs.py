"""Large contents of a conversation, each in a file named by its digest."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from cachetools import LRUCache

from workflow_agent.adapters.conversation_refusals import no_content
from workflow_agent.adapters.durable_files import DurableFiles
from workflow_agent.domain.digests import canonical_json, digest_in, parse_canonical
from workflow_agent.domain.errors import CorruptDocument

_KNOWN = 20_000


@dataclass(frozen=True, slots=True)
class ConversationBlobs:
    """The blobs of conversations: `<id>.archive/blobs/<sha256>`, canonical JSON, never changed."""

    files: DurableFiles
    _durable: LRUCache[str, None] = field(default_factory=lambda: LRUCache[str, None](_KNOWN))
    """Paths that this process saved: those, and no others, are known to survive a power cut."""
    _lock: Lock = field(default_factory=Lock)

    def put(self, archive: Path, content: Any) -> str:
        """Return the reference of a content that is now kept durably."""
        data = canonical_json(content)
        digest = hashlib.sha256(data).hexdigest()
        path = archive / "blobs" / digest
        if not (self._is_durable(path) and self.files.state(path) is not None):
            self.files.save(path, data)
            with self._lock:
                self._durable[str(path)] = None
        return f"sha256:{digest}"

    def get(self, archive: Path, conversation_id: str, content_ref: str) -> Any:
        """Return the content of a reference.

        Raises:
            ContentNotFound: Nothing is kept under it.
            CorruptDocument: The file is not what was stored; it was set aside.
        """
        digest = digest_in(content_ref)
        path = archive / "blobs" / (digest or "")
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
        return parse_canonical(stored.data)

    def _is_durable(self, path: Path) -> bool:
        with self._lock:
            return str(path) in self._durable
