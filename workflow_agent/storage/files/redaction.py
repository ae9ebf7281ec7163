"""Taking texts out of all files of a conversation: its document, its sealed turns, its contents."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic_core import to_json

from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.conversations.seals import unsealed
from workflow_agent.storage.files.archives import ConversationArchive, parsed_part
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.values.digests import content_json, parse_canonical

_SEALED = re.compile(r"(?:turns|index)-[0-9]{6,12}-[0-9]{6,12}\.json")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A conversation without some texts, and the files that are needed no more once it is saved."""

    conversation: Conversation
    obsolete: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ConversationRedaction:
    """Makes a conversation without some texts; what refers to the new files is for the caller to save.

    Sealed turns that held any come back into the document, with all after them, and are sealed again by the
    saves to come: so whenever the power goes, the document names files that are what it says.
    """

    files: DurableFiles
    archive: ConversationArchive

    def of(self, directory: Path, conversation: Conversation, gone: Redaction) -> Redacted | None:
        """Return a conversation without what is to be gone; None where nothing of it was there.

        Raises:
            CorruptDocument: A sealed file is missing or is not what was sealed.
            StorageFailed: A content could not be written.
        """
        opened = self._opened(directory, conversation, gone)
        replaced, contents = self._contents(directory / "blobs", gone)
        plain = json.loads(to_json(opened, by_alias=True, inf_nan_mode="null"))
        changed = with_references(gone.in_data(plain), replaced)
        obsolete = (*self._unnamed(directory, opened), *contents)
        if changed == plain and not obsolete:
            return None
        return Redacted(Conversation.model_validate_json(json.dumps(changed)), obsolete)

    def _opened(self, directory: Path, conversation: Conversation, gone: Redaction) -> Conversation:
        """Return a conversation with the sealed turns in it that may hold what goes, and all later ones."""
        entries = self.archive.entries(directory, conversation)
        data = [self.archive.checked(directory, entry) for entry in entries]
        first = next((at for at, one in enumerate(data) if gone.may_change(one)), None)
        if first is None:
            return conversation
        parts = [parsed_part(one) for one in data[first:]]
        return unsealed(conversation.model_copy(update={"archive": entries}), parts)

    def _unnamed(self, directory: Path, conversation: Conversation) -> Iterator[Path]:
        """Yield the sealed files that a conversation does not name: opened now, or before a power cut."""
        if self.files.state(directory) is None:
            return
        named = {one.file for one in (*self.archive.entries(directory, conversation), *conversation.archive)}
        for name in self.files.names(directory):
            if _SEALED.fullmatch(name) and name not in named:
                yield directory / name

    def _contents(self, directory: Path, gone: Redaction) -> tuple[Mapping[str, str], tuple[Path, ...]]:
        """Save contents without what is to be gone; return the new reference of each, and the old files."""
        replaced: dict[str, str] = {}
        for path in self._blobs(directory):
            stored = self.files.read(path)
            if stored is None or not gone.may_change(stored.data):
                continue
            content = parse_canonical(stored.data)
            # A content is free text wherever it is one.
            changed = gone.in_data(content, "content")
            if changed != content:
                data = content_json(changed)
                digest = hashlib.sha256(data).hexdigest()
                self.files.save(directory / digest, data)
                replaced[f"sha256:{path.name}"] = f"sha256:{digest}"
        return replaced, tuple(directory / one.removeprefix("sha256:") for one in replaced)

    def _blobs(self, directory: Path) -> Iterator[Path]:
        yield from (directory / name for name in self.files.names(directory) if "." not in name)


def with_references(value: Any, replaced: Mapping[str, str]) -> Any:
    """Return JSON data with some references to contents replaced by others."""
    if isinstance(value, str):
        return replaced.get(value, value)
    if isinstance(value, list):
        return [with_references(one, replaced) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: with_references(one, replaced) for key, one in cast("dict[str, Any]", value).items()}
    return value
