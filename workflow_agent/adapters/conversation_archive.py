"""The sealed files of conversations: written once, found by turn, checked against their digest."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from workflow_agent.adapters.conversation_json import ConversationText, written
from workflow_agent.adapters.conversation_refusals import not_sealed
from workflow_agent.adapters.durable_files import DurableFiles
from workflow_agent.adapters.sealed_json import parsed_part, refuse_newer, written_part
from workflow_agent.domain import archive as archives
from workflow_agent.domain.archive import Position, SealedTurns, entry_holding
from workflow_agent.domain.conversation import SCHEMA_VERSION, Conversation
from workflow_agent.domain.errors import CorruptDocument
from workflow_agent.domain.sealing import SealedPart, SealRule, next_sealing

_MOST_FILES_A_SAVE = 4
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
        for _ in range(_MOST_FILES_A_SAVE):
            sealing = next_sealing(text.conversation, len(data), self.rule)
            if sealing is None:
                break
            sha256, size_bytes = self._save(directory / sealing.name, written_part(sealing.part))
            rest = self._folded(directory, sealing.sealed(sha256, size_bytes))
            data, text = written(rest, text.parts)
        return data, text

    def _folded(self, directory: Path, conversation: Conversation) -> Conversation:
        entries = archives.entries_to_fold(conversation.archive)
        if not entries:
            return conversation
        listed = {
            "schema_version": SCHEMA_VERSION, "id": conversation.id, "tenant": conversation.tenant,
            "entries": [entry.model_dump(mode="json") for entry in entries],
        }  # fmt: skip
        data = orjson.dumps(listed, option=orjson.OPT_INDENT_2)
        sha256, size_bytes = self._save(directory / archives.index_name(entries), data)
        left = archives.folded(conversation.archive, entries, sha256, size_bytes)
        return self._folded(directory, conversation.model_copy(update={"archive": left}))

    def _save(self, path: Path, data: bytes) -> tuple[str, int]:
        self.files.save(path, data)
        return hashlib.sha256(data).hexdigest(), len(data)

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
            data = self._checked(directory / entry.file, entry)
            if entry.kind == "turns":
                return parsed_part(data)
            entries = _parsed_entries(data)

    def _checked(self, path: Path, entry: SealedTurns) -> bytes:
        stored = self.files.read(path)
        name = self.files.name_of(path)
        if stored is None:
            raise CorruptDocument(
                f"The sealed file {name!r} with turns {entry.first_turn} to {entry.last_turn} is missing. "
                "Restore it from a backup.",
                document=name,
            )
        if hashlib.sha256(stored.data).hexdigest() != entry.sha256:
            # It stays where it is: the conversation names it, and what is left may be all there is.
            raise CorruptDocument(
                f"The sealed file {name!r} with turns {entry.first_turn} to {entry.last_turn} is not what "
                "was sealed: its digest differs. Restore it from a backup.",
                document=name,
            )
        return stored.data


def _parsed_entries(data: bytes) -> tuple[SealedTurns, ...]:
    plain: Any = orjson.loads(data)
    refuse_newer(plain["schema_version"], SCHEMA_VERSION)
    return tuple(SealedTurns.model_validate(entry) for entry in plain["entries"])
