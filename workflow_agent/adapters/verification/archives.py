"""The sealed files and blobs of one conversation."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import orjson

from workflow_agent.adapters.durable_files import DurableFiles
from workflow_agent.adapters.sealed_json import parsed_part
from workflow_agent.adapters.verification.findings import Finding
from workflow_agent.domain.archive import SealedTurns
from workflow_agent.domain.content_refs import kept_apart
from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.errors import StorageFailed
from workflow_agent.domain.sealing import SealedPart
from workflow_agent.domain.verification import Whole

_DIGEST = re.compile(r"[0-9a-f]{64}")
_REFERENCE = re.compile(rb"sha256:([0-9a-f]{64})")


@dataclass(slots=True)
class ArchiveCheck:
    """Checks what a conversation keeps beside its file; afterwards it knows the sealed parts."""

    files: DurableFiles
    directory: Path
    """`<id>.archive`."""
    conversation: Conversation
    texts: list[bytes]
    """What may refer to blobs: the conversation's file, its journals; the sealed files are added."""
    parts: list[SealedPart] = field(default_factory=list[SealedPart])
    _named: set[str] = field(default_factory=set[str])
    _is_sound: bool = True

    def findings(self) -> Iterator[Finding]:
        """Yield what is wrong with them."""
        yield from self._entries(self.conversation.archive)
        yield from self._order()
        if self.whole is not None:
            yield from self._orphans()
        yield from self._blobs()

    @property
    def whole(self) -> Whole | None:
        """Return the conversation with its sealed parts; None when one of them cannot be read."""
        return Whole(self.conversation, self.parts) if self._is_sound else None

    def _entries(self, entries: Sequence[SealedTurns]) -> Iterator[Finding]:
        for entry in entries:
            self._named.add(entry.file)
            path = self.directory / entry.file
            stored = self.files.read(path)
            if stored is None or hashlib.sha256(stored.data).hexdigest() != entry.sha256:
                self._is_sound = False
                kind = "sealed_file_missing" if stored is None else "sealed_file_altered"
                what = "is missing" if stored is None else "is not what was sealed: its digest differs"
                yield self._finding(
                    kind, path,
                    f"The file with turns {entry.first_turn} to {entry.last_turn} {what}. "
                    "Restore it from a backup.",
                )  # fmt: skip
                continue
            self.texts.append(stored.data)
            yield from self._content(path, entry, stored.data)

    def _content(self, path: Path, entry: SealedTurns, data: bytes) -> Iterator[Finding]:
        try:
            if entry.kind == "turns":
                self.parts.append(parsed_part(data))
                return
            listed = [SealedTurns.model_validate(one) for one in orjson.loads(data)["entries"]]
        except (ValueError, LookupError, TypeError, StorageFailed) as error:
            self._is_sound = False
            yield self._finding("unreadable_document", path, f"It does not parse: {error}")
            return
        yield from self._entries(listed)

    def _order(self) -> Iterator[Finding]:
        turn, index, call = 0, -1, 0
        for entry in self.conversation.archive:
            if (entry.first_turn, entry.first_index, entry.first_call) != (turn + 1, index + 1, call):
                yield self._finding(
                    "archive_gap", self.directory / entry.file,
                    f"It begins at turn {entry.first_turn}, event {entry.first_index}, call "
                    f"{entry.first_call}; turn {turn + 1}, event {index + 1}, call {call} come next.",
                )  # fmt: skip
            turn, index, call = entry.last_turn, entry.last_index, entry.first_call + entry.calls

    def _orphans(self) -> Iterator[Finding]:
        events = {event.id: event for event in self.conversation.events}
        events |= {event.id: event for part in self.parts for event in part.events}
        for name in self.files.names(self.directory):
            path = self.directory / name
            if name in self._named or not name.endswith(".json"):
                continue
            stored = self.files.read(path)
            is_kept = stored is not None and _is_within(stored.data, events)
            yield self._finding(
                "sealed_file_orphan", path,
                "Nothing names it; a save that was cut off left it, and the conversation has what it holds."
                if is_kept else "Nothing names it, and what it holds is nowhere else.",
                partial(self.files.remove, path) if is_kept else None,
            )  # fmt: skip

    def _blobs(self) -> Iterator[Finding]:
        blobs = self.directory / "blobs"
        there = set(self.files.names(blobs))
        events = (event for source in (*self.parts, self.conversation) for event in source.events)
        runs = (run for source in (*self.parts, self.conversation) for run in source.runs)
        for reference in sorted(kept_apart(events, runs, self.conversation.attachments)):
            if reference.removeprefix("sha256:") not in there:
                yield self._finding("blob_missing", blobs / reference[7:], "A message refers to it.")
        mentioned = {match.decode() for text in self.texts for match in _REFERENCE.findall(text)}
        for name in sorted(there):
            path = blobs / name
            stored = self.files.read(path) if _DIGEST.fullmatch(name) else None
            if stored is None:
                continue
            if hashlib.sha256(stored.data).hexdigest() != name:
                yield self._finding("blob_altered", path, "It is not what its name says: its digest differs.")
            elif name not in mentioned and self._is_sound:
                yield self._finding(
                    "blob_orphan", path, "Nothing refers to it.", partial(self.files.remove, path)
                )

    def _finding(self, kind: str, path: Path, message: str, mend: Any = None) -> Finding:
        return Finding(kind, self.files.name_of(path), message, mend)


def _is_within(data: bytes, events: dict[str, Any]) -> bool:
    """Say whether an unnamed sealed file holds only events that the conversation has just so."""
    try:
        part = parsed_part(data)
    except (ValueError, LookupError, TypeError, StorageFailed):
        return _is_index(data)
    return all(events.get(event.id) == event for event in part.events)


def _is_index(data: bytes) -> bool:
    """Say whether it lists sealed files, which has no other content than those."""
    try:
        plain: Any = orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return isinstance(plain, dict) and "entries" in cast("dict[str, Any]", plain)
