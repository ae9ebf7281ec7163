"""A conversation as the text of its file, and back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import orjson
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from workflow_agent.domain.conversation import SCHEMA_VERSION, Conversation
from workflow_agent.domain.errors import StorageFailed

_INDENT = b"  "
_LISTS = {
    "events", "phase_transitions", "runs", "calls", "workflow_refs", "compactions", "archive",
}  # fmt: skip
"""The fields that grow with the conversation."""


@dataclass(frozen=True, slots=True)
class ConversationText:
    """A conversation, its text, and the text of its parts, so that the next save writes only new ones."""

    conversation: Conversation
    parts: Mapping[int, orjson.Fragment] = field(default_factory=dict[int, orjson.Fragment])
    """By the identity of an event, a run, a call, ...: the conversation keeps those alive and unchanged."""
    size_bytes: int = 0


def written(
    conversation: Conversation, known: Mapping[int, orjson.Fragment]
) -> tuple[bytes, ConversationText]:
    """Return the bytes of the file, and what to pass as `known` parts when a successor is written.

    Equal to dumping `conversation_document` with an indent of two, but in time that depends on
    what is new, not on how long the conversation is.

    Raises:
        StorageFailed: It holds a value that JSON cannot carry.
    """
    parts: dict[int, orjson.Fragment] = {}
    try:
        plain = conversation.model_dump(mode="json", by_alias=True, exclude=_LISTS)
        fields = {
            name: _listed(getattr(conversation, name), known, parts)
            if name in _LISTS
            else _fragment(plain[name], 1)
            if isinstance(plain[name], dict)
            else plain[name]
            for name in Conversation.model_fields
        }
        data = orjson.dumps(fields, option=orjson.OPT_INDENT_2)
    except (PydanticSerializationError, orjson.JSONEncodeError) as error:
        raise StorageFailed(
            f"Conversation {conversation.id!r} holds a value that cannot be written as JSON: {error}."
        ) from error
    return data, ConversationText(conversation, parts, len(data))


def _listed(
    items: tuple[Any, ...], known: Mapping[int, orjson.Fragment], parts: dict[int, orjson.Fragment]
) -> list[orjson.Fragment]:
    for item in items:
        parts[id(item)] = known.get(id(item)) or _fragment(item, 2)
    return [parts[id(item)] for item in items]


def _fragment(value: Any, depth: int) -> orjson.Fragment:
    text = to_json(value, by_alias=True, indent=2, inf_nan_mode="null")
    # A line break inside a string is written as \n, so each of these ends a line of the layout.
    return orjson.Fragment(text.replace(b"\n", b"\n" + _INDENT * depth))


def parse_conversation(data: bytes, path: Path) -> Conversation:
    """Return the conversation a file holds.

    Raises:
        ValueError: The file is damaged.
        StorageFailed: It is sound, but of a newer schema, or of another conversation.
    """
    try:
        conversation = Conversation.model_validate_json(data)
    except ValidationError:
        _refuse_newer_schema(data, path)
        raise
    tenant = path.parent.parent.name
    if (conversation.tenant, conversation.id) != (tenant, path.stem):
        raise StorageFailed(
            f"The file of conversation {path.stem!r} of tenant {tenant!r} holds conversation "
            f"{conversation.id!r} of tenant {conversation.tenant!r}. Move it to where it belongs."
        )
    return conversation


def _refuse_newer_schema(data: bytes, path: Path) -> None:
    plain = orjson.loads(data)
    version: Any = cast("dict[str, Any]", plain).get("schema_version") if isinstance(plain, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise StorageFailed(
            f"Conversation {path.stem!r} was written by a newer release (schema {version}, "
            f"this one reads up to {SCHEMA_VERSION}). Update the server."
        )
