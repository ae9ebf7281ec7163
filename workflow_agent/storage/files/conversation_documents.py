"""A conversation as the text of its file, and back."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import orjson
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from workflow_agent.conversations.call_history import mended_history
from workflow_agent.conversations.document import SCHEMA_VERSION, Conversation
from workflow_agent.conversations.records import upgraded
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.file_system import FileState

_log = logging.getLogger(__name__)
LISTS = {"events", "phase_transitions", "runs", "calls", "workflow_refs", "compactions", "archive"}
"""The fields that grow with the conversation."""
_SPARSE = {"runs", "calls", "compactions"}
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
    Takes time for what is new, not for how long the conversation is.

    Raises:
        StorageFailed: It holds a value that JSON cannot carry.
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
    """Return each record as a line: laid out further, it would take eight times as long to write.

    Args:
        name: The list they are of.
        items: The records.
        known: The lines of records as an earlier save wrote them.
        parts: Where the lines are noted for the next one.
    """
    without_nulls = name in _SPARSE
    keys = list(map(id, items))
    lines = list(map(known.get, keys))
    for at, line in enumerate(lines):
        if line is None:
            data = to_json(items[at], by_alias=True, inf_nan_mode="null", exclude_none=without_nulls)
            lines[at] = orjson.Fragment(data)
    written = cast("list[orjson.Fragment]", lines)
    parts.update(zip(keys, written, strict=True))
    return written


def _indented(value: Any) -> orjson.Fragment:
    """Return a value laid out; it may hold numbers that orjson does not write."""
    return orjson.Fragment(to_json(value, indent=2, inf_nan_mode="null").replace(b"\n", b"\n  "))


def parse_conversation(data: bytes, path: Path) -> Conversation:
    """Return the conversation a file holds; raises as `parsed_conversation` does."""
    return parse_text(data, path).conversation


def parse_text(data: bytes, path: Path) -> ConversationText:
    """Return the conversation a file holds as a text; raises as `parsed_conversation` does."""
    return _parsed(data, path.parent.parent.name, path.stem)


def parsed_conversation(data: bytes, tenant: str, conversation_id: str) -> Conversation:
    """Return the conversation of a text.

    Raises:
        ValueError: The text is damaged.
        StorageFailed: It is sound, but of a newer schema, or of another conversation.
    """
    return _parsed(data, tenant, conversation_id).conversation


def _parsed(data: bytes, tenant: str, conversation_id: str) -> ConversationText:
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
