"""A conversation as the text of its file, and back; and its large contents, in a file each."""

import hashlib
import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from operator import is_
from pathlib import Path
from threading import Lock
from typing import Any, cast

import orjson
from cachetools import LRUCache
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from workflow_agent.conversations.call_history import CallRecord, mended_history
from workflow_agent.conversations.document import SCHEMA_VERSION, Conversation
from workflow_agent.conversations.records import upgraded
from workflow_agent.errors import CorruptDocument, StorageFailed
from workflow_agent.storage.files.documents import StatCache
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState
from workflow_agent.storage.files.rules import no_content
from workflow_agent.values.stored import content_json, digest_in, parse_canonical

_log = logging.getLogger(__name__)
LISTS = {"events", "phase_transitions", "runs", "calls", "workflow_refs", "compactions", "archive"}
"""The fields that grow with the conversation."""
SPARSE = {"runs", "calls", "compactions"}
"""Lists of records with many optional fields, most of them null: those are left out of the file."""


@dataclass(frozen=True, slots=True)
class ConversationText:
    """A conversation, its text, and the text of its parts, so that the next save writes only new ones."""

    conversation: Conversation
    parts: Mapping[int, orjson.Fragment] = field(default_factory=dict[int, orjson.Fragment])
    """By the identity of an event, a run, a call, ...: the conversation keeps those alive and unchanged."""
    size_bytes: int = 0
    lines: bytes = b""
    """The latest changes, where only the conversation's journal has them."""
    journal: FileState | None = None
    """The state of the journal; None where there is none."""
    is_as_stored: bool = True
    """Whether the file is of the present schema, and sound."""

    @property
    def version(self) -> int:
        """Return the version of the conversation."""
        return self.conversation.version


def written(conversation: Conversation, known: Mapping[int, orjson.Fragment]) -> tuple[bytes, ConversationText]:
    """Return the bytes of the file, and what to pass as `known` parts when a successor is written.

    What it is by itself is indented, and each of its records, an event, a run, a call, stands on a line.
    Takes time for what is new, not for how long the conversation is. Raises StorageFailed for what JSON cannot carry.
    """
    parts: dict[int, orjson.Fragment] = {}
    try:
        data = _document(conversation, known, parts)
    except (PydanticSerializationError, orjson.JSONEncodeError) as error:
        raise StorageFailed(
            f"Conversation {conversation.id!r} holds a value that cannot be written as JSON: {error}."
        ) from error
    return data, ConversationText(conversation, parts, len(data))


def _document(value: Conversation, known: Mapping[int, orjson.Fragment], parts: dict[int, orjson.Fragment]) -> bytes:
    plain = value.model_dump(mode="json", by_alias=True, exclude=LISTS)
    fields = {
        name: lines_of(name, getattr(value, name), known, parts)
        if name in LISTS
        else _indented(plain[name])
        if isinstance(plain[name], dict)
        else plain[name]
        for name in type(value).model_fields
    }
    return orjson.dumps(fields, option=orjson.OPT_INDENT_2)


def lines_of(
    name: str, items: tuple[Any, ...], known: Mapping[int, orjson.Fragment], parts: dict[int, orjson.Fragment]
) -> list[orjson.Fragment]:
    """Return each record of a list as a line: laid out further, it would take eight times as long to write.

    `known` are the lines that an earlier save wrote; in `parts` they are noted for the next one.
    """
    without_nulls = name in SPARSE
    keys = list(map(id, items))
    lines = list(map(known.get, keys))
    for at, line in enumerate(lines):
        if line is None:
            data = to_json(items[at], by_alias=True, inf_nan_mode="null", exclude_none=without_nulls)
            lines[at] = orjson.Fragment(data)
    written = cast("list[orjson.Fragment]", lines)
    parts.update(zip(keys, written, strict=True))
    return written


def unchanged_first(before: Sequence[object], after: Sequence[object]) -> int:
    """Return how many of the first items are the same objects."""
    return sum(takewhile(bool, map(is_, before, after)))


def _indented(value: Any) -> orjson.Fragment:
    """Return a value laid out; it may hold numbers that orjson does not write."""
    return orjson.Fragment(to_json(value, indent=2, inf_nan_mode="null").replace(b"\n", b"\n  "))


def parse_file(data: bytes, path: Path) -> ConversationText:
    """Return the conversation a file holds; raises as `parse_text` does."""
    return parse_text(data, path.parent.parent.name, path.stem)


def parse_text(data: bytes, tenant: str, conversation_id: str) -> ConversationText:
    """Return the conversation of a text.

    Raises:
        ValueError: The text is damaged.
        StorageFailed: It is sound, but of a newer schema, or of another conversation.
    """
    is_as_stored = True
    try:
        conversation = Conversation.model_validate_json(data)
    except ValidationError:
        is_as_stored = False
        conversation = _as_it_should_be(_upgraded(data, conversation_id) or data, conversation_id)
    if (conversation.tenant, conversation.id) != (tenant, conversation_id):
        raise StorageFailed(
            f"The file of conversation {conversation_id!r} of tenant {tenant!r} holds conversation "
            f"{conversation.id!r} of tenant {conversation.tenant!r}. Move it to where it belongs."
        )
    return ConversationText(conversation, size_bytes=len(data), is_as_stored=is_as_stored)


def _upgraded(data: bytes, conversation_id: str) -> bytes | None:
    """Return a document of an earlier schema in the present one; None when it is of the present one."""
    plain: Any = orjson.loads(data)
    version: Any = cast("dict[str, Any]", plain).get("schema_version") if isinstance(plain, dict) else None
    if not isinstance(version, int):
        return None
    if version > SCHEMA_VERSION:
        raise StorageFailed(
            f"Conversation {conversation_id!r} was written by a newer release (schema {version}, "
            f"this one reads up to {SCHEMA_VERSION}). Update the server."
        )
    if version == SCHEMA_VERSION:
        return None
    # Read once more, because orjson makes floats of very large integers.
    return json.dumps(upgraded(json.loads(data), version)).encode()


def _as_it_should_be(data: bytes, conversation_id: str) -> Conversation:
    """Return a conversation of the present schema, its call history set right where only that is wrong."""
    try:
        return Conversation.model_validate_json(data)
    except ValidationError:
        plain: Any = json.loads(data)
        if not isinstance(plain, dict) or "calls" not in plain:
            raise
        document = cast("dict[str, Any]", plain)
        document["calls"], mended = mended_history(document["calls"], str(document.get("updated_at", "")))
        if not mended:
            raise
    _log.warning("a call history was set right", extra={"conversation_id": conversation_id, "records_mended": mended})
    return Conversation.model_validate_json(json.dumps(document))


def call_histories(root: Path) -> Iterator[Sequence[CallRecord]]:
    """Yield the call history of each conversation; files that hold none are passed over."""
    for path in sorted(root.glob("*/conversations/*.json")):
        try:
            plain: Any = orjson.loads(path.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            continue
        if isinstance(plain, dict) and "calls" in plain:
            document = cast("dict[str, Any]", plain)
            records, _ = mended_history(document["calls"], str(document.get("updated_at", "")))
            yield tuple(CallRecord.model_validate(record) for record in records)


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
