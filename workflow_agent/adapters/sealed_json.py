"""Sealed turns as the bytes of their file: on one line, without what is empty, and each text once."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic_core import to_json

from workflow_agent.domain.conversation import SCHEMA_VERSION
from workflow_agent.domain.errors import StorageFailed
from workflow_agent.domain.sealing import SealedPart
from workflow_agent.domain.values import JsonObject

SEALED_VERSION = 3
"""2 had every text wherever it was said, on lines as the conversation's file has them."""
_OF, _SLICE, _ARGS_OF = "content_of", "slice", "args_of"
_FACTS = ("ledger", "carried", "dropped")
"""Of a compaction: lists of many kinds, most of them empty."""
_SHORT_CHARS = 48
"""A text up to this length is no longer than what would stand for it."""


def written_part(part: SealedPart) -> bytes:
    """Return the bytes of a sealed file.

    What the loop said is mostly the message or the reply: there, `content_of` names the event whose
    `content` it is, with `slice` where it is not all of it; a message's call has `args_of`.
    """
    plain: JsonObject = json.loads(to_json(part, by_alias=True, inf_nan_mode="null", exclude_none=True))
    texts = _texts(plain)
    for reply, message in _loop_messages(plain):
        _shorten(message, {one: texts[one] for one in (reply["id"], _asked(plain, reply)) if one in texts})
    by_text = {text: event_id for event_id, text in texts.items() if len(text) > _SHORT_CHARS}
    for call in plain["calls"]:
        args = call.get("args") or [None]
        if len(args) == 1 and isinstance(args[0], str) and args[0] in by_text:
            call[_ARGS_OF] = by_text[call.pop("args")[0]]
    for compaction in plain["compactions"]:
        for name in _FACTS:
            compaction[name] = {kind: facts for kind, facts in compaction.get(name, {}).items() if facts}
    plain["schema_version"] = SEALED_VERSION
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def parsed_part(data: bytes) -> SealedPart:
    """Return the turns a sealed file holds, whichever schema it is of.

    Raises:
        ValueError, LookupError, TypeError: It does not parse.
        StorageFailed: It was written by a newer release.
    """
    plain = cast("JsonObject", json.loads(data))
    version: Any = plain.get("schema_version")
    refuse_newer(version, SEALED_VERSION)
    if version != SEALED_VERSION:
        return SealedPart.model_validate_json(data)
    texts = _texts(plain)
    for _, message in _loop_messages(plain):
        if _OF in message:
            begin, end = message.pop(_SLICE, (None, None))
            message["content"] = texts[message.pop(_OF)][begin:end]
    for call in plain["calls"]:
        if _ARGS_OF in call:
            call["args"] = [texts[call.pop(_ARGS_OF)]]
    plain["schema_version"] = SCHEMA_VERSION
    return SealedPart.model_validate_json(json.dumps(plain))


def refuse_newer(version: int, known: int) -> None:
    """Refuse a file of the archive that a newer release wrote.

    Raises:
        StorageFailed: Says which schema it has.
    """
    if version > known:
        raise StorageFailed(
            f"The sealed file was written by a newer release (schema {version}, this one reads up to "
            f"{known}). Update the server."
        )


def _texts(plain: JsonObject) -> dict[str, str]:
    """Return what was said, by the id of its event."""
    return {event["id"]: event["content"] for event in plain["events"]}


def _asked(plain: JsonObject, reply: JsonObject) -> str:
    """Return the id of the message that a reply answers."""
    turn, kind = reply["turn"], "user_message"
    messages = (
        event["id"] for event in plain["events"] if (event["type"], event.get("turn")) == (kind, turn)
    )
    return next(messages, "")


def _loop_messages(plain: JsonObject) -> Iterator[tuple[JsonObject, JsonObject]]:
    """Yield each message of the loops, with the reply it led to."""
    for event in plain["events"]:
        for iteration in event.get("iterations", ()):
            for message in iteration["messages"]:
                yield event, message


def _shorten(message: JsonObject, texts: Mapping[str, str]) -> None:
    """Let a message name the event that has its text, if one does."""
    content = message["content"]
    if len(content) <= _SHORT_CHARS:
        return
    for event_id, text in texts.items():
        at = text.find(content)
        if at >= 0:
            del message["content"]
            message[_OF] = event_id
            if text != content:
                message[_SLICE] = [at, at + len(content)]
            return
