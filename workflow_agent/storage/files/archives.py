"""The sealed files of conversations: written once, found by turn, checked against their digest."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import orjson
from pydantic_core import to_json

from workflow_agent.conversations import archive as archives
from workflow_agent.conversations.archive import Position, SealedTurns, entry_holding
from workflow_agent.conversations.document import SCHEMA_VERSION, Conversation
from workflow_agent.conversations.seals import SealedPart, SealRule, next_sealing
from workflow_agent.errors import CorruptDocument, StorageFailed
from workflow_agent.storage.files.conversation_documents import ConversationText, written
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.rules import not_sealed
from workflow_agent.values.stored import JsonObject

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
    """Raise StorageFailed, which says its schema, for a file of the archive that a newer release wrote."""
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
    messages = (event["id"] for event in plain["events"] if (event["type"], event.get("turn")) == (kind, turn))
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


MOST_FILES_A_SAVE = 4
"""A long conversation whose turns are compacted all at once is sealed over several saves."""


@dataclass(frozen=True, slots=True)
class ConversationArchive:
    """Moves turns into `<id>.archive/` and reads them back."""

    files: DurableFiles
    rule: SealRule

    def sealed(
        self, directory: Path, conversation: Conversation, previous: ConversationText
    ) -> tuple[bytes, ConversationText]:
        """Return the text of a conversation after what is to be sealed was, durably.

        Until the caller has saved that text, nothing refers to the sealed files: whenever the power
        goes, either the conversation's file has the turns, or it names a file that has them.
        """
        data, text = written(conversation, previous.parts)
        for _ in range(MOST_FILES_A_SAVE):
            rest = without_sealed(
                text.conversation, len(data), self.rule, lambda name, body: self.files.save(directory / name, body)
            )
            if rest is None:
                break
            data, text = written(rest, text.parts)
        return data, text

    def part(self, directory: Path, conversation: Conversation, position: Position) -> SealedPart:
        """Return the sealed part that holds a position.

        Raises:
            NotFound: The position is not sealed.
            CorruptDocument: A file of the archive is missing or is not what was sealed.
        """
        entries = conversation.archive
        while True:
            entry = entry_holding(entries, position)
            if entry is None:
                raise not_sealed(conversation.id, position)
            data = self.checked(directory, entry)
            if entry.kind == "turns":
                return parsed_part(data)
            entries = parsed_entries(data)

    def checked(self, directory: Path, entry: SealedTurns) -> bytes:
        """Return the bytes of a sealed file; raises as `checked_part` does."""
        path = directory / entry.file
        stored = self.files.read(path)
        return checked_part(self.files.name_of(path), entry, stored.data if stored else None)


def without_sealed(
    conversation: Conversation, size_bytes: int, rule: SealRule, keep: Callable[[str, bytes], object]
) -> Conversation | None:
    """Return a conversation without the turns that are to be sealed next, after they were kept; None where none are.

    `keep` stores a sealed file by its name: the turns first, then what lists the files of older ones.
    """
    sealing = next_sealing(conversation, size_bytes, rule)
    if sealing is None:
        return None
    body = written_part(sealing.part)
    keep(sealing.name, body)
    rest = sealing.sealed(hashlib.sha256(body).hexdigest(), len(body))
    while entries := archives.entries_to_fold(rest.archive):
        body = _written_entries(rest, entries)
        keep(archives.index_name(entries), body)
        left = archives.folded(rest.archive, entries, hashlib.sha256(body).hexdigest(), len(body))
        rest = rest.model_copy(update={"archive": left})
    return rest


def entries_in(archive: Sequence[SealedTurns], body_of: Callable[[SealedTurns], bytes]) -> tuple[SealedTurns, ...]:
    """Return the entries of all files with turns, oldest first, those that another file lists among them."""
    found = list(archive)
    while (at := next((place for place, one in enumerate(found) if one.kind == "index"), None)) is not None:
        found[at : at + 1] = parsed_entries(body_of(found[at]))
    return tuple(found)


def checked_part(name: str, entry: SealedTurns, data: bytes | None) -> bytes:
    """Return the bytes of a sealed file, if they are those that were sealed.

    Raises:
        CorruptDocument: They are not, or they are missing. They stay where they are: the conversation names
            them, and what is left may be all there is.
    """
    turns = f"The sealed file {name!r} with turns {entry.first_turn} to {entry.last_turn}"
    if data is None:
        raise CorruptDocument(f"{turns} is missing. Restore it from a backup.", document=name)
    if hashlib.sha256(data).hexdigest() != entry.sha256:
        raise CorruptDocument(
            f"{turns} is not what was sealed: its digest differs. Restore it from a backup.", document=name
        )
    return data


def _written_entries(conversation: Conversation, entries: Sequence[SealedTurns]) -> bytes:
    """Return the bytes of a file that holds entries of the archive."""
    listed = {
        "schema_version": SCHEMA_VERSION,
        "id": conversation.id,
        "tenant": conversation.tenant,
        "entries": [entry.model_dump(mode="json") for entry in entries],
    }
    return orjson.dumps(listed, option=orjson.OPT_INDENT_2)


def parsed_entries(data: bytes) -> tuple[SealedTurns, ...]:
    """Return the entries that a file of the archive holds."""
    plain: Any = orjson.loads(data)
    refuse_newer(plain["schema_version"], SCHEMA_VERSION)
    return tuple(SealedTurns.model_validate(entry) for entry in plain["entries"])
